! Groups, communicators, intercommunicators, names and info of communicators.
#include "bindings.h"
program communicators
  use bindings
  implicit none
  integer :: i
  HANDLE(MPI_Group) :: world
  call begin()
  CHECK(ranks >= 4)
  call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
  call groups()
  call members()
  call duplicates()
  call parts()
  call names()
  call infos()
  call between_two()
  call MPI_Group_free(world, ierr)
  call end_well()

contains

  ! The group has these members, as ranks of the world.
  subroutine has(group, expected, line)
    HANDLE(MPI_Group), intent(in) :: group
    integer, intent(in) :: expected(:), line
    integer :: number, found(size(expected))
    call MPI_Group_size(group, number, ierr)
    call check(number == size(expected), line)
    if (number /= size(expected)) return
    call MPI_Group_translate_ranks(group, number, [(i, i = 0, number - 1)], world, found, ierr)
    call check(all(found == expected), line)
  end subroutine

  subroutine groups()
    HANDLE(MPI_Group) :: one, other, made
    integer :: result, mine, found(2), triplets(3, 1)
    call MPI_Group_size(world, result, ierr)
    call MPI_Group_rank(world, mine, ierr)
    CHECK(result == ranks .and. mine == rank)
    call MPI_Group_incl(world, 3, [2, 0, 3], one, ierr)
    call has(one, [2, 0, 3], __LINE__)
    call MPI_Group_excl(world, ranks - 2, [(i, i = 2, ranks - 1)], other, ierr)
    call has(other, [0, 1], __LINE__)
    call MPI_Group_union(one, other, made, ierr)
    call has(made, [2, 0, 3, 1], __LINE__)
    call MPI_Group_free(made, ierr)
    CHECK(made == MPI_GROUP_NULL)
    call MPI_Group_intersection(one, other, made, ierr)
    call has(made, [0], __LINE__)
    call MPI_Group_free(made, ierr)
    call MPI_Group_difference(one, other, made, ierr)
    call has(made, [2, 3], __LINE__)
    call MPI_Group_compare(one, made, result, ierr)
    CHECK(result == MPI_UNEQUAL)
    call MPI_Group_compare(world, world, result, ierr)
    CHECK(result == MPI_IDENT)
    call MPI_Group_free(made, ierr)
    call MPI_Group_translate_ranks(other, 2, [1, MPI_PROC_NULL], one, found, ierr)
    CHECK(all(found == [MPI_UNDEFINED, MPI_PROC_NULL]))
    triplets(:, 1) = [3, 1, -2]
    call MPI_Group_range_incl(world, 1, triplets, made, ierr)
    call has(made, [3, 1], __LINE__)
    call MPI_Group_free(made, ierr)
    triplets(:, 1) = [0, ranks - 1, 2]
    call MPI_Group_range_excl(world, 1, triplets, made, ierr)
    call has(made, [(i, i = 1, ranks - 1, 2)], __LINE__)
    call MPI_Group_free(made, ierr)
    call MPI_Group_free(one, ierr)
    call MPI_Group_free(other, ierr)
  end subroutine

  subroutine members()
    HANDLE(MPI_Group) :: first_two
    HANDLE(MPI_Comm) :: made
    integer :: number, result
    logical :: inter
    call MPI_Group_incl(world, 2, [1, 0], first_two, ierr)
    call MPI_Comm_create(MPI_COMM_WORLD, first_two, made, ierr)
    CHECK((made /= MPI_COMM_NULL) .eqv. rank < 2)
    if (rank < 2) then
      call MPI_Comm_rank(made, number, ierr)
      CHECK(number == 1 - rank)
      call MPI_Comm_test_inter(made, inter, ierr)
      CHECK(.not. inter)
      call MPI_Comm_free(made, ierr)
      CHECK(made == MPI_COMM_NULL)
      call MPI_Comm_create_group(MPI_COMM_WORLD, first_two, 5, made, ierr)
      call MPI_Comm_size(made, number, ierr)
      call MPI_Comm_compare(made, MPI_COMM_WORLD, result, ierr)
      CHECK(number == 2 .and. result == MPI_UNEQUAL)
      call MPI_Comm_free(made, ierr)
    end if
    call MPI_Group_free(first_two, ierr)
  end subroutine

  subroutine duplicates()
    HANDLE(MPI_Comm) ASYNC :: made
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_Request) :: request
    call MPI_Info_create(info, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
    call congruent(made)
    call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, made, ierr)
    call congruent(made)
    call MPI_Comm_idup(MPI_COMM_WORLD, made, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call congruent(made)
    call MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, made, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call congruent(made)
    call MPI_Info_free(info, ierr)
  end subroutine

  subroutine congruent(made)
    HANDLE(MPI_Comm), intent(inout) :: made
    integer :: result
    call MPI_Comm_compare(MPI_COMM_WORLD, made, result, ierr)
    CHECK(result == MPI_CONGRUENT)
    call MPI_Barrier(made, ierr)
    call MPI_Comm_free(made, ierr)
  end subroutine

  subroutine parts()
    HANDLE(MPI_Comm) :: made
    integer :: number, size
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, made, ierr)
    call MPI_Comm_rank(made, number, ierr)
    call MPI_Comm_size(made, size, ierr)
    CHECK(size == (ranks + 1 - modulo(rank, 2)) / 2 .and. number == size - 1 - rank / 2)
    call MPI_Comm_free(made, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 0, rank == 0), 0, made, ierr)
    CHECK((made == MPI_COMM_NULL) .eqv. rank == 0)
    if (rank /= 0) call MPI_Comm_free(made, ierr)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, made, ierr)
    call MPI_Comm_size(made, size, ierr)
    CHECK(size == ranks)
    call MPI_Comm_free(made, ierr)
  end subroutine

  subroutine names()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=5) :: short
    integer :: length
    HANDLE(MPI_Comm) :: made
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    CHECK(name == 'MPI_COMM_WORLD' .and. length == 14)
    call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
    short = 'ring'
    call MPI_Comm_set_name(made, short, ierr)
    name = repeat('x', len(name))
    call MPI_Comm_get_name(made, name, length, ierr)
    CHECK(name == 'ring' .and. length == 4)
    call MPI_Comm_free(made, ierr)
  end subroutine

  subroutine infos()
    HANDLE(MPI_Comm) :: made
    HANDLE(MPI_Info) :: info, found
    character(len=8) :: value
    integer :: length
    logical :: there
    call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'mpi_assert_no_any_tag', 'false', ierr)
    call MPI_Comm_set_info(made, info, ierr)
    call MPI_Comm_get_info(made, found, ierr)
    length = len(value)
    call MPI_Info_get_string(found, 'mpi_assert_no_any_tag', length, value, there, ierr)
    CHECK(.not. there .or. value == 'false')
    call MPI_Info_free(found, ierr)
    call MPI_Info_free(info, ierr)
    CHECK(found == MPI_INFO_NULL)
    call MPI_Comm_free(made, ierr)
  end subroutine

  ! Even ranks on one side, odd ones on the other.
  subroutine between_two()
    HANDLE(MPI_Comm) :: half, inter, whole
    HANDLE(MPI_Group) :: others
    integer :: side, number, expected, got
    logical :: is_inter
    side = modulo(rank, 2)
    call MPI_Comm_split(MPI_COMM_WORLD, side, rank, half, ierr)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 17, inter, ierr)
    call MPI_Comm_test_inter(inter, is_inter, ierr)
    CHECK(is_inter)
    call MPI_Comm_remote_size(inter, number, ierr)
    expected = (ranks + side) / 2
    CHECK(number == expected)
    call MPI_Comm_remote_group(inter, others, ierr)
    call has(others, [(i, i = 1 - side, ranks - 1, 2)], __LINE__)
    call MPI_Group_free(others, ierr)
    got = -1
    call MPI_Allreduce(rank, got, 1_ck, MPI_INTEGER, MPI_MIN, inter, ierr)
    CHECK(got == 1 - side)
    call MPI_Intercomm_merge(inter, side == 1, whole, ierr)
    call MPI_Comm_rank(whole, number, ierr)
    call MPI_Comm_size(whole, got, ierr)
    CHECK(got == ranks .and. number == rank / 2 + side * ((ranks + 1) / 2))
    call MPI_Comm_free(whole, ierr)
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(half, ierr)
  end subroutine
end program
