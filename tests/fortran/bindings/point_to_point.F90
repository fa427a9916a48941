! Sends and receives of every kind round a ring, probes, matched receives, status fields.
#include "bindings.h"
program point_to_point
  use bindings
  implicit none
  call begin()
  call blocking()
  call immediate()
  call probes()
  call matched()
  call sections()
  call end_well()

contains

  function message(from) result(values)
    integer, intent(in) :: from
    integer :: values(6), i
    values = [(100 * from + i, i = 1, 6)]
  end function

  subroutine blocking()
    integer ASYNC :: got(6), given(6)
    integer(ck) :: many
    integer :: mode, source, tag
    HANDLE(MPI_Request) :: request
    STATUS(status)
    given = message(rank)
    do mode = 1, 4
      got = 0
      call MPI_Irecv(got, 6_ck, MPI_INTEGER, left, mode, MPI_COMM_WORLD, request, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      select case (mode)
      case (1)
        call MPI_Send(given, 6_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, ierr)
      case (2)
        call MPI_Ssend(given, 6_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, ierr)
      case (3)
        call MPI_Rsend(given, 6_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, ierr)
      case (4)
        call MPI_Send(given(2), 5_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, ierr)
      end select
      CHECK(ierr == MPI_SUCCESS)
      call MPI_Wait(request, status, ierr)
      CHECK(request == MPI_REQUEST_NULL)
      call MPI_Get_count(status, MPI_INTEGER, many, ierr)
      CHECK(SOURCE(status) == left .and. TAG(status) == mode)
      if (mode < 4) then
        CHECK(many == 6 .and. all(got == message(left)))
      else
        CHECK(many == 5 .and. all(got(1:5) == 100 * left + [2, 3, 4, 5, 6]) .and. got(6) == 0)
      end if
    end do
    got = 0
    call MPI_Sendrecv(given, 6_ck, MPI_INTEGER, right, 7, got, 6_ck, MPI_INTEGER, left, 7, MPI_COMM_WORLD, status, &
      ierr)
    CHECK(all(got == message(left)) .and. SOURCE(status) == left)
    got = given
    call MPI_Sendrecv_replace(got, 6_ck, MPI_INTEGER, right, 8, left, 8, MPI_COMM_WORLD, status, ierr)
    CHECK(all(got == message(left)) .and. TAG(status) == 8)
    if (rank == 0) call MPI_Send(given, 3_ck, MPI_INTEGER, right, 9, MPI_COMM_WORLD, ierr)
    if (rank == modulo(1, ranks)) then
      got = 0
      call MPI_Recv(got, 6_ck, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
      call MPI_Get_count(status, MPI_INTEGER, many, ierr)
      CHECK(many == 3 .and. SOURCE(status) == 0 .and. TAG(status) == 9 .and. all(got == [1, 2, 3, 0, 0, 0]))
    end if
    got = -1
    call MPI_Recv(got, 6_ck, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, many, ierr)
    source = SOURCE(status)
    tag = TAG(status)
    CHECK(many == 0 .and. source == MPI_PROC_NULL .and. tag == MPI_ANY_TAG .and. all(got == -1))
  end subroutine

  subroutine immediate()
    integer ASYNC :: got(6), given(6), kept(6)
    integer :: mode
    HANDLE(MPI_Request) :: requests(2)
    STATUSES(statuses, 2)
    given = message(rank)
    do mode = 1, 3
      got = 0
      call MPI_Irecv(got, 6_ck, MPI_INTEGER, left, mode, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      select case (mode)
      case (1)
        call MPI_Isend(given, 6_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, requests(2), ierr)
      case (2)
        call MPI_Issend(given, 6_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, requests(2), ierr)
      case (3)
        call MPI_Irsend(given, 6_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, requests(2), ierr)
      end select
      call MPI_Waitall(2, requests, statuses, ierr)
      CHECK(SOURCE_OF(statuses, 1) == left .and. TAG_OF(statuses, 1) == mode)
      CHECK(all(got == message(left)))
    end do
    got = 0
    call MPI_Isendrecv(given, 6_ck, MPI_INTEGER, right, 4, got, 6_ck, MPI_INTEGER, left, 4, MPI_COMM_WORLD, &
      requests(1), ierr)
    kept = given
    call MPI_Isendrecv_replace(kept, 6_ck, MPI_INTEGER, right, 5, left, 5, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    CHECK(all(got == message(left)) .and. all(kept == message(left)))
  end subroutine

  subroutine probes()
    integer ASYNC :: given(6), got(6)
    integer(ck) :: many
    logical :: there
    HANDLE(MPI_Request) :: request
    STATUS(status)
    given = message(rank)
    call MPI_Isend(given, 4_ck, MPI_INTEGER, right, 21, MPI_COMM_WORLD, request, ierr)
    call MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, many, ierr)
    CHECK(many == 4 .and. SOURCE(status) == left .and. TAG(status) == 21)
    call MPI_Iprobe(left, 21, MPI_COMM_WORLD, there, status, ierr)
    CHECK(there .and. TAG(status) == 21)
    call MPI_Iprobe(left, 22, MPI_COMM_WORLD, there, MPI_STATUS_IGNORE, ierr)
    CHECK(.not. there)
    call MPI_Recv(got, 6_ck, MPI_INTEGER, left, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    CHECK(all(got(1:4) == 100 * left + [1, 2, 3, 4]))
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine matched()
    integer ASYNC :: given(6), got(6)
    logical :: there
    HANDLE(MPI_Request) :: request, received
    HANDLE(MPI_Message) :: found
    STATUS(status)
    given = message(rank)
    call MPI_Isend(given, 6_ck, MPI_INTEGER, right, 31, MPI_COMM_WORLD, request, ierr)
    call MPI_Mprobe(left, 31, MPI_COMM_WORLD, found, status, ierr)
    CHECK(found /= MPI_MESSAGE_NULL .and. SOURCE(status) == left)
    got = 0
    call MPI_Mrecv(got, 6_ck, MPI_INTEGER, found, status, ierr)
    CHECK(found == MPI_MESSAGE_NULL .and. all(got == message(left)) .and. TAG(status) == 31)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(given, 6_ck, MPI_INTEGER, right, 32, MPI_COMM_WORLD, request, ierr)
    there = .false.
    do while (.not. there)
      call MPI_Improbe(left, 32, MPI_COMM_WORLD, there, found, status, ierr)
    end do
    got = 0
    call MPI_Imrecv(got, 6_ck, MPI_INTEGER, found, received, ierr)
    call MPI_Wait(received, status, ierr)
    CHECK(all(got == message(left)) .and. SOURCE(status) == left .and. TAG(status) == 32)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE, ierr)
    CHECK(found == MPI_MESSAGE_NO_PROC)
    call MPI_Mrecv(got, 6_ck, MPI_INTEGER, found, MPI_STATUS_IGNORE, ierr)
    CHECK(found == MPI_MESSAGE_NULL)
  end subroutine

  ! A section that does not lie together. mpif.h and mpi leave the copy to the compiler, which does for blocking calls.
  subroutine sections()
    integer :: table(5, 7), from(5, 7), i
    STATUS(status)
    table = reshape([(1000 * rank + i, i = 1, 35)], [5, 7])
    from = reshape([(1000 * left + i, i = 1, 35)], [5, 7])
    if (modulo(rank, 2) == 0) then
      call MPI_Send(table(2:4:2, 7:1:-3), 6_ck, MPI_INTEGER, right, 41, MPI_COMM_WORLD, ierr)
    end if
    if (modulo(left, 2) == 0) call receive()
    if (modulo(rank, 2) == 1) then
      call MPI_Send(table(2:4:2, 7:1:-3), 6_ck, MPI_INTEGER, right, 41, MPI_COMM_WORLD, ierr)
    end if
    if (modulo(left, 2) == 1) call receive()
    call MPI_Sendrecv(table(3, :), 7_ck, MPI_INTEGER, right, 42, from(1, :), 7_ck, MPI_INTEGER, left, 42, &
                      MPI_COMM_WORLD, status, ierr)
    CHECK(all(from(1, :) == 1000 * left + [3, 8, 13, 18, 23, 28, 33]))
  end subroutine

  subroutine receive()
    integer :: got(4, 6)
    got = -1
    call MPI_Recv(got(1:3:2, 2:6:2), 6_ck, MPI_INTEGER, left, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    CHECK(all(got(1:3:2, 2) == 1000 * left + [32, 34]))
    CHECK(all(got(1:3:2, 4) == 1000 * left + [17, 19]))
    CHECK(all(got(1:3:2, 6) == 1000 * left + [2, 4]))
    CHECK(all(got(2:4:2, :) == -1) .and. all(got(:, 1:5:2) == -1))
  end subroutine
end program
