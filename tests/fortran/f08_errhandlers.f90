! Error handlers that are procedures of Fortran, of communicators and sessions.
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
end program
