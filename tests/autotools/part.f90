! The part in Fortran of a program in C.
subroutine say_hello(communicator)
  use mpi
  implicit none
  integer, intent(in) :: communicator
  integer :: rank, ranks, ierror
  call MPI_Comm_rank(communicator, rank, ierror)
  call MPI_Comm_size(communicator, ranks, ierror)
  write (*, '(a,i0,a,i0)') 'hello from rank ', rank, ' of ', ranks
end subroutine
