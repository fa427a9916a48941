! A library that a program loads while it runs. It passes variables that MPI knows by their addresses.
function works() result(right) bind(C)
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer(c_int) :: right
  integer, save :: calls = 0
  integer :: rank, ranks, total, from_bottom
  integer(MPI_ADDRESS_KIND) :: address
  type(MPI_Datatype) :: there
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  from_bottom = -1
  call MPI_Get_address(from_bottom, address)
  call MPI_Type_create_hindexed(1, [1], [address], MPI_INTEGER, there)
  call MPI_Type_commit(there)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 5, MPI_BOTTOM, 1, there, &
    modulo(rank - 1, ranks), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_F_sync_reg(from_bottom)
  call MPI_Type_free(there)
  ! Each rank has its own variables.
  calls = calls + rank + 1
  right = 0
  if (total == ranks * (ranks - 1) / 2 .and. from_bottom == modulo(rank - 1, ranks) .and. calls == rank + 1) right = 1
end function
