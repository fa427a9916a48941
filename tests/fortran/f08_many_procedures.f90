! More different procedures than there are trampolines: an error of MPI, after which known procedures still serve.
program f08_many_procedures
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer, parameter :: most = 1024
  procedure(MPI_User_function), pointer :: procedure
  type(MPI_Op) :: op
  integer :: i, error, class, length
  character(MPI_MAX_ERROR_STRING) :: text
  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  do i = 1, most + 1
    call c_f_procpointer(transfer(int(16 * i, c_intptr_t), c_null_funptr), procedure)
    call MPI_Op_create(procedure, .true., op, error)
    if (i <= most .and. error /= MPI_SUCCESS) error stop 'there is room for this procedure'
    if (error == MPI_SUCCESS) call MPI_Op_free(op)
  end do
  call MPI_Error_class(error, class)
  if (class /= MPI_ERR_NO_SPACE) error stop 'there is no room for another procedure'
  call MPI_Error_string(error, text, length)
  print '(a)', trim(text)
  call c_f_procpointer(transfer(int(16, c_intptr_t), c_null_funptr), procedure)
  call MPI_Op_create(procedure, .true., op, error)
  if (error /= MPI_SUCCESS) error stop 'this procedure is known'
  call MPI_Finalize()
end program
