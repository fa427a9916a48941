! Attributes that one language sets and the other gets (tests/c/attribute_parts.c), under keys of both.
module key_of_fortran
  use mpi_f08
  implicit none
  integer :: copies = 0, deletions = 0
  integer(MPI_ADDRESS_KIND) :: deleted = 0
contains
  subroutine copy_same(comm, keyval, extra_state, given, copied, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, given, copied
    logical :: flag
    copies = copies + 1
    copied = given
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_seen(comm, keyval, value, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra_state
    deletions = deletions + 1
    deleted = value
    ierror = MPI_SUCCESS
  end subroutine
end module

! The deprecated functions, which mpi_f08 does not have.
subroutine put_integer(comm, key, value)
  implicit none
  include 'mpif.h'
  integer :: comm, key, value, error
  call MPI_ATTR_PUT(comm, key, value, error)
end subroutine

subroutine get_integer(comm, key, value)
  implicit none
  include 'mpif.h'
  integer :: comm, key, value, error
  logical :: flag
  call MPI_ATTR_GET(comm, key, value, flag, error)
  if (.not. flag) stop 'there is no attribute'
end subroutine

program mixed_attributes
  use key_of_fortran
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine c_make_key(key) bind(C)
      import :: c_int
      integer(c_int), intent(out) :: key
    end subroutine
    subroutine c_set(comm, key, address) bind(C)
      import :: c_int, c_intptr_t
      integer(c_int), value :: comm, key
      integer(c_intptr_t), value :: address
    end subroutine
    function c_pointer(comm, key) result(address) bind(C)
      import :: c_int, c_intptr_t
      integer(c_int), value :: comm, key
      integer(c_intptr_t) :: address
    end function
    function c_value(comm, key) result(value) bind(C)
      import :: c_int, c_intptr_t
      integer(c_int), value :: comm, key
      integer(c_intptr_t) :: value
    end function
    function c_low_half(comm, key) result(value) bind(C)
      import :: c_int
      integer(c_int), value :: comm, key
      integer(c_int) :: value
    end function
  end interface
  integer(MPI_ADDRESS_KIND), parameter :: large = 1234567890123_MPI_ADDRESS_KIND
  external put_integer, get_integer
  integer :: rank, ranks, of_fortran, of_c, i, number
  type(MPI_Comm) :: comm, copy
  integer, target :: anything
  integer(MPI_ADDRESS_KIND) :: found, address
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_create_keyval(copy_same, delete_seen, of_fortran, 0_MPI_ADDRESS_KIND)
  call c_make_key(of_c)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  address = transfer(c_loc(anything), address)

  ! Fortran sets, C gets the address of the integer.
  call set_both(large + rank)
  do i = 1, 2
    if (c_value(comm%MPI_VAL, key(i)) /= large + rank) error stop 'C gets what Fortran has set'
    if (c_low_half(comm%MPI_VAL, key(i)) /= int(ibits(large + rank, 0, 31))) error stop 'C gets the low half'
  end do
  call MPI_Comm_dup(comm, copy)
  do i = 1, 2
    if (c_value(copy%MPI_VAL, key(i)) /= large + rank) error stop 'C gets a copy'
    call MPI_Comm_get_attr(copy, key(i), found, flag)
    if (.not. flag .or. found /= large + rank) error stop 'Fortran gets a copy'
  end do
  call MPI_Comm_free(copy)
  if (deletions /= 1 .or. deleted /= large + rank) error stop 'the delete function of Fortran gets the value'

  ! C sets, Fortran gets the pointer; a copy remains C's.
  do i = 1, 2
    call c_set(comm%MPI_VAL, key(i), address)
    call MPI_Comm_get_attr(comm, key(i), found, flag)
    if (.not. flag .or. found /= address) error stop 'Fortran gets what C has set'
    call get_integer(comm%MPI_VAL, key(i), number)
    if (number /= transfer(address, number)) error stop 'an INTEGER gets the low half of a pointer'
  end do
  copies = 0
  deletions = 0
  call MPI_Comm_dup(comm, copy)
  do i = 1, 2
    call MPI_Comm_get_attr(copy, key(i), found, flag)
    if (.not. flag .or. found /= address) error stop 'Fortran gets a copy of a pointer'
    if (c_pointer(copy%MPI_VAL, key(i)) /= address) error stop 'C gets a copy of its pointer'
  end do
  call MPI_Comm_free(copy)
  if (copies /= 1 .or. deletions /= 1 .or. deleted /= address) error stop 'the procedures get the pointer'

  ! Fortran again, where C has set.
  call set_both(-large)
  do i = 1, 2
    if (c_value(comm%MPI_VAL, key(i)) /= -large) error stop 'C gets what Fortran has set anew'
    call MPI_Comm_get_attr(comm, key(i), found, flag)
    if (.not. flag .or. found /= -large) error stop 'Fortran gets what it has set anew'
    call put_integer(comm%MPI_VAL, key(i), -5 - i)
    if (c_low_half(comm%MPI_VAL, key(i)) /= -5 - i) error stop 'C gets an INTEGER'
    call MPI_Comm_get_attr(comm, key(i), found, flag)
    if (.not. flag .or. found /= -5 - i) error stop 'an INTEGER keeps its sign'
    call MPI_Comm_delete_attr(comm, key(i))
  end do
  call MPI_Comm_free(comm)
  call MPI_Comm_free_keyval(of_fortran)
  call MPI_Comm_free_keyval(of_c)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
contains
  integer function key(i)
    integer, intent(in) :: i
    key = merge(of_fortran, of_c, i == 1)
  end function

  subroutine set_both(value)
    integer(MPI_ADDRESS_KIND), intent(in) :: value
    call MPI_Comm_set_attr(comm, of_fortran, value)
    call MPI_Comm_set_attr(comm, of_c, value)
  end subroutine
end program
