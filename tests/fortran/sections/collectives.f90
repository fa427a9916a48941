! Sections that are not contiguous in collective operations: blocking, nonblocking and persistent ones.
program collectives
  use common
  implicit none
  integer :: a(6, 5, 4), b(6, 5, 4)
  type(MPI_Request) :: request
  call begin()
  a = cube(rank)
  b = 0
  call broadcasts()
  call gathers()
  call scatters()
  call exchanges()
  call gathers_with_lengths()
  call reductions()
  call reductions_that_go_on()
  call reductions_again_and_again()
  call neighbors()
  call packing()
  call completions()
  call errors()
  call end_well()

contains

  ! The numbers of a rank in the middle of a row.
  function row(of) result(numbers)
    integer, intent(in) :: of
    integer :: numbers(5), all(6, 5, 4)
    all = cube(of)
    numbers = all(2, :, 1)
  end function

  subroutine wait()
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine

  subroutine run()
    call MPI_Start(request)
    call wait()
    call MPI_Request_free(request)
  end subroutine

  subroutine broadcasts()
    integer :: all(6, 5, 4), round
    all = cube(0)
    do round = 1, 3
      b = -rank
      if (rank == 0) b = all
      select case (round)
      case (1)
        call MPI_Bcast(b(3, :, 1:4:2), 10, MPI_INTEGER, 0, MPI_COMM_WORLD)
      case (2)
        call MPI_Ibcast(b(3, :, 1:4:2), 10, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
        call wait()
      case (3)
        call MPI_Bcast_init(b(3, :, 1:4:2), 10, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request)
        call run()
      end select
      call check(all_of(b(3, :, 1:4:2) == all(3, :, 1:4:2)), 'MPI_Bcast')
      if (rank /= 0) call check(count(b /= -rank) == 10, 'MPI_Bcast leaves the rest alone')
    end do
    b = 0
  end subroutine

  pure logical function all_of(so)
    logical, intent(in) :: so(:, :)
    all_of = all(so)
  end function

  ! Blocks in rows of one distance, and in boxes, which have several.
  subroutine gathers()
    integer :: wide(3, 5 * ranks), deep(2, 5, 2, ranks), i, round
    do round = 1, 6
      wide = 0
      deep = 0
      select case (round)
      case (1)
        call MPI_Gather(a(2, :, 1), 5, MPI_INTEGER, wide(2, :), 5, MPI_INTEGER, 0, MPI_COMM_WORLD)
      case (2)
        call MPI_Allgather(a(2, :, 1), 5, MPI_INTEGER, wide(2, :), 5, MPI_INTEGER, MPI_COMM_WORLD)
      case (3)
        call MPI_Igather(a(2, :, 1), 5, MPI_INTEGER, wide(2, :), 5, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
        call wait()
      case (4)
        call MPI_Allgather_init(a(2, :, 1), 5, MPI_INTEGER, wide(2, :), 5, MPI_INTEGER, MPI_COMM_WORLD, &
            MPI_INFO_NULL, request)
        call run()
      case (5)
        call MPI_Allgather(a(2, :, 1:2), 10, MPI_INTEGER, deep(1, :, :, :), 10, MPI_INTEGER, MPI_COMM_WORLD)
      case (6)
        call MPI_Iallgather(a(2, :, 1:2), 10, MPI_INTEGER, deep(1, :, ::1, :), 10, MPI_INTEGER, MPI_COMM_WORLD, request)
        call wait()
      end select
      if (round <= 4 .and. (rank == 0 .or. mod(round, 2) == 0)) then
        call check(all(wide(2, :) == [(row(i), i = 0, ranks - 1)]), 'blocks in rows')
        call check(all(wide(1, :) == 0) .and. all(wide(3, :) == 0), 'the rest is left alone')
      else if (round <= 4) then
        call check(all(wide == 0), 'nothing is significant but at the root')
      else
        call check(all(deep(1, :, 1, :) == reshape([(row(i), i = 0, ranks - 1)], [5, ranks])), 'blocks in boxes')
        call check(all(deep(2, :, :, :) == 0), 'the rest is left alone')
      end if
    end do
  end subroutine

  subroutine scatters()
    integer :: wide(3, 2 * ranks), got(3, 2), i, round
    wide = 0
    wide(2, :) = [(i, i = 1, 2 * ranks)]
    do round = 1, 4
      got = 0
      select case (round)
      case (1)
        call MPI_Scatter(wide(2, :), 2, MPI_INTEGER, got(3, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
      case (2)
        call MPI_Iscatter(wide(2, :), 2, MPI_INTEGER, got(3, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
        call wait()
      case (3)
        call MPI_Scatterv(wide(2, :), [(2, i = 1, ranks)], [(2 * i, i = 0, ranks - 1)], MPI_INTEGER, &
            got(3, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
      case (4)
        call MPI_Scatter_init(wide(2, :), 2, MPI_INTEGER, got(3, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, &
            MPI_INFO_NULL, request)
        call run()
      end select
      call check(all(got(3, :) == 2 * rank + [1, 2]) .and. count(got /= 0) == 2, 'MPI_Scatter')
    end do
  end subroutine

  subroutine exchanges()
    integer :: given(2, ranks), got(ranks, 2), ones(ranks), places(ranks), i, round
    type(MPI_Datatype) :: types(ranks)
    integer, asynchronous :: many(ranks), where(ranks), bytes(ranks)
    given = 0
    given(1, :) = [(100 * rank + i, i = 0, ranks - 1)]
    ones = 1
    many = 1
    places = [(i, i = 0, ranks - 1)]
    where = places
    bytes = 4 * places
    types = MPI_INTEGER
    do round = 1, 7
      got = 0
      select case (round)
      case (1)
        call MPI_Alltoall(given(1, :), 1, MPI_INTEGER, got(ranks:1:-1, 2), 1, MPI_INTEGER, MPI_COMM_WORLD)
      case (2)
        call MPI_Ialltoall(given(1, :), 1, MPI_INTEGER, got(ranks:1:-1, 2), 1, MPI_INTEGER, MPI_COMM_WORLD, request)
        call wait()
      case (3)
        call MPI_Alltoallv(given(1, :), ones, places, MPI_INTEGER, got(ranks:1:-1, 2), ones, places, MPI_INTEGER, &
            MPI_COMM_WORLD)
      case (4)
        call MPI_Ialltoallv(given(1, :), many, where, MPI_INTEGER, got(ranks:1:-1, 2), many, where, MPI_INTEGER, &
            MPI_COMM_WORLD, request)
        call wait()
      case (5)
        call MPI_Alltoallw(given(1, :), ones, 4 * places, types, got(ranks:1:-1, 2), ones, 4 * places, types, &
            MPI_COMM_WORLD)
      case (6)
        call MPI_Ialltoallw(given(1, :), many, bytes, types, got(ranks:1:-1, 2), many, bytes, types, &
            MPI_COMM_WORLD, request)
        call wait()
      case (7)
        call MPI_Alltoall_init(given(1, :), 1, MPI_INTEGER, got(ranks:1:-1, 2), 1, MPI_INTEGER, MPI_COMM_WORLD, &
            MPI_INFO_NULL, request)
        call run()
      end select
      call check(all(got(ranks:1:-1, 2) == [(100 * i + rank, i = 0, ranks - 1)]), 'MPI_Alltoall')
      call check(all(got(:, 1) == 0), 'MPI_Alltoall leaves the rest alone')
    end do
  end subroutine

  ! Displacements in a section count its elements.
  subroutine gathers_with_lengths()
    integer :: wide(2, 2 * ranks), i, round
    integer, asynchronous :: lengths(ranks), places(ranks)
    lengths = 1
    places = [(2 * i + 1, i = 0, ranks - 1)]
    do round = 1, 3
      wide = 0
      select case (round)
      case (1)
        call MPI_Allgatherv([rank + 1], 1, MPI_INTEGER, wide(2, :), lengths, places, MPI_INTEGER, MPI_COMM_WORLD)
      case (2)
        call MPI_Iallgatherv(a(1:1, 1, 1), 1, MPI_INTEGER, wide(2, :), lengths, places, MPI_INTEGER, MPI_COMM_WORLD, &
            request)
        call wait()
      case (3)
        call MPI_Gatherv([rank + 1], 1, MPI_INTEGER, wide(2, :), lengths, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
      end select
      if (round == 1 .or. (round == 3 .and. rank == 0)) then
        call check(all(wide(2, 2::2) == [(i, i = 1, ranks)]), 'MPI_Allgatherv')
        call check(count(wide /= 0) == ranks, 'MPI_Allgatherv leaves the rest alone')
      else if (round == 2) then
        call check(all(wide(2, 2::2) == [(1000 * i + 1, i = 0, ranks - 1)]), 'MPI_Iallgatherv')
      end if
    end do
  end subroutine

  integer function sum_of_ranks(to)
    integer, intent(in) :: to
    sum_of_ranks = to * (to + 1) / 2
  end function

  subroutine reductions()
    integer :: mine(3, 4), got(4, 2), i
    integer :: slices(3, ranks), one(2, 1)
    mine = rank
    got = 0
    call MPI_Allreduce(mine(2, :), got(:, 2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(got(:, 2) == sum_of_ranks(ranks - 1)) .and. all(got(:, 1) == 0), 'MPI_Allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, mine(2, ::2), 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(mine(2, ::2) == sum_of_ranks(ranks - 1)), 'MPI_Allreduce in place')
    call check(all(mine(2, 2::2) == rank) .and. all(mine(1, :) == rank), 'the rest is left alone')
    mine = rank
    got = -1
    call MPI_Reduce(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      call check(all(got(::2, :) == sum_of_ranks(ranks - 1)) .and. all(got(2::2, :) == -1), 'MPI_Reduce')
    else
      call check(all(got == -1), 'MPI_Reduce writes at the root alone')
    end if
    got = 0
    call MPI_Scan(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(got(::2, :) == sum_of_ranks(rank)) .and. all(got(2::2, :) == 0), 'MPI_Scan')
    got = 0
    call MPI_Exscan(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank > 0) call check(all(got(::2, :) == sum_of_ranks(rank - 1)), 'MPI_Exscan')
    slices = rank
    one = 0
    call MPI_Reduce_scatter_block(slices(2, :), one(2, :), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(one(2, 1) == sum_of_ranks(ranks - 1), 'MPI_Reduce_scatter_block')
    call MPI_Reduce_scatter(slices(2, :), one(1, :), [(1, i = 1, ranks)], MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(one(1, 1) == sum_of_ranks(ranks - 1), 'MPI_Reduce_scatter')
    mine = 1
    got = 2
    call MPI_Reduce_local(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM)
    call check(all(got(::2, :) == 3) .and. all(got(2::2, :) == 2), 'MPI_Reduce_local')
  end subroutine

  subroutine reductions_that_go_on()
    integer, asynchronous :: mine(3, 4), got(4, 2), more(3, 4), slices(3, ranks), one(2, 1)
    type(MPI_Request) :: several(3)
    integer :: i, place
    logical :: flag
    mine = rank
    got = 0
    call MPI_Iallreduce(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call wait()
    call check(all(got(::2, :) == sum_of_ranks(ranks - 1)) .and. all(got(2::2, :) == 0), 'MPI_Iallreduce')
    got = -1
    more = rank
    call MPI_Ireduce(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, several(1))
    call MPI_Iallreduce(MPI_IN_PLACE, more(2, ::2), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, several(2))
    call MPI_Iscan(mine(1, :), mine(3, :), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, several(3))
    if (rank /= 0) got = 7
    do i = 1, 3
      call MPI_Waitany(3, several, place, MPI_STATUS_IGNORE)
      call check(place >= 1 .and. place <= 3, 'MPI_Waitany counts from one')
    end do
    call check(all(mine(3, :) == sum_of_ranks(rank)) .and. all(mine(:2, :) == rank), 'MPI_Iscan')
    call check(all(more(2, ::2) == ranks - 1) .and. all(more(2, 2::2) == rank), 'MPI_Iallreduce in place')
    if (rank == 0) then
      call check(all(got(::2, :) == sum_of_ranks(ranks - 1)) .and. all(got(2::2, :) == -1), 'MPI_Ireduce')
    else
      call check(all(got == 7), 'MPI_Ireduce writes at the root alone')
    end if
    slices = rank
    one = 0
    call MPI_Ireduce_scatter_block(slices(2, :), one(2, :), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    do
      call MPI_Request_get_status(request, flag, MPI_STATUS_IGNORE)
      if (flag) exit
    end do
    call check(one(2, 1) == sum_of_ranks(ranks - 1), 'MPI_Request_get_status finds it complete')
    one = 5
    call wait()
    call check(one(2, 1) == 5, 'what has been completed is not written again')
  end subroutine

  subroutine reductions_again_and_again()
    integer, asynchronous :: mine(3, 4), got(4, 2)
    integer :: round, count_of, places(1)
    type(MPI_Request) :: requests(1)
    logical :: flag
    call MPI_Allreduce_init(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    do round = 1, 8
      mine = rank * round
      got = 0
      call MPI_Startall(1, requests)
      select case (round)
      case (1)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      case (2)
        call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE)
      case (3)
        call MPI_Waitsome(1, requests, count_of, places, MPI_STATUSES_IGNORE)
        call check(count_of == 1 .and. places(1) == 1, 'MPI_Waitsome counts from one')
      case (4)
        call MPI_Waitany(1, requests, count_of, MPI_STATUS_IGNORE)
      case default
        flag = .false.
        do while (.not. flag)
          if (round == 5) call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE)
          if (round == 6) call MPI_Testall(1, requests, flag, MPI_STATUSES_IGNORE)
          if (round == 7) call MPI_Testany(1, requests, count_of, flag, MPI_STATUS_IGNORE)
          if (round == 8) then
            call MPI_Testsome(1, requests, count_of, places, MPI_STATUSES_IGNORE)
            flag = count_of == 1
          end if
        end do
      end select
      call check(all(got(::2, :) == round * sum_of_ranks(ranks - 1)) .and. all(got(2::2, :) == 0), 'MPI_Allreduce_init')
    end do
    call MPI_Request_free(requests(1))
  end subroutine

  ! The neighbors of a ring: the one before and the one after.
  subroutine neighbors()
    type(MPI_Comm) :: ring
    integer :: given(2, 2), got(2, 3)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    given = 0
    given(1, :) = rank
    got = -1
    call MPI_Neighbor_alltoall(given(1, :), 1, MPI_INTEGER, got(2, :2), 1, MPI_INTEGER, ring)
    call check(all(got(2, :2) == [left, right]) .and. count(got /= -1) == 2, 'MPI_Neighbor_alltoall')
    got = -1
    call MPI_Ineighbor_allgather(given(1, 1:1), 1, MPI_INTEGER, got(2, ::2), 1, MPI_INTEGER, ring, request)
    call wait()
    call check(all(got(2, ::2) == [left, right]) .and. count(got /= -1) == 2, 'MPI_Ineighbor_allgather')
    got = -1
    call MPI_Neighbor_alltoallw(given(1, :), [1, 1], [0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND], &
        [MPI_INTEGER, MPI_INTEGER], got(1, :2), [1, 1], [0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND], &
        [MPI_INTEGER, MPI_INTEGER], ring)
    call check(all(got(1, :2) == [left, right]) .and. count(got /= -1) == 2, 'MPI_Neighbor_alltoallw')
    call MPI_Comm_free(ring)
  end subroutine

  subroutine packing()
    character :: bytes(2, 64), plain(64)
    integer :: position, got(5)
    position = 0
    bytes = '#'
    call MPI_Pack(a(2, :, 1), 5, MPI_INTEGER, bytes(1, :), 64, position, MPI_COMM_WORLD)
    call check(position == 20 .and. all(bytes(2, :) == '#'), 'MPI_Pack into a section')
    plain = bytes(1, :)
    position = 0
    call MPI_Unpack(plain, 64, position, got, 5, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(got == row(rank)), 'MPI_Pack')
    position = 0
    b = 0
    call MPI_Unpack(bytes(1, :), 64, position, b(3, :, 1), 5, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(b(3, :, 1) == row(rank)) .and. count(b /= 0) == 5, 'MPI_Unpack')
  end subroutine

  ! Requests of operations with and without copies in one array.
  subroutine completions()
    integer, asynchronous :: mine(3, 4), got(4, 2), other(2)
    type(MPI_Request) :: requests(3)
    mine = rank
    got = 0
    requests = MPI_REQUEST_NULL
    call MPI_Irecv(other, 2, MPI_INTEGER, left, 20, MPI_COMM_WORLD, requests(1))
    call MPI_Iallreduce(mine(2, :), got(::2, :), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(3))
    call MPI_Send([rank, rank], 2, MPI_INTEGER, right, 20, MPI_COMM_WORLD)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
    call check(all(requests == MPI_REQUEST_NULL), 'all requests are complete')
    call check(all(other == left) .and. all(got(::2, :) == sum_of_ranks(ranks - 1)), 'all data has come')
  end subroutine

  ! What cannot be done is an error, and never a wrong result.
  subroutine errors()
    type(MPI_Comm) :: own
    integer :: ierr
    integer, asynchronous :: room(2, 1000)
    call MPI_Comm_dup(MPI_COMM_WORLD, own)
    call MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Send(a(2, :, 1), 6, MPI_INTEGER, right, 1, own, ierr)
    call is_error(ierr, 'fewer elements than the call says')
    call MPI_Psend_init(a(:3, :, 1), 5, 3_MPI_COUNT_KIND, MPI_INTEGER, right, 1, own, MPI_INFO_NULL, request, ierr)
    call is_error(ierr, 'do not have one distance')
    call MPI_Buffer_attach(room(1, :), 4000, ierr)
    call is_error(ierr, 'attach contiguous memory')
    call MPI_Send(a(2, :, 1), 5, MPI_DATATYPE_NULL, right, 1, own, ierr)
    call check(ierr /= MPI_SUCCESS, 'an error of the C library')
    call MPI_Comm_free(own)
  end subroutine

  subroutine is_error(code, text)
    integer, intent(in) :: code
    character(len=*), intent(in) :: text
    character(len=MPI_MAX_ERROR_STRING) :: message
    integer :: class, length
    call MPI_Error_class(code, class)
    call MPI_Error_string(code, message, length)
    call check(class == MPI_ERR_BUFFER .and. index(message, text) > 0, text)
  end subroutine
end program
