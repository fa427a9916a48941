! An error handler of files and data representations that are procedures of Fortran.
module of_files
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: calls = 0
contains
  subroutine count_call(file, error_code)
    type(MPI_File) :: file
    integer :: error_code
    if (file == MPI_FILE_NULL .or. error_code /= MPI_ERR_READ_ONLY) error stop 'the error'
    calls = calls + 1
  end subroutine

  subroutine four_bytes(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    if (datatype /= MPI_INTEGER .or. extra_state /= 5) error stop 'the extent of a representation'
    extent = 4
    ierror = MPI_SUCCESS
  end subroutine

  subroutine negate(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(kind=MPI_OFFSET_KIND) :: position
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    if (position /= 0) error stop 'a conversion'
    call negate_numbers(userbuf, filebuf, count, datatype, extra_state)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine negate_back(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer(kind=MPI_COUNT_KIND) :: count
    integer :: ierror
    integer(kind=MPI_OFFSET_KIND) :: position
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    if (position /= 0) error stop 'a conversion'
    call negate_numbers(filebuf, userbuf, int(count), datatype, extra_state)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine negate_numbers(from, to, count, datatype, extra_state)
    type(c_ptr), value :: from, to
    integer :: count
    type(MPI_Datatype) :: datatype
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: given(:), got(:)
    if (datatype /= MPI_INTEGER .or. extra_state /= 5) error stop 'a conversion'
    call c_f_pointer(from, given, [count])
    call c_f_pointer(to, got, [count])
    got = -given
  end subroutine
end module

program f08_files
  use of_files
  implicit none
  integer :: rank, ranks, error, moment, numbers(3)
  integer(kind=MPI_OFFSET_KIND), parameter :: start = 0
  integer(kind=MPI_ADDRESS_KIND), parameter :: state = 5
  type(MPI_File) :: file
  type(MPI_Errhandler) :: handler
  character(len=1000) :: program_name, name
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(0, program_name)
  call system_clock(moment)
  write (name, '(a,a,i0,a,i0)') trim(program_name), '.', rank, '.', moment
  call MPI_Register_datarep('negative', MPI_CONVERSION_FN_NULL, negate, four_bytes, state)
  call MPI_Register_datarep_c('back', negate_back, MPI_CONVERSION_FN_NULL_C, four_bytes, state)
  call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
  call MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL)
  numbers = [1, 2, rank]
  call MPI_File_write(file, numbers, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  call MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
  call MPI_File_read(file, numbers, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  if (any(numbers /= [-1, -2, -rank])) error stop 'what was converted'
  call MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'back', MPI_INFO_NULL)
  call MPI_File_read(file, numbers, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  if (any(numbers /= [1, 2, rank])) error stop 'what was converted back'
  call MPI_File_close(file)
  call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
  call MPI_File_create_errhandler(count_call, handler)
  call MPI_File_set_errhandler(file, handler)
  call MPI_Errhandler_free(handler)
  call MPI_File_write(file, numbers, 1, MPI_BYTE, MPI_STATUS_IGNORE, error)
  if (error /= MPI_ERR_READ_ONLY .or. calls /= 1) error stop 'the handler of a call'
  call MPI_File_close(file)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
end program
