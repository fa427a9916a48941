! Operations of external procedures with mpif.h, as old programs have them.
subroutine add(given, sums, len, datatype)
  implicit none
  include 'mpif.h'
  integer :: len, datatype, given(len), sums(len)
  if (datatype /= MPI_INTEGER) stop 'add: another datatype'
  sums = given + sums
end subroutine

! Keeps the first of two values: not commutative.
subroutine first_of(given, kept, len, datatype)
  implicit none
  include 'mpif.h'
  integer :: len, datatype
  double precision :: given(len), kept(len)
  if (datatype /= MPI_DOUBLE_PRECISION) stop 'first_of: another datatype'
  kept = given
end subroutine

program mpif_operations
  implicit none
  include 'mpif.h'
  external add, first_of
  integer :: rank, ranks, op, sum, error, i
  double precision :: number(20), kept(20)
  logical :: commutes
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)

  call MPI_OP_CREATE(add, .true., op, error)
  if (error /= MPI_SUCCESS) error stop 'operation'
  call MPI_ALLREDUCE(rank, sum, 1, MPI_INTEGER, op, MPI_COMM_WORLD, error)
  if (sum /= ranks * (ranks - 1) / 2) error stop 'sum'
  call MPI_OP_FREE(op, error)
  if (op /= MPI_OP_NULL) error stop 'the handle is left'

  call MPI_OP_CREATE(first_of, .false., op, error)
  call MPI_OP_COMMUTATIVE(op, commutes, error)
  if (commutes) error stop 'the operation does not commute'
  number = rank + 0.5d0
  do i = 0, ranks - 1
    kept = -1
    call MPI_REDUCE(number, kept, 20, MPI_DOUBLE_PRECISION, op, i, MPI_COMM_WORLD, error)
    if (rank == i .and. any(kept /= 0.5d0)) error stop 'the first value'
  end do
  call MPI_OP_FREE(op, error)

  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_FINALIZE(error)
end program
