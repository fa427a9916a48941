! The part of private_storage.f90 in the shared library that shares COMMON blocks with the program.

subroutine library_writes(value)
  implicit none
  integer, intent(in) :: value
  real(8) :: blank_field(100)
  integer :: blank_first, across(2500)
  common blank_field, blank_first
  common /across/ across
  blank_first = value
  across(1) = value
end subroutine

integer function library_sum()
  implicit none
  real(8) :: blank_field(100)
  integer :: blank_first, across(2500)
  common blank_field, blank_first
  common /across/ across
  library_sum = sum(across) + blank_first
end function
