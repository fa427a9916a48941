"""Whether what the record of a package names is there, below the environment, as it was packed."""

import base64
import hashlib
import importlib.metadata
import pathlib
import sys

prefix = pathlib.Path(sys.prefix).resolve()
files = importlib.metadata.distribution("simurgh").files
for file in files:
    path = pathlib.Path(file.locate()).resolve()
    assert path.is_relative_to(prefix), f"{path} is not below {prefix}"
    if file.hash:
        digest = hashlib.new(file.hash.mode, path.read_bytes()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value, f"{path} has changed"
names = {path.locate().resolve().relative_to(prefix).as_posix() for path in files}
needed = {"bin/mpiexec", "bin/mpirun", "bin/simurgh", "bin/mpicc", "bin/mpicxx", "include/mpi.h"}
needed |= {"include/mpi_removed.h", "include/simurgh/mpi4py/pympiconf.h", "lib/libmpi_abi.so.1"}
assert needed <= names, f"{needed - names} is missing"
