! The module mpi: choice buffers of any type and rank, types of handles, C pointers, sentinels, profiling names. With an
! even number of ranks each prints one line.
program modules_mpi
  use mpi
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: rank, size, peer, ierror

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  peer = ieor(rank, 1)
  call buffers()
  call sentinels()
  call handles()
  call pointers()
  write (*, '(A, I0, A, I0)') 'passed by rank ', rank, ' of ', size
  call MPI_FINALIZE(ierror)

contains

  subroutine expect(held, what)
    logical, intent(in) :: held
    character(len=*), intent(in) :: what
    if (held) return
    write (*, '(A, I0, A, A)') 'rank ', rank, ': wrong: ', what
    call MPI_ABORT(MPI_COMM_WORLD, 1, ierror)
  end subroutine

  subroutine exchange_done(what)
    character(len=*), intent(in) :: what
    call expect(ierror == MPI_SUCCESS, what)
  end subroutine

  subroutine buffers()
    type pair
      integer :: number
      real :: value
    end type
    type(pair) :: pairs(2), others(2)
    real, allocatable :: field(:, :)
    double precision, target :: values(8)
    double precision, pointer :: odd(:)
    character(len=8) :: text
    integer :: status(MPI_STATUS_SIZE), one, i, count

    call MPI_SENDRECV(rank, 1, MPI_INTEGER, peer, 1, one, 1, MPI_INTEGER, peer, 1, MPI_COMM_WORLD, status, ierror)
    call expect(one == peer .and. status(MPI_SOURCE) == peer, 'a scalar')
    call MPI_GET_COUNT(status, MPI_INTEGER, count, ierror)
    call expect(count == 1, 'MPI_GET_COUNT')

    allocate(field(3, 4))
    field = rank
    call MPI_SENDRECV_REPLACE(field, 12, MPI_REAL, peer, 2, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call expect(all(field == peer), 'an allocatable array')
    call MPI_SENDRECV_REPLACE(field(2, :), 4, MPI_REAL, peer, 3, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call expect(all(field(2, :) == rank) .and. all(field(1, :) == peer), 'a section of an array')

    values = [(dble(i + 10 * rank), i = 1, 8)]
    odd => values(1::2)
    call MPI_SENDRECV_REPLACE(odd, 4, MPI_DOUBLE_PRECISION, peer, 4, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call expect(all(odd == [1, 3, 5, 7] + 10 * peer) .and. values(2) == 2 + 10 * rank, 'a pointer')

    text = 'rank ' // achar(iachar('0') + rank)
    call MPI_SENDRECV_REPLACE(text, 8, MPI_CHARACTER, peer, 5, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call expect(text == 'rank ' // achar(iachar('0') + peer), 'a string')

    pairs = [pair(rank, 1), pair(rank + 1, 2)]
    call MPI_SENDRECV(pairs, 16, MPI_BYTE, peer, 6, others, 16, MPI_BYTE, peer, 6, MPI_COMM_WORLD, status, ierror)
    call expect(others(2)%number == peer + 1 .and. others(2)%value == 2, 'derived types')
    call exchange_done('exchanges')
  end subroutine

  subroutine sentinels()
    integer :: sum, lengths(1), type
    integer(kind=MPI_ADDRESS_KIND) :: places(1)
    integer :: value

    sum = rank
    call MPI_ALLREDUCE(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call expect(sum == size * (size - 1) / 2, 'MPI_IN_PLACE')
    value = merge(42, 0, rank == 0)
    lengths = 1
    call MPI_GET_ADDRESS(value, places(1), ierror)
    call MPI_TYPE_CREATE_HINDEXED(1, lengths, places, MPI_INTEGER, type, ierror)
    call MPI_TYPE_COMMIT(type, ierror)
    call MPI_BCAST(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, ierror)
    call MPI_F_SYNC_REG(value)
    call expect(value == 42, 'MPI_BOTTOM')
    call MPI_TYPE_FREE(type, ierror)
    call expect(type == MPI_DATATYPE_NULL, 'a freed datatype')
  end subroutine

  ! The types of mpi_f08 are here, too, for programs that pass handles to newer parts.
  subroutine handles()
    type(MPI_Comm) :: comm
    type(MPI_Status) :: status
    integer :: f_status(MPI_STATUS_SIZE)

    comm%MPI_VAL = MPI_COMM_WORLD
    call expect(comm == MPI_Comm(257), 'comparison of handles')
    f_status = 0
    f_status(MPI_TAG) = 7
    call MPI_STATUS_F2F08(f_status, status, ierror)
    call expect(status%MPI_TAG == 7, 'MPI_STATUS_F2F08')
  end subroutine

  subroutine pointers()
    integer(kind=MPI_ADDRESS_KIND) :: address
    type(c_ptr) :: memory
    real, pointer :: array(:)
    integer :: bytes
    double precision :: x(3)

    call MPI_ALLOC_MEM(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory, ierror)
    call c_f_pointer(memory, array, [100])
    array = 1
    call MPI_FREE_MEM(array, ierror)
    call MPI_ALLOC_MEM(8_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierror)
    call expect(address /= 0, 'MPI_ALLOC_MEM')
    call MPI_SIZEOF(x, bytes, ierror)
    call expect(bytes == 8, 'MPI_SIZEOF')
    call expect(.not. MPI_SUBARRAYS_SUPPORTED, 'what the module mpi can do')
    call expect(PMPI_WTIME() <= MPI_WTIME(), 'MPI_WTIME')
    call PMPI_BARRIER(MPI_COMM_WORLD, ierror)
  end subroutine
end program
