! The kinds of numbers and logicals that a compiler has, through calls that move and combine data: by the datatypes that
! are named after sizes, by those of default kinds, and by those that are found by precision and range.

module kind_tests
  use mpi_f08
  implicit none
  integer, parameter :: n = 21
  integer :: rank, ranks
  type(MPI_Op) :: ops(4)
  integer, parameter :: reals = MPI_TYPECLASS_REAL, integers = MPI_TYPECLASS_INTEGER, complexes = MPI_TYPECLASS_COMPLEX

contains

  subroutine by_name()
    call integer_1(MPI_INTEGER1, integers, .true.)
    call integer_2(MPI_INTEGER2, integers, .true.)
    call integer_4(MPI_INTEGER4, integers, .true.)
    call integer_4(MPI_INTEGER, integers, .true.)
    call integer_8(MPI_INTEGER8, integers, .true.)
    call integer_16(MPI_INTEGER16, integers, .true.)
    call real_4(MPI_REAL4, reals, .true.)
    call real_8(MPI_REAL8, reals, .true.)
    call real_16(MPI_REAL16, reals, .true.)
    call default_real(MPI_REAL, reals, .true.)
    call default_double(MPI_DOUBLE_PRECISION, reals, .true.)
    call complex_4(MPI_COMPLEX8, complexes, .false.)
    call complex_8(MPI_COMPLEX16, complexes, .false.)
    call complex_16(MPI_COMPLEX32, complexes, .false.)
    call default_complex(MPI_COMPLEX, complexes, .false.)
    call default_double_complex(MPI_DOUBLE_COMPLEX, complexes, .false.)
    call logical_1(MPI_LOGICAL1)
    call logical_2(MPI_LOGICAL2)
    call logical_4(MPI_LOGICAL4)
    call logical_8(MPI_LOGICAL8)
    call default_logical(MPI_LOGICAL)
#ifdef __GFORTRAN__
    call logical_16(MPI_LOGICAL16)
#else
    call real_2(MPI_REAL2, reals, .true.)
    call complex_2(MPI_COMPLEX4, complexes, .false.)
#endif
    call pairs()
  end subroutine

  subroutine by_range()
    call integer_of_2(integer_type(2), integers, .true.)
    call integer_of_9(integer_type(9), integers, .true.)
    call integer_of_30(integer_type(30), integers, .true.)
    call real_of_6(real_type(6, 30), reals, .true.)
    call real_of_12(real_type(12, 30), reals, .true.)
    call real_of_18(real_type(18, 4000), reals, .true.)
    call real_of_30(real_type(30, 4000), reals, .true.)
    call complex_of_12(complex_type(12, 30), complexes, .false.)
    call complex_of_18(complex_type(18, 30), complexes, .false.)
  end subroutine

  ! The value and the place of the least and of the greatest number.
  subroutine pairs()
    real :: single(2), least(2)
    double precision :: double(2), greatest(2)
    integer :: whole(2), first(2)
    single = [real((rank + 1) / 2), real(rank)]
    call MPI_Allreduce(single, least, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD)
    call check(least(1) == 0 .and. least(2) == 0, "2real")
    double = single
    call MPI_Allreduce(double, greatest, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD)
    call check(greatest(1) == ranks / 2, "2double precision")
    whole = [rank / 2, rank]
    call MPI_Allreduce(whole, first, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD)
    call check(first(1) == (ranks - 1) / 2 .and. first(2) == 2 * ((ranks - 1) / 2), "2integer")
  end subroutine

  function integer_type(range) result(type)
    integer, intent(in) :: range
    type(MPI_Datatype) :: type, again
    call MPI_Type_create_f90_integer(range, type)
    call MPI_Type_create_f90_integer(range, again)
    call check(type == again, "the same integer type")
  end function

  function real_type(precision, range) result(type)
    integer, intent(in) :: precision, range
    type(MPI_Datatype) :: type
    integer :: integers, addresses, datatypes, combiner
    call MPI_Type_create_f90_real(precision, range, type)
    call MPI_Type_get_envelope(type, integers, addresses, datatypes, combiner)
    call check(combiner == MPI_COMBINER_F90_REAL .and. integers == 2, "envelope")
  end function

  function complex_type(precision, range) result(type)
    integer, intent(in) :: precision, range
    type(MPI_Datatype) :: type
    call MPI_Type_create_f90_complex(precision, range, type)
  end function

  ! What a rank brings: small numbers, whose sums and products are exact in all kinds.
  function values(of)
    integer, intent(in) :: of
    integer :: values(n), i
    values = [(merge(2, 1, modulo(of + i, 5) == 0), i = 1, n)]
  end function

  ! The result of an operation on what the ranks up to the last bring.
  function combined(o, last)
    integer, intent(in) :: o, last
    integer :: combined(n), r
    combined = values(0)
    do r = 1, last
      select case (o)
      case (1)
        combined = combined + values(r)
      case (2)
        combined = combined * values(r)
      case (3)
        combined = min(combined, values(r))
      case default
        combined = max(combined, values(r))
      end select
    end do
  end function

  integer function element(list, i)
    integer, intent(in) :: list(:), i
    element = list(i)
  end function

  logical function all_of(list)
    logical, intent(in) :: list(:)
    all_of = all(list)
  end function

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a, i0, 2a)', 'rank ', rank, ': not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 99)
  end subroutine

#define PART integer_1
#define NUMBERS integer(1)
#include "kinds_numbers.inc"
#define PART integer_2
#define NUMBERS integer(2)
#include "kinds_numbers.inc"
#define PART integer_4
#define NUMBERS integer(4)
#include "kinds_numbers.inc"
#define PART integer_8
#define NUMBERS integer(8)
#include "kinds_numbers.inc"
#define PART integer_16
#define NUMBERS integer(16)
#include "kinds_numbers.inc"
#define PART real_4
#define NUMBERS real(4)
#include "kinds_numbers.inc"
#define PART real_8
#define NUMBERS real(8)
#include "kinds_numbers.inc"
#define PART real_16
#define NUMBERS real(16)
#include "kinds_numbers.inc"
#define PART default_real
#define NUMBERS real
#include "kinds_numbers.inc"
#define PART default_double
#define NUMBERS double precision
#include "kinds_numbers.inc"
#define PART complex_4
#define NUMBERS complex(4)
#include "kinds_numbers.inc"
#define PART complex_8
#define NUMBERS complex(8)
#include "kinds_numbers.inc"
#define PART complex_16
#define NUMBERS complex(16)
#include "kinds_numbers.inc"
#define PART default_complex
#define NUMBERS complex
#include "kinds_numbers.inc"
#define PART default_double_complex
#define NUMBERS complex(kind(1d0))
#include "kinds_numbers.inc"
#ifndef __GFORTRAN__
#define PART real_2
#define NUMBERS real(2)
#include "kinds_numbers.inc"
#define PART complex_2
#define NUMBERS complex(2)
#include "kinds_numbers.inc"
#endif
#define PART integer_of_2
#define NUMBERS integer(selected_int_kind(2))
#include "kinds_numbers.inc"
#define PART integer_of_9
#define NUMBERS integer(selected_int_kind(9))
#include "kinds_numbers.inc"
#define PART integer_of_30
#define NUMBERS integer(selected_int_kind(30))
#include "kinds_numbers.inc"
#define PART real_of_6
#define NUMBERS real(selected_real_kind(6, 30))
#include "kinds_numbers.inc"
#define PART real_of_12
#define NUMBERS real(selected_real_kind(12, 30))
#include "kinds_numbers.inc"
#define PART real_of_18
#define NUMBERS real(selected_real_kind(18, 4000))
#include "kinds_numbers.inc"
#define PART real_of_30
#define NUMBERS real(selected_real_kind(30, 4000))
#include "kinds_numbers.inc"
#define PART complex_of_12
#define NUMBERS complex(selected_real_kind(12, 30))
#include "kinds_numbers.inc"
#define PART complex_of_18
#define NUMBERS complex(selected_real_kind(18, 30))
#include "kinds_numbers.inc"
#define PART logical_1
#define LOGICALS logical(1)
#include "kinds_logicals.inc"
#define PART logical_2
#define LOGICALS logical(2)
#include "kinds_logicals.inc"
#define PART logical_4
#define LOGICALS logical(4)
#include "kinds_logicals.inc"
#define PART logical_8
#define LOGICALS logical(8)
#include "kinds_logicals.inc"
#define PART default_logical
#define LOGICALS logical
#include "kinds_logicals.inc"
#ifdef __GFORTRAN__
#define PART logical_16
#define LOGICALS logical(16)
#include "kinds_logicals.inc"
#endif
end module

program kinds
  use mpi_f08
  use kind_tests
  implicit none
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  ops = [MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX]
  call by_name()
  call by_range()
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a)', 'passed with ', ranks, ' ranks'
  call MPI_Finalize()
end program
