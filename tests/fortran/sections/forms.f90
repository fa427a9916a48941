! Sections of more forms than datatypes are kept for, in calls that need two of them; by one thread, then by several
! ones at the same time, then by one again.
program forms
  use common
  implicit none
  integer :: provided, thread
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call check(provided == MPI_THREAD_MULTIPLE, 'threads')
  call exchange(0)
  !$omp parallel do num_threads(3)
  do thread = 1, 3
    call exchange(thread)
  end do
  call exchange(0)
  call end_well()

contains

  recursive subroutine exchange(tag)
    integer, intent(in) :: tag
    integer, parameter :: edge = 20
    integer :: from(edge, edge), theirs(edge, edge), to(edge, edge), i, rows, columns, round
    from = reshape([(10000 * rank + 1000 * tag + i, i = 1, size(from))], shape(from))
    theirs = from + 10000 * (left - rank)
    do round = 1, 2
      do columns = 2, edge - 1
        do rows = 2, edge - 1
          to = 0
          call MPI_Sendrecv(from(:rows, :columns), rows * columns, MPI_INTEGER, right, tag, &
            to(:columns, 2:rows + 1), rows * columns, MPI_INTEGER, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
          call check(all(pack(to(:columns, 2:rows + 1), .true.) == pack(theirs(:rows, :columns), .true.)), 'a part')
          call check(count(to /= 0) == rows * columns, 'the rest is left alone')
        end do
      end do
    end do
  end subroutine
end program
