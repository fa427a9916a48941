! What Fortran's run-time does in a rank: units, standard input, and the ways in which a rank may end. The first argument
! says what is tried. The functions of MPI are those of C.
program runtime
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_intptr_t), parameter :: world = 257
  interface
    integer(c_int) function c_init(argc, argv) bind(c, name="MPI_Init")
      import
      type(c_ptr), value :: argc, argv
    end function
    integer(c_int) function c_rank(comm, rank) bind(c, name="MPI_Comm_rank")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), intent(out) :: rank
    end function
    integer(c_int) function c_size(comm, ranks) bind(c, name="MPI_Comm_size")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), intent(out) :: ranks
    end function
    integer(c_int) function c_barrier(comm) bind(c, name="MPI_Barrier")
      import
      integer(c_intptr_t), value :: comm
    end function
    integer(c_int) function c_abort(comm, code) bind(c, name="MPI_Abort")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), value :: code
    end function
    integer(c_int) function c_finalize() bind(c, name="MPI_Finalize")
      import
    end function
  end interface
  integer(c_int) :: rank, ranks
  character(len=32) :: way, folder
  call get_command_argument(1, way)
  if (c_init(c_null_ptr, c_null_ptr) /= 0) error stop 99
  if (c_rank(world, rank) + c_size(world, ranks) /= 0) error stop 99
  select case (way)
  case ('read')
    call read_input()
  case ('lines')
    call write_lines()
  case ('zero', 'overflow', 'invalid')
    if (rank /= ranks - 1) print '(a,i0,a,l1)', 'rank ', rank, ' goes on ', is_special(way)
    call barrier()
    if (rank == ranks - 1) print '(a,i0,a,l1)', 'rank ', rank, ' goes on ', is_special(way)
  case default
    call write_much()
    call barrier()
    if (rank == 1) call end_by(way)
    ! The others wait for the one that ends, or for something that never comes.
    if (way == 'in_write') then
      print '(a,i0)', 'never complete ', waits()
    else
      call barrier()
    end if
  end select
  if (c_finalize() /= 0) error stop 99
  if (way == 'stop_after') stop 3
contains
  subroutine barrier()
    if (c_barrier(world) /= 0) error stop 99
  end subroutine

  ! Leaves output in the buffers of three units: standard output, a file, and a file without a format.
  subroutine write_much()
    integer :: i, before, formatted, unformatted
    character(len=64) :: name
    call get_environment_variable('RUNTIME_FOLDER', name)
    do i = 1, 3
      write (*, '(a,i0,a,i0)') 'rank ', rank, ' line ', i
    end do
    if (name == '') return
    write (folder, '(a,i0)') 'rank.', rank
    if (command_argument_count() == 2) then
      ! The second argument is the number of the unit.
      formatted = number_given()
      open (unit=formatted, file=trim(name) // '/' // trim(folder), status='replace', action='write')
      write (formatted, '(a,i0)') ('number ', i, i = 1, 3)
      return
    end if
    open (newunit=before, status='scratch')
    open (newunit=formatted, file=trim(name) // '/' // trim(folder), status='replace', action='write')
    open (newunit=unformatted, file=trim(name) // '/' // trim(folder) // '.raw', status='replace', action='write', &
          form='unformatted', access='stream')
    write (formatted, '(a,i0)') ('number ', i, i = 1, 3)
    write (unformatted) rank, 4321
    ! A text that is written to like a file has a unit of its own, which stays behind: here that of a closed file.
    close (before)
    write (name, '(i0)') rank
  end subroutine

  subroutine write_lines()
    integer :: i
    do i = 1, 200
      write (*, '(a,i0,a)', advance='no') 'from ', rank, ' '
      write (*, '(i0,a)') i, ' to the end'
      if (mod(i, 50) == 0) call barrier()
    end do
  end subroutine

  subroutine read_input()
    integer :: first, second, error
    first = 0
    second = 0
    ! Whoever could take what is not his own does so before the one that may read.
    if (rank == 0) call barrier()
    read (*, *, iostat=error) first
    if (error == 0) read (*, *, iostat=error) second
    if (rank /= 0) call barrier()
    print '(a,i0,a,i0,a,i0,a,l1)', 'rank ', rank, ' read ', first, ' and ', second, ', end ', is_iostat_end(error)
  end subroutine

  integer function waits()
    call barrier()
    waits = 1
  end function

  subroutine end_by(way)
    character(len=*), intent(in) :: way
    integer, pointer :: nowhere
    integer :: number, ignored
    select case (way)
    case ('abort', 'in_write')
      ignored = c_abort(world, 7)
    case ('stop')
      stop
    case ('stop_3')
      stop 3
    case ('error_stop')
      error stop
    case ('error_stop_3')
      error stop 3
    case ('segv')
      call c_f_pointer(transfer(8_c_intptr_t, c_null_ptr), nowhere)
      nowhere = 5
    case ('segv_in_write')
      call c_f_pointer(transfer(8_c_intptr_t, c_null_ptr), nowhere)
      print '(i0)', nowhere
    case ('runtime_error')
      read (way, '(i3)') number
    case ('stack_low')
      print *, deep(number_given(), 1)
    case ('stack_middle')
      print *, deep(number_given(), number_given() / 2)
    case ('recursion')
      print *, endless(rank)
    end select
  end subroutine

  ! Whether a floating-point operation of this kind gives infinity or no number.
  logical function is_special(kind)
    character(len=*), intent(in) :: kind
    real(8), volatile :: zero = 0.0d0, large = huge(1.0d0), result
    select case (kind)
    case ('zero')
      result = 1.0d0 / zero
    case ('overflow')
      result = large * large
    case default
      result = zero / zero
    end select
    is_special = .not. abs(result) <= large
  end function

  ! The second argument.
  integer function number_given()
    character(len=16) :: text
    call get_command_argument(2, text)
    read (text, *) number_given
  end function

  ! An array of so many bytes lies on the stack; the element is written first.
  recursive integer function deep(bytes, element)
    integer, intent(in) :: bytes, element
    integer(1) :: array(bytes)
    array(element) = 1
    call use_array(array, bytes)
    deep = array(element)
  end function

  recursive function endless(number) result(sum)
    integer, intent(in) :: number
    integer, volatile :: array(100)
    integer :: sum
    array = number
    sum = endless(number + 1) + array(7)
  end function

  subroutine use_array(array, bytes)
    integer, intent(in) :: bytes
    integer(1), intent(inout) :: array(bytes)
    array(1) = array(bytes)
  end subroutine
end program
