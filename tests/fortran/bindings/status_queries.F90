! What MPI 4.1 has added for statuses: status of several requests, access to fields by procedures.
#include "bindings.h"
program status_queries
  use bindings
  implicit none
  call begin()
  call of_several()
  call fields()
#ifndef MPIF_H
  call conversions()
#endif
  call end_well()

contains

  subroutine of_several()
    integer ASYNC :: got(3)
    integer :: i, which, many, indices(3)
    logical :: done
    HANDLE(MPI_Request) :: requests(3)
    STATUS(status)
    STATUSES(statuses, 3)
    do i = 1, 3
      call MPI_Irecv(got(i), 1_ck, MPI_INTEGER, rank, i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    call MPI_Request_get_status_any(3, requests, which, done, status, ierr)
    CHECK(.not. done .and. which == MPI_UNDEFINED)
    call MPI_Request_get_status_some(3, requests, many, indices, statuses, ierr)
    CHECK(many == 0)
    call MPI_Send(22, 1_ck, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, ierr)
    do while (.not. done)
      call MPI_Request_get_status_any(3, requests, which, done, status, ierr)
    end do
    CHECK(which == 2 .and. TAG(status) == 2 .and. requests(2) /= MPI_REQUEST_NULL)
    call MPI_Request_get_status_some(3, requests, many, indices, statuses, ierr)
    CHECK(many == 1 .and. indices(1) == 2 .and. TAG_OF(statuses, 1) == 2)
    call MPI_Request_get_status_all(3, requests, done, statuses, ierr)
    CHECK(.not. done)
    call MPI_Send(11, 1_ck, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, ierr)
    call MPI_Send(33, 1_ck, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, ierr)
    do while (.not. done)
      call MPI_Request_get_status_all(3, requests, done, statuses, ierr)
    end do
    CHECK(TAG_OF(statuses, 1) == 1 .and. TAG_OF(statuses, 2) == 2 .and. TAG_OF(statuses, 3) == 3)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    CHECK(all(got == [11, 22, 33]))
  end subroutine

  subroutine fields()
    integer :: value
    STATUS(status)
    call MPI_Status_set_source(status, 5, ierr)
    call MPI_Status_set_tag(status, 6, ierr)
    call MPI_Status_set_error(status, MPI_ERR_OTHER, ierr)
    CHECK(SOURCE(status) == 5 .and. TAG(status) == 6 .and. ERROR(status) == MPI_ERR_OTHER)
    call MPI_Status_get_source(status, value, ierr)
    CHECK(value == 5)
    call MPI_Status_get_tag(status, value, ierr)
    CHECK(value == 6)
    call MPI_Status_get_error(status, value, ierr)
    CHECK(value == MPI_ERR_OTHER)
  end subroutine
#ifndef MPIF_H
  ! The two forms of a status in Fortran.
  subroutine conversions()
    type(MPI_Status) :: new
    integer :: old(MPI_STATUS_SIZE)
    old = 0
    old(MPI_SOURCE) = 3
    old(MPI_TAG) = 4
    old(MPI_ERROR) = MPI_ERR_TRUNCATE
    call MPI_Status_f2f08(old, new, ierr)
    CHECK(new%MPI_SOURCE == 3 .and. new%MPI_TAG == 4 .and. new%MPI_ERROR == MPI_ERR_TRUNCATE)
    new%MPI_TAG = 5
    old = 0
    call MPI_Status_f082f(new, old, ierr)
    CHECK(old(MPI_SOURCE) == 3 .and. old(MPI_TAG) == 5 .and. old(MPI_ERROR) == MPI_ERR_TRUNCATE)
  end subroutine
#endif
end program
