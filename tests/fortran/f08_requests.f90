! Generalised requests with mpi_f08.
module operation
  use mpi_f08
  implicit none
  integer, parameter :: wide = MPI_ADDRESS_KIND
  integer :: queries = 0, frees = 0, cancels = 0
  integer(wide) :: seen = 0
contains
  subroutine query(extra_state, status, ierror)
    integer(wide) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    queries = queries + 1
    seen = extra_state
    call MPI_Status_set_elements(status, MPI_INTEGER, 7)
    call MPI_Status_set_cancelled(status, cancels > 0)
    status%MPI_SOURCE = 3
    status%MPI_TAG = 4
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_state(extra_state, ierror)
    integer(wide) :: extra_state
    integer :: ierror
    frees = frees + 1
    extra_state = extra_state - 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(wide) :: extra_state
    logical :: complete
    integer :: ierror
    if (complete) error stop 'the operation is not complete'
    cancels = cancels + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program f08_requests
  use operation
  implicit none
  integer :: rank, ranks, count
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer(wide), volatile :: state
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! The state is a variable, which the procedures change.
  state = 1000 + rank
  call MPI_Grequest_start(query, free_state, cancel, state, request)
  call MPI_Test(request, flag, status)
  if (flag) error stop 'the operation is not complete'
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_elements(status, MPI_INTEGER, count)
  if (count /= 7 .or. status%MPI_SOURCE /= 3 .or. status%MPI_TAG /= 4) error stop 'status'
  call MPI_Test_cancelled(status, flag)
  if (flag) error stop 'the operation was not cancelled'
  if (queries == 0 .or. frees /= 1 .or. seen /= 1000 + rank) error stop 'procedures'
  if (state /= 999 + rank) error stop 'the variable of the program'

  ! The state is an expression, whose memory has another use when the procedures are called.
  call start_of_expression(request)
  call use_the_stack(50)
  call MPI_Cancel(request)
  if (cancels /= 1) error stop 'the cancel function'
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Test_cancelled(status, flag)
  if (.not. flag) error stop 'the operation was cancelled'
  if (frees /= 2 .or. seen /= 5000 + 3 * rank) error stop 'the value of an expression'
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
contains
  subroutine start_of_expression(request)
    type(MPI_Request), intent(out) :: request
    call MPI_Grequest_start(query, free_state, cancel, 5000_wide + 3 * rank, request)
  end subroutine

  recursive subroutine use_the_stack(depth)
    integer, intent(in) :: depth
    integer(wide), volatile :: words(40)
    words = -1
    if (depth > 0) call use_the_stack(depth - 1)
  end subroutine
end program
