! Variables of every storage class, in the program itself, in an object and in a shared library: initial values, then
! private to each rank through many rounds of writing and letting others run. Blank COMMON and /across/ are shared by
! the program and the library of one rank.
program private_storage
  use state_program, only: initial_program => check_initial, write_program => write_all, check_program => check_all
  use state_object, only: initial_object => check_initial, write_object => write_all, check_object => check_all
  use state_shared, only: initial_shared => check_initial, write_shared => write_all, check_shared => check_all
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    subroutine let_others_run() bind(c, name="simurgh_test_yield")
    end subroutine
    subroutine c_sees(program, object, shared, own) bind(c)
      import :: c_int
      integer(c_int), intent(out) :: program, object, shared, own
    end subroutine
    subroutine c_writes(own) bind(c)
      import :: c_int
      integer(c_int), value :: own
    end subroutine
  end interface
  real(8) :: blank_field(100)
  integer :: blank_first, across(2500), rank, round, base, bad
  integer(c_int) :: seen(4)
  character(len=16) :: text
  common blank_field, blank_first
  common /across/ across
  integer, external :: library_sum
  call get_environment_variable("TEST_RANK", text)
  read (text, *) rank
  bad = 0
  call initial_program(bad)
  call initial_object(bad)
  call initial_shared(bad)
  do round = 1, 50
    base = 10000 * (rank + 1) + round
    call write_program(base)
    call write_object(base + 2000)
    call write_shared(base + 4000)
    call c_writes(base + 1)
    blank_first = base
    blank_field = base + 1
    across = base + 2
    call library_writes(base + 3)
    call let_others_run()
    call check_program(base, bad)
    call check_object(base + 2000, bad)
    call check_shared(base + 4000, bad)
    call c_sees(seen(1), seen(2), seen(3), seen(4))
    if (any(seen /= base + [8, 2008, 4008, 1])) call fault('bind(C) as C sees it')
    if (blank_first /= base + 3 .or. any(blank_field /= base + 1)) call fault('blank COMMON')
    if (across(1) /= base + 3 .or. any(across(2:) /= base + 2)) call fault('COMMON of program and library')
    if (library_sum() /= sum(across) + blank_first) call fault('COMMON as the library sees it')
  end do
  if (bad == 0) print '(a)', 'storage OK'

contains

  subroutine fault(what)
    character(len=*), intent(in) :: what
    print '(2a)', 'BAD ', what
    bad = bad + 1
  end subroutine
end program
