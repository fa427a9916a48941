! Error handlers that are external procedures, with mpif.h.
subroutine count_call(comm, error_code)
  implicit none
  include 'mpif.h'
  integer :: comm, error_code, calls, class_seen, comm_seen, error
  common /seen/ calls, class_seen, comm_seen
  calls = calls + 1
  comm_seen = comm
  call MPI_ERROR_CLASS(error_code, class_seen, error)
end subroutine

program mpif_errhandlers
  implicit none
  include 'mpif.h'
  external count_call
  integer :: rank, ranks, error, comm, handler, calls, class_seen, comm_seen
  common /seen/ calls, class_seen, comm_seen
  calls = 0
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, error)
  call MPI_COMM_CREATE_ERRHANDLER(count_call, handler, error)
  if (error /= MPI_SUCCESS) error stop 'handler'
  call MPI_COMM_SET_ERRHANDLER(comm, handler, error)
  call MPI_ERRHANDLER_FREE(handler, error)
  call MPI_SEND(rank, 1, MPI_INTEGER, 0, -5, comm, error)
  call MPI_ERROR_CLASS(error, class_seen, error)
  if (class_seen /= MPI_ERR_TAG) error stop 'the error of a call'
  if (calls /= 1 .or. comm_seen /= comm) error stop 'the handler of a call'
  call MPI_COMM_CALL_ERRHANDLER(comm, MPI_ERR_BUFFER, error)
  if (calls /= 2 .or. class_seen /= MPI_ERR_BUFFER) error stop 'the handler that the program calls'
  call MPI_COMM_FREE(comm, error)
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_FINALIZE(error)
end program
