! Heat conduction in a square plate: examples/heat2d.c in Fortran, with the same result bit by bit.
!
!     mpifort -O2 heat2d.f90 -o heat2d && mpiexec -n 16 ./heat2d -n 1024 -s 500 -o plate.pgm
!
! The state is in variables of a module: each rank has its own copy of them. A row of the plate is contiguous in memory,
! as in C: the first index of an array is the column. Columns are sent and received as array sections, which mpi_f08
! takes as they are, without a datatype or a copy by the compiler.
module plate_state
  use, intrinsic :: iso_fortran_env, only: real64, error_unit
  use mpi_f08
  implicit none

  real(real64), parameter :: conduction = 0.2_real64 ! per step; stable up to 0.25
  integer, parameter :: up = 0, down = 1, left = 2, right = 3, whole_block = 4

  ! The plate, from the command line.
  integer :: plate = 512 ! cells per side
  integer :: steps = 200
  character(len=:), allocatable :: output

  ! This rank's block: cells [row0, row0 + rows) x [col0, col0 + cols) of the plate, with a rim one cell wide.
  integer :: rank, ranks
  integer :: grid_rows, grid_cols ! the ranks as a grid
  integer :: row0, rows, col0, cols
  integer :: neighbour(0:3)
  real(real64), allocatable, asynchronous :: now(:, :), next(:, :)

contains

  subroutine fail(message)
    character(len=*), intent(in) :: message
    write (error_unit, '(2a)') 'heat2d: ', message
    call MPI_Abort(MPI_COMM_WORLD, 1)
    error stop 1
  end subroutine

  subroutine read_arguments()
    character(len=4096) :: option, value
    integer :: i, status
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, option)
      call get_command_argument(i + 1, value)
      status = 0
      select case (option)
      case ('-n')
        read (value, *, iostat=status) plate
      case ('-s')
        read (value, *, iostat=status) steps
      case ('-o')
        output = trim(value)
      case default
        status = 1
      end select
      if (status /= 0) call fail('usage: heat2d [-n CELLS_PER_SIDE] [-s STEPS] [-o IMAGE.pgm]')
    end do
    if (plate < 1 .or. plate > 32768) call fail('a side has 1 to 32768 cells')
    if (steps < 0) call fail('the number of steps cannot be negative')
  end subroutine

  ! Cells [first(i), first(i + 1)) belong to part i of so many parts of a side.
  pure integer function first(part, parts)
    integer, intent(in) :: part, parts
    integer, parameter :: long = selected_int_kind(18)
    first = int(int(plate, long) * part / parts)
  end function

  ! Arranges the ranks as the squarest grid: the shorter the cuts, the less to exchange; rather more rows than columns.
  subroutine cut_plate()
    integer :: r, c
    grid_cols = int(sqrt(real(ranks, real64)))
    do while (mod(ranks, grid_cols) /= 0)
      grid_cols = grid_cols - 1
    end do
    grid_rows = ranks / grid_cols
    if (grid_rows > plate) call fail('more ranks in a column than cells: take a larger plate')
    r = rank / grid_cols
    c = mod(rank, grid_cols)
    row0 = first(r, grid_rows)
    rows = first(r + 1, grid_rows) - row0
    col0 = first(c, grid_cols)
    cols = first(c + 1, grid_cols) - col0
    neighbour = [rank - grid_cols, rank + grid_cols, rank - 1, rank + 1]
    where ([r == 0, r + 1 == grid_rows, c == 0, c + 1 == grid_cols]) neighbour = MPI_PROC_NULL
  end subroutine

  pure logical function in_disc(y, x, centre_y, centre_x, radius)
    real(real64), intent(in) :: y, x, centre_y, centre_x, radius
    in_disc = (y - centre_y) * (y - centre_y) + (x - centre_x) * (x - centre_x) < radius * radius
  end function

  ! Where the plate is hot at first. Its left edge, outside the plate, is hot for ever, the other edges are cold.
  pure real(real64) function initial(row, col)
    integer, intent(in) :: row, col
    real(real64) :: y, x
    logical :: hot
    y = (row + 0.5_real64) / plate
    x = (col + 0.5_real64) / plate
    if (x < 0) then
      hot = .true.
    else if (x > 1 .or. y < 0 .or. y > 1) then
      hot = .false.
    else
      hot = in_disc(y, x, 0.4_real64, 0.45_real64, 0.28_real64) .and. &
            .not. in_disc(y, x, 0.4_real64, 0.45_real64, 0.2_real64)
      hot = hot .or. in_disc(y, x, 0.72_real64, 0.74_real64, 0.14_real64)
    end if
    initial = merge(1.0_real64, 0.0_real64, hot)
  end function

  subroutine heat_plate()
    integer :: r, c, status
    allocate (now(0:cols + 1, 0:rows + 1), stat=status)
    if (status /= 0) call fail('not enough memory for the plate')
    do r = 0, rows + 1
      do c = 0, cols + 1
        now(c, r) = initial(row0 + r - 1, col0 + c - 1)
      end do
    end do
    allocate (next, source=now) ! for the rim at the edges of the plate, which no neighbour fills
  end subroutine

  ! Fills the rim with the neighbours' outermost cells. A message's tag is the side it leaves by.
  subroutine exchange_rim()
    type(MPI_Request) :: requests(8)
    type(MPI_Comm) :: world
    world = MPI_COMM_WORLD
    call MPI_Irecv(now(1:cols, 0), cols, MPI_DOUBLE_PRECISION, neighbour(up), down, world, requests(1))
    call MPI_Irecv(now(1:cols, rows + 1), cols, MPI_DOUBLE_PRECISION, neighbour(down), up, world, requests(2))
    call MPI_Irecv(now(0, 1:rows), rows, MPI_DOUBLE_PRECISION, neighbour(left), right, world, requests(3))
    call MPI_Irecv(now(cols + 1, 1:rows), rows, MPI_DOUBLE_PRECISION, neighbour(right), left, world, requests(4))
    call MPI_Isend(now(1:cols, 1), cols, MPI_DOUBLE_PRECISION, neighbour(up), up, world, requests(5))
    call MPI_Isend(now(1:cols, rows), cols, MPI_DOUBLE_PRECISION, neighbour(down), down, world, requests(6))
    call MPI_Isend(now(1, 1:rows), rows, MPI_DOUBLE_PRECISION, neighbour(left), left, world, requests(7))
    call MPI_Isend(now(cols, 1:rows), rows, MPI_DOUBLE_PRECISION, neighbour(right), right, world, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
  end subroutine

  ! One step of time; returns the largest change of a cell of this block.
  real(real64) function conduct() result(largest)
    real(real64), allocatable :: before(:, :)
    real(real64) :: change
    integer :: r, c
    largest = 0
    do r = 1, rows
      do c = 1, cols
        change = conduction * (now(c, r - 1) + now(c, r + 1) + now(c - 1, r) + now(c + 1, r) - 4 * now(c, r))
        next(c, r) = now(c, r) + change
        largest = max(abs(change), largest)
      end do
    end do
    call move_alloc(now, before)
    call move_alloc(next, now)
    call move_alloc(before, next)
  end function

  ! The whole plate, on rank 0 only. Sender and receiver describe a block each as it lies in their memory.
  subroutine gather(whole)
    real(real64), allocatable, intent(out) :: whole(:, :)
    type(MPI_Request) :: sent
    integer :: from, r, c, top, bottom, west, east, cells
    call MPI_Isend(now(1:cols, 1:rows), rows * cols, MPI_DOUBLE_PRECISION, 0, whole_block, MPI_COMM_WORLD, sent)
    if (rank == 0) then
      allocate (whole(plate, plate), stat=r)
      if (r /= 0) call fail('not enough memory for the whole plate')
      do from = 0, ranks - 1
        r = from / grid_cols
        c = mod(from, grid_cols)
        top = first(r, grid_rows) + 1
        bottom = first(r + 1, grid_rows)
        west = first(c, grid_cols) + 1
        east = first(c + 1, grid_cols)
        cells = (bottom - top + 1) * (east - west + 1)
        call MPI_Recv(whole(west:east, top:bottom), cells, MPI_DOUBLE_PRECISION, from, whole_block, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
      end do
    end if
    call MPI_Wait(sent, MPI_STATUS_IGNORE)
  end subroutine

  ! FNV-1a over every bit of every cell. Fortran has no unsigned integers, so the two halves of the number are apart.
  function checksum(whole) result(text)
    real(real64), intent(in) :: whole(:, :)
    character(len=16) :: text
    integer, parameter :: long = selected_int_kind(18)
    integer(long), parameter :: half = 4294967295_long
    integer(long) :: low, high, cell, product
    integer :: row, col, byte
    high = int(z'cbf29ce4', long)
    low = int(z'84222325', long)
    do row = 1, size(whole, 2)
      do col = 1, size(whole, 1)
        cell = transfer(whole(col, row), cell)
        do byte = 0, 56, 8
          low = ieor(low, iand(ishft(cell, -byte), 255_long))
          ! times 2**40 + 435
          product = low * 435
          high = iand(high * 435 + ishft(product, -32) + ishft(low, 8), half)
          low = iand(product, half)
        end do
      end do
    end do
    write (text, '(2z8.8)') high, low
    do byte = 1, len(text)
      if (text(byte:byte) > '9') text(byte:byte) = achar(iachar(text(byte:byte)) + 32)
    end do
  end function

  ! A grey image with 16 bits per cell.
  subroutine write_image(whole)
    real(real64), intent(in) :: whole(:, :)
    character(len=2), allocatable :: line(:)
    character(len=64) :: head
    integer :: unit, status, row, col, grey
    open (newunit=unit, file=output, access='stream', form='unformatted', status='replace', iostat=status)
    if (status /= 0) call fail('cannot open the image file for writing')
    write (head, '(i0,1x,i0)') plate, plate
    write (unit, iostat=status) 'P5', new_line('a'), trim(head), new_line('a'), '65535', new_line('a')
    allocate (line(plate))
    do row = 1, plate
      do col = 1, plate
        grey = int(whole(col, row) * 65535.0_real64 + 0.5_real64)
        line(col) = achar(grey / 256) // achar(mod(grey, 256))
      end do
      if (status == 0) write (unit, iostat=status) line
    end do
    if (status == 0) close (unit, iostat=status)
    if (status /= 0) call fail('cannot write the image file')
  end subroutine
end module

program heat2d
  use plate_state
  implicit none
  real(real64), allocatable :: whole(:, :)
  real(real64) :: mine, largest, start, seconds
  integer :: step
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call read_arguments()
  call cut_plate()
  call heat_plate()

  largest = 0
  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime()
  do step = 1, steps
    call exchange_rim()
    mine = conduct()
    call MPI_Allreduce(mine, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  end do
  seconds = MPI_Wtime() - start

  call gather(whole)
  if (rank == 0) then
    print '(a,i0,a,i0,a,i0,a,i0,a,i0,a,i0)', 'plate ', plate, ' x ', plate, ', ', steps, ' steps, ', ranks, &
      ' ranks as ', grid_rows, ' x ', grid_cols
    print '(a,f0.6)', 'seconds ', seconds
    print '(a,es24.16)', 'largest change', largest
    print '(2a)', 'checksum ', checksum(whole)
    if (allocated(output)) call write_image(whole)
  end if
  call MPI_Finalize()
end program
