! The common parts of the programs on sections: checks that name the rank and the line, and numbers to compare.
module common
  use mpi_f08
  implicit none
  integer :: rank, ranks, left, right

contains

  subroutine begin()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
  end subroutine

  subroutine end_well()
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) write (*, '(a,i0,a)') 'passed with ', ranks, ' ranks'
    call MPI_Finalize()
  end subroutine

  subroutine check(so, what)
    logical, intent(in) :: so
    character(len=*), intent(in) :: what
    if (so) return
    write (0, '(a,i0,2a)') 'rank ', rank, ': not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 99)
    error stop
  end subroutine

  ! The numbers 1, 2, … in an array, different on each rank.
  function cube(of) result(all)
    integer, intent(in) :: of
    integer :: all(6, 5, 4), i
    all = reshape([(1000 * of + i, i = 1, size(all))], shape(all))
  end function
end module
