! Cartesian, graph and distributed graph topologies.
#include "bindings.h"
program topologies
  use bindings
  implicit none
  call begin()
  CHECK(ranks >= 4)
  call cartesian()
  call graph()
  call distributed_graph()
  call adjacent()
  call end_well()

contains

  subroutine cartesian()
    HANDLE(MPI_Comm) :: grid, row
    integer :: dims(2), found(2), place(2), number, kind, from, to, n
    logical :: periods(2)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    CHECK(product(dims) == ranks .and. dims(1) >= dims(2))
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierr)
    call MPI_Topo_test(grid, kind, ierr)
    call MPI_Cartdim_get(grid, number, ierr)
    CHECK(kind == MPI_CART .and. number == 2)
    call MPI_Cart_get(grid, 2, found, periods, place, ierr)
    CHECK(all(found == dims) .and. periods(1) .and. .not. periods(2))
    CHECK(all(place == [rank / dims(2), modulo(rank, dims(2))]))
    call MPI_Cart_rank(grid, place, number, ierr)
    CHECK(number == rank)
    call MPI_Cart_coords(grid, ranks - 1, 2, place, ierr)
    CHECK(all(place == dims - 1))
    call MPI_Cart_shift(grid, 0, 1, from, to, ierr)
    CHECK(to == modulo(rank + dims(2), ranks) .and. from == modulo(rank - dims(2), ranks))
    call MPI_Cart_shift(grid, 1, 1, from, to, ierr)
    CHECK(to == merge(MPI_PROC_NULL, rank + 1, modulo(rank, dims(2)) == dims(2) - 1))
    CHECK(from == merge(MPI_PROC_NULL, rank - 1, modulo(rank, dims(2)) == 0))
    call MPI_Cart_sub(grid, [.false., .true.], row, ierr)
    call MPI_Comm_size(row, number, ierr)
    call MPI_Comm_rank(row, n, ierr)
    CHECK(number == dims(2) .and. n == modulo(rank, dims(2)))
    call MPI_Cart_map(MPI_COMM_WORLD, 2, dims, [.true., .false.], number, ierr)
    CHECK(number >= 0 .and. number < ranks)
    call MPI_Comm_free(row, ierr)
    call MPI_Comm_free(grid, ierr)
  end subroutine

  ! A chain of three: 0 - 1 - 2.
  subroutine graph()
    HANDLE(MPI_Comm) :: chain
    integer :: nodes, edges, ends(3), neighbours(4), number, kind, found(2)
    call MPI_Graph_create(MPI_COMM_WORLD, 3, [1, 3, 4], [1, 0, 2, 1], .false., chain, ierr)
    CHECK((chain /= MPI_COMM_NULL) .eqv. rank < 3)
    call MPI_Graph_map(MPI_COMM_WORLD, 3, [1, 3, 4], [1, 0, 2, 1], number, ierr)
    CHECK(number == MPI_UNDEFINED .or. number >= 0 .and. number < 3)
    if (rank >= 3) return
    call MPI_Topo_test(chain, kind, ierr)
    call MPI_Graphdims_get(chain, nodes, edges, ierr)
    CHECK(kind == MPI_GRAPH .and. nodes == 3 .and. edges == 4)
    call MPI_Graph_get(chain, 3, 4, ends, neighbours, ierr)
    CHECK(all(ends == [1, 3, 4]) .and. all(neighbours == [1, 0, 2, 1]))
    call MPI_Graph_neighbors_count(chain, 1, number, ierr)
    CHECK(number == 2)
    call MPI_Graph_neighbors(chain, 1, 2, found, ierr)
    CHECK(all(found == [0, 2]))
    call MPI_Comm_free(chain, ierr)
  end subroutine

  ! Each rank names the edge to its right neighbour.
  subroutine distributed_graph()
    HANDLE(MPI_Comm) :: ring
    integer :: incoming, outgoing, kind, from(1), to(1), weight_from(1), weight_to(1)
    logical :: weighted
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], [right], [10 + rank], MPI_INFO_NULL, .false., ring, &
      ierr)
    call MPI_Topo_test(ring, kind, ierr)
    call MPI_Dist_graph_neighbors_count(ring, incoming, outgoing, weighted, ierr)
    CHECK(kind == MPI_DIST_GRAPH .and. incoming == 1 .and. outgoing == 1 .and. weighted)
    call MPI_Dist_graph_neighbors(ring, 1, from, weight_from, 1, to, weight_to, ierr)
    CHECK(from(1) == left .and. to(1) == right .and. weight_from(1) == 10 + left .and. weight_to(1) == 10 + rank)
    call MPI_Comm_free(ring, ierr)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], [right], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., &
      ring, ierr)
    call MPI_Dist_graph_neighbors_count(ring, incoming, outgoing, weighted, ierr)
    CHECK(.not. weighted)
    call MPI_Dist_graph_neighbors(ring, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, ierr)
    CHECK(from(1) == left .and. to(1) == right)
    call MPI_Comm_free(ring, ierr)
  end subroutine

  subroutine adjacent()
    HANDLE(MPI_Comm) :: ring
    integer :: incoming, outgoing, from(1), to(1), weight_from(1), weight_to(1), none(0)
    logical :: weighted
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], [7], 1, [right], [8], MPI_INFO_NULL, .false., &
      ring, ierr)
    call MPI_Dist_graph_neighbors(ring, 1, from, weight_from, 1, to, weight_to, ierr)
    CHECK(from(1) == left .and. to(1) == right .and. weight_from(1) == 7 .and. weight_to(1) == 8)
    call MPI_Comm_free(ring, ierr)
    ! Rank 0 alone has neighbours, itself; the weights of the others are empty.
    if (rank == 0) then
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [0], [1], 1, [0], [1], MPI_INFO_NULL, .false., ring, &
        ierr)
    else
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, none, MPI_WEIGHTS_EMPTY, 0, none, MPI_WEIGHTS_EMPTY, &
                                          MPI_INFO_NULL, .false., ring, ierr)
    end if
    call MPI_Dist_graph_neighbors_count(ring, incoming, outgoing, weighted, ierr)
    CHECK(weighted .and. incoming == merge(1, 0, rank == 0) .and. outgoing == incoming)
    call MPI_Comm_free(ring, ierr)
  end subroutine
end program
