! Sections that are not contiguous in messages: each rank sends to the next one and receives from the one before.

! Sends the first integers of a section, and receives into those of another one.
#define EXCHANGE(from, to, n) \
call MPI_Sendrecv(from, n, MPI_INTEGER, right, 1, to, n, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

program messages
  use common
  implicit none
  integer :: a(6, 5, 4), b(6, 5, 4), theirs(6, 5, 4)
  call begin()
  a = cube(rank)
  theirs = cube(left)
  call shapes()
  call part_of_a_section()
  call kinds_of_calls()
  call persistent()
  call matched()
  call datatypes()
  call characters()
  call components()
  call large()
  call partitions()
  call end_well()

contains

  ! What has been received, and nothing else, is in `b`.
  subroutine holds(section, expected, what)
    integer, intent(in) :: section(:), expected(:)
    character(len=*), intent(in) :: what
    call check(all(section == expected), what)
    call check(count(b /= 0) == size(section), what // ': the rest is left alone')
    b = 0
  end subroutine

  subroutine shapes()
    integer :: line(7)
    b = 0
    EXCHANGE(a(:, 2, 3), b(3, :, 1), 5)
    call holds(b(3, :, 1), theirs(1:5, 2, 3), 'a column becomes a row')
    EXCHANGE(a(1:6:2, 2, 3), b(6:1:-2, 1, 1), 3)
    call holds(b(6:1:-2, 1, 1), theirs(1:6:2, 2, 3), 'backwards')
    EXCHANGE(a(2, :, :), b(2, :, :), 20)
    call holds(pack(b(2, :, :), .true.), pack(theirs(2, :, :), .true.), 'a face across the columns')
    EXCHANGE(a(:, 2, :), b(:, 2, :), 24)
    call holds(pack(b(:, 2, :), .true.), pack(theirs(:, 2, :), .true.), 'a face of columns')
    EXCHANGE(a(:, 1:5:4, 4:1:-3), b(:, 2:3, 1:2), 24)
    call holds(pack(b(:, 2:3, 1:2), .true.), pack(theirs(:, 1:5:4, 4:1:-3), .true.), 'columns at distances')
    EXCHANGE(a(1:6:2, 2:5:3, 1:4:3), b(6:1:-2, 5:1:-3, 4:1:-2), 12)
    call holds(pack(b(6:1:-2, 5:1:-3, 4:1:-2), .true.), pack(theirs(1:6:2, 2:5:3, 1:4:3), .true.), &
        'distances in all dimensions')
    EXCHANGE(a(1:3, 2:3, 1:2), b(4:6, 4:5, 3:4), 12)
    call holds(pack(b(4:6, 4:5, 3:4), .true.), pack(theirs(1:3, 2:3, 1:2), .true.), 'a box')
    line = 0
    EXCHANGE(a(2, :, 1), line, 5)
    call check(all(line == [theirs(2, :, 1), 0, 0]), 'a row becomes contiguous')
    ! Nothing is sent from an empty section, or of none.
    EXCHANGE(a(2, 5:4, :), b(1:0, 1, 1), 0)
    EXCHANGE(a(2, :, 1), b(1, :, 1), 0)
    call check(all(b == 0), 'no elements')
  end subroutine

  ! A count may end anywhere in a section.
  subroutine part_of_a_section()
    integer :: n, got(48)
    integer, allocatable :: expected(:)
    expected = pack(theirs(1:6:2, 1:4, 1:4:1), .true.)
    do n = 1, 48
      got = 0
      EXCHANGE(a(1:6:2, 1:4, 1:4:1), b(2:6:2, 2:5, :), n)
      got = pack(b(2:6:2, 2:5, :), .true.)
      call check(all(got(:n) == expected(:n)), 'the first elements of a section')
      call check(count(b /= 0) == n, 'no more than the first elements')
      b = 0
    end do
  end subroutine

  subroutine kinds_of_calls()
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: got
    logical :: flag
    call MPI_Sendrecv(a(2, :, 1), 5, MPI_INTEGER, right, 2, b(3, :, 2), 5, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, got)
    ! One element of a derived datatype has been received, which is five integers.
    call MPI_Get_elements(status, MPI_INTEGER, got)
    call check(got == 5, 'five integers have come')
    call holds(b(3, :, 2), theirs(2, :, 1), 'MPI_Sendrecv')
    call MPI_Isendrecv(a(2, :, 1), 5, MPI_INTEGER, right, 2, b(3, :, 2), 5, MPI_INTEGER, left, 2, MPI_COMM_WORLD, request)
    call MPI_Wait(request, status)
    call holds(b(3, :, 2), theirs(2, :, 1), 'MPI_Isendrecv')
    b(1, :, 1) = a(1, :, 1)
    call MPI_Sendrecv_replace(b(1, :, 1), 5, MPI_INTEGER, right, 3, left, 3, MPI_COMM_WORLD, status)
    call holds(b(1, :, 1), theirs(1, :, 1), 'MPI_Sendrecv_replace')
    b(1, :, 1) = a(1, :, 1)
    call MPI_Isendrecv_replace(b(1, :, 1), 5, MPI_INTEGER, right, 3, left, 3, MPI_COMM_WORLD, request)
    do
      call MPI_Test(request, flag, status)
      if (flag) exit
    end do
    call holds(b(1, :, 1), theirs(1, :, 1), 'MPI_Isendrecv_replace')
    call MPI_Irecv(b(4, :, 2), 5, MPI_INTEGER, left, 4, MPI_COMM_WORLD, request)
    call MPI_Ssend(a(2, :, 1), 5, MPI_INTEGER, right, 4, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call holds(b(4, :, 2), theirs(2, :, 1), 'MPI_Ssend')
  end subroutine

  subroutine persistent()
    type(MPI_Request) :: requests(2)
    integer :: round
    call MPI_Recv_init(b(5, :, :), 20, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1))
    call MPI_Send_init(a(1, :, :), 20, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2))
    do round = 1, 3
      a(1, :, :) = a(1, :, :) + 1
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call holds(pack(b(5, :, :), .true.), pack(theirs(1, :, :), .true.) + round, 'persistent messages')
    end do
    a = cube(rank)
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  subroutine matched()
    type(MPI_Message) :: message
    type(MPI_Request) :: sent, request
    call MPI_Isend(a(2, :, 1), 5, MPI_INTEGER, right, 6, MPI_COMM_WORLD, sent)
    call MPI_Mprobe(left, 6, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
    call MPI_Mrecv(b(3, :, 2), 5, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    call MPI_Wait(sent, MPI_STATUS_IGNORE)
    call holds(b(3, :, 2), theirs(2, :, 1), 'MPI_Mrecv')
    call MPI_Isend(a(2, :, 1), 5, MPI_INTEGER, right, 6, MPI_COMM_WORLD, sent)
    call MPI_Mprobe(left, 6, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
    call MPI_Imrecv(b(3, :, 2), 5, MPI_INTEGER, message, request)
    call MPI_Wait(sent, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call holds(b(3, :, 2), theirs(2, :, 1), 'MPI_Imrecv')
  end subroutine

  ! Datatypes that are elements of the array, several of them, and none of both.
  subroutine datatypes()
    type(MPI_Datatype) :: pair, gaps, first
    type(MPI_Request) :: requests(2)
    double precision :: x(4, 6), y(4, 6)
    integer :: i
    call MPI_Type_contiguous(3, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    ! Columns of six are two triples each.
    call MPI_Sendrecv(a(:, 1:5:2, 1), 6, pair, right, 7, b(:, 2:4, 2), 18, MPI_INTEGER, left, 7, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE)
    call holds(pack(b(:, 2:4, 2), .true.), pack(theirs(:, 1:5:2, 1), .true.), 'two elements in a column')
    ! Three elements lie across the pairs of columns: the section is copied.
    call MPI_Irecv(b(1:4:2, 2:4, 2), 2, pair, left, 7, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(1:2, 1:5:2, 1), 2, pair, right, 7, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call holds(pack(b(1:4:2, 2:4, 2), .true.), pack(theirs(1:2, 1:5:2, 1), .true.), 'elements across columns')
    ! The first and the last integer of three, in an element of three.
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    call MPI_Sendrecv(a(:, 1:5:2, 1), 6, gaps, right, 7, b(1:4, 1:3, 1), 12, MPI_INTEGER, left, 7, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE)
    call holds(pack(b(1:4, 1:3, 1), .true.), pack(theirs([1, 3, 4, 6], 1:5:2, 1), .true.), 'elements with gaps')
    ! The first half of a double precision number: an element of four bytes in one of eight.
    call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, first)
    call MPI_Type_commit(first)
    x = 1
    y = 0
    call MPI_Sendrecv(x(2, :), 6, MPI_DOUBLE_PRECISION, right, 8, y(3, :), 6, MPI_DOUBLE_PRECISION, left, 8, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(y(3, :) == 1) .and. count(y /= 0) == 6, 'rows of numbers of eight bytes')
    call MPI_Sendrecv(x(2, :), 6, first, right, 8, y(1, :), 6, first, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(y(2:, :) == reshape([(0d0, 1d0, 0d0, i = 1, 6)], [3, 6])), 'parts of elements')
    call MPI_Type_free(pair)
    call MPI_Type_free(gaps)
    call MPI_Type_free(first)
  end subroutine

  subroutine characters()
    character(len=6) :: words(4), got(4)
    words = 'abcdef'
    got = '------'
    call MPI_Sendrecv(words(1:4:3)(2:4), 6, MPI_CHARACTER, right, 9, got(2:3), 6, MPI_CHARACTER, left, 9, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(got == ['------', 'bcdbcd', '------', '------']), 'parts of strings')
    got = '------'
    call MPI_Sendrecv(words(1:2), 12, MPI_CHARACTER, right, 9, got(1:4:2), 12, MPI_CHARACTER, left, 9, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(got == ['abcdef', '------', 'abcdef', '------']), 'strings at a distance')
  end subroutine

  ! One component of each element of an array of a derived type.
  subroutine components()
    type point
      integer :: number
      double precision :: x
    end type
    type(point) :: points(5), got(5)
    integer :: i
    points = [(point(10 * rank + i, 0.5d0), i = 1, 5)]
    got = point(0, 0d0)
    call MPI_Sendrecv(points%number, 5, MPI_INTEGER, right, 10, got%number, 5, MPI_INTEGER, left, 10, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(got%number == [(10 * left + i, i = 1, 5)]) .and. all(got%x == 0), 'components')
  end subroutine

  subroutine large()
    integer(MPI_COUNT_KIND) :: n
    type(MPI_Request) :: requests(2)
    n = 20
    call MPI_Irecv(b(2, :, :), n, MPI_INTEGER, left, 12, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(3, :, :), n, MPI_INTEGER, right, 12, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call holds(pack(b(2, :, :), .true.), pack(theirs(3, :, :), .true.), 'large counts')
  end subroutine

  ! Partitions of a section are described if its elements have one distance.
  subroutine partitions()
    type(MPI_Request) :: requests(2)
    integer, parameter :: parts = 5
    integer(MPI_COUNT_KIND), parameter :: one = 1
    call MPI_Psend_init(a(2, :, 1), parts, one, MPI_INTEGER, right, 13, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(b(3, :, 1), parts, one, MPI_INTEGER, left, 13, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    call MPI_Pready_range(0, parts - 1, requests(1))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call holds(b(3, :, 1), theirs(2, :, 1), 'partitions')
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine
end program
