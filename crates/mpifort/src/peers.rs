//! How many processes an array of a collective call is for, and where its arguments are significant.

use core::ffi::c_int;

use crate::foreign::*;

/// The processes that a collective call on the communicator of this integer exchanges data with: its members, or those
/// of the remote group.
pub(crate) fn all(comm: c_int) -> i64 {
    let comm = MPI_Comm::of(comm);
    let (mut inter, mut size) = (0, 0);
    // SAFETY:
    // - the results are stored in variables of this function.
    unsafe {
        PMPI_Comm_test_inter(comm, &raw mut inter);
        match inter {
            0 => PMPI_Comm_size(comm, &raw mut size),
            _ => PMPI_Comm_remote_size(comm, &raw mut size),
        };
    }
    size.into()
}

/// The neighbors from which a process receives.
pub(crate) fn sources(comm: c_int) -> i64 {
    neighbors(comm).0
}

/// The neighbors to which a process sends.
pub(crate) fn destinations(comm: c_int) -> i64 {
    neighbors(comm).1
}

fn neighbors(comm: c_int) -> (i64, i64) {
    let comm = MPI_Comm::of(comm);
    let (mut topology, mut count, mut other, mut weighted) = (MPI_UNDEFINED, 0, 0, 0);
    // SAFETY:
    // - the results are stored in variables of this function.
    unsafe {
        PMPI_Topo_test(comm, &raw mut topology);
        match topology {
            MPI_CART => {
                PMPI_Cartdim_get(comm, &raw mut count);
                let both = 2 * i64::from(count);
                (both, both)
            }
            MPI_GRAPH => {
                PMPI_Comm_rank(comm, &raw mut other);
                PMPI_Graph_neighbors_count(comm, other, &raw mut count);
                (count.into(), count.into())
            }
            MPI_DIST_GRAPH => {
                PMPI_Dist_graph_neighbors_count(comm, &raw mut count, &raw mut other, &raw mut weighted);
                (count.into(), other.into())
            }
            _ => (0, 0),
        }
    }
}

/// Whether a datatype is significant in a rooted collective, of which only the root needs it. One that needs no
/// conversion is taken for significant anywhere.
///
/// # Safety
///
/// The arguments are the addresses of `INTEGER`s.
#[inline(always)]
pub(crate) unsafe fn at_root(datatype: *const c_int, root: c_int, comm: *const c_int) -> bool {
    // SAFETY:
    // - the caller's promise.
    let (datatype, comm) = unsafe { (*datatype, *comm) };
    (0..4096).contains(&datatype) || is_root(root, MPI_Comm::of(comm))
}

/// Whether the calling process is the root of a rooted collective.
#[cold]
pub(crate) fn is_root(root: c_int, comm: MPI_Comm) -> bool {
    if root < 0 {
        return root == MPI_ROOT;
    }
    let (mut inter, mut rank) = (0, 0);
    // SAFETY:
    // - the results are stored in variables of this function.
    unsafe {
        PMPI_Comm_test_inter(comm, &raw mut inter);
        PMPI_Comm_rank(comm, &raw mut rank);
    }
    inter == 0 && rank == root
}
