! Attributes with mpi_f08: values, procedures that copy and delete, the standard's own ones, predefined attributes.
module keys
  use mpi_f08
  implicit none
  integer, parameter :: wide = MPI_ADDRESS_KIND
  integer(wide), parameter :: large = 1234567890123_wide
  integer :: copies = 0, deletions = 0
contains
  subroutine copy_doubled(comm, keyval, extra_state, given, copied, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(wide) :: extra_state, given, copied
    logical :: flag
    if (extra_state /= large + 1) error stop 'the state of a copy function'
    copies = copies + 1
    copied = 2 * given
    flag = given /= 13
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_counted(comm, keyval, value, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(wide) :: value, extra_state
    if (extra_state /= large + 1) error stop 'the state of a delete function'
    deletions = deletions + 1
    ierror = MPI_SUCCESS
    if (value == -77) ierror = MPI_ERR_OTHER
  end subroutine

  subroutine copy_type(type, keyval, extra_state, given, copied, flag, ierror)
    type(MPI_Datatype) :: type
    integer :: keyval, ierror
    integer(wide) :: extra_state, given, copied
    logical :: flag
    copies = copies + 1
    copied = given + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_type(type, keyval, value, extra_state, ierror)
    type(MPI_Datatype) :: type
    integer :: keyval, ierror
    integer(wide) :: value, extra_state
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program f08_attributes
  use keys
  implicit none
  integer :: rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call values_come_back()
  call procedures_are_called()
  call own_callbacks_of_the_standard()
  call datatypes_have_attributes()
  call predefined_attributes()
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
contains
  subroutine expect(comm, key, value)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: key
    integer(wide), intent(in) :: value
    integer(wide) :: found
    logical :: flag
    found = -1
    call MPI_Comm_get_attr(comm, key, found, flag)
    if (.not. flag .or. found /= value) then
      print *, 'expected', value, 'found', flag, found
      error stop 'the value of an attribute'
    end if
  end subroutine

  subroutine expect_none(comm, key)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: key
    integer(wide) :: found
    logical :: flag
    flag = .true.
    call MPI_Comm_get_attr(comm, key, found, flag)
    if (flag) error stop 'there is no attribute'
  end subroutine

  subroutine values_come_back()
    integer :: key, i
    type(MPI_Comm) :: comm
    type(MPI_Comm), dimension(200) :: comms
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_wide)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call expect_none(comm, key)
    call MPI_Comm_set_attr(comm, key, large + rank)
    call expect(comm, key, large + rank)
    call MPI_Comm_set_attr(comm, key, -large)
    call expect(comm, key, -large)
    call MPI_Comm_set_attr(comm, key, 0_wide)
    call expect(comm, key, 0_wide)
    call MPI_Comm_delete_attr(comm, key)
    call expect_none(comm, key)
    do i = 1, size(comms)
      call MPI_Comm_dup(MPI_COMM_SELF, comms(i))
      call MPI_Comm_set_attr(comms(i), key, -large * i)
    end do
    do i = 1, size(comms)
      call expect(comms(i), key, -large * i)
      call MPI_Comm_free(comms(i))
    end do
    call MPI_Comm_free_keyval(key)
    if (key /= MPI_KEYVAL_INVALID) error stop 'the key is left'
    call MPI_Comm_free(comm)
  end subroutine

  subroutine procedures_are_called()
    integer :: key, freed, error
    type(MPI_Comm) :: comm, copy, again
    call MPI_Comm_create_keyval(copy_doubled, delete_counted, key, large + 1)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_attr(comm, key, 21_wide)
    call MPI_Comm_dup(comm, copy)
    call expect(copy, key, 42_wide)
    call MPI_Comm_set_attr(copy, key, 13_wide)
    if (deletions /= 1) error stop 'a value that another one takes the place of is deleted'
    call MPI_Comm_dup(copy, again)
    call expect_none(again, key)
    if (copies /= 2) error stop 'copies'
    call MPI_Comm_free(again)
    if (deletions /= 1) error stop 'nothing is to be deleted'
    call MPI_Comm_delete_attr(copy, key)
    if (deletions /= 2) error stop 'a value is deleted'
    ! A delete function may refuse: the attribute stays.
    call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN)
    call MPI_Comm_set_attr(copy, key, -77_wide)
    call MPI_Comm_delete_attr(copy, key, error)
    if (error == MPI_SUCCESS) error stop 'the delete function has refused'
    call expect(copy, key, -77_wide)
    call MPI_Comm_set_attr(copy, key, 5_wide, error)
    if (error == MPI_SUCCESS) error stop 'the delete function has refused again'
    ! Attributes keep their key when it is freed.
    freed = key
    call MPI_Comm_free_keyval(freed)
    deletions = 0
    call MPI_Comm_free(comm)
    if (deletions /= 1) error stop 'the value of a freed key is deleted'
  end subroutine

  subroutine own_callbacks_of_the_standard()
    integer :: key, error
    type(MPI_Comm) :: comm, copy
    integer(wide) :: copied
    logical :: flag
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_wide)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_attr(comm, key, large)
    call MPI_Comm_dup(comm, copy)
    call expect(copy, key, large)
    call MPI_Comm_free(comm)
    call expect(copy, key, large)
    call MPI_Comm_free(copy)
    call MPI_Comm_free_keyval(key)
    flag = .false.
    call MPI_COMM_DUP_FN(MPI_COMM_WORLD, key, 0_wide, large, copied, flag, error)
    if (.not. flag .or. copied /= large .or. error /= MPI_SUCCESS) error stop 'MPI_COMM_DUP_FN'
    call MPI_COMM_NULL_COPY_FN(MPI_COMM_WORLD, key, 0_wide, large, copied, flag, error)
    if (flag .or. error /= MPI_SUCCESS) error stop 'MPI_COMM_NULL_COPY_FN'
  end subroutine

  subroutine datatypes_have_attributes()
    integer :: key
    type(MPI_Datatype) :: type, copy
    integer(wide) :: found
    logical :: flag
    call MPI_Type_create_keyval(copy_type, delete_type, key, 1000_wide)
    call MPI_Type_contiguous(3, MPI_INTEGER, type)
    call MPI_Type_set_attr(type, key, large)
    copies = 0
    deletions = 0
    call MPI_Type_dup(type, copy)
    call MPI_Type_get_attr(copy, key, found, flag)
    if (.not. flag .or. found /= large + 1000 .or. copies /= 1) error stop 'the attribute of a copied datatype'
    call MPI_Type_free(type)
    call MPI_Type_delete_attr(copy, key)
    if (deletions /= 2) error stop 'deleted attributes of datatypes'
    call MPI_Type_get_attr(copy, key, found, flag)
    if (flag) error stop 'a deleted attribute of a datatype'
    call MPI_Type_free(copy)
    call MPI_Type_free_keyval(key)
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_wide)
    call MPI_Type_set_attr(MPI_INTEGER, key, -large)
    call MPI_Type_dup(MPI_INTEGER, copy)
    call MPI_Type_get_attr(copy, key, found, flag)
    if (.not. flag .or. found /= -large) error stop 'MPI_TYPE_DUP_FN'
    call MPI_Type_free(copy)
    call MPI_Type_delete_attr(MPI_INTEGER, key)
    call MPI_Type_free_keyval(key)
  end subroutine

  subroutine predefined_attributes()
    integer(wide) :: found
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, found, flag)
    if (.not. flag .or. found < 32767 .or. found > huge(rank)) error stop 'MPI_TAG_UB'
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, found, flag)
    if (flag .and. found /= 0 .and. found /= 1) error stop 'MPI_WTIME_IS_GLOBAL'
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, found, flag)
    if (.not. flag .or. found < MPI_ERR_LASTCODE .or. found > huge(rank)) error stop 'MPI_LASTUSEDCODE'
  end subroutine
end program
