! Start and end, threads, versions, names, time, memory, error codes, error handlers that exist from the start.
#include "bindings.h"
program environment
  use bindings
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_f_pointer
  implicit none
  logical :: so
  integer :: provided
  call MPI_Initialized(so, ierr)
  CHECK(.not. so)
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  call sizes()
  call threads()
  call versions()
  call time()
  call memory()
  call errors()
  call MPI_Pcontrol(1)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) write (*, '(a,i0,a)') 'passed with ', ranks, ' ranks'
  call MPI_Finalize(ierr)
  call MPI_Finalized(so, ierr)
  if (.not. so) error stop 'not finalised'

contains

  subroutine threads()
    integer :: found
    call MPI_Initialized(so, ierr)
    CHECK(so .and. provided >= MPI_THREAD_SERIALIZED)
    call MPI_Finalized(so, ierr)
    CHECK(.not. so)
    call MPI_Query_thread(found, ierr)
    CHECK(found == provided)
    call MPI_Is_thread_main(so, ierr)
    CHECK(so)
  end subroutine

  subroutine versions()
    integer :: major, minor, length
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    character(len=MPI_MAX_PROCESSOR_NAME) :: processor
    call MPI_Get_version(major, minor, ierr)
    CHECK(major == MPI_VERSION .and. minor == MPI_SUBVERSION)
    library = repeat('x', len(library))
    call MPI_Get_library_version(library, length, ierr)
    CHECK(length > 0 .and. len_trim(library) == length)
    processor = repeat('x', len(processor))
    call MPI_Get_processor_name(processor, length, ierr)
    CHECK(length > 0 .and. len_trim(processor) == length)
  end subroutine

  subroutine time()
    double precision :: before, after
    before = MPI_Wtime()
    after = before
    do while (after - before < 0.001d0)
      after = MPI_Wtime()
    end do
    CHECK(after - before < 60 .and. MPI_Wtick() > 0 .and. MPI_Wtick() < 1)
  end subroutine

  ! Memory is handed out as a pointer of C. mpif.h and mpi may also take its address.
  subroutine memory()
    integer, pointer :: field(:)
#ifndef MPIF_H
    type(c_ptr) :: base
#endif
#ifndef F08
    integer(ak) :: address
#endif
#ifndef MPIF_H
    call MPI_Alloc_mem(4000_ak, MPI_INFO_NULL, base, ierr)
    call c_f_pointer(base, field, [1000])
    call use_memory(field)
    call MPI_Free_mem(field, ierr)
    CHECK(ierr == MPI_SUCCESS)
#endif
#ifndef F08
    call MPI_Alloc_mem(4000_ak, MPI_INFO_NULL, address, ierr)
    call c_f_pointer(transfer(address, c_null_ptr), field, [1000])
    call use_memory(field)
    call MPI_Free_mem(field, ierr)
    CHECK(ierr == MPI_SUCCESS)
#endif
  end subroutine

  subroutine use_memory(field)
    integer, intent(out) :: field(:)
    integer :: i
    field = [(i, i = 1, size(field))]
    CHECK(sum(field) == 500500)
  end subroutine

  subroutine errors()
    integer :: class, code, found, length
    character(len=MPI_MAX_ERROR_STRING) :: text
    HANDLE(MPI_Errhandler) :: handler
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, ierr)
    CHECK(handler == MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler, ierr)
    CHECK(handler == MPI_ERRHANDLER_NULL)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(rank, 1_ck, MPI_INTEGER, ranks, 1, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, class, ierr)
    CHECK(class == MPI_ERR_RANK)
    text = repeat('x', len(text))
    call MPI_Error_string(code, text, length, ierr)
    CHECK(length > 0 .and. len_trim(text) == length)
    call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Add_error_class(class, ierr)
    call MPI_Add_error_code(class, code, ierr)
    call MPI_Add_error_string(code, 'all is lost  ', ierr)
    call MPI_Error_class(code, found, ierr)
    CHECK(found == class .and. class > MPI_ERR_LASTCODE)
    call MPI_Error_string(code, text, length, ierr)
    CHECK(text == 'all is lost' .and. length == 11)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine
end program
