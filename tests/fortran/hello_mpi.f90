! Uses the module mpi.
program hello
  use mpi
  implicit none
  integer :: rank, size, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  write (*, '(A, I0, A, I0)') 'hello from rank ', rank, ' of ', size
  call MPI_Finalize(ierror)
end program
