! Ports and published names: the lower half of the ranks accepts, the upper half connects.
#include "bindings.h"
program ports
  use bindings
  implicit none
  character(len=MPI_MAX_PORT_NAME) :: port, found
  HANDLE(MPI_Comm) :: half, inter, parent, joined
  integer :: side, number, got
  call begin()
  call MPI_Comm_get_parent(parent, ierr)
  CHECK(parent == MPI_COMM_NULL)
  side = merge(0, 1, rank < ranks / 2)
  call MPI_Comm_split(MPI_COMM_WORLD, side, rank, half, ierr)
  call MPI_Comm_rank(half, number, ierr)
  port = repeat('x', len(port))
  found = ' '
  if (rank == 0) then
    call MPI_Open_port(MPI_INFO_NULL, port, ierr)
    CHECK(len_trim(port) > 0 .and. len_trim(port) < len(port))
    call MPI_Publish_name('fortran  ', MPI_INFO_NULL, port, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (side == 1 .and. number == 0) call MPI_Lookup_name('fortran', MPI_INFO_NULL, found, ierr)
  if (side == 0) then
    call MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, inter, ierr)
  else
    call MPI_Comm_connect(found, MPI_INFO_NULL, 0, half, inter, ierr)
  end if
  call MPI_Comm_remote_size(inter, got, ierr)
  CHECK(got == merge(ranks - ranks / 2, ranks / 2, side == 0))
  call MPI_Allreduce(rank, got, 1_ck, MPI_INTEGER, MPI_SUM, inter, ierr)
  CHECK(got == merge(sum_of(ranks / 2, ranks - 1), sum_of(0, ranks / 2 - 1), side == 0))
  call MPI_Comm_disconnect(inter, ierr)
  CHECK(inter == MPI_COMM_NULL)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call MPI_Unpublish_name('fortran', MPI_INFO_NULL, port, ierr)
    call MPI_Close_port(port, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end if
  call MPI_Comm_free(half, ierr)
  call over_a_socket()
  call end_well()

contains

  integer function sum_of(first, last)
    integer, intent(in) :: first, last
    sum_of = (first + last) * (last - first + 1) / 2
  end function

  ! Ranks 0 and 1 have a socket between them, which C makes.
  subroutine over_a_socket()
    use, intrinsic :: iso_c_binding, only: c_int
    interface
      integer(c_int) function test_process_number() bind(c)
        import :: c_int
      end function
      integer(c_int) function test_socket(listens, number) bind(c)
        import :: c_int
        integer(c_int), value :: listens, number
      end function
    end interface
    integer :: descriptor
    if (rank > 1) return
    if (rank == 0) then
      got = test_process_number()
      call MPI_Send(got, 1_ck, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(got, 1_ck, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
    descriptor = test_socket(1 - rank, got)
    CHECK(descriptor >= 0)
    call MPI_Comm_join(descriptor, joined, ierr)
    call MPI_Comm_remote_size(joined, got, ierr)
    CHECK(got == 1)
    call MPI_Sendrecv(rank, 1_ck, MPI_INTEGER, 0, 1, got, 1_ck, MPI_INTEGER, 0, 1, joined, MPI_STATUS_IGNORE, ierr)
    CHECK(got == 1 - rank)
    call MPI_Comm_disconnect(joined, ierr)
  end subroutine
end program
