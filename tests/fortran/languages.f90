! Ranks of a job whose other ranks are programs in Python (xtask/src/wheel/languages.py, with rank 0) and in C
! (tests/c/languages.c). This program has the last rank.
program languages
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function getpid() bind(C)
      import :: c_int
    end function
  end interface
  integer :: rank, ranks, left, mine(2), came(2), total, none(0)
  character(6) :: text
  double precision :: numbers(3)
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  ! Round the ring: what comes from the left is from another language at the borders.
  left = modulo(rank - 1, ranks)
  mine = [rank, rank**2]
  call MPI_Sendrecv(mine, 2, MPI_INTEGER, modulo(rank + 1, ranks), 3, came, 2, MPI_INTEGER, left, 3, &
    MPI_COMM_WORLD, status)
  if (any(came /= [left, left**2]) .or. status%MPI_SOURCE /= left) error stop 'the ring'
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (total /= ranks * (ranks - 1) / 2) error stop 'the sum'
  call MPI_Bcast(text, 6, MPI_CHARACTER, 0, MPI_COMM_WORLD)
  if (text /= 'python') error stop 'the text'
  numbers = 0
  if (rank == ranks - 1) numbers = [0.25d0, 0.5d0, 0.75d0]
  call MPI_Bcast(numbers, 3, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
  if (any(numbers /= [0.25d0, 0.5d0, 0.75d0])) error stop 'the numbers'
  call MPI_Gather(int(getpid()), 1, MPI_INTEGER, none, 0, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
