C     Includes mpif.h in fixed form.
      program hello
      implicit none
      include 'mpif.h'
      integer rank, size, ierror
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
      write (*, '(A, I0, A, I0)') 'hello from rank ', rank, ' of ', size
      call MPI_FINALIZE(ierror)
      end
