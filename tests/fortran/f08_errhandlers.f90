! Error handlers that are procedures of Fortran, of communicators, sessions, windows and files.
module handlers
  use mpi_f08
  implicit none
  integer :: calls = 0, class_seen = -1
  type(MPI_Comm) :: comm_seen
contains
  subroutine count_call(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    calls = calls + 1
    comm_seen = comm
    call MPI_Error_class(error_code, class_seen)
  end subroutine

  subroutine count_session(session, error_code)
    type(MPI_Session) :: session
    integer :: error_code
    calls = calls + 100
    if (session == MPI_SESSION_NULL) error stop 'no session'
    call MPI_Error_class(error_code, class_seen)
  end subroutine

  subroutine count_window(window, error_code)
    type(MPI_Win) :: window
    integer :: error_code
    calls = calls + 1000
    if (window == MPI_WIN_NULL) error stop 'no window'
    call MPI_Error_class(error_code, class_seen)
  end subroutine

  subroutine count_file(fh, error_code)
    type(MPI_File) :: fh
    integer :: error_code
    calls = calls + 10000
    if (fh /= MPI_FILE_NULL) error stop 'there is a file'
    call MPI_Error_class(error_code, class_seen)
  end subroutine
end module

program f08_errhandlers
  use handlers
  implicit none
  integer :: rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call handlers_of_communicators()
  call handlers_of_sessions()
  call handlers_of_windows()
  call handlers_of_files()
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
contains
  subroutine handlers_of_communicators()
    type(MPI_Comm) :: comm
    type(MPI_Errhandler) :: handler, found, more(300)
    integer :: error, class, i
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_create_errhandler(count_call, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Comm_get_errhandler(comm, found)
    if (found /= handler) error stop 'another handler'
    call MPI_Errhandler_free(found)
    call MPI_Errhandler_free(handler)
    if (handler /= MPI_ERRHANDLER_NULL) error stop 'the handle is left'
    ! The communicator has the handler still, and others do not take its place.
    do i = 1, size(more)
      call MPI_Comm_create_errhandler(count_call, more(i))
      call MPI_Errhandler_free(more(i))
    end do
    call MPI_Send(rank, 1, MPI_INTEGER, ranks + 7, 0, comm, error)
    call MPI_Error_class(error, class)
    if (class /= MPI_ERR_RANK) error stop 'the error of a call'
    if (calls /= 1 .or. class_seen /= MPI_ERR_RANK .or. comm_seen /= comm) error stop 'the handler of a call'
    call MPI_Comm_call_errhandler(comm, MPI_ERR_TOPOLOGY)
    if (calls /= 2 .or. class_seen /= MPI_ERR_TOPOLOGY) error stop 'the handler that the program calls'
    call MPI_Comm_free(comm)
  end subroutine

  subroutine handlers_of_sessions()
    type(MPI_Session) :: session
    type(MPI_Errhandler) :: handler
    call MPI_Session_create_errhandler(count_session, handler)
    call MPI_Session_init(MPI_INFO_NULL, handler, session)
    calls = 0
    call MPI_Session_call_errhandler(session, MPI_ERR_ARG)
    if (calls /= 100 .or. class_seen /= MPI_ERR_ARG) error stop 'the handler of a session'
    call MPI_Session_finalize(session)
    call MPI_Errhandler_free(handler)
  end subroutine

  subroutine handlers_of_windows()
    type(MPI_Win) :: window
    type(MPI_Errhandler) :: handler
    integer :: error
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, window)
    call MPI_Win_create_errhandler(count_window, handler)
    call MPI_Win_set_errhandler(window, handler)
    call MPI_Errhandler_free(handler)
    calls = 0
    call MPI_Win_unlock(0, window, error)
    if (calls /= 1000 .or. class_seen /= MPI_ERR_RMA_SYNC) error stop 'the error of a window'
    call MPI_Win_call_errhandler(window, MPI_ERR_ARG)
    if (calls /= 2000 .or. class_seen /= MPI_ERR_ARG) error stop 'the handler of a window'
    call MPI_Win_free(window)
  end subroutine

  ! The handler of MPI_FILE_NULL is that of files which are opened later, and of those that cannot be opened.
  subroutine handlers_of_files()
    type(MPI_File) :: fh
    type(MPI_Errhandler) :: handler
    integer :: error
    call MPI_File_create_errhandler(count_file, handler)
    call MPI_File_set_errhandler(MPI_FILE_NULL, handler)
    call MPI_Errhandler_free(handler)
    calls = 0
    call MPI_File_open(MPI_COMM_SELF, '/dev/null/nowhere', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, error)
    if (calls /= 10000 .or. error == MPI_SUCCESS) error stop 'the error of a file'
    call MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_ARG)
    if (calls /= 20000 .or. class_seen /= MPI_ERR_ARG) error stop 'the handler of files'
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN)
  end subroutine
end program
