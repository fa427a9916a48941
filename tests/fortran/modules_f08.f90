! The module mpi_f08: types, operators, constants, sentinels, optional and named arguments, large counts, descriptors,
! strings beside buffers, C pointers, profiling names. With an even number of ranks each prints one line.
program modules_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: rank, size, peer, ierror

  call MPI_Init(ierror)
  call expect(ierror == MPI_SUCCESS, 'MPI_Init')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(comm=MPI_COMM_WORLD, size=size)
  peer = ieor(rank, 1)
  call handles()
  call received()
  call sections()
  call sentinels()
  call strings()
  call pointers()
  call profiling()
  write (*, '(A, I0, A, I0)') 'passed by rank ', rank, ' of ', size
  call MPI_Finalize()

contains

  subroutine expect(held, what)
    logical, intent(in) :: held
    character(len=*), intent(in) :: what
    if (held) return
    write (*, '(A, I0, A, A)') 'rank ', rank, ': wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  subroutine handles()
    type(MPI_Comm) :: comm
    type(MPI_Comm), allocatable :: all(:)
    type(MPI_Datatype) :: types(2) = MPI_REAL
    class(*), allocatable :: anything
    integer :: result

    call expect(MPI_COMM_WORLD%MPI_VAL == 257, 'the number of MPI_COMM_WORLD')
    call expect(MPI_COMM_WORLD /= MPI_COMM_SELF .and. MPI_COMM_NULL == MPI_COMM_NULL, 'comparison')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call expect(comm .ne. MPI_COMM_WORLD, 'a duplicate is another one')
    call MPI_Comm_compare(comm, MPI_COMM_WORLD, result)
    call expect(result == MPI_CONGRUENT, 'MPI_Comm_compare')
    allocate(all(3), source=comm)
    call expect(all(2) == comm, 'handles in an array')
    call MPI_Comm_free(comm)
    call expect(comm == MPI_COMM_NULL, 'a freed communicator')
    call expect(all(1) /= comm, 'copies of a handle')
    types(2) = MPI_INTEGER
    call expect(all_equal(types == [MPI_REAL, MPI_INTEGER]), 'elemental comparison')
    allocate(anything, source=MPI_COMM_WORLD)
    select type (anything)
    type is (integer)
      call expect(.false., 'a handle is no integer')
    end select
  end subroutine

  pure logical function all_equal(equal)
    logical, intent(in) :: equal(:)
    all_equal = all(equal)
  end function

  subroutine received()
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Request) :: requests(2)
    integer :: f_status(MPI_STATUS_SIZE), mine(3), theirs(3), count
    integer(kind=MPI_COUNT_KIND) :: large
    logical :: flag

    mine = rank
    call MPI_Irecv(theirs, 3, MPI_INTEGER, peer, 5, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(mine, 3_MPI_COUNT_KIND, MPI_INTEGER, peer, 5, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call expect(all(theirs == peer), 'a message')
    call expect(statuses(1)%MPI_SOURCE == peer .and. statuses(1)%MPI_TAG == 5, 'a status')
    call MPI_Get_count(statuses(1), MPI_INTEGER, count)
    call MPI_Get_count(statuses(1), MPI_INTEGER, large)
    call expect(count == 3 .and. large == 3, 'MPI_Get_count')
    call MPI_Status_f082f(statuses(1), f_status)
    call expect(f_status(MPI_SOURCE) == peer .and. f_status(MPI_TAG) == 5, 'MPI_Status_f082f')
    call MPI_Status_f2f08(f_status, status)
    call expect(status%MPI_TAG == 5, 'MPI_Status_f2f08')
    call MPI_Sendrecv(mine, 3, MPI_INTEGER, peer, 6, theirs, 3, MPI_INTEGER, peer, 6, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    requests = MPI_REQUEST_NULL
    call MPI_Test(requests(1), flag, status)
    call expect(flag .and. status%MPI_SOURCE == MPI_ANY_SOURCE, 'an empty status')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine sections()
    real :: field(6, 5), copy(6, 5)
    real, asynchronous :: later(8)
    type(MPI_Request) :: requests(2)
    character(len=12) :: text
    integer :: i

    field = reshape([(real(i + 100 * rank), i = 1, 30)], [6, 5])
    copy = 0
    call MPI_Sendrecv(field(2:6:2, 1:5:3), 6, MPI_REAL, peer, 7, copy(6:1:-2, 2:3), 6, MPI_REAL, peer, 7, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect(all(copy(6:1:-2, 2:3) == field(2:6:2, 1:5:3) + 100 * (peer - rank)), 'a section')
    call expect(count(copy /= 0) == 6, 'what is not in the section')

    later = -1
    call MPI_Irecv(later(1::2), 4, MPI_REAL, peer, 8, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(field(:4, 2), 4, MPI_REAL, peer, 8, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(later)
    call expect(all(later(1::2) == [7, 8, 9, 10] + 100 * peer) .and. all(later(2::2) == -1), 'a section received')

    text = 'from ' // achar(iachar('0') + rank)
    call MPI_Sendrecv(text(2:6), 5, MPI_CHARACTER, peer, 9, text(8:), 5, MPI_CHARACTER, peer, 9, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect(text(8:) == 'rom ' // achar(iachar('0') + peer), 'a part of a string')
  end subroutine

  subroutine sentinels()
    integer :: sum, block(1), errors
    integer(kind=MPI_ADDRESS_KIND) :: place(1)
    type(MPI_Datatype) :: there
    integer, target :: value

    sum = rank
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(sum == size * (size - 1) / 2, 'MPI_IN_PLACE')
    value = merge(42, 0, rank == 0)
    block = 1
    call MPI_Get_address(value, place(1))
    call MPI_Type_create_hindexed(1, block, place, MPI_INTEGER, there)
    call MPI_Type_commit(there)
    call MPI_Bcast(MPI_BOTTOM, 1, there, 0, MPI_COMM_WORLD)
    call MPI_F_sync_reg(value)
    call expect(value == 42, 'MPI_BOTTOM')
    call MPI_Type_free(there)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Send(value, 1, MPI_INTEGER, size + 7, 0, MPI_COMM_WORLD, errors)
    call MPI_Error_class(errors, errors)
    call expect(errors == MPI_ERR_RANK, 'an error code')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine

  subroutine strings()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=9), parameter :: format = 'external3'
    integer :: length, numbers(6), unpacked(6), i
    character(len=1) :: packed(24)
    integer(kind=MPI_ADDRESS_KIND) :: position
    integer(kind=MPI_COUNT_KIND) :: large

    call MPI_Comm_set_name(MPI_COMM_SELF, 'alone   ')
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length)
    call expect(length == 5 .and. name == 'alone', 'a name')
    numbers = [(i, i = 1, 6)]
    position = 0
    call MPI_Pack_external('external32  ', numbers(2:6:2), 3, MPI_INTEGER, packed, 24_MPI_ADDRESS_KIND, position)
    call expect(position == 12 .and. iachar(packed(4)) == 2, 'MPI_Pack_external')
    large = 0
    unpacked = 0
    call MPI_Unpack_external('external32', packed, 12_MPI_COUNT_KIND, large, unpacked(5:1:-2), &
                             3_MPI_COUNT_KIND, MPI_INTEGER)
    call expect(large == 12 .and. all(unpacked == [6, 0, 4, 0, 2, 0]), 'MPI_Unpack_external')
    position = 0
    call PMPI_Pack_external(format // '2', numbers, 1, MPI_INTEGER, packed, 24_MPI_ADDRESS_KIND, position, ierror)
    call expect(ierror == MPI_SUCCESS .and. position == 4, 'PMPI_Pack_external')
  end subroutine

  subroutine pointers()
    type(c_ptr) :: memory
    real, pointer :: array(:)
    integer :: size_of
    complex(kind=kind(0d0)) :: z(4)

    call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory)
    call c_f_pointer(memory, array, [100])
    array = 1
    call MPI_Free_mem(array)
    call MPI_Sizeof(z, size_of)
    call expect(size_of == 16, 'MPI_Sizeof')
    call expect(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING, 'what mpi_f08 can do')
    call expect(MPI_Aint_add(4_MPI_ADDRESS_KIND, 5_MPI_ADDRESS_KIND) == 9, 'MPI_Aint_add')
  end subroutine

  subroutine profiling()
    integer :: again, sum
    double precision :: before

    before = PMPI_Wtime()
    call PMPI_Comm_rank(MPI_COMM_WORLD, again)
    call expect(again == rank, 'PMPI_Comm_rank')
    call PMPI_Allreduce(1, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(sum == size, 'PMPI_Allreduce')
    call expect(MPI_Wtime() >= before .and. MPI_Wtick() > 0, 'MPI_Wtime')
  end subroutine
end program
