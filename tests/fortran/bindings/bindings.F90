! The binding that a program is compiled for, and the common parts of programs: checks that name the rank and the line.
#include "bindings.h"
module bindings
#ifdef F08
  use mpi_f08
#endif
#ifdef MPI_MODULE
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif

  ! The kind of counts, of displacements in collective operations, and of displacements in bytes.
#ifdef LARGE
  integer, parameter :: ck = MPI_COUNT_KIND, dk = MPI_ADDRESS_KIND
#else
  integer, parameter :: ck = kind(0), dk = kind(0)
#endif
  integer, parameter :: ak = MPI_ADDRESS_KIND

  ! The ranks are a ring: `left` and `right` are the neighbours.
  integer :: rank, ranks, left, right, ierr

contains

  subroutine begin()
    call MPI_Init(ierr)
    call sizes()
  end subroutine

  subroutine sizes()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
  end subroutine

  subroutine check(so, line)
    logical, intent(in) :: so
    integer, intent(in) :: line
    if (so) return
    write (0, '(a,i0,a,i0)') 'rank ', rank, ': not so: line ', line
    call MPI_Abort(MPI_COMM_WORLD, 99, ierr)
    error stop
  end subroutine

  ! The code belongs to the class.
  subroutine check_class(code, class, line)
    integer, intent(in) :: code, class, line
    integer :: found
    call MPI_Error_class(code, found, ierr)
    call check(found == class, line)
  end subroutine

  subroutine end_well()
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) write (*, '(a,i0,a)') 'passed with ', ranks, ' ranks'
    call MPI_Finalize(ierr)
  end subroutine
end module

! The forms of collective operations.
module forms
  use bindings
  implicit none
  integer, parameter :: BLOCKING = 1, NONBLOCKING = 2, PERSISTENT = 3

contains

  ! Ends an operation that was started. A persistent one is started twice.
  subroutine complete(form, request)
    integer, intent(in) :: form
    HANDLE(MPI_Request), intent(inout) :: request
    if (form == PERSISTENT) then
      call MPI_Start(request, ierr)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
      call MPI_Start(request, ierr)
    end if
    if (form /= BLOCKING) call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    if (form == PERSISTENT) call MPI_Request_free(request, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine
end module
