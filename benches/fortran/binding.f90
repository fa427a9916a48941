! What the Fortran interface costs: one-way latency of ping-pongs between ranks 0 and 1, from C and from
! mpi_f08, batch by batch in one program.
!
! Prints "messages:C SIZE NANOSECONDS" and "messages:Fortran SIZE NANOSECONDS" for contiguous messages by their
! size; "rows:..." for a face of an array of three dimensions whose rows are contiguous, and "columns:..." for
! one without two neighbours in memory, by bytes of data: in C a datatype that is made once, in Fortran an array
! section. Each is the best of several batches.
program binding
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none

  interface
    real(c_double) function c_messages(times, ping, pong, bytes) bind(C)
      import
      integer(c_int), value :: times, bytes
      character(c_char) :: ping(*), pong(*)
    end function
    real(c_double) function c_face(times, ping, pong, n, block, distance) bind(C)
      import
      integer(c_int), value :: times, n, block, distance
      real(c_double) :: ping, pong
    end function
  end interface

  integer, parameter :: batches = 200, largest = 65536
  real(c_double), parameter :: batch_seconds = 0.0003
  integer, parameter :: sizes(4) = [0, 8, 512, largest], edges(3) = [8, 32, 128]
  character(c_char), allocatable, asynchronous :: ping(:), pong(:)
  real(c_double), allocatable, asynchronous :: left(:, :, :), right(:, :, :)
  integer :: rank, i

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate (ping(largest), pong(largest))
  ping = 'i'
  pong = 'o'
  do i = 1, size(sizes)
    call measure_messages(sizes(i))
  end do
  do i = 1, size(edges)
    allocate (left(edges(i), edges(i), edges(i)), right(edges(i), edges(i), edges(i)))
    left = rank
    right = 0
    call measure_face('rows', edges(i))
    call measure_face('columns', edges(i))
    deallocate (left, right)
  end do
  call MPI_Finalize()

contains

  subroutine measure_messages(bytes)
    integer, intent(in) :: bytes
    real(c_double) :: from_c, from_fortran, seconds
    integer :: times, batch
    times = 1
    do
      seconds = c_messages(times, ping, pong, bytes) + messages(times, bytes)
      if (enough(seconds, times)) exit
    end do
    from_c = huge(from_c)
    from_fortran = huge(from_fortran)
    do batch = 1, batches
      from_c = min(from_c, c_messages(times, ping, pong, bytes))
      from_fortran = min(from_fortran, messages(times, bytes))
    end do
    call report('messages', bytes, times, from_c, from_fortran)
  end subroutine

  subroutine measure_face(name, n)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    real(c_double) :: from_c, from_fortran, seconds
    integer :: times, batch
    times = 1
    do
      seconds = face_in_c(name, times, n) + face(name, times, n)
      if (enough(seconds, times)) exit
    end do
    from_c = huge(from_c)
    from_fortran = huge(from_fortran)
    do batch = 1, batches
      from_c = min(from_c, face_in_c(name, times, n))
      from_fortran = min(from_fortran, face(name, times, n))
    end do
    call report(name, 8 * n * n, times, from_c, from_fortran)
  end subroutine

  ! Seconds that so many round trips of a message take.
  real(c_double) function messages(times, bytes)
    integer, intent(in) :: times, bytes
    integer :: i
    messages = MPI_Wtime()
    do i = 1, times
      if (rank == 0) then
        call MPI_Send(ping, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD)
        call MPI_Recv(pong, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      else
        call MPI_Recv(pong, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Send(ping, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD)
      end if
    end do
    messages = MPI_Wtime() - messages
  end function

  real(c_double) function face(name, times, n)
    character(*), intent(in) :: name
    integer, intent(in) :: times, n
    if (name == 'rows') then
      face = rows(times, n)
    else
      face = columns(times, n)
    end if
  end function

  real(c_double) function rows(times, n)
    integer, intent(in) :: times, n
    integer :: i
    rows = MPI_Wtime()
    do i = 1, times
      if (rank == 0) then
        call MPI_Send(left(:, 2, :), n * n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
        call MPI_Recv(right(:, 2, :), n * n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      else
        call MPI_Recv(right(:, 2, :), n * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Send(left(:, 2, :), n * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD)
      end if
    end do
    rows = MPI_Wtime() - rows
  end function

  real(c_double) function columns(times, n)
    integer, intent(in) :: times, n
    integer :: i
    columns = MPI_Wtime()
    do i = 1, times
      if (rank == 0) then
        call MPI_Send(left(2, :, :), n * n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
        call MPI_Recv(right(2, :, :), n * n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      else
        call MPI_Recv(right(2, :, :), n * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Send(left(2, :, :), n * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD)
      end if
    end do
    columns = MPI_Wtime() - columns
  end function

  real(c_double) function face_in_c(name, times, n)
    character(*), intent(in) :: name
    integer, intent(in) :: times, n
    if (name == 'rows') then
      face_in_c = c_face(times, left(1, 2, 1), right(1, 2, 1), n, n, n * n)
    else
      face_in_c = c_face(times, left(2, 1, 1), right(2, 1, 1), n, 1, n)
    end if
  end function

  ! Whether so many round trips make two batches; otherwise how many there shall be next. Both ranks agree.
  logical function enough(seconds, times)
    real(c_double), intent(inout) :: seconds
    integer, intent(inout) :: times
    call MPI_Bcast(seconds, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    enough = seconds >= 2 * batch_seconds
    if (enough) return
    times = min(10 * times, int(times * 2.2 * batch_seconds / seconds) + 1)
  end function

  subroutine report(name, bytes, times, from_c, from_fortran)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes, times
    real(c_double), intent(in) :: from_c, from_fortran
    if (rank /= 0) return
    print '(2a, i0, f14.2)', name, ':C ', bytes, from_c / times / 2 * 1e9
    print '(2a, i0, f14.2)', name, ':Fortran ', bytes, from_fortran / times / 2 * 1e9
  end subroutine
end program
