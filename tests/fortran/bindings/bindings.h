! Words in which programs are written for all bindings of Fortran: mpif.h (MPIF_H), the module mpi (MPI_MODULE), the
! module mpi_f08 with plain counts (F08) and with large ones (F08 and LARGE).

#ifdef F08
#define HANDLE(of) type(of)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, many) type(MPI_Status) :: name(many)
#define SOURCE(status) status%MPI_SOURCE
#define TAG(status) status%MPI_TAG
#define ERROR(status) status%MPI_ERROR
#define SOURCE_OF(statuses, i) statuses(i)%MPI_SOURCE
#define TAG_OF(statuses, i) statuses(i)%MPI_TAG
#define NEXT_STATUS(statuses, i) statuses(i)
#else
#define HANDLE(of) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, many) integer :: name(MPI_STATUS_SIZE, many)
#define SOURCE(status) status(MPI_SOURCE)
#define TAG(status) status(MPI_TAG)
#define ERROR(status) status(MPI_ERROR)
#define SOURCE_OF(statuses, i) statuses(MPI_SOURCE, i)
#define TAG_OF(statuses, i) statuses(MPI_TAG, i)
#define NEXT_STATUS(statuses, i) statuses(:, i)
#endif

! Buffers of operations that go on are ASYNCHRONOUS. gfortran takes that with mpif.h, too; flang wants the interfaces of
! a module for it.
#if defined(MPIF_H) && !defined(__GFORTRAN__)
#define ASYNC , target
#define ASYNC_TARGET , target
#else
#define ASYNC , asynchronous
#define ASYNC_TARGET , asynchronous, target
#endif

#define CHECK(condition) call check(condition, __LINE__)
#define FAILS(class) call check_class(ierr, class, __LINE__)
