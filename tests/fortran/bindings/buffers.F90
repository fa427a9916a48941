! Buffered sends through buffers of the process.
#include "bindings.h"
program buffers
  use bindings
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer, parameter :: bytes = 4096
  integer ASYNC_TARGET :: space(bytes / 4)
  call begin()
  call MPI_Buffer_attach(space, int(bytes, ck), ierr)
  call buffered()
  call detach()
  call end_well()

contains

  subroutine buffered()
    integer ASYNC :: given, got(3)
    integer :: i
    HANDLE(MPI_Request) :: requests(2)
    given = 10 * rank
    call MPI_Bsend(given, 1_ck, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
    call MPI_Ibsend(given, 1_ck, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Bsend_init(given, 1_ck, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Start(requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Request_free(requests(2), ierr)
    given = -1
    do i = 1, 3
      call MPI_Recv(got(i), 1_ck, MPI_INTEGER, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end do
    CHECK(all(got == 10 * left))
  end subroutine

  ! mpi_f08 gives the address of the buffer. In the others the argument has no meaning.
  subroutine detach()
    integer(ck) :: size
#ifdef F08
    type(c_ptr) :: address
    integer, pointer :: found(:)
    call MPI_Buffer_detach(address, size, ierr)
    call c_f_pointer(address, found, shape(space))
    CHECK(associated(found, space))
#else
    integer(ak) :: address
    call MPI_Buffer_detach(address, size, ierr)
#endif
    CHECK(size == bytes)
  end subroutine
end program
