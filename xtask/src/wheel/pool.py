"""Workers of a pool, started by a process that nobody has started by mpiexec."""

from mpi4py.futures import MPIPoolExecutor


def square(number):
    return number * number


if __name__ == "__main__":
    with MPIPoolExecutor(max_workers=2) as pool:
        print(sum(pool.map(square, range(100))))
