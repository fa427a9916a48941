! Each rank has its own IEEE rounding mode, halting mode and flags; ranks wander at each `let_others_run`.
program ieee_modes
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: ieee_exceptions
  implicit none
  interface
    subroutine let_others_run() bind(c, name="simurgh_test_yield")
    end subroutine
  end interface
  type(ieee_round_type) :: mine, found
  real(8), volatile :: one = 1.0d0, tiny_part = 1.0d-200, large = huge(1.0d0), result
  integer :: rank, round, bad
  logical :: flag, halts
  character(len=16) :: text
  call get_environment_variable("TEST_RANK", text)
  read (text, *) rank
  bad = 0
  select case (mod(rank, 3))
  case (0)
    mine = ieee_up
  case (1)
    mine = ieee_nearest
  case default
    mine = ieee_down
  end select
  call ieee_set_rounding_mode(mine)
  call ieee_set_halting_mode(ieee_overflow, mod(rank, 4) == 3)
  if (mod(rank, 2) == 0) call ieee_set_flag(ieee_divide_by_zero, .true.)
  do round = 1, 200
    call let_others_run()
    call ieee_get_rounding_mode(found)
    if (found /= mine) bad = bad + 1
    result = one + tiny_part
    if ((result > one) .neqv. mine == ieee_up) bad = bad + 1
    result = -one - tiny_part
    if ((result < -one) .neqv. mine == ieee_down) bad = bad + 1
    call ieee_get_flag(ieee_divide_by_zero, flag)
    if (flag .neqv. mod(rank, 2) == 0) bad = bad + 1
    call ieee_get_halting_mode(ieee_overflow, halts)
    if (halts .neqv. mod(rank, 4) == 3) bad = bad + 1
    if (.not. halts) result = large * large
  end do
  call ieee_set_flag(ieee_all, .false.)
  call ieee_set_rounding_mode(ieee_nearest)
  if (bad == 0) then
    print '(a)', "ieee modes OK"
  else
    print '(a,i0)', "ieee modes BAD ", bad
  end if
end program
