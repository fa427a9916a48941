"""Ranks of a job whose other ranks are programs in C (tests/c/languages.c) and in Fortran (tests/fortran/languages.f90).
This program has rank 0."""

import os
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
# Round the ring: what comes from the left is from another language at the borders.
left = (rank - 1) % size
came = array("i", [-1, -1])
status = MPI.Status()
mine = [array("i", [rank, rank**2]), MPI.INTEGER]
world.Sendrecv(mine, (rank + 1) % size, 3, [came, MPI.INTEGER], left, 3, status)
assert list(came) == [left, left**2] and status.source == left, came

total = array("i", [-1])
world.Allreduce([array("i", [rank]), MPI.INTEGER], [total, MPI.INTEGER], MPI.SUM)
assert total[0] == size * (size - 1) // 2, total
text = bytearray(b"python" if rank == 0 else 6)
world.Bcast([text, MPI.CHARACTER])
assert text == b"python", text
numbers = array("d", [0, 0, 0])
world.Bcast([numbers, MPI.DOUBLE_PRECISION], root=size - 1)
assert list(numbers) == [0.25, 0.5, 0.75], numbers

processes = array("i", [0] * size)
world.Gather([array("i", [os.getpid()]), MPI.INTEGER], [processes, MPI.INTEGER] if rank == 0 else None)
if rank == 0:
    print(f"{size} ranks in {len(set(processes))} processes")
