"""A process that nobody has started by mpiexec starts two others."""

import sys

from mpi4py import MPI

parent = MPI.Comm.Get_parent()
if parent == MPI.COMM_NULL:
    children = MPI.COMM_SELF.Spawn(sys.executable, [__file__], 2)
    family = children.Merge()
else:
    children = parent
    family = parent.Merge(high=True)
ranks = family.allgather(family.rank)
assert ranks == list(range(family.size)), ranks
if parent == MPI.COMM_NULL:
    print(f"a family of {family.size}")
children.Disconnect()
