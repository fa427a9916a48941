! Partitioned communication round a ring: partitions are made ready one by one, by lists and by ranges.
#include "bindings.h"
program partitioned
  use bindings
  implicit none
  integer, parameter :: parts = 6
  integer(MPI_COUNT_KIND), parameter :: many = 4
  integer ASYNC :: given(many, parts), got(many, parts)
  integer :: round, i
  logical :: there
  HANDLE(MPI_Request) :: requests(2)
  call begin()
  call MPI_Psend_init(given, parts, many, MPI_INTEGER, modulo(rank + 1, ranks), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      requests(1), ierr)
  call MPI_Precv_init(got, parts, many, MPI_INTEGER, modulo(rank - 1, ranks), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      requests(2), ierr)
  do round = 1, 2
    got = -1
    given = reshape([(1000 * rank + 100 * round + i, i = 1, size(given))], shape(given))
    call MPI_Startall(2, requests, ierr)
    call MPI_Pready(5, requests(1), ierr)
    call MPI_Pready_list(2, [4, 0], requests(1), ierr)
    call MPI_Pready_range(1, 3, requests(1), ierr)
    there = .false.
    do while (.not. there)
      call MPI_Parrived(requests(2), 2, there, ierr)
    end do
    CHECK(got(1, 3) == 1000 * modulo(rank - 1, ranks) + 100 * round + 9)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    CHECK(all(pack(got, .true.) == [(1000 * modulo(rank - 1, ranks) + 100 * round + i, i = 1, size(got))]))
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
  call end_well()
end program
