! Persistent requests, the families of Wait and Test, status without completion, cancellation. Indices count from 1.
#include "bindings.h"
program completion
  use bindings
  implicit none
  call begin()
  call persistent()
  call any_of_three()
  call some_of_three()
  call all_of_three()
  call without_completion()
  call cancelled()
  call fields()
  call end_well()

contains

  subroutine persistent()
    integer ASYNC :: given(3), got(3)
    integer :: mode, round
    HANDLE(MPI_Request) :: requests(2)
    STATUSES(statuses, 2)
    do mode = 1, 3
      call MPI_Recv_init(got, 3_ck, MPI_INTEGER, left, mode, MPI_COMM_WORLD, requests(1), ierr)
      select case (mode)
      case (1)
        call MPI_Send_init(given, 3_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, requests(2), ierr)
      case (2)
        call MPI_Ssend_init(given, 3_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, requests(2), ierr)
      case (3)
        call MPI_Rsend_init(given, 3_ck, MPI_INTEGER, right, mode, MPI_COMM_WORLD, requests(2), ierr)
      end select
      do round = 1, 3
        given = [rank, mode, round]
        got = -1
        call MPI_F_sync_reg(given)
        call MPI_F_sync_reg(got)
        if (mode == 3) then
          call MPI_Start(requests(1), ierr)
          call MPI_Barrier(MPI_COMM_WORLD, ierr)
          call MPI_Start(requests(2), ierr)
        else
          call MPI_Startall(2, requests, ierr)
        end if
        call MPI_Waitall(2, requests, statuses, ierr)
        call MPI_F_sync_reg(got)
        CHECK(all(got == [left, mode, round]) .and. SOURCE_OF(statuses, 1) == left)
        CHECK(requests(1) /= MPI_REQUEST_NULL)
      end do
      call MPI_Request_free(requests(1), ierr)
      call MPI_Request_free(requests(2), ierr)
      CHECK(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL)
    end do
  end subroutine

  ! Three receives from oneself, of which the second gets its message.
  subroutine three(got, requests)
    integer ASYNC, intent(inout) :: got(3)
    HANDLE(MPI_Request), intent(out) :: requests(3)
    integer :: i
    got = 0
    do i = 1, 3
      call MPI_Irecv(got(i), 1_ck, MPI_INTEGER, rank, i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    call answer(2)
  end subroutine

  subroutine answer(which)
    integer, intent(in) :: which
    call MPI_Send(10 * which, 1_ck, MPI_INTEGER, rank, which, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine any_of_three()
    integer ASYNC :: got(3)
    integer :: which
    logical :: done
    HANDLE(MPI_Request) :: requests(3)
    STATUS(status)
    call three(got, requests)
    call MPI_Waitany(3, requests, which, status, ierr)
    CHECK(which == 2 .and. TAG(status) == 2 .and. requests(2) == MPI_REQUEST_NULL)
    CHECK(got(2) == 20)
    call MPI_Testany(3, requests, which, done, status, ierr)
    CHECK(.not. done .and. which == MPI_UNDEFINED)
    call answer(3)
    done = .false.
    do while (.not. done)
      call MPI_Testany(3, requests, which, done, status, ierr)
    end do
    CHECK(which == 3 .and. TAG(status) == 3 .and. got(3) == 30)
    call answer(1)
    call MPI_Waitany(3, requests, which, MPI_STATUS_IGNORE, ierr)
    CHECK(which == 1 .and. got(1) == 10)
    call MPI_Waitany(3, requests, which, MPI_STATUS_IGNORE, ierr)
    CHECK(which == MPI_UNDEFINED)
  end subroutine

  subroutine some_of_three()
    integer ASYNC :: got(3)
    integer :: many, which(3)
    HANDLE(MPI_Request) :: requests(3)
    STATUSES(statuses, 3)
    call three(got, requests)
    call MPI_Waitsome(3, requests, many, which, statuses, ierr)
    CHECK(many == 1 .and. which(1) == 2 .and. TAG_OF(statuses, 1) == 2 .and. got(2) == 20)
    call MPI_Testsome(3, requests, many, which, statuses, ierr)
    CHECK(many == 0)
    call answer(3)
    many = 0
    do while (many == 0)
      call MPI_Testsome(3, requests, many, which, statuses, ierr)
    end do
    CHECK(many == 1 .and. which(1) == 3 .and. SOURCE_OF(statuses, 1) == rank .and. got(3) == 30)
    call answer(1)
    call MPI_Waitsome(3, requests, many, which, MPI_STATUSES_IGNORE, ierr)
    CHECK(many == 1 .and. which(1) == 1 .and. got(1) == 10)
    call MPI_Testsome(3, requests, many, which, MPI_STATUSES_IGNORE, ierr)
    CHECK(many == MPI_UNDEFINED)
  end subroutine

  subroutine all_of_three()
    integer ASYNC :: got(3)
    logical :: done
    HANDLE(MPI_Request) :: requests(3)
    STATUS(status)
    STATUSES(statuses, 3)
    call three(got, requests)
    call MPI_Testall(3, requests, done, statuses, ierr)
    CHECK(.not. done .and. all(got([1, 3]) == 0))
    call answer(1)
    done = .false.
    do while (.not. done)
      call MPI_Test(requests(1), done, status, ierr)
    end do
    CHECK(requests(1) == MPI_REQUEST_NULL .and. TAG(status) == 1 .and. got(1) == 10)
    call answer(3)
    done = .false.
    do while (.not. done)
      call MPI_Testall(3, requests, done, statuses, ierr)
    end do
    CHECK(TAG_OF(statuses, 2) == 2 .and. TAG_OF(statuses, 3) == 3 .and. SOURCE_OF(statuses, 1) == MPI_ANY_SOURCE)
    CHECK(all(got == [10, 20, 30]))
  end subroutine

  subroutine without_completion()
    integer ASYNC :: got
    logical :: done
    HANDLE(MPI_Request) :: request
    STATUS(status)
    call MPI_Irecv(got, 1_ck, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, request, ierr)
    call MPI_Request_get_status(request, done, status, ierr)
    CHECK(.not. done)
    call answer(9)
    do while (.not. done)
      call MPI_Request_get_status(request, done, status, ierr)
    end do
    CHECK(request /= MPI_REQUEST_NULL .and. TAG(status) == 9)
    call MPI_Wait(request, status, ierr)
    CHECK(request == MPI_REQUEST_NULL .and. got == 90)
  end subroutine

  subroutine cancelled()
    integer ASYNC :: got
    logical :: so
    HANDLE(MPI_Request) :: request
    STATUS(status)
    call MPI_Irecv(got, 1_ck, MPI_INTEGER, left, 77, MPI_COMM_WORLD, request, ierr)
    call MPI_Cancel(request, ierr)
    CHECK(request /= MPI_REQUEST_NULL)
    call MPI_Wait(request, status, ierr)
    call MPI_Test_cancelled(status, so, ierr)
    CHECK(so)
    call MPI_Status_set_cancelled(status, .false., ierr)
    call MPI_Test_cancelled(status, so, ierr)
    CHECK(.not. so)
  end subroutine

  subroutine fields()
    integer(ck) :: many
    integer(MPI_COUNT_KIND) :: huge_many
    STATUS(status)
    call MPI_Recv(many, 0_ck, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
    call MPI_Status_set_elements(status, MPI_INTEGER, 12_ck, ierr)
    call MPI_Get_elements(status, MPI_INTEGER, many, ierr)
    CHECK(many == 12)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, many, ierr)
    CHECK(many == 6)
    huge_many = 3000000000_MPI_COUNT_KIND
    call MPI_Status_set_elements_x(status, MPI_BYTE, huge_many, ierr)
    huge_many = 0
    call MPI_Get_elements_x(status, MPI_BYTE, huge_many, ierr)
    CHECK(huge_many == 3000000000_MPI_COUNT_KIND)
    call MPI_Get_count(status, MPI_BYTE, many, ierr)
    if (ck == MPI_COUNT_KIND) then
      CHECK(many == huge_many)
    else
      CHECK(many == MPI_UNDEFINED)
    end if
  end subroutine
end program
