! Generalised requests with mpif.h.
subroutine query(extra_state, status, ierror)
  implicit none
  include 'mpif.h'
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  integer :: status(MPI_STATUS_SIZE), ierror
  status(MPI_SOURCE) = 8
  status(MPI_TAG) = int(extra_state)
  call MPI_STATUS_SET_CANCELLED(status, .false., ierror)
  call MPI_STATUS_SET_ELEMENTS(status, MPI_DOUBLE_PRECISION, 2, ierror)
  ierror = MPI_SUCCESS
end subroutine

subroutine free_state(extra_state, ierror)
  implicit none
  include 'mpif.h'
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror, frees
  common /counts/ frees
  frees = frees + 1
  ierror = MPI_SUCCESS
end subroutine

subroutine cancel(extra_state, complete, ierror)
  implicit none
  include 'mpif.h'
  integer(kind=MPI_ADDRESS_KIND) :: extra_state
  logical :: complete
  integer :: ierror
  ierror = MPI_SUCCESS
end subroutine

program mpif_requests
  implicit none
  include 'mpif.h'
  external query, free_state, cancel
  integer :: rank, ranks, error, frees, count, i, requests(20), statuses(MPI_STATUS_SIZE, 20)
  integer(kind=MPI_ADDRESS_KIND) :: states(20)
  common /counts/ frees
  frees = 0
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  do i = 1, 20
    states(i) = 100 * rank + i
    call MPI_GREQUEST_START(query, free_state, cancel, states(i), requests(i), error)
  end do
  do i = 20, 1, -1
    call MPI_GREQUEST_COMPLETE(requests(i), error)
  end do
  call MPI_WAITALL(20, requests, statuses, error)
  do i = 1, 20
    call MPI_GET_ELEMENTS(statuses(1, i), MPI_DOUBLE_PRECISION, count, error)
    if (statuses(MPI_TAG, i) /= 100 * rank + i .or. statuses(MPI_SOURCE, i) /= 8 .or. count /= 2) error stop 'status'
    if (requests(i) /= MPI_REQUEST_NULL) error stop 'the handle is left'
  end do
  if (frees /= 20) error stop 'free functions'
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_FINALIZE(error)
end program
