! The three bindings in one file, whose sentinels are the same variables. With an even number of ranks each prints one
! line.
program modules_mixed
  use mpi_f08
  implicit none
  integer :: rank, size

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call by_mpi_f08(MPI_COMM_WORLD, ieor(rank, 1), rank)
  call by_mpi(MPI_COMM_WORLD%MPI_VAL, ieor(rank, 1), rank)
  call by_mpif(MPI_COMM_WORLD%MPI_VAL, ieor(rank, 1), rank)
  write (*, '(A, I0, A, I0)') 'passed by rank ', rank, ' of ', size
  call MPI_Finalize()
end program

subroutine by_mpi_f08(comm, peer, rank)
  use mpi_f08
  implicit none
  type(MPI_Comm), intent(in) :: comm
  integer, intent(in) :: peer, rank
  integer :: value
  value = rank
  call MPI_Sendrecv_replace(value, 1, MPI_INTEGER, peer, 1, peer, 1, comm, MPI_STATUS_IGNORE)
  if (value /= peer) error stop 'mpi_f08'
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_MAX, comm)
end subroutine

subroutine by_mpi(comm, peer, rank)
  use mpi
  implicit none
  integer, intent(in) :: comm, peer, rank
  integer :: value, ierror, errors(2)
  value = rank
  call MPI_SENDRECV_REPLACE(value, 1, MPI_INTEGER, peer, 2, peer, 2, comm, MPI_STATUS_IGNORE, ierror)
  if (value /= peer) error stop 'mpi'
  call MPI_ALLREDUCE(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_MAX, comm, ierror)
  errors = MPI_REQUEST_NULL
  call MPI_WAITALL(2, errors, MPI_STATUSES_IGNORE, ierror)
end subroutine

subroutine by_mpif(comm, peer, rank)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: comm, peer, rank
  integer :: value, ierror
  real :: x(2)
  value = rank
  call MPI_SENDRECV_REPLACE(value, 1, MPI_INTEGER, peer, 3, peer, 3, comm, MPI_STATUS_IGNORE, ierror)
  if (value /= peer) error stop 'mpif.h'
  x = rank
  call MPI_SENDRECV_REPLACE(x, 2, MPI_REAL, peer, 4, peer, 4, comm, MPI_STATUS_IGNORE, ierror)
  if (x(2) /= peer) error stop 'mpif.h'
  call MPI_ALLREDUCE(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_MAX, comm, ierror)
end subroutine
