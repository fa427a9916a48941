! Units belong to a rank: the same numbers are connected to other files in each rank, which wander at each
! `let_others_run`. The folder for the files is the first argument.
program private_units
  implicit none
  interface
    subroutine let_others_run() bind(c, name="simurgh_test_yield")
    end subroutine
  end interface
  integer, parameter :: rounds = 25
  integer :: rank, round, bad, formatted, stream
  character(len=16) :: text
  character(len=512) :: folder
  call get_environment_variable("TEST_RANK", text)
  read (text, *) rank
  call get_command_argument(1, folder)
  bad = 0
  call open_all()
  do round = 1, rounds
    call write_all()
    call internal()
    call namelists()
  end do
  call check_all()
  write (*, '(a,i0)', advance='no') 'rank ', rank
  call let_others_run()
  write (*, '(a)', advance='no') ' wrote'
  call let_others_run()
  write (*, '(a)') ' a line'
  if (bad == 0) print '(a)', 'units OK'

contains

  function name(what)
    character(len=*), intent(in) :: what
    character(len=:), allocatable :: name
    name = trim(folder) // '/' // what // '-' // trim(text)
  end function

  subroutine open_all()
    integer :: status
    open (unit=10, file=name('formatted'), status='new', action='readwrite')
    open (unit=11, status='scratch', form='unformatted')
    open (unit=12, file=name('direct'), status='new', access='direct', recl=64, form='unformatted')
    open (newunit=stream, file=name('stream'), status='new', access='stream', form='unformatted')
    open (newunit=formatted, status='scratch', form='formatted')
    open (unit=13, file=name('missing'), status='old', iostat=status)
    if (status == 0) call fault('a file that is not there was opened')
  end subroutine

  ! Each record is begun before the others run, and ended after.
  subroutine write_all()
    integer :: i
    write (10, '(a,i0)', advance='no') 'rank ', rank
    write (11) rank, round, [(rank * round, i = 1, 50)]
    call let_others_run()
    write (10, '(a,i0)') ' round ', round
    write (12, rec=round) rank, round
    call let_others_run()
    write (stream) rank, round
    write (formatted, *) rank, round, real(rank * round, 8) / 3
  end subroutine

  subroutine check_all()
    character(len=512) :: found, expected
    integer :: ranks, rounds_found, many(50)
    real(8) :: third
    inquire (unit=10, name=found)
    if (index(found, name('formatted')) == 0) call fault('the name of unit 10 is ' // trim(found))
    rewind (10)
    rewind (11)
    rewind (formatted)
    rewind (stream)
    do round = 1, rounds
      write (expected, '(a,i0,a,i0)') 'rank ', rank, ' round ', round
      read (10, '(a)') found
      if (found /= expected) call fault('formatted: ' // trim(found))
      call let_others_run()
      read (11) ranks, rounds_found, many
      if (ranks /= rank .or. rounds_found /= round .or. any(many /= rank * round)) call fault('unformatted')
      read (12, rec=round) ranks, rounds_found
      if (ranks /= rank .or. rounds_found /= round) call fault('direct')
      read (stream) ranks, rounds_found
      if (ranks /= rank .or. rounds_found /= round) call fault('stream')
      call let_others_run()
      read (formatted, *) ranks, rounds_found, third
      if (ranks /= rank .or. rounds_found /= round) call fault('list-directed')
      if (abs(third - real(rank * round, 8) / 3) > 1.0d-12 * abs(third)) call fault('list-directed real')
    end do
    read (10, '(a)', iostat=ranks) found
    if (ranks >= 0) call fault('more lines than were written')
    close (10, status='delete')
    close (12, status='delete')
    close (stream, status='delete')
  end subroutine

  subroutine internal()
    character(len=40) :: line
    integer :: one, two
    write (line, '(2i12)') rank, round
    call let_others_run()
    read (line, *) one, two
    if (one /= rank .or. two /= round) call fault('internal file')
  end subroutine

  subroutine namelists()
    integer :: whole, list(4)
    real(8) :: part
    character(len=20) :: word
    namelist /settings/ whole, list, part, word
    integer :: unit
    whole = rank
    list = rank + [1, 2, 3, 4] * round
    part = rank + 0.25d0
    word = 'rank ' // text
    open (newunit=unit, status='scratch', delim='apostrophe')
    write (unit, nml=settings)
    whole = -1
    list = -1
    part = -1
    word = ' '
    rewind (unit)
    call let_others_run()
    read (unit, nml=settings)
    close (unit)
    if (whole /= rank .or. any(list /= rank + [1, 2, 3, 4] * round)) call fault('namelist integers')
    if (part /= rank + 0.25d0 .or. word /= 'rank ' // text) call fault('namelist')
  end subroutine

  subroutine fault(what)
    character(len=*), intent(in) :: what
    print '(2a)', 'BAD ', what
    bad = bad + 1
  end subroutine
end program
