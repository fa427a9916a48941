! The sessions model: process sets, groups, communicators and intercommunicators from groups, error handlers.
#include "bindings.h"
module session_errors
  use bindings
  implicit none
  integer :: calls = 0

contains

  subroutine note(session, code)
    HANDLE(MPI_Session) :: session
    integer :: code
    if (session /= MPI_SESSION_NULL .and. code == MPI_ERR_OTHER) calls = calls + 1
  end subroutine
end module

program sessions
  use session_errors
  implicit none
  HANDLE(MPI_Session) :: session
  logical :: so
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierr)
  CHECK(ierr == MPI_SUCCESS .and. session /= MPI_SESSION_NULL)
  call MPI_Initialized(so, ierr)
  CHECK(.not. so)
  call process_sets()
  call from_groups()
  call errors()
  call MPI_Session_finalize(session, ierr)
  CHECK(session == MPI_SESSION_NULL)
  call begin()
  call end_well()

contains

  subroutine process_sets()
    integer :: many, length, number, digits
    character(len=MPI_MAX_PSET_NAME_LEN) :: name
    character(len=12) :: value
    logical :: world, there
    HANDLE(MPI_Info) :: info
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, many, ierr)
    CHECK(many >= 2)
    world = .false.
    do number = 0, many - 1
      length = len(name)
      call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, number, length, name, ierr)
      CHECK(length == len_trim(name) .and. length > 0)
      world = world .or. name == 'mpi://WORLD'
    end do
    CHECK(world)
    call MPI_Session_get_pset_info(session, 'mpi://SELF', info, ierr)
    length = len(value)
    call MPI_Info_get_string(info, 'mpi_size', length, value, there, ierr)
    read (value, *) digits
    CHECK(there .and. digits == 1)
    call MPI_Info_free(info, ierr)
    call MPI_Session_get_info(session, info, ierr)
    call MPI_Info_get_nkeys(info, number, ierr)
    CHECK(number >= 1)
    call MPI_Info_free(info, ierr)
  end subroutine

  subroutine from_groups()
    HANDLE(MPI_Group) :: world, half, other
    HANDLE(MPI_Comm) :: comm, inter
    integer :: sum, number, side, i, many
    call MPI_Group_from_session_pset(session, 'mpi://WORLD', world, ierr)
    call MPI_Comm_create_from_group(world, 'the world', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, ierr)
    call MPI_Comm_rank(comm, rank, ierr)
    call MPI_Comm_size(comm, ranks, ierr)
    call MPI_Allreduce(rank, sum, 1_ck, MPI_INTEGER, MPI_SUM, comm, ierr)
    CHECK(sum == ranks * (ranks - 1) / 2)
    call MPI_Comm_free(comm, ierr)
    side = merge(0, 1, rank < ranks / 2)
    many = ranks / 2
    call MPI_Group_incl(world, many, [(i, i = 0, many - 1)], half, ierr)
    call MPI_Group_difference(world, half, other, ierr)
    if (side == 0) then
      call MPI_Intercomm_create_from_groups(half, 0, other, 0, 'two', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, inter, &
        ierr)
    else
      call MPI_Intercomm_create_from_groups(other, 0, half, 0, 'two', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, inter, &
        ierr)
    end if
    call MPI_Comm_remote_size(inter, number, ierr)
    CHECK(number == merge(ranks - many, many, side == 0))
    call MPI_Comm_free(inter, ierr)
    call MPI_Group_free(world, ierr)
    call MPI_Group_free(half, ierr)
    call MPI_Group_free(other, ierr)
  end subroutine

  subroutine errors()
    HANDLE(MPI_Errhandler) :: handler
    HANDLE(MPI_Group) :: none
    call MPI_Session_get_errhandler(session, handler, ierr)
    CHECK(handler == MPI_ERRORS_RETURN)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Group_from_session_pset(session, 'mpi://NOWHERE', none, ierr)
    CHECK(ierr /= MPI_SUCCESS)
    call MPI_Session_call_errhandler(session, MPI_ERR_OTHER, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Session_set_errhandler(session, MPI_ERRORS_ARE_FATAL, ierr)
    call MPI_Session_get_errhandler(session, handler, ierr)
    CHECK(handler == MPI_ERRORS_ARE_FATAL)
    call MPI_Session_create_errhandler(note, handler, ierr)
    call MPI_Session_set_errhandler(session, handler, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Session_call_errhandler(session, MPI_ERR_OTHER, ierr)
    CHECK(calls == 1)
  end subroutine
end program
