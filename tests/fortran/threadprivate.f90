! Threadprivate variables of several kilobytes in each thread of each rank; ranks take turns at each `let_others_run`.
module state
  implicit none
  real(8), save :: field(1500) = -1.0d0
  integer, save :: count(700)
  integer :: common_block(900)
  common /shared_block/ common_block
  !$omp threadprivate(field, count, /shared_block/)
end module

program threadprivate_test
  use omp_lib
  use state
  use iso_c_binding
  implicit none
  interface
    subroutine let_others_run() bind(c, name="simurgh_test_yield")
    end subroutine
  end interface
  integer :: rank, round, bad
  character(len=16) :: text
  call get_environment_variable("TEST_RANK", text)
  read (text, *) rank
  bad = 0
  call omp_set_dynamic(.false.)
  call omp_set_num_threads(3)
  !$omp parallel reduction(+:bad)
  if (any(field /= -1.0d0)) bad = bad + 1
  !$omp end parallel
  do round = 1, 20
    !$omp parallel
    field = 1000.0d0 * rank + 10 * omp_get_thread_num() + round
    count = 100 * rank + omp_get_thread_num()
    common_block = -count(1)
    !$omp end parallel
    call let_others_run()
    !$omp parallel reduction(+:bad)
    if (any(field /= 1000.0d0 * rank + 10 * omp_get_thread_num() + round)) bad = bad + 1
    if (any(count /= 100 * rank + omp_get_thread_num())) bad = bad + 1
    if (any(common_block /= -count(1))) bad = bad + 1
    !$omp end parallel
  end do
  if (bad == 0) then
    print '(a)', "threadprivate OK"
  else
    print '(a,i0)', "threadprivate BAD ", bad
  end if
end program
