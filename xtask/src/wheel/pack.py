"""Makes a wheel of a folder: python3 pack.py FOLDER WHEEL.

The record comes last, as it names all others with their hashes. Files are in a fixed order and have a fixed time, so
that the same files make the same wheel.
"""

import base64
import hashlib
import pathlib
import stat
import sys
import zipfile

folder, wheel = map(pathlib.Path, sys.argv[1:])


def add(archive, name, data, mode):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (stat.S_IFREG | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


record = []
with zipfile.ZipFile(wheel, "w") as archive:
    # What describes the package comes last, as the format recommends.
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in sorted(files, key=lambda path: (".dist-info/" in str(path), path)):
        name, data = path.relative_to(folder).as_posix(), path.read_bytes()
        add(archive, name, data, 0o755 if path.stat().st_mode & 0o100 else 0o644)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
        record.append(f"{name},sha256={digest.decode()},{len(data)}")
    (information,) = folder.glob("*.dist-info")
    name = f"{information.name}/RECORD"
    record.append(f"{name},,")
    add(archive, name, "\n".join(record) + "\n", 0o644)
