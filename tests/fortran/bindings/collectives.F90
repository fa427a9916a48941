! Collective operations in their three forms: blocking, nonblocking and persistent.
#include "bindings.h"
program collectives
  use forms
  implicit none
  integer :: form, i
  HANDLE(MPI_Request) :: request
  integer, allocatable ASYNC :: mine(:), all_of(:), got(:)
  integer(ck), allocatable ASYNC :: counts(:)
  integer(dk), allocatable ASYNC :: places(:)
  call begin()
  allocate (mine(3 * ranks), all_of(3 * ranks), got(ranks * (ranks + 3)), counts(ranks), places(ranks))
  ! In operations with vectors rank r has r + 1 numbers, with one place of a gap after them.
  counts = [(int(i, ck), i = 1, ranks)]
  places = [(int((i - 1) * i / 2 + i - 1, dk), i = 1, ranks)]
  do form = BLOCKING, PERSISTENT
    call do_barrier()
    call do_bcast()
    call do_gather()
    call do_gatherv()
    call do_scatter()
    call do_scatterv()
    call do_allgather()
    call do_allgatherv()
    call do_alltoall()
    call do_alltoallv()
    call do_alltoallw()
    call do_reduce()
    call do_allreduce()
    call do_reduce_scatter()
    call do_reduce_scatter_block()
    call do_scan()
    call do_exscan()
  end do
  call in_place()
  call local()
  call end_well()

contains

  ! Each rank's numbers are where they belong, with gaps between them.
  subroutine check_vectors()
    do i = 1, ranks
      CHECK(all(got(places(i) + 1:places(i) + counts(i)) == i - 1))
      CHECK(got(places(i) + counts(i) + 1) == -1)
    end do
  end subroutine

  subroutine do_barrier()
    select case (form)
    case (BLOCKING)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ibarrier(MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  subroutine do_bcast()
    mine = -1
    if (rank == ranks - 1) mine = [(7 * i, i = 1, 3 * ranks)]
    select case (form)
    case (BLOCKING)
      call MPI_Bcast(mine, int(3 * ranks, ck), MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ibcast(mine, int(3 * ranks, ck), MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Bcast_init(mine, int(3 * ranks, ck), MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(mine == [(7 * i, i = 1, 3 * ranks)]))
  end subroutine

  subroutine do_gather()
    mine(1:3) = 10 * rank + [1, 2, 3]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Gather(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Igather(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Gather_init(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    if (rank == 0) then
      CHECK(all(all_of == [(10 * ((i - 1) / 3) + modulo(i - 1, 3) + 1, i = 1, 3 * ranks)]))
    else
      CHECK(all(all_of == -1))
    end if
  end subroutine

  subroutine do_gatherv()
    mine = rank
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Gatherv(mine, counts(rank + 1), MPI_INTEGER, got, counts, places, MPI_INTEGER, ranks - 1, &
        MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Igatherv(mine, counts(rank + 1), MPI_INTEGER, got, counts, places, MPI_INTEGER, ranks - 1, &
        MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Gatherv_init(mine, counts(rank + 1), MPI_INTEGER, got, counts, places, MPI_INTEGER, ranks - 1, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    if (rank == ranks - 1) call check_vectors()
  end subroutine

  subroutine do_scatter()
    if (rank == 0) all_of = [(i, i = 1, 3 * ranks)]
    mine = -1
    select case (form)
    case (BLOCKING)
      call MPI_Scatter(all_of, 3_ck, MPI_INTEGER, mine, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Iscatter(all_of, 3_ck, MPI_INTEGER, mine, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Scatter_init(all_of, 3_ck, MPI_INTEGER, mine, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(mine(1:3) == 3 * rank + [1, 2, 3]) .and. all(mine(4:) == -1))
  end subroutine

  subroutine do_scatterv()
    got = -1
    do i = 1, ranks
      if (rank == 0) got(places(i) + 1:places(i) + counts(i)) = i
    end do
    mine = -1
    select case (form)
    case (BLOCKING)
      call MPI_Scatterv(got, counts, places, MPI_INTEGER, mine, counts(rank + 1), MPI_INTEGER, 0, MPI_COMM_WORLD, &
        ierr)
    case (NONBLOCKING)
      call MPI_Iscatterv(got, counts, places, MPI_INTEGER, mine, counts(rank + 1), MPI_INTEGER, 0, MPI_COMM_WORLD, &
        request, ierr)
    case (PERSISTENT)
      call MPI_Scatterv_init(got, counts, places, MPI_INTEGER, mine, counts(rank + 1), MPI_INTEGER, 0, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    CHECK(all(mine(1:rank + 1) == rank + 1) .and. all(mine(rank + 2:) == -1))
  end subroutine

  subroutine do_allgather()
    mine(1:3) = 10 * rank + [1, 2, 3]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Allgather(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Iallgather(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Allgather_init(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of == [(10 * ((i - 1) / 3) + modulo(i - 1, 3) + 1, i = 1, 3 * ranks)]))
  end subroutine

  subroutine do_allgatherv()
    mine = rank
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Allgatherv(mine, counts(rank + 1), MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Iallgatherv(mine, counts(rank + 1), MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
        request, ierr)
    case (PERSISTENT)
      call MPI_Allgatherv_init(mine, counts(rank + 1), MPI_INTEGER, got, counts, places, MPI_INTEGER, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    call check_vectors()
  end subroutine

  subroutine do_alltoall()
    mine = [(1000 * rank + i, i = 1, 3 * ranks)]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Alltoall(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ialltoall(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Alltoall_init(mine, 3_ck, MPI_INTEGER, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of == [(1000 * ((i - 1) / 3) + 3 * rank + modulo(i - 1, 3) + 1, i = 1, 3 * ranks)]))
  end subroutine

  subroutine do_alltoallv()
    integer(ck) ASYNC :: alike(ranks)
    integer(dk) ASYNC :: no_places(ranks), apart(ranks)
    ! Rank r sends s + 1 numbers to rank s, and gets r + 1 from each.
    mine = rank
    no_places = 0
    alike = int(rank + 1, ck)
    apart = [(int((i - 1) * (ranks + 2), dk), i = 1, ranks)]
    got = -1
    select case (form)
    case (BLOCKING)
      call MPI_Alltoallv(mine, counts, no_places, MPI_INTEGER, got, alike, apart, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ialltoallv(mine, counts, no_places, MPI_INTEGER, got, alike, apart, MPI_INTEGER, MPI_COMM_WORLD, &
        request, ierr)
    case (PERSISTENT)
      call MPI_Alltoallv_init(mine, counts, no_places, MPI_INTEGER, got, alike, apart, MPI_INTEGER, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    do i = 1, ranks
      CHECK(all(got((i - 1) * (ranks + 2) + 1:(i - 1) * (ranks + 2) + rank + 1) == i - 1))
      CHECK(got((i - 1) * (ranks + 2) + rank + 2) == -1)
    end do
  end subroutine

  subroutine do_alltoallw()
    integer(ck) ASYNC :: ones(ranks)
    integer(dk) ASYNC :: from(ranks), to(ranks)
    HANDLE(MPI_Datatype) ASYNC :: types(ranks)
    mine = [(1000 * rank + i, i = 1, 3 * ranks)]
    all_of = -1
    ones = 1
    types = MPI_INTEGER
    from = [(int(4 * (i - 1), dk), i = 1, ranks)]
    to = [(int(4 * (ranks - i), dk), i = 1, ranks)]
    select case (form)
    case (BLOCKING)
      call MPI_Alltoallw(mine, ones, from, types, all_of, ones, to, types, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ialltoallw(mine, ones, from, types, all_of, ones, to, types, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Alltoallw_init(mine, ones, from, types, all_of, ones, to, types, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of(1:ranks) == [(1000 * (ranks - i) + rank + 1, i = 1, ranks)]))
  end subroutine

  subroutine do_reduce()
    mine = [(rank * i, i = 1, 3 * ranks)]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Reduce(mine, all_of, int(3 * ranks, ck), MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ireduce(mine, all_of, int(3 * ranks, ck), MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Reduce_init(mine, all_of, int(3 * ranks, ck), MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    if (rank == 0) then
      CHECK(all(all_of == [(ranks * (ranks - 1) / 2 * i, i = 1, 3 * ranks)]))
    end if
  end subroutine

  subroutine do_allreduce()
    mine = [(rank * i, i = 1, 3 * ranks)]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Allreduce(mine, all_of, int(3 * ranks, ck), MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Iallreduce(mine, all_of, int(3 * ranks, ck), MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Allreduce_init(mine, all_of, int(3 * ranks, ck), MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of == [((ranks - 1) * i, i = 1, 3 * ranks)]))
  end subroutine

  subroutine do_reduce_scatter()
    got(1:sum(counts)) = [(rank + i, i = 1, int(sum(counts)))]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Reduce_scatter(got, all_of, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ireduce_scatter(got, all_of, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Reduce_scatter_init(got, all_of, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of(1:rank + 1) == [(ranks * (ranks - 1) / 2 + ranks * (rank * (rank + 1) / 2 + i), i = 1, rank + 1)]))
    CHECK(all(all_of(rank + 2:) == -1))
  end subroutine

  subroutine do_reduce_scatter_block()
    mine = [(rank * i, i = 1, 3 * ranks)]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Reduce_scatter_block(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Ireduce_scatter_block(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Reduce_scatter_block_init(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
        request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of(1:3) == ranks * (ranks - 1) / 2 * (3 * rank + [1, 2, 3])) .and. all(all_of(4:) == -1))
  end subroutine

  subroutine do_scan()
    mine(1:2) = [rank + 1, 1]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Scan(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Iscan(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Scan_init(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    CHECK(all(all_of(1:2) == [(rank + 1) * (rank + 2) / 2, rank + 1]))
  end subroutine

  subroutine do_exscan()
    mine(1:2) = [rank + 1, 1]
    all_of = -1
    select case (form)
    case (BLOCKING)
      call MPI_Exscan(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    case (NONBLOCKING)
      call MPI_Iexscan(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    case (PERSISTENT)
      call MPI_Exscan_init(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end select
    call complete(form, request)
    if (rank > 0) then
      CHECK(all(all_of(1:2) == [rank * (rank + 1) / 2, rank]))
    end if
  end subroutine

  ! The receive buffer is the send buffer. What is not significant then, and at other ranks, is not looked at.
  subroutine in_place()
    HANDLE(MPI_Datatype) :: none
    none = MPI_DATATYPE_NULL
    all_of = -1
    all_of(3 * rank + 1:3 * rank + 3) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0_ck, none, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    CHECK(all(all_of == [((i - 1) / 3, i = 1, 3 * ranks)]))
    mine = rank
    call MPI_Allreduce(MPI_IN_PLACE, mine, 3_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    CHECK(all(mine(1:3) == ranks * (ranks - 1) / 2) .and. all(mine(4:) == rank))
    mine = rank + 1
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, mine, 3_ck, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      CHECK(all(mine(1:3) == ranks * (ranks + 1) / 2))
    else
      call MPI_Reduce(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    end if
    all_of = [(10 * rank + (i - 1) / 3, i = 1, 3 * ranks)]
    call MPI_Alltoall(MPI_IN_PLACE, 0_ck, none, all_of, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    CHECK(all(all_of == [(10 * ((i - 1) / 3) + rank, i = 1, 3 * ranks)]))
    all_of = [(i, i = 1, 3 * ranks)]
    if (rank == 0) then
      call MPI_Scatter(all_of, 3_ck, MPI_INTEGER, MPI_IN_PLACE, 0_ck, none, 0, MPI_COMM_WORLD, ierr)
      CHECK(all(all_of == [(i, i = 1, 3 * ranks)]))
    else
      call MPI_Scatter(all_of, 0_ck, none, mine, 3_ck, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      CHECK(all(mine(1:3) == 3 * rank + [1, 2, 3]))
    end if
    got = -1
    if (rank == 0) then
      got(1) = 0
      call MPI_Gatherv(MPI_IN_PLACE, 0_ck, none, got, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      call check_vectors()
    else
      mine = rank
      call MPI_Gatherv(mine, int(rank + 1, ck), MPI_INTEGER, got, counts, places, none, 0, MPI_COMM_WORLD, ierr)
    end if
  end subroutine

  subroutine local()
    real(8) :: from(4), to(4)
    logical :: commutes
    from = [1, 2, 3, 4]
    to = [4, 3, 2, 1]
    call MPI_Reduce_local(from, to, 4_ck, MPI_DOUBLE_PRECISION, MPI_PROD, ierr)
    CHECK(all(to == [4, 6, 6, 4]))
    call MPI_Op_commutative(MPI_SUM, commutes, ierr)
    CHECK(commutes)
  end subroutine
end program
