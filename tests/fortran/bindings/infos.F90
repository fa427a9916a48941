! Info objects. Keys and values lose the blanks around them; the length of a value is without C's final zero.
#include "bindings.h"
program infos
  use bindings
  implicit none
  HANDLE(MPI_Info) :: info, other
  character(len=MPI_MAX_INFO_KEY) :: key
  character(len=20) :: value
  character(len=4) :: short
  integer :: number, length
  logical :: there
  call begin()
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, '  first ', ' 1 and 2  ', ierr)
  call MPI_Info_set(info, 'second', 'two', ierr)
  call MPI_Info_get_nkeys(info, number, ierr)
  CHECK(number == 2)
  call MPI_Info_get_nthkey(info, 0, key, ierr)
  CHECK(key == 'first')
  call MPI_Info_get_nthkey(info, 1, key, ierr)
  CHECK(key == 'second')
  length = len(value)
  value = repeat('x', len(value))
  call MPI_Info_get_string(info, 'first', length, value, there, ierr)
  CHECK(there .and. value == '1 and 2' .and. length == 7)
  length = 4
  call MPI_Info_get_string(info, 'first', length, short, there, ierr)
  CHECK(there .and. short == '1 an' .and. length == 7)
  length = 0
  call MPI_Info_get_string(info, 'first', length, short, there, ierr)
  CHECK(there .and. length == 7)
  call MPI_Info_get_valuelen(info, 'second', length, there, ierr)
  CHECK(there .and. length == 3)
  value = repeat('x', len(value))
  call MPI_Info_get(info, 'second', 10, value, there, ierr)
  CHECK(there .and. value(1:10) == 'two')
  call MPI_Info_get(info, 'third', 10, value, there, ierr)
  CHECK(.not. there)
  call MPI_Info_dup(info, other, ierr)
  call MPI_Info_delete(info, 'first ', ierr)
  call MPI_Info_get_nkeys(info, number, ierr)
  CHECK(number == 1)
  call MPI_Info_get_nkeys(other, number, ierr)
  CHECK(number == 2)
  call MPI_Info_free(info, ierr)
  call MPI_Info_free(other, ierr)
  CHECK(info == MPI_INFO_NULL .and. other == MPI_INFO_NULL)
  ! What MPI finds out by itself about how the program was started.
  call MPI_Info_get_nkeys(MPI_INFO_ENV, number, ierr)
  CHECK(number >= 0)
  call MPI_Info_create_env(info, ierr)
  call MPI_Info_get_nkeys(info, number, ierr)
  CHECK(number >= 0 .and. info /= MPI_INFO_NULL)
  call MPI_Info_free(info, ierr)
  call end_well()
end program
