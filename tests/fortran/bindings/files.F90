! Files: each rank writes three numbers and reads those of its right neighbour, by every access routine.
#include "bindings.h"
program files
  use bindings
  implicit none
  integer, parameter :: ok = MPI_OFFSET_KIND
  integer, parameter :: PLAIN = 1, ALL_RANKS = 2, STARTED = 3, ALL_STARTED = 4, SPLIT = 5
  HANDLE(MPI_File) :: fh
  character(len=256) :: name
  integer ASYNC :: mine(3), got(3)
  integer :: form
  call begin()
  call choose_name()
  call opened_and_closed()
  call open_new(MPI_INTEGER)
  do form = PLAIN, SPLIT
    call at_offsets(form)
    call at_own_pointers(form)
  end do
  call shared(PLAIN)
  call shared(STARTED)
  call ordered(PLAIN)
  call ordered(SPLIT)
  call close_file()
  call views()
  call handlers()
  call end_well()

contains

  ! Rank 0 chooses a name that no other job has: beside the program, of which each test has one of its own.
  subroutine choose_name()
    call get_command_argument(0, name)
    name = trim(name)//'-file'
    call MPI_Bcast(name, int(len(name), ck), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine open_new(etype)
    HANDLE(MPI_Datatype), intent(in) :: etype
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, fh, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_File_set_view(fh, 0_ok, etype, etype, 'native', MPI_INFO_NULL, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  subroutine close_file()
    call MPI_File_close(fh, ierr)
    CHECK(ierr == MPI_SUCCESS .and. fh == MPI_FILE_NULL)
  end subroutine

  ! What all have written can be read by all.
  subroutine settle()
    call MPI_File_sync(fh, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_sync(fh, ierr)
  end subroutine

  subroutine check_three(status, line)
    STATUS(status)
    integer, intent(in) :: line
    integer(ck) :: number
    call MPI_Get_count(status, MPI_INTEGER, number, ierr)
    call check(number == 3, line)
  end subroutine

  subroutine opened_and_closed()
    integer(ok) :: bytes
    integer :: amode, result
    logical :: atomic
    HANDLE(MPI_Group) :: group, world
    HANDLE(MPI_Info) :: info
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
    FAILS(MPI_ERR_NO_SUCH_FILE)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_File_set_size(fh, 100_ok, ierr)
    call MPI_File_get_size(fh, bytes, ierr)
    CHECK(bytes == 100)
    call MPI_File_preallocate(fh, 200_ok, ierr)
    call MPI_File_get_size(fh, bytes, ierr)
    CHECK(bytes == 200)
    call MPI_File_get_amode(fh, amode, ierr)
    CHECK(amode == MPI_MODE_CREATE + MPI_MODE_RDWR)
    call MPI_File_get_group(fh, group, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_compare(group, world, result, ierr)
    CHECK(result == MPI_IDENT)
    call MPI_Group_free(group, ierr)
    call MPI_Group_free(world, ierr)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'cb_nodes', '1', ierr)
    call MPI_File_set_info(fh, info, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Info_free(info, ierr)
    call MPI_File_get_info(fh, info, ierr)
    CHECK(info /= MPI_INFO_NULL)
    call MPI_Info_free(info, ierr)
    call MPI_File_set_atomicity(fh, .true., ierr)
    call MPI_File_get_atomicity(fh, atomic, ierr)
    CHECK(atomic)
    call close_file()
    if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine at_offsets(form)
    integer, intent(in) :: form
    integer(ok) :: offset
    HANDLE(MPI_Request) :: request
    STATUS(status)
    mine = [rank, form, 1]
    got = -1
    offset = 3 * rank
    select case (form)
    case (PLAIN)
      call MPI_File_write_at(fh, offset, mine, 3_ck, MPI_INTEGER, status, ierr)
    case (ALL_RANKS)
      call MPI_File_write_at_all(fh, offset, mine, 3_ck, MPI_INTEGER, status, ierr)
    case (STARTED)
      call MPI_File_iwrite_at(fh, offset, mine, 3_ck, MPI_INTEGER, request, ierr)
    case (ALL_STARTED)
      call MPI_File_iwrite_at_all(fh, offset, mine, 3_ck, MPI_INTEGER, request, ierr)
    case (SPLIT)
      call MPI_File_write_at_all_begin(fh, offset, mine, 3_ck, MPI_INTEGER, ierr)
      call MPI_File_write_at_all_end(fh, mine, status, ierr)
    end select
    if (form == STARTED .or. form == ALL_STARTED) call MPI_Wait(request, status, ierr)
    call check_three(status, __LINE__)
    call settle()
    offset = 3 * right
    select case (form)
    case (PLAIN)
      call MPI_File_read_at(fh, offset, got, 3_ck, MPI_INTEGER, status, ierr)
    case (ALL_RANKS)
      call MPI_File_read_at_all(fh, offset, got, 3_ck, MPI_INTEGER, status, ierr)
    case (STARTED)
      call MPI_File_iread_at(fh, offset, got, 3_ck, MPI_INTEGER, request, ierr)
    case (ALL_STARTED)
      call MPI_File_iread_at_all(fh, offset, got, 3_ck, MPI_INTEGER, request, ierr)
    case (SPLIT)
      call MPI_File_read_at_all_begin(fh, offset, got, 3_ck, MPI_INTEGER, ierr)
      call MPI_File_read_at_all_end(fh, got, status, ierr)
    end select
    if (form == STARTED .or. form == ALL_STARTED) call MPI_Wait(request, status, ierr)
    call MPI_F_sync_reg(got)
    call check_three(status, __LINE__)
    CHECK(all(got == [right, form, 1]))
    call settle()
  end subroutine

  subroutine at_own_pointers(form)
    integer, intent(in) :: form
    integer(ok) :: offset, bytes
    HANDLE(MPI_Request) :: request
    STATUS(status)
    mine = [rank, form, 2]
    got = -1
    call MPI_File_seek(fh, int(3 * rank, ok), MPI_SEEK_SET, ierr)
    select case (form)
    case (PLAIN)
      call MPI_File_write(fh, mine, 3_ck, MPI_INTEGER, status, ierr)
    case (ALL_RANKS)
      call MPI_File_write_all(fh, mine, 3_ck, MPI_INTEGER, status, ierr)
    case (STARTED)
      call MPI_File_iwrite(fh, mine, 3_ck, MPI_INTEGER, request, ierr)
    case (ALL_STARTED)
      call MPI_File_iwrite_all(fh, mine, 3_ck, MPI_INTEGER, request, ierr)
    case (SPLIT)
      call MPI_File_write_all_begin(fh, mine, 3_ck, MPI_INTEGER, ierr)
      call MPI_File_write_all_end(fh, mine, status, ierr)
    end select
    if (form == STARTED .or. form == ALL_STARTED) call MPI_Wait(request, status, ierr)
    call check_three(status, __LINE__)
    call MPI_File_get_position(fh, offset, ierr)
    call MPI_File_get_byte_offset(fh, offset, bytes, ierr)
    CHECK(offset == 3 * rank + 3 .and. bytes == 4 * offset)
    call settle()
    call MPI_File_seek(fh, 3_ok * right - offset, MPI_SEEK_CUR, ierr)
    select case (form)
    case (PLAIN)
      call MPI_File_read(fh, got, 3_ck, MPI_INTEGER, status, ierr)
    case (ALL_RANKS)
      call MPI_File_read_all(fh, got, 3_ck, MPI_INTEGER, status, ierr)
    case (STARTED)
      call MPI_File_iread(fh, got, 3_ck, MPI_INTEGER, request, ierr)
    case (ALL_STARTED)
      call MPI_File_iread_all(fh, got, 3_ck, MPI_INTEGER, request, ierr)
    case (SPLIT)
      call MPI_File_read_all_begin(fh, got, 3_ck, MPI_INTEGER, ierr)
      call MPI_File_read_all_end(fh, got, status, ierr)
    end select
    if (form == STARTED .or. form == ALL_STARTED) call MPI_Wait(request, status, ierr)
    call MPI_F_sync_reg(got)
    call check_three(status, __LINE__)
    CHECK(all(got == [right, form, 2]))
    call settle()
  end subroutine

  ! Each record belongs to a rank, whichever it is, and each rank's record is there.
  subroutine shared(form)
    integer, intent(in) :: form
    integer(ok) :: offset
    integer :: total
    HANDLE(MPI_Request) :: request
    STATUS(status)
    mine = [rank, form, 3]
    got = -1
    call MPI_File_seek_shared(fh, 0_ok, MPI_SEEK_SET, ierr)
    if (form == PLAIN) then
      call MPI_File_write_shared(fh, mine, 3_ck, MPI_INTEGER, status, ierr)
    else
      call MPI_File_iwrite_shared(fh, mine, 3_ck, MPI_INTEGER, request, ierr)
      call MPI_Wait(request, status, ierr)
    end if
    call check_three(status, __LINE__)
    call settle()
    call MPI_File_get_position_shared(fh, offset, ierr)
    CHECK(offset == 3 * ranks)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_seek_shared(fh, 0_ok, MPI_SEEK_SET, ierr)
    if (form == PLAIN) then
      call MPI_File_read_shared(fh, got, 3_ck, MPI_INTEGER, status, ierr)
    else
      call MPI_File_iread_shared(fh, got, 3_ck, MPI_INTEGER, request, ierr)
      call MPI_Wait(request, status, ierr)
    end if
    call MPI_F_sync_reg(got)
    call check_three(status, __LINE__)
    CHECK(all(got(2:3) == [form, 3]))
    call MPI_Allreduce(got(1), total, 1_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    CHECK(total == ranks * (ranks - 1) / 2)
    call settle()
  end subroutine

  subroutine ordered(form)
    integer, intent(in) :: form
    STATUS(status)
    mine = [rank, form, 4]
    got = -1
    call MPI_File_seek_shared(fh, 0_ok, MPI_SEEK_SET, ierr)
    if (form == PLAIN) then
      call MPI_File_write_ordered(fh, mine, 3_ck, MPI_INTEGER, status, ierr)
    else
      call MPI_File_write_ordered_begin(fh, mine, 3_ck, MPI_INTEGER, ierr)
      call MPI_File_write_ordered_end(fh, mine, status, ierr)
    end if
    call check_three(status, __LINE__)
    call settle()
    call MPI_File_seek_shared(fh, 0_ok, MPI_SEEK_SET, ierr)
    if (form == PLAIN) then
      call MPI_File_read_ordered(fh, got, 3_ck, MPI_INTEGER, status, ierr)
    else
      call MPI_File_read_ordered_begin(fh, got, 3_ck, MPI_INTEGER, ierr)
      call MPI_File_read_ordered_end(fh, got, status, ierr)
    end if
    call MPI_F_sync_reg(got)
    call check_three(status, __LINE__)
    CHECK(all(got == [rank, form, 4]))
    call settle()
  end subroutine

  ! The ranks' numbers alternate in the file, in the representation external32.
  subroutine views()
    integer(ok) :: displacement
    character(len=MPI_MAX_DATAREP_STRING) :: representation
    HANDLE(MPI_Datatype) :: every, etype, filetype
#ifdef LARGE
    integer(MPI_COUNT_KIND) :: extent
#else
    integer(MPI_ADDRESS_KIND) :: extent
#endif
    STATUS(status)
    integer(ck) :: one(1)
    call open_new(MPI_BYTE)
    one = 1
    call MPI_Type_create_subarray(1, [int(ranks, ck)], one, [int(rank, ck)], MPI_ORDER_FORTRAN, MPI_INTEGER, every, &
                                  ierr)
    call MPI_Type_commit(every, ierr)
    call MPI_File_set_view(fh, 8_ok, MPI_INTEGER, every, 'external32', MPI_INFO_NULL, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_File_get_view(fh, displacement, etype, filetype, representation, ierr)
    CHECK(displacement == 8 .and. representation == 'external32' .and. etype == MPI_INTEGER)
    call MPI_Type_free(filetype, ierr)
    call MPI_File_get_type_extent(fh, MPI_INTEGER, extent, ierr)
    CHECK(extent == 4)
    mine = [rank, rank + 100, rank + 200]
    call MPI_File_write_all(fh, mine, 3_ck, MPI_INTEGER, status, ierr)
    call check_three(status, __LINE__)
    call settle()
    call MPI_File_set_view(fh, 8_ok, MPI_INTEGER, MPI_INTEGER, 'external32', MPI_INFO_NULL, ierr)
    got = -1
    call MPI_File_read_at(fh, int(right, ok), got, 1_ck, MPI_INTEGER, status, ierr)
    call MPI_File_read_at(fh, int(ranks + right, ok), got(2), 1_ck, MPI_INTEGER, status, ierr)
    CHECK(all(got == [right, right + 100, -1]))
    call MPI_Type_free(every, ierr)
    call close_file()
  end subroutine

  ! Errors of files are returned unless the program wants it otherwise.
  subroutine handlers()
    HANDLE(MPI_Errhandler) :: handler
    call MPI_File_get_errhandler(MPI_FILE_NULL, handler, ierr)
    CHECK(handler == MPI_ERRORS_RETURN)
    call open_new(MPI_BYTE)
    call MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN, ierr)
    call MPI_File_get_errhandler(fh, handler, ierr)
    CHECK(handler == MPI_ERRORS_RETURN)
    call MPI_File_call_errhandler(fh, MPI_ERR_FILE, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_File_seek(fh, -1_ok, MPI_SEEK_SET, ierr)
    FAILS(MPI_ERR_ARG)
    call close_file()
  end subroutine
end program
