#!/bin/bash
# podman_down.sh FOLDER: removes the containers and images that podman_up.sh FOLDER made, and its files.
folder=$(cd "$1" 2>/dev/null && pwd) || exit 0
export CONTAINERS_CONF=$folder/containers.conf CONTAINERS_STORAGE_CONF=$folder/storage.conf
podman rm -fa -t 0 >/dev/null 2>&1
umount "$folder/store/overlay" 2>/dev/null
rm -rf "$folder/store" "$folder/run" "$folder/root"
