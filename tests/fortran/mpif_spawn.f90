! Starting processes with mpif.h. The program starts itself: a child checks its arguments.
program mpif_spawn
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error, parent, children, codes(3), infos(2), processes(2), number
  character(256) :: own, commands(2)
  character(10) :: arguments(4), lists(2, 2), argument
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  call MPI_COMM_GET_PARENT(parent, error)
  call get_command_argument(0, own)
  if (parent /= MPI_COMM_NULL) then
    call get_command_argument(1, argument)
    read (argument, *) number
    if (command_argument_count() /= number) error stop 'the number of arguments'
    call get_command_argument(command_argument_count(), argument)
    if (argument /= 'last one' .and. number > 1) error stop 'the last argument'
    call MPI_SEND(number, 1, MPI_INTEGER, 0, 0, parent, error)
    call MPI_COMM_DISCONNECT(parent, error)
  else
    arguments(1) = '3'
    arguments(2) = '-v'
    arguments(3) = ' last one'
    arguments(4) = ' '
    codes = -1
    call MPI_COMM_SPAWN(own, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, codes, error)
    if (codes(1) /= MPI_SUCCESS .or. codes(2) /= -1) error stop 'error codes'
    call expect(1, 3)
    lists(1, 1) = '2'
    lists(1, 2) = 'last one'
    lists(2, 1) = '1'
    lists(2, 2) = ' '
    call start_two()
    call MPI_BARRIER(MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  end if
  call MPI_FINALIZE(error)
contains
  subroutine expect(count, sum)
    integer, intent(in) :: count, sum
    integer :: left, i, got
    if (rank == 0) then
      left = sum
      do i = 0, count - 1
        call MPI_RECV(got, 1, MPI_INTEGER, i, 0, children, MPI_STATUS_IGNORE, error)
        left = left - got
      end do
      if (left /= 0) error stop 'the arguments of the children'
    end if
    call MPI_COMM_DISCONNECT(children, error)
  end subroutine

  subroutine start_two()
    character(10) :: ended(2, 3)
    ended(:, 1:2) = lists
    ended(:, 3) = ' '
    commands = own
    processes = [1, 2]
    infos = MPI_INFO_NULL
    call MPI_COMM_SPAWN_MULTIPLE(2, commands, ended, processes, infos, 0, MPI_COMM_WORLD, children, codes, error)
    if (any(codes /= MPI_SUCCESS)) error stop 'error codes of two commands'
    call expect(3, 4)
  end subroutine
end program
