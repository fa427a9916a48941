! A rank that is dumped and restored keeps its variables of every storage class, allocatables, pointers, objects with
! type-bound procedures, and units with records that are half written or half read.
module state
  implicit none
  integer :: in_module(1000) = 5
  real(8), allocatable :: grid(:, :)
  type :: cell
    integer :: value = 0
    type(cell), pointer :: next => null()
    real, allocatable :: data(:)
    character(len=:), allocatable :: name
  end type
  type(cell), pointer :: first => null()
  real(8), pointer :: row(:) => null()
end module

program relocatable
  use mpi_f08
  use state
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function dump_this_rank() bind(c)
      import :: c_int
    end function
  end interface
  integer :: rank, ranks, round, i, total, unit, read_back, common_values(500)
  real(8) :: on_stack(2000), sum_of_rows
  type(cell), pointer :: at
  character(len=40) :: record
  common /shared/ common_values
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate (grid(300, 200))
  do i = 1, 200
    grid(:, i) = rank + i
  end do
  row => null()
  allocate (row(50000))
  row = rank
  do i = 1, 100
    allocate (at)
    at%value = i + rank
    allocate (at%data(i * 50))
    at%data = i
    write (record, '(a, i0)') 'cell ', i
    at%name = trim(record)
    at%next => first
    first => at
  end do
  in_module(1000) = rank
  common_values = rank + 7
  on_stack = rank + 0.5d0
  open (newunit=unit, status='scratch', form='formatted')
  write (unit, '(a, i0)') 'first ', rank
  write (unit, '(a)', advance='no') 'half of '
  do round = 1, 3
    if (dump_this_rank() /= 0) call fault('a dump')
    if (calls() /= round) call fault('SAVE')
    if (any(in_module(:999) /= 5) .or. in_module(1000) /= rank) call fault('a module')
    if (any(common_values /= rank + 7)) call fault('COMMON')
    if (any(on_stack /= rank + 0.5d0)) call fault('the stack')
    if (any(grid(:, 200) /= rank + 200) .or. any(row /= rank)) call fault('allocated arrays')
    at => first
    do i = 100, 1, -1
      if (at%value /= i + rank .or. size(at%data) /= i * 50 .or. any(at%data /= i)) call fault('a list')
      write (record, '(a, i0)') 'cell ', i
      if (at%name /= trim(record)) call fault('a name')
      at => at%next
    end do
    grid = grid(:, :)
    sum_of_rows = sum(grid(1, :))
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (total /= ranks * (ranks - 1) / 2) call fault('a sum')
    if (sum_of_rows /= 200d0 * rank + 20100d0) call fault('a sum of rows')
  end do
  write (unit, '(a)') 'a record'
  rewind (unit)
  read (unit, '(a6, i10)') record, read_back
  if (read_back /= rank) call fault('a number that was read')
  if (dump_this_rank() /= 0) call fault('a dump')
  read (unit, '(a)') record
  if (record /= 'half of a record') call fault('a record')
  close (unit)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'relocatable OK'
  call MPI_Finalize()

contains

  integer function calls()
    integer, save :: so_far = 0
    so_far = so_far + 1
    calls = so_far
  end function

  subroutine fault(what)
    character(len=*), intent(in) :: what
    print '(a, i0, 2a)', 'rank ', rank, ' has lost ', what
    call MPI_Abort(MPI_COMM_WORLD, 99)
  end subroutine
end program
