! What MPI 4.1 has added for buffered sends: buffers of a communicator and of a session, automatic ones, flushing.
#include "bindings.h"
program buffers_of_communicators
  use bindings
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer, parameter :: bytes = 4096
  integer ASYNC_TARGET :: space(bytes / 4)
#ifdef F08
  type(c_ptr) :: address
#else
  integer(ak) :: address
#endif
  call begin()
  call of_the_process()
  call of_a_communicator()
  call of_a_session()
  call end_well()

contains

  subroutine exchange(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: got
    call MPI_Bsend(100 + rank, 1_ck, MPI_INTEGER, right, 5, comm, ierr)
    call MPI_Recv(got, 1_ck, MPI_INTEGER, left, 5, comm, MPI_STATUS_IGNORE, ierr)
    CHECK(got == 100 + left)
  end subroutine

  subroutine check_address(expected)
    logical, intent(in) :: expected
#ifdef F08
    integer, pointer :: found(:)
    call c_f_pointer(address, found, shape(space))
    CHECK(associated(found, space) .eqv. expected)
#endif
  end subroutine

  subroutine of_the_process()
    integer(ck) :: size
    HANDLE(MPI_Request) :: request
    call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0_ck, ierr)
    call exchange(MPI_COMM_WORLD)
    call MPI_Buffer_flush(ierr)
    call MPI_Buffer_iflush(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Buffer_detach(address, size, ierr)
    call check_address(.false.)
    CHECK(ierr == MPI_SUCCESS .and. size == 0)
  end subroutine

  subroutine of_a_communicator()
    integer(ck) :: size
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Request) :: request
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_attach_buffer(comm, space, int(bytes, ck), ierr)
    call exchange(comm)
    call MPI_Comm_flush_buffer(comm, ierr)
    call MPI_Comm_iflush_buffer(comm, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_detach_buffer(comm, address, size, ierr)
    call check_address(.true.)
    CHECK(size == bytes)
    call MPI_Comm_free(comm, ierr)
  end subroutine

  subroutine of_a_session()
    integer(ck) :: size
    HANDLE(MPI_Session) :: session
    HANDLE(MPI_Group) :: group
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Request) :: request
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, ierr)
    call MPI_Session_attach_buffer(session, space, int(bytes, ck), ierr)
    call MPI_Group_from_session_pset(session, 'mpi://WORLD', group, ierr)
    call MPI_Comm_create_from_group(group, 'buffers', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, ierr)
    call exchange(comm)
    call MPI_Session_flush_buffer(session, ierr)
    call MPI_Session_iflush_buffer(session, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Session_detach_buffer(session, address, size, ierr)
    call check_address(.true.)
    CHECK(size == bytes)
    call MPI_Group_free(group, ierr)
    call MPI_Comm_free(comm, ierr)
    call MPI_Session_finalize(session, ierr)
    CHECK(session == MPI_SESSION_NULL)
  end subroutine
end program
