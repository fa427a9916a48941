! As tests/c/footprint.c, in Fortran: a program that uses its run-time library and MPI a little.
program footprint
  use mpi_f08
  implicit none
  real(8) :: numbers(100), total
  character(80) :: line
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call random_number(numbers)
  call MPI_Allreduce(sum(numbers), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  write (line, '(i0, f12.3)') rank, total
  if (len_trim(line) == 0) print *, 'nothing written'
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) call tell_footprint()
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program
