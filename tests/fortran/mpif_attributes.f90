! Attributes with mpif.h: the deprecated functions, whose values are INTEGERs, beside the newer ones.
subroutine copy_more(comm, keyval, extra_state, given, copied, flag, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, keyval, extra_state, given, copied, ierror, copies, deletions
  logical :: flag
  common /counts/ copies, deletions
  copies = copies + 1
  copied = given + extra_state
  flag = .true.
  ierror = MPI_SUCCESS
end subroutine

subroutine delete_counted(comm, keyval, value, extra_state, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, keyval, value, extra_state, ierror, copies, deletions
  common /counts/ copies, deletions
  if (extra_state /= 3) stop 'the state of a delete function'
  deletions = deletions + 1
  ierror = MPI_SUCCESS
end subroutine

subroutine copy_new(comm, keyval, extra_state, given, copied, flag, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, keyval, ierror, copies, deletions
  integer(kind=MPI_ADDRESS_KIND) :: extra_state, given, copied
  logical :: flag
  common /counts/ copies, deletions
  copies = copies + 1
  copied = given + extra_state
  flag = .true.
  ierror = MPI_SUCCESS
end subroutine

program mpif_attributes
  implicit none
  include 'mpif.h'
  external copy_more, delete_counted, copy_new
  integer :: rank, ranks, error, key, comm, copy, value, copies, deletions, type, other
  integer(kind=MPI_ADDRESS_KIND) :: found, large, state
  logical :: flag
  common /counts/ copies, deletions
  large = 1234567890123_MPI_ADDRESS_KIND
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  copies = 0
  deletions = 0

  ! The deprecated functions.
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, error)
  call MPI_KEYVAL_CREATE(copy_more, delete_counted, key, 3, error)
  flag = .true.
  call MPI_ATTR_GET(comm, key, value, flag, error)
  if (flag) error stop 'there is no attribute'
  call MPI_ATTR_PUT(comm, key, -40 - rank, error)
  call MPI_ATTR_GET(comm, key, value, flag, error)
  if (.not. flag .or. value /= -40 - rank) error stop 'the value of an attribute'
  call MPI_COMM_DUP(comm, copy, error)
  call MPI_ATTR_GET(copy, key, value, flag, error)
  if (.not. flag .or. value /= -37 - rank .or. copies /= 1) error stop 'the value of a copied attribute'
  ! An INTEGER keeps its sign for those who get it address-sized.
  call MPI_COMM_GET_ATTR(copy, key, found, flag, error)
  if (.not. flag .or. found /= -37 - rank) error stop 'the sign of a value'
  call MPI_ATTR_DELETE(copy, key, error)
  if (deletions /= 1) error stop 'a value is deleted'
  call MPI_COMM_FREE(copy, error)
  ! An INTEGER gets the low bits of a larger value.
  call MPI_COMM_SET_ATTR(comm, key, large, error)
  if (deletions /= 2) error stop 'a value that another one takes the place of is deleted'
  call MPI_ATTR_GET(comm, key, value, flag, error)
  if (.not. flag .or. value /= int(ibits(large, 0, 31))) error stop 'the low bits of a value'
  call MPI_KEYVAL_FREE(key, error)
  if (key /= MPI_KEYVAL_INVALID) error stop 'the key is left'
  call MPI_COMM_FREE(comm, error)
  if (deletions /= 3) error stop 'the value of a freed key is deleted'

  ! The standard's own callbacks. A copy of a value is the whole value, also under a deprecated key.
  call MPI_KEYVAL_CREATE(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, error)
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, error)
  call MPI_COMM_SET_ATTR(comm, key, large, error)
  call MPI_COMM_DUP(comm, copy, error)
  call MPI_COMM_GET_ATTR(copy, key, found, flag, error)
  if (.not. flag .or. found /= large) error stop 'MPI_DUP_FN'
  call MPI_COMM_FREE(copy, error)
  call MPI_COMM_FREE(comm, error)
  call MPI_KEYVAL_FREE(key, error)
  call MPI_KEYVAL_CREATE(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, key, 0, error)
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, error)
  call MPI_ATTR_PUT(comm, key, 1, error)
  call MPI_COMM_DUP(comm, copy, error)
  call MPI_ATTR_GET(copy, key, value, flag, error)
  if (flag) error stop 'MPI_NULL_COPY_FN'
  call MPI_COMM_FREE(copy, error)
  call MPI_COMM_FREE(comm, error)
  call MPI_KEYVAL_FREE(key, error)

  ! The newer functions.
  state = large
  call MPI_COMM_CREATE_KEYVAL(copy_new, MPI_COMM_NULL_DELETE_FN, key, state, error)
  state = 0
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, error)
  call MPI_COMM_SET_ATTR(comm, key, large, error)
  call MPI_COMM_DUP(comm, copy, error)
  call MPI_COMM_GET_ATTR(copy, key, found, flag, error)
  if (.not. flag .or. found /= 2 * large) error stop 'the state has the value that was passed'
  call MPI_COMM_DELETE_ATTR(copy, key, error)
  call MPI_COMM_FREE(copy, error)
  call MPI_COMM_FREE(comm, error)
  call MPI_COMM_FREE_KEYVAL(key, error)
  state = 5
  call MPI_TYPE_CREATE_KEYVAL(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, state, error)
  call MPI_TYPE_CONTIGUOUS(2, MPI_INTEGER, type, error)
  call MPI_TYPE_SET_ATTR(type, key, -large, error)
  call MPI_TYPE_DUP(type, other, error)
  call MPI_TYPE_GET_ATTR(other, key, found, flag, error)
  if (.not. flag .or. found /= -large) error stop 'MPI_TYPE_DUP_FN'
  call MPI_TYPE_DELETE_ATTR(other, key, error)
  call MPI_TYPE_FREE(other, error)
  call MPI_TYPE_FREE(type, error)
  call MPI_TYPE_FREE_KEYVAL(key, error)

  ! Predefined attributes.
  call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
  if (.not. flag .or. value < 32767) error stop 'MPI_TAG_UB'
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, found, flag, error)
  if (.not. flag .or. found /= value) error stop 'MPI_TAG_UB, address-sized'

  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_FINALIZE(error)
end program
