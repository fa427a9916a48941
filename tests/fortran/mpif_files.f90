! An error handler of files and a data representation that are external procedures, with mpif.h.
subroutine count_call(file, error_code)
  implicit none
  include 'mpif.h'
  integer :: file, error_code, calls
  common /seen/ calls
  if (error_code /= MPI_ERR_READ_ONLY) error stop 'the code of the error'
  calls = calls + 1
end subroutine

subroutine four_bytes(datatype, extent, extra_state, error)
  implicit none
  include 'mpif.h'
  integer :: datatype, error
  integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
  if (datatype /= MPI_INTEGER .or. extra_state /= 5) error stop 'the extent of a representation'
  extent = 4
  error = MPI_SUCCESS
end subroutine

subroutine negate(userbuf, datatype, count, filebuf, position, extra_state, error)
  implicit none
  include 'mpif.h'
  integer :: datatype, count, error, i, userbuf(*), filebuf(*)
  integer(kind=MPI_OFFSET_KIND) :: position
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  if (datatype /= MPI_INTEGER .or. position /= 0 .or. extra_state /= 5) error stop 'a conversion'
  do i = 1, count
    filebuf(i) = -userbuf(i)
  end do
  error = MPI_SUCCESS
end subroutine

program mpif_files
  implicit none
  include 'mpif.h'
  external count_call, four_bytes, negate
  integer :: rank, ranks, error, file, handler, calls, moment, numbers(3), status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: start
  integer(kind=MPI_ADDRESS_KIND) :: state
  character(len=1000) :: program_name, name
  common /seen/ calls
  calls = 0
  start = 0
  state = 5
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(0, program_name)
  call system_clock(moment)
  write (name, '(a,a,i0,a,i0)') trim(program_name), '.', rank, '.', moment
  call MPI_REGISTER_DATAREP('negative', MPI_CONVERSION_FN_NULL, negate, four_bytes, state, error)
  if (error /= MPI_SUCCESS) error stop 'representation'
  call MPI_FILE_OPEN(MPI_COMM_SELF, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  call MPI_FILE_SET_VIEW(file, start, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL, error)
  numbers = [1, 2, rank]
  call MPI_FILE_WRITE(file, numbers, 3, MPI_INTEGER, status, error)
  if (error /= MPI_SUCCESS) error stop 'write'
  call MPI_FILE_CLOSE(file, error)
  call MPI_FILE_OPEN(MPI_COMM_SELF, name, MPI_MODE_RDONLY + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, error)
  call MPI_FILE_READ(file, numbers, 12, MPI_BYTE, status, error)
  if (any(numbers /= [-1, -2, -rank])) error stop 'what was converted'
  call MPI_FILE_CREATE_ERRHANDLER(count_call, handler, error)
  call MPI_FILE_SET_ERRHANDLER(file, handler, error)
  call MPI_ERRHANDLER_FREE(handler, error)
  call MPI_FILE_WRITE(file, numbers, 1, MPI_BYTE, status, error)
  if (error /= MPI_ERR_READ_ONLY .or. calls /= 1) error stop 'the handler of a call'
  call MPI_FILE_CLOSE(file, error)
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_FINALIZE(error)
end program
