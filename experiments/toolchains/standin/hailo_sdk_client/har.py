"""HAR files: a plain tar with the HN, what is known of its state, the scripts, and the weights' place."""

import io
import json
import os
import tarfile

# A zip archive with nothing in it: the stand-in has no weights to keep.
_EMPTY_NPZ = b"PK\x05\x06" + bytes(18)


def write_har(path, hn, metadata, script):
    """Writes `path` whole or not at all."""
    name = hn["name"]
    text = json.dumps(hn, separators=(",", ":")).encode()
    members = {
        f"{name}.hn": text,
        f"{name}.native.hn": text,
        f"{name}.metadata.json": json.dumps(metadata).encode(),
        f"{name}.alls": script.encode(),
        f"{name}.q.npz" if metadata["state"] in ("quantized_model", "compiled_model") else f"{name}.npz": _EMPTY_NPZ,
    }
    beside = f"{os.fspath(path)}.{os.getpid()}.part"
    with tarfile.open(beside, "w", format=tarfile.USTAR_FORMAT) as archive:
        for member, content in members.items():
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    os.replace(beside, path)


def read_har(path):
    """(HN, metadata, script) of a HAR file."""
    hn, metadata, script = None, {}, ""
    with tarfile.open(path) as archive:
        for entry in archive:
            content = archive.extractfile(entry)
            if content is None:
                continue
            if entry.name.endswith(".metadata.json"):
                metadata = json.load(content)
            elif entry.name.endswith(".alls") and not entry.name.endswith(".auto.alls"):
                script = content.read().decode()
            elif entry.name.endswith(".hn") and not entry.name.endswith((".fp.hn", ".native.hn")):
                hn = json.load(content)
    if hn is None:
        raise FileNotFoundError(f"{path} holds no .hn file")
    return hn, metadata, script
