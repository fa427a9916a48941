! The last rank writes behind the end of an allocatable array, by an index that is not checked.
program out_of_bounds
  use mpi_f08
  implicit none
  integer :: rank, ranks
  real(8), allocatable :: field(:)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call make(field, 1000)
  call smooth(field, merge(1001, 1000, rank == ranks - 1))
  deallocate (field)
  call MPI_Finalize()

contains

  subroutine make(values, count)
    real(8), allocatable, intent(out) :: values(:)
    integer, intent(in) :: count
    allocate (values(count))
    values = 1
  end subroutine

  subroutine smooth(values, count)
    real(8), intent(inout) :: values(*)
    integer, intent(in) :: count
    integer :: i
    do i = 2, count
      values(i) = (values(i) + values(i - 1)) / 2 + rank
    end do
  end subroutine
end program
