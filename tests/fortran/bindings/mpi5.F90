! What MPI 4.1 and 5.0 have added outside communication: the binary interface and its Fortran, hardware, error codes
! that are given back, pairs of value and index.
#include "bindings.h"
program mpi5
  use bindings
  implicit none
  call begin()
  call abi()
  call hardware()
  call error_codes()
  call pairs()
  call end_well()

contains

  subroutine abi()
    integer :: major, minor, number, length
    logical :: there, true_value, false_value
    character(len=8) :: value
    HANDLE(MPI_Info) :: info
    call MPI_Abi_get_version(major, minor, ierr)
    CHECK(major == MPI_ABI_VERSION .and. minor == MPI_ABI_SUBVERSION)
    call MPI_Abi_get_info(info, ierr)
    call MPI_Info_get_nkeys(info, number, ierr)
    CHECK(number > 0)
    call MPI_Info_free(info, ierr)
    call MPI_Abi_get_fortran_info(info, ierr)
    CHECK(info /= MPI_INFO_NULL)
    length = len(value)
    call MPI_Info_get_string(info, 'mpi_integer_size', length, value, there, ierr)
    CHECK(there .and. value == '4')
    ! They have been set when MPI started, and can be set once.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call MPI_Abi_set_fortran_info(info, ierr)
    FAILS(MPI_ERR_ABI)
    call MPI_Info_free(info, ierr)
    true_value = .false.
    false_value = .true.
    call MPI_Abi_get_fortran_booleans(4, true_value, false_value, there, ierr)
    CHECK(there .and. true_value .and. .not. false_value)
    call MPI_Abi_set_fortran_booleans(4, true_value, false_value, ierr)
    FAILS(MPI_ERR_ABI)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine

  subroutine hardware()
    integer :: number
    HANDLE(MPI_Info) :: info
    call MPI_Get_hw_resource_info(info, ierr)
    call MPI_Info_get_nkeys(info, number, ierr)
    CHECK(number > 0)
    call MPI_Info_free(info, ierr)
  end subroutine

  subroutine error_codes()
    integer :: class, code, length
    character(len=MPI_MAX_ERROR_STRING) :: text
    call MPI_Add_error_class(class, ierr)
    call MPI_Add_error_code(class, code, ierr)
    call MPI_Add_error_string(code, 'for a while', ierr)
    call MPI_Error_string(code, text, length, ierr)
    CHECK(text == 'for a while')
    call MPI_Remove_error_string(code, ierr)
    call MPI_Error_string(code, text, length, ierr)
    CHECK(text /= 'for a while')
    call MPI_Remove_error_code(code, ierr)
    call MPI_Remove_error_class(class, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  subroutine pairs()
    HANDLE(MPI_Datatype) :: pair
    integer :: mine(2), least(2)
    call MPI_Type_get_value_index(MPI_INTEGER, MPI_INTEGER, pair, ierr)
    CHECK(pair == MPI_2INTEGER)
    mine = [modulo(rank + 2, ranks), rank]
    call MPI_Allreduce(mine, least, 1_ck, pair, MPI_MINLOC, MPI_COMM_WORLD, ierr)
    CHECK(all(least == [0, modulo(-2, ranks)]))
  end subroutine
end program
