! A program in Fortran that uses its run-time library a little, and then lets tests/c/footprint.c tell what the process
! takes.
program footprint
  implicit none
  real(8) :: numbers(100)
  character(80) :: line
  call c_begin()
  call random_number(numbers)
  write (line, '(i0, f8.3)') size(numbers), sum(numbers)
  if (len_trim(line) == 0) print *, 'nothing written'
  call c_run()
  call c_end()
end program
