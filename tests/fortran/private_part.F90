! Variables of every storage class of Fortran in one place of a program, with their checks. Compiled for each place
! under names of its own: STATE (module), NAMED and SEEDED (COMMON blocks), SEEDS (BLOCK DATA), BOUND (C's name).

block data SEEDS
  implicit none
  integer :: seeded(500)
  real(8) :: seeded_real
  common /SEEDED/ seeded_real, seeded
  data seeded_real /2.5d0/, seeded /500*21/
end block data

module STATE
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  public :: check_initial, write_all, check_all, bound_to_c

  type :: parcel
    integer :: weight = 31
    real(8), allocatable :: sides(:)
  end type

  integer, save :: scalar = 11
  integer, save :: no_value
  real(8), save :: field(300) = 12.0d0
  complex(8), save :: phase = (13.0d0, -13.0d0)
  character(len=24), save :: label = 'fourteen'
  logical, save :: flag = .true.
  integer, target, save :: goal = 15
  integer, pointer, save :: way => null()
  integer, allocatable, save :: heap(:)
  character(len=:), allocatable, save :: words
  type(parcel), save :: box
  class(parcel), allocatable, save :: any_box
  integer(c_int), bind(c, name=BOUND) :: bound_to_c = 16

contains

  ! Every variable that has an initial value has it, and nothing is allocated.
  subroutine check_initial(bad)
    integer, intent(inout) :: bad
    integer :: named_first, blank_first, seeded(500), found(3)
    real(8) :: named_field(200), blank_field(100), seeded_real
    common /NAMED/ named_field, named_first
    common blank_field, blank_first
    common /SEEDED/ seeded_real, seeded
    if (scalar /= 11 .or. any(field /= 12.0d0) .or. phase /= (13.0d0, -13.0d0)) call fault('module', bad)
    if (label /= 'fourteen' .or. .not. flag .or. goal /= 15) call fault('module', bad)
    if (associated(way) .or. allocated(heap) .or. allocated(words) .or. allocated(any_box)) call fault('heap', bad)
    if (box%weight /= 31 .or. allocated(box%sides)) call fault('default initialisation', bad)
    if (bound_to_c /= 16) call fault('bind(C)', bad)
    if (seeded_real /= 2.5d0 .or. any(seeded /= 21)) call fault('BLOCK DATA', bad)
    call locals(.false., 0, found)
    if (any(found /= [17, 18, 19])) call fault('SAVE and DATA', bad)
    call overlaid(.false., 0, found)
    if (any(found /= [1067030938, 20, 20])) call fault('EQUIVALENCE', bad)
  end subroutine

  ! Stores values that follow from `value`.
  subroutine write_all(value)
    integer, intent(in) :: value
    integer :: named_first, seeded(500), ignored(3)
    real(8) :: named_field(200), seeded_real
    common /NAMED/ named_field, named_first
    common /SEEDED/ seeded_real, seeded
    scalar = value
    no_value = value + 1
    field = value + 2
    phase = cmplx(value + 3, -value, 8)
    write (label, '(i0)') value + 4
    flag = mod(value, 2) == 0
    goal = value + 5
    way => goal
    if (allocated(heap)) deallocate (heap)
    allocate (heap(10 + mod(value, 1000)), source=value + 6)
    words = repeat('x', mod(value, 50)) // trim(label)
    box%weight = value + 7
    box%sides = [real(8) :: value, value + 1, value + 2]
    if (allocated(any_box)) deallocate (any_box)
    allocate (any_box, source=box)
    bound_to_c = value + 8
    named_first = value + 9
    named_field = value + 10
    seeded = value + 11
    seeded_real = value + 12
    call locals(.true., value, ignored)
    call overlaid(.true., value, ignored)
  end subroutine

  ! The values are those that write_all(value) stored.
  subroutine check_all(value, bad)
    integer, intent(in) :: value
    integer, intent(inout) :: bad
    integer :: named_first, seeded(500), found(3)
    real(8) :: named_field(200), seeded_real
    character(len=24) :: text
    common /NAMED/ named_field, named_first
    common /SEEDED/ seeded_real, seeded
    write (text, '(i0)') value + 4
    if (scalar /= value .or. no_value /= value + 1 .or. any(field /= value + 2)) call fault('module', bad)
    if (phase /= cmplx(value + 3, -value, 8) .or. label /= text) call fault('module', bad)
    if (flag .neqv. mod(value, 2) == 0) call fault('module logical', bad)
    if (.not. associated(way, goal)) call fault('pointer', bad)
    if (way /= value + 5) call fault('target', bad)
    if (size(heap) /= 10 + mod(value, 1000) .or. any(heap /= value + 6)) call fault('allocatable', bad)
    if (words /= repeat('x', mod(value, 50)) // trim(text)) call fault('allocatable text', bad)
    if (box%weight /= value + 7 .or. any(box%sides /= [value, value + 1, value + 2])) call fault('type', bad)
    if (any_box%weight /= value + 7 .or. any(any_box%sides /= box%sides)) call fault('class', bad)
    if (bound_to_c /= value + 8) call fault('bind(C)', bad)
    if (named_first /= value + 9 .or. any(named_field /= value + 10)) call fault('COMMON', bad)
    if (any(seeded /= value + 11) .or. seeded_real /= value + 12) call fault('COMMON of BLOCK DATA', bad)
    call locals(.false., 0, found)
    if (any(found /= [value, value + 1, value + 2])) call fault('SAVE and DATA', bad)
    call overlaid(.false., 0, found)
    if (any(found /= [transfer(real(value), 1), value, value])) call fault('EQUIVALENCE', bad)
  end subroutine

  ! Saved variables of a procedure: initialised, by DATA, and allocatable. `found` is what was in them.
  subroutine locals(store, value, found)
    logical, intent(in) :: store
    integer, intent(in) :: value
    integer, intent(out) :: found(3)
    integer, save :: initialised = 17
    integer :: by_data(40)
    integer, allocatable, save :: grown(:)
    data by_data /40*18/
    save by_data
    if (.not. allocated(grown)) allocate (grown(64), source=19)
    found = [initialised, by_data(40), grown(64)]
    if (.not. store) return
    initialised = value
    by_data = value + 1
    grown = value + 2
  end subroutine

  ! Variables that share storage: a real with the integer of its bits, and two parts of an array.
  subroutine overlaid(store, value, found)
    logical, intent(in) :: store
    integer, intent(in) :: value
    integer, intent(out) :: found(3)
    real, save :: number = 1.2
    integer :: bits
    integer :: whole(60), lower(30), upper(30)
    equivalence (number, bits), (whole(1), lower(1)), (whole(31), upper(1))
    data whole /60*20/
    save whole
    found = [bits, lower(30), upper(1)]
    if (.not. store) return
    number = real(value)
    whole = value
  end subroutine

  subroutine fault(what, bad)
    character(len=*), intent(in) :: what
    integer, intent(inout) :: bad
    print '(4a)', 'BAD ', BOUND, ' ', what
    bad = bad + 1
  end subroutine
end module
