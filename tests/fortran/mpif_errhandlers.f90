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

subroutine count_object(object, error_code)
  implicit none
  include 'mpif.h'
  integer :: object, error_code, calls, class_seen, comm_seen, error
  common /seen/ calls, class_seen, comm_seen
  calls = calls + 100
  comm_seen = object
  call MPI_ERROR_CLASS(error_code, class_seen, error)
end subroutine

program mpif_errhandlers
  implicit none
  include 'mpif.h'
  external count_call, count_object
  integer :: rank, ranks, error, comm, window, handler, calls, class_seen, comm_seen
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
  call MPI_WIN_CREATE_DYNAMIC(MPI_INFO_NULL, MPI_COMM_SELF, window, error)
  call MPI_WIN_CREATE_ERRHANDLER(count_object, handler, error)
  call MPI_WIN_SET_ERRHANDLER(window, handler, error)
  call MPI_ERRHANDLER_FREE(handler, error)
  call MPI_WIN_UNLOCK(0, window, error)
  if (calls /= 102 .or. comm_seen /= window) error stop 'the handler of a window'
  if (class_seen /= MPI_ERR_RMA_SYNC) error stop 'the error of a window'
  call MPI_WIN_FREE(window, error)
  call MPI_FILE_CREATE_ERRHANDLER(count_object, handler, error)
  call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, handler, error)
  call MPI_ERRHANDLER_FREE(handler, error)
  call MPI_FILE_CALL_ERRHANDLER(MPI_FILE_NULL, MPI_ERR_FILE, error)
  if (calls /= 202 .or. comm_seen /= MPI_FILE_NULL) error stop 'the handler of files'
  if (class_seen /= MPI_ERR_FILE) error stop 'the error of files'
  call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, MPI_ERRORS_RETURN, error)
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_FINALIZE(error)
end program
