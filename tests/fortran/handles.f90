! A program in Fortran whose parts in C (tests/c/fortran_parts.c) use MPI: each rank sends a row to the next.
program handles
  implicit none
  integer :: world, comm, row, request, rank, ranks, many, i
  integer :: status(8), got(4), given(4)
  call c_begin(world)
  call c_dup(world, comm)
  call c_size(comm, rank, ranks)
  call c_row(4, row)
  given = [(10 * rank + i, i = 1, 4)]
  got = 0
  call c_start_receive(got, row, mod(rank + ranks - 1, ranks), comm, request)
  call c_send(given, row, mod(rank + 1, ranks), comm)
  call c_wait(request, status)
  call c_count(status, row, many)
  if (status(1) /= mod(rank + ranks - 1, ranks) .or. status(2) /= 5 .or. many /= 1) error stop 'status'
  if (any(got /= [(10 * status(1) + i, i = 1, 4)])) error stop 'data'
  call c_end(comm, row)
  print '(a,i0,a,i0)', 'row received by rank ', rank, ' of ', ranks
end program
