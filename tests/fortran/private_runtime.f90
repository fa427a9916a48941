! What the run-time library keeps for a program belongs to a rank: random numbers, the command line, the environment.
! Ranks wander at each `let_others_run`. The arguments are "seeds", the number of the program in the job, and a text.
program private_runtime
  implicit none
  interface
    subroutine let_others_run() bind(c, name="simurgh_test_yield")
    end subroutine
  end interface
  integer :: rank, bad
  character(len=16) :: text, program_number
  call get_environment_variable("TEST_RANK", text)
  read (text, *) rank
  bad = 0
  call random_numbers()
  call command_line()
  call environment()
  if (bad == 0) print '(2a)', 'runtime OK in program ', trim(program_number)

contains

  ! A rank's numbers follow from its seed, whatever the others draw meanwhile.
  subroutine random_numbers()
    real(8) :: alone(100), among_others(100), other_seed(100)
    integer, allocatable :: seed(:), found(:)
    integer :: n, i
    call random_seed(size=n)
    allocate (seed(n), found(n))
    seed = [(12345 + 1009 * rank + 17 * i, i = 1, n)]
    call random_seed(put=seed)
    call random_number(alone)
    call random_seed(put=seed)
    do i = 1, 100
      call let_others_run()
      call random_number(among_others(i))
    end do
    if (any(alone /= among_others)) call fault('the numbers of another seed')
    call random_seed(get=found)
    call let_others_run()
    call random_seed(put=found)
    call random_number(alone)
    call random_seed(put=found)
    call let_others_run()
    call random_number(among_others)
    if (any(alone /= among_others)) call fault('the numbers of another state')
    call random_seed(put=seed + 7919)
    call random_number(other_seed)
    call random_seed(put=seed)
    call random_number(alone)
    if (all(alone == other_seed)) call fault('the seed has no effect')
  end subroutine

  subroutine command_line()
    character(len=64) :: words(3)
    character(len=256) :: line
    integer :: i
    call let_others_run()
    if (command_argument_count() /= 3) call fault('the number of arguments')
    do i = 1, 3
      call let_others_run()
      call get_command_argument(i, words(i))
    end do
    program_number = words(2)
    if (words(1) /= 'seeds' .or. words(3) /= 'text of ' // program_number) call fault('arguments')
    call get_command(line)
    if (index(line, 'seeds ' // trim(program_number) // ' text of') == 0) call fault('command line: ' // trim(line))
  end subroutine

  subroutine environment()
    character(len=16) :: found
    integer :: again
    call let_others_run()
    call get_environment_variable("TEST_RANK", found)
    read (found, *) again
    if (again /= rank) call fault('environment')
  end subroutine

  subroutine fault(what)
    character(len=*), intent(in) :: what
    print '(2a)', 'BAD ', what
    bad = bad + 1
  end subroutine
end program
