! Operations of procedures of Fortran with mpi_f08: commutative ones, others, large counts, and such that are freed
! before they are used for the last time.
module operations
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer, parameter :: modulus = 10007
  type(MPI_Datatype) :: pair
  integer :: calls = 0
contains
  subroutine add(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: given(:), sums(:)
    if (datatype /= MPI_INTEGER) error stop 'add: another datatype'
    call c_f_pointer(invec, given, [len])
    call c_f_pointer(inoutvec, sums, [len])
    sums = given + sums
    calls = calls + 1
  end subroutine

  subroutine add_large(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: given(:), sums(:)
    if (datatype /= MPI_INTEGER) error stop 'add_large: another datatype'
    call c_f_pointer(invec, given, [len])
    call c_f_pointer(inoutvec, sums, [len])
    sums = given + sums
  end subroutine

  ! Maps x -> a x + b, one after the other: not commutative. The datatype is the program's.
  subroutine compose(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: first(:, :), second(:, :)
    integer :: i, bytes
    call MPI_Type_size(datatype, bytes)
    if (bytes /= 8) error stop 'compose: another datatype'
    call c_f_pointer(invec, first, [2, len])
    call c_f_pointer(inoutvec, second, [2, len])
    do i = 1, len
      second(2, i) = mod(first(2, i) * second(1, i) + second(2, i), modulus)
      second(1, i) = mod(first(1, i) * second(1, i), modulus)
    end do
  end subroutine

  pure function map_of(rank) result(map)
    integer, intent(in) :: rank
    integer :: map(2)
    map = [rank + 2, 3 * rank + 1]
  end function

  pure function composed(ranks) result(map)
    integer, intent(in) :: ranks
    integer :: map(2), next(2), rank
    map = map_of(0)
    do rank = 1, ranks - 1
      next = map_of(rank)
      map = [mod(map(1) * next(1), modulus), mod(map(2) * next(1) + next(2), modulus)]
    end do
  end function
end module

program f08_operations
  use operations
  implicit none
  integer :: rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  call sums_are_right()
  call order_is_kept()
  call large_counts_arrive()
  call freed_operations_go_on()
  call many_operations_fit()
  call MPI_Type_free(pair)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
contains
  subroutine sums_are_right()
    type(MPI_Op) :: op
    integer :: given(1000), sums(1000), i
    logical :: commutes
    call MPI_Op_create(add, .true., op)
    call MPI_Op_commutative(op, commutes)
    if (.not. commutes) error stop 'the operation commutes'
    given = [(i + rank, i = 1, 1000)]
    sums = -1
    call MPI_Allreduce(given, sums, 1000, MPI_INTEGER, op, MPI_COMM_WORLD)
    if (any(sums /= [(i * ranks + ranks * (ranks - 1) / 2, i = 1, 1000)])) error stop 'sums'
    sums = 5
    calls = 0
    call MPI_Reduce_local(given, sums, 1000, MPI_INTEGER, op)
    if (any(sums /= given + 5) .or. calls == 0) error stop 'local sums'
    call MPI_Op_free(op)
    if (op /= MPI_OP_NULL) error stop 'the handle is left'
  end subroutine

  subroutine order_is_kept()
    type(MPI_Op) :: op
    integer :: given(2, 3), all(2, 3), expected(2), i
    logical :: commutes
    call MPI_Op_create(compose, .false., op)
    call MPI_Op_commutative(op, commutes)
    if (commutes) error stop 'the operation does not commute'
    given = spread(map_of(rank), 2, 3)
    call MPI_Allreduce(given, all, 3, pair, op, MPI_COMM_WORLD)
    do i = 1, 3
      if (any(all(:, i) /= composed(ranks))) error stop 'order'
    end do
    call MPI_Scan(given, all, 3, pair, op, MPI_COMM_WORLD)
    expected = composed(rank + 1)
    if (any(all(:, 2) /= expected)) error stop 'order of a scan'
    call MPI_Op_free(op)
  end subroutine

  subroutine large_counts_arrive()
    type(MPI_Op) :: op
    integer :: given(100), sums(100)
    call MPI_Op_create_c(add_large, .true., op)
    given = rank
    call MPI_Allreduce(given, sums, 100_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
    if (any(sums /= ranks * (ranks - 1) / 2)) error stop 'sums of large counts'
    call MPI_Op_free(op)
  end subroutine

  ! Operations whose handles are freed while collectives use them; others are made meanwhile.
  subroutine freed_operations_go_on()
    type(MPI_Op) :: op, other
    type(MPI_Request) :: requests(2)
    integer, asynchronous :: given(2), all(2), numbers(10), sums(10)
    integer :: round
    call MPI_Op_create(compose, .false., op)
    call MPI_Op_create(add, .true., other)
    given = map_of(rank)
    numbers = rank
    call MPI_Iallreduce(given, all, 1, pair, op, MPI_COMM_WORLD, requests(1))
    call MPI_Op_free(op)
    call MPI_Allreduce_init(numbers, sums, 10, MPI_INTEGER, other, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Op_free(other)
    call MPI_Op_create(compose, .true., other)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    if (any(all /= composed(ranks))) error stop 'a freed operation'
    do round = 1, 3
      sums = -1
      call MPI_Start(requests(2))
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
      if (any(sums /= ranks * (ranks - 1) / 2)) error stop 'a freed operation, started again'
    end do
    call MPI_Request_free(requests(2))
    call MPI_Op_free(other)
  end subroutine

  ! More operations than there are trampolines.
  subroutine many_operations_fit()
    type(MPI_Op) :: ops(1500)
    integer :: i, sum
    do i = 1, size(ops)
      call MPI_Op_create(add, .true., ops(i))
    end do
    do i = 1, size(ops), 300
      call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, ops(i), MPI_COMM_WORLD)
      if (sum /= ranks * (ranks - 1) / 2) error stop 'one of many operations'
    end do
    do i = 1, size(ops)
      call MPI_Op_free(ops(i))
    end do
  end subroutine
end program
