! Collective operations among neighbours in their three forms: blocking, nonblocking and persistent. The ranks are a
! ring: the first neighbour is to the left, the second to the right.
#include "bindings.h"
program neighbors
  use forms
  implicit none
  integer :: form
  integer ASYNC :: given(6), got(8)
  integer(ck) ASYNC :: counts(2)
  integer(dk) ASYNC :: places(2), own(2)
  integer(ak) ASYNC :: from(2), to(2)
  HANDLE(MPI_Comm) :: ring
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Datatype) ASYNC :: types(2)
  call begin()
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierr)
  counts = 2
  places = [4, 0]
  own = [0, 2]
  types = MPI_INTEGER
  from = [0, 8]
  to = [0, 12]
  do form = BLOCKING, PERSISTENT
    call do_allgather()
    call do_allgatherv()
    call do_alltoall()
    call do_alltoallv()
    call do_alltoallw()
  end do
  call MPI_Comm_free(ring, ierr)
  call end_well()

contains

  subroutine do_allgather()
    given = 10 * rank + [1, 2, 3, 4, 5, 6]
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Neighbor_allgather(given, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, ring, ierr)
    case (NONBLOCKING)
      call MPI_Ineighbor_allgather(given, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, ring, request, ierr)
    case (PERSISTENT)
      call MPI_Neighbor_allgather_init(given, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, ring, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(got == [10 * left + [1, 2, 3], 10 * right + [1, 2, 3], -1, -1]))
  end subroutine

  subroutine do_allgatherv()
    given = 10 * rank + [1, 2, 3, 4, 5, 6]
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Neighbor_allgatherv(given, 2_ck, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, ierr)
    case (NONBLOCKING)
      call MPI_Ineighbor_allgatherv(given, 2_ck, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, request, ierr)
    case (PERSISTENT)
      call MPI_Neighbor_allgatherv_init(given, 2_ck, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, &
        MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    CHECK(all(got == [10 * right + [1, 2], -1, -1, 10 * left + [1, 2], -1, -1]))
  end subroutine

  subroutine do_alltoall()
    given = 10 * rank + [1, 2, 3, 4, 5, 6]
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Neighbor_alltoall(given, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, ring, ierr)
    case (NONBLOCKING)
      call MPI_Ineighbor_alltoall(given, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, ring, request, ierr)
    case (PERSISTENT)
      call MPI_Neighbor_alltoall_init(given, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, ring, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(got == [10 * left + [4, 5, 6], 10 * right + [1, 2, 3], -1, -1]))
  end subroutine

  subroutine do_alltoallv()
    given = 10 * rank + [1, 2, 3, 4, 5, 6]
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Neighbor_alltoallv(given, counts, own, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, ierr)
    case (NONBLOCKING)
      call MPI_Ineighbor_alltoallv(given, counts, own, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, &
        request, ierr)
    case (PERSISTENT)
      call MPI_Neighbor_alltoallv_init(given, counts, own, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, &
        MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    CHECK(all(got == [10 * right + [1, 2], -1, -1, 10 * left + [3, 4], -1, -1]))
  end subroutine

  subroutine do_alltoallw()
    given = 10 * rank + [1, 2, 3, 4, 5, 6]
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Neighbor_alltoallw(given, counts, from, types, got, counts, to, types, ring, ierr)
    case (NONBLOCKING)
      call MPI_Ineighbor_alltoallw(given, counts, from, types, got, counts, to, types, ring, request, ierr)
    case (PERSISTENT)
      call MPI_Neighbor_alltoallw_init(given, counts, from, types, got, counts, to, types, ring, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(got == [10 * left + [3, 4], -1, 10 * right + [1, 2], -1, -1, -1]))
  end subroutine
end program
