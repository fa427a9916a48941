! Starting processes with mpi_f08. The program starts itself: a child checks its arguments.
program f08_spawn
  use mpi_f08
  implicit none
  integer :: rank, ranks
  type(MPI_Comm) :: parent
  character(256) :: own
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_get_parent(parent)
  call get_command_argument(0, own)
  if (parent /= MPI_COMM_NULL) then
    call be_a_child()
  else
    call start_one_command()
    call start_without_arguments()
    call start_several_commands()
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  end if
  call MPI_Finalize()
contains
  ! Sends the parent's first rank the lengths of the arguments, and the arguments themselves.
  subroutine be_a_child()
    character(32) :: argument
    integer :: i, length, count, appnum
    integer(MPI_ADDRESS_KIND) :: number
    logical :: flag
    count = command_argument_count()
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, number, flag)
    appnum = merge(int(number), -1, flag)
    call MPI_Send([count, appnum], 2, MPI_INTEGER, 0, 1, parent)
    do i = 1, count
      argument = ' '
      call get_command_argument(i, argument, length)
      call MPI_Send(length, 1, MPI_INTEGER, 0, 2, parent)
      call MPI_Send(argument, 32, MPI_CHARACTER, 0, 3, parent)
    end do
    call MPI_Comm_disconnect(parent)
  end subroutine

  subroutine expect(children, child, command, arguments)
    type(MPI_Comm), intent(in) :: children
    integer, intent(in) :: child, command
    character(*), intent(in) :: arguments(:)
    character(32) :: argument
    integer :: facts(2), length, i
    call MPI_Recv(facts, 2, MPI_INTEGER, child, 1, children, MPI_STATUS_IGNORE)
    if (facts(1) /= size(arguments) .or. facts(2) /= command) then
      print *, 'arguments and command', facts
      error stop 'the number of arguments or that of the command'
    end if
    do i = 1, size(arguments)
      call MPI_Recv(length, 1, MPI_INTEGER, child, 2, children, MPI_STATUS_IGNORE)
      call MPI_Recv(argument, 32, MPI_CHARACTER, child, 3, children, MPI_STATUS_IGNORE)
      if (argument /= arguments(i) .or. length /= len_trim(arguments(i))) error stop 'an argument'
    end do
  end subroutine

  subroutine start_one_command()
    type(MPI_Comm) :: children
    character(12) :: arguments(5) = [character(12) :: 'first', ' in between ', 'with a blank', '-x=3', ' ']
    integer :: codes(2), i
    codes = -1
    ! Only the root's arguments count.
    if (rank == ranks - 1) then
      call MPI_Comm_spawn(own, arguments, 2, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, children, codes)
    else
      call MPI_Comm_spawn('nothing', arguments(1:1), -5, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, children, codes)
    end if
    if (any(codes /= MPI_SUCCESS)) error stop 'error codes'
    if (rank == 0) then
      do i = 0, 1
        call expect(children, i, 0, [character(12) :: 'first', 'in between', 'with a blank', '-x=3'])
      end do
    end if
    call MPI_Comm_disconnect(children)
  end subroutine

  subroutine start_without_arguments()
    type(MPI_Comm) :: children
    character(0) :: none(0)
    call MPI_Comm_spawn(own, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE)
    if (rank == 0) call expect(children, 0, 0, none)
    call MPI_Comm_disconnect(children)
  end subroutine

  subroutine start_several_commands()
    type(MPI_Comm) :: children
    character(256) :: commands(2)
    character(8) :: arguments(2, 3), none(0)
    integer :: codes(3)
    type(MPI_Info) :: infos(2)
    commands = own
    arguments(1, :) = [character(8) :: 'one', 'two', ' ']
    arguments(2, :) = [character(8) :: ' three', ' ', 'unseen']
    infos = MPI_INFO_NULL
    call MPI_Comm_spawn_multiple(2, commands, arguments, [1, 2], infos, 0, MPI_COMM_WORLD, children, codes)
    if (any(codes /= MPI_SUCCESS)) error stop 'error codes of several commands'
    if (rank == 0) then
      call expect(children, 0, 0, [character(8) :: 'one', 'two'])
      call expect(children, 1, 1, [character(8) :: 'three'])
      call expect(children, 2, 1, [character(8) :: 'three'])
    end if
    call MPI_Comm_disconnect(children)
    call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, [1, 1], infos, 0, MPI_COMM_WORLD, children, &
                                 MPI_ERRCODES_IGNORE)
    if (rank == 0) then
      call expect(children, 0, 0, none)
      call expect(children, 1, 1, none)
    end if
    call MPI_Comm_disconnect(children)
  end subroutine
end program
