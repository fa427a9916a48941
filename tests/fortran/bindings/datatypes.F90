! Constructors of datatypes, what they say of themselves, addresses, packing.
#include "bindings.h"
program datatypes
  use bindings
  implicit none
  HANDLE(MPI_Datatype) :: made
  call begin()
  call constructors()
  call arrays()
  call structures()
  call decoding()
  call decoding_large()
  call addresses()
  call packing()
  call external32()
  call fortran_types()
  call names()
  call end_well()

contains

  ! `made` picks these elements of an array of integers, counted from 1; then it is freed.
  subroutine picks(expected, line)
    integer, intent(in) :: expected(:), line
    integer :: from(64), to(64), i
    integer(ck) :: size
    call MPI_Type_commit(made, ierr)
    from = [(i, i = 1, 64)]
    to = -1
    call MPI_Sendrecv(from, 1_ck, made, 0, 1, to, 64_ck, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
    call check(all(to(1:size_of(expected)) == expected) .and. all(to(size_of(expected) + 1:) == -1), line)
    call MPI_Type_size(made, size, ierr)
    call check(size == 4 * size_of(expected), line)
    call MPI_Type_free(made, ierr)
    call check(made == MPI_DATATYPE_NULL, line)
  end subroutine

  integer function size_of(array)
    integer, intent(in) :: array(:)
    size_of = size(array)
  end function

  subroutine constructors()
    integer(ak) :: lower, extent
    HANDLE(MPI_Datatype) :: old
    call MPI_Type_contiguous(5_ck, MPI_INTEGER, made, ierr)
    call picks([1, 2, 3, 4, 5], __LINE__)
    call MPI_Type_vector(3_ck, 2_ck, 5_ck, MPI_INTEGER, made, ierr)
    call picks([1, 2, 6, 7, 11, 12], __LINE__)
#ifdef LARGE
    call MPI_Type_create_hvector(3_ck, 1_ck, 12_ck, MPI_INTEGER, made, ierr)
#else
    call MPI_Type_create_hvector(3, 1, 12_ak, MPI_INTEGER, made, ierr)
#endif
    call picks([1, 4, 7], __LINE__)
    call MPI_Type_indexed(3_ck, [2_ck, 1_ck, 1_ck], [7_ck, 0_ck, 3_ck], MPI_INTEGER, made, ierr)
    call picks([8, 9, 1, 4], __LINE__)
    call MPI_Type_create_indexed_block(2_ck, 3_ck, [10_ck, 0_ck], MPI_INTEGER, made, ierr)
    call picks([11, 12, 13, 1, 2, 3], __LINE__)
    call MPI_Type_create_hindexed(2_ck, [1_ck, 2_ck], [20_ak, 0_ak], MPI_INTEGER, made, ierr)
    call picks([6, 1, 2], __LINE__)
    call MPI_Type_create_hindexed_block(3_ck, 1_ck, [20_ak, 0_ak, 8_ak], MPI_INTEGER, made, ierr)
    call picks([6, 1, 3], __LINE__)
    call MPI_Type_vector(2_ck, 1_ck, 3_ck, MPI_INTEGER, old, ierr)
    call MPI_Type_dup(old, made, ierr)
    call MPI_Type_free(old, ierr)
    call picks([1, 4], __LINE__)
    call MPI_Type_create_resized(MPI_INTEGER, -4_ak, 24_ak, old, ierr)
    call MPI_Type_get_extent(old, lower, extent, ierr)
    CHECK(lower == -4 .and. extent == 24)
    call MPI_Type_get_true_extent(old, lower, extent, ierr)
    CHECK(lower == 0 .and. extent == 4)
    call MPI_Type_contiguous(3_ck, old, made, ierr)
    call MPI_Type_free(old, ierr)
    call picks([1, 7, 13], __LINE__)
  end subroutine

  subroutine arrays()
    call MPI_Type_create_subarray(2, [5_ck, 6_ck], [2_ck, 3_ck], [1_ck, 2_ck], MPI_ORDER_FORTRAN, MPI_INTEGER, &
      made, ierr)
    call picks([12, 13, 17, 18, 22, 23], __LINE__)
    call MPI_Type_create_subarray(2, [5_ck, 6_ck], [2_ck, 3_ck], [1_ck, 2_ck], MPI_ORDER_C, MPI_INTEGER, made, ierr)
    call picks([9, 10, 11, 15, 16, 17], __LINE__)
    call MPI_Type_create_darray(2, 1, 2, [4_ck, 6_ck], [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK], &
                                [MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG], [2, 1], MPI_ORDER_FORTRAN, &
                                MPI_INTEGER, made, ierr)
    call picks([2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24], __LINE__)
  end subroutine

  subroutine structures()
    type :: particle
      sequence
      real(8) :: place(3)
      integer :: kind
      character(len=4) :: name
    end type
    type(particle) :: from(2), to(2)
    integer(ak) :: start, at(3), lower, extent
    integer(ck) :: blocks(3)
    HANDLE(MPI_Datatype) :: types(3), whole, made_of
    call MPI_Get_address(from(1), start, ierr)
    call MPI_Get_address(from(1)%place, at(1), ierr)
    call MPI_Get_address(from(1)%kind, at(2), ierr)
    call MPI_Get_address(from(1)%name, at(3), ierr)
    at = at - start
    blocks = [3, 1, 4]
    types(1) = MPI_DOUBLE_PRECISION
    types(2) = MPI_INTEGER
    types(3) = MPI_CHARACTER
    call MPI_Type_create_struct(3_ck, blocks, at, types, made_of, ierr)
    call MPI_Get_address(from(2), extent, ierr)
    call MPI_Type_create_resized(made_of, 0_ak, extent - start, whole, ierr)
    call MPI_Type_commit(whole, ierr)
    call MPI_Type_get_extent(whole, lower, extent, ierr)
    CHECK(lower == 0 .and. extent == 32)
    from(1) = particle([1.0d0, 2.0d0, 3.0d0], 4, 'five')
    from(2) = particle([6.0d0, 7.0d0, 8.0d0], 9, 'ten ')
    call MPI_Sendrecv(from, 2_ck, whole, 0, 1, to, 2_ck, whole, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
    CHECK(all(to(1)%place == [1, 2, 3]) .and. to(1)%kind == 4 .and. to(1)%name == 'five')
    CHECK(all(to(2)%place == [6, 7, 8]) .and. to(2)%kind == 9 .and. to(2)%name == 'ten ')
    call MPI_Type_free(whole, ierr)
    call MPI_Type_free(made_of, ierr)
  end subroutine

  subroutine decoding()
    integer :: integers, addresses, types, combiner, whole(7), i
    integer(ak) :: places(1)
    HANDLE(MPI_Datatype) :: parts(1)
    call MPI_Type_vector(3, 2, 5, MPI_INTEGER, made, ierr)
    call MPI_Type_get_envelope(made, integers, addresses, types, combiner, ierr)
    CHECK(integers == 3 .and. addresses == 0 .and. types == 1 .and. combiner == MPI_COMBINER_VECTOR)
    whole = [(-i, i = 1, 7)]
    call MPI_Type_get_contents(made, 3, 0, 1, whole, places, parts, ierr)
    CHECK(all(whole == [3, 2, 5, -4, -5, -6, -7]) .and. parts(1) == MPI_INTEGER)
    call MPI_Type_free(made, ierr)
    call MPI_Type_create_hvector(3, 1, 12_ak, MPI_REAL, made, ierr)
    call MPI_Type_get_contents(made, 2, 1, 1, whole, places, parts, ierr)
    CHECK(all(whole(1:2) == [3, 1]) .and. places(1) == 12 .and. parts(1) == MPI_REAL)
    call MPI_Type_free(made, ierr)
    call MPI_Type_get_envelope(MPI_REAL, integers, addresses, types, combiner, ierr)
    CHECK(integers == 0 .and. types == 0 .and. combiner == MPI_COMBINER_NAMED)
  end subroutine

  ! Types that were made with large counts have a fourth group of contents.
  subroutine decoding_large()
#ifdef LARGE
    integer(ck) :: integers, addresses, counts, types, many(3)
    integer :: combiner, whole(1)
    integer(ak) :: places(1)
    HANDLE(MPI_Datatype) :: parts(1)
    call MPI_Type_vector(3_ck, 2_ck, 5_ck, MPI_INTEGER, made, ierr)
    call MPI_Type_get_envelope(made, integers, addresses, counts, types, combiner, ierr)
    CHECK(integers == 0 .and. addresses == 0 .and. counts == 3 .and. types == 1 .and. combiner == MPI_COMBINER_VECTOR)
    call MPI_Type_get_contents(made, integers, addresses, counts, types, whole, places, many, parts, ierr)
    CHECK(all(many == [3, 2, 5]) .and. parts(1) == MPI_INTEGER)
    call MPI_Type_free(made, ierr)
#endif
  end subroutine

  subroutine addresses()
    integer :: field(10)
    integer(ak) :: first, sixth
    integer(MPI_COUNT_KIND) :: size, lower, extent
    call MPI_Get_address(field(1), first, ierr)
    call MPI_Get_address(field(6), sixth, ierr)
    CHECK(MPI_Aint_diff(sixth, first) == 20)
    CHECK(MPI_Aint_add(first, 20_ak) == sixth)
    call MPI_Type_size_x(MPI_DOUBLE_PRECISION, size, ierr)
    call MPI_Type_get_extent_x(MPI_DOUBLE_PRECISION, lower, extent, ierr)
    CHECK(size == 8 .and. lower == 0 .and. extent == 8)
    call MPI_Type_get_true_extent_x(MPI_REAL, lower, extent, ierr)
    CHECK(lower == 0 .and. extent == 4)
    ! From MPI_BOTTOM, a type has absolute addresses.
    call MPI_Type_create_hindexed_block(1_ck, 2_ck, [sixth], MPI_INTEGER, made, ierr)
    call MPI_Type_commit(made, ierr)
    field = 0
    call MPI_Sendrecv([61, 62], 2_ck, MPI_INTEGER, 0, 1, MPI_BOTTOM, 1_ck, made, 0, 1, MPI_COMM_SELF, &
                      MPI_STATUS_IGNORE, ierr)
    call MPI_F_sync_reg(field)
    CHECK(all(field == [0, 0, 0, 0, 0, 61, 62, 0, 0, 0]))
    call MPI_Type_free(made, ierr)
  end subroutine

  subroutine packing()
    integer(ck) :: place, size, needed
    character(len=200) :: packed
    integer :: whole(3)
    real(8) :: part(2)
    call MPI_Pack_size(3_ck, MPI_INTEGER, MPI_COMM_WORLD, needed, ierr)
    call MPI_Pack_size(2_ck, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, size, ierr)
    CHECK(needed >= 12 .and. size >= 16 .and. needed + size <= 200)
    place = 0
    call MPI_Pack([1, 2, 3], 3_ck, MPI_INTEGER, packed, 200_ck, place, MPI_COMM_WORLD, ierr)
    call MPI_Pack([0.5d0, 0.25d0], 2_ck, MPI_DOUBLE_PRECISION, packed, 200_ck, place, MPI_COMM_WORLD, ierr)
    size = place
    CHECK(size >= 28 .and. size <= 200)
    call MPI_Sendrecv_replace(packed, size, MPI_PACKED, 0, 1, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
    place = 0
    call MPI_Unpack(packed, size, place, whole, 3_ck, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Unpack(packed, size, place, part, 2_ck, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    CHECK(place == size .and. all(whole == [1, 2, 3]) .and. all(part == [0.5d0, 0.25d0]))
  end subroutine

  subroutine external32()
    integer(ak) :: place, size
    character(len=64) :: packed
    integer :: whole(2)
    call MPI_Pack_external_size('external32', 2_ck, MPI_INTEGER, size, ierr)
    CHECK(size == 8)
    place = 0
    call MPI_Pack_external('external32', [258, 1], 2_ck, MPI_INTEGER, packed, 64_ak, place, ierr)
    CHECK(place == 8)
    CHECK(packed(1:8) == repeat(achar(0), 2) // achar(1) // achar(2) // repeat(achar(0), 3) // achar(1))
    place = 0
    call MPI_Unpack_external('external32', packed, 8_ak, place, whole, 2_ck, MPI_INTEGER, ierr)
    CHECK(place == 8 .and. all(whole == [258, 1]))
  end subroutine

  subroutine fortran_types()
    integer(ck) :: size
    integer :: bytes
    real(8) :: field(3)
    HANDLE(MPI_Datatype) :: found
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, found, ierr)
    call MPI_Type_size(found, size, ierr)
    CHECK(size == 8)
    call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, found, ierr)
    call MPI_Type_size(found, size, ierr)
    CHECK(size == 8 .and. found /= MPI_DATATYPE_NULL)
    call MPI_Type_create_f90_integer(9, found, ierr)
    call MPI_Type_size(found, size, ierr)
    CHECK(size == 4)
    call MPI_Type_create_f90_real(12, MPI_UNDEFINED, found, ierr)
    call MPI_Type_size(found, size, ierr)
    CHECK(size == 8)
    call MPI_Type_create_f90_complex(12, 200, found, ierr)
    call MPI_Type_size(found, size, ierr)
    CHECK(size == 16)
#ifndef MPIF_H
    call MPI_Sizeof(field, bytes, ierr)
    CHECK(bytes == 8)
    call MPI_Sizeof(1, bytes, ierr)
    CHECK(bytes == 4)
#endif
    field = 0
  end subroutine

  subroutine names()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length
    call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, length, ierr)
    CHECK(name == 'MPI_DOUBLE_PRECISION' .and. length == 20)
    call MPI_Type_contiguous(2_ck, MPI_REAL, made, ierr)
    call MPI_Type_set_name(made, 'pair of reals  ', ierr)
    call MPI_Type_get_name(made, name, length, ierr)
    CHECK(name == 'pair of reals' .and. length == 13)
    call MPI_Type_free(made, ierr)
  end subroutine
end program
