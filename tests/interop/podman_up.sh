#!/bin/bash
# podman_up.sh FOLDER: a podman of our own in FOLDER (configuration, images, run files), with a small busybox image called
# localhost/dfc-gfx906:5.3.0. Touches nothing outside FOLDER, needs no network and no registry. Prints the two variables
# to export. podman_down.sh FOLDER undoes it.
set -euo pipefail
for tool in podman runc busybox; do
  command -v "$tool" >/dev/null || { echo "podman_up: $tool is missing; scripts/dependencies tests installs it" >&2; exit 1; }
done
mkdir -p "$1"
folder=$(cd "$1" && pwd)

# podman asks for a million open files by default; where that may not be set, every container ends with 126.
most=$(ulimit -Hn)
if [ "$most" = unlimited ] || [ "$most" -gt 4096 ]; then most=4096; fi
cat > "$folder/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$most:$most", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
CONF
cat > "$folder/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$folder/store"
runroot = "$folder/run"
CONF
export CONTAINERS_CONF=$folder/containers.conf CONTAINERS_STORAGE_CONF=$folder/storage.conf

image=localhost/dfc-gfx906:5.3.0
if ! podman image exists "$image"; then
  root=$folder/root
  rm -rf "$root"
  mkdir -p "$root"/{bin,dev,etc,proc,root,sys,tmp}
  cp "$(command -v busybox)" "$root/bin/busybox"
  for applet in $("$root/bin/busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"; done
  echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"
  echo 'root:x:0:' > "$root/etc/group"
  chmod 1777 "$root/tmp"
  tar -C "$root" -c . | podman import -q - "$image" >/dev/null
fi
podman run --rm --init --network=none "$image" true >&2
echo "export CONTAINERS_CONF=$CONTAINERS_CONF"
echo "export CONTAINERS_STORAGE_CONF=$CONTAINERS_STORAGE_CONF"
