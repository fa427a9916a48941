//! Calls of the engine on slices of Rust values, on which the Rust interface (the root crate) is built.
//!
//! A [`Source`] or [`Target`] has no lifetime; in this crate the borrow checker ensures that its memory stays valid. A
//! blocking call borrows its slices until it returns, and a collective ([`Prepared`]) as long as it exists and runs. An
//! operation in flight borrows them for a scope ([`in_flight`]) that does not end before the operation is complete.
//! Persistent operations own their memory ([`Persistent`]).
//! Whatever other ranks do, bytes are moved only between data of [`Equivalence`] types, and only as many as both sides
//! have room for. So a program that mixes up its messages gets wrong numbers, but never corrupts memory.
//!
//! May depend on core, datatype and mpi.
//!
//! # Layers
//!
//! * `alone`: a job of one rank, for tests.
//! * `equivalence`: Rust types whose values have a datatype.
//! * `coded`: values of enums and the like as numbers.
//! * `located`: values with an index.
//! * `buffer`: slices and single values as buffers.
//! * `lent`: memory that is lent to an operation.
//! * `owned`: values on the heap that belong to an operation or to a window.
//! * `parts`: values that are cut into a part for each rank.
//! * `operator`: reduction operations on Rust values.
//! * `view`: data as calls take it, wherever its values lie.
//! * `prepared`: collectives that have not begun.
//! * `message`: blocking sends and receives.
//! * `operations`: operations in flight of one scope.
//! * `flight`: nonblocking operations, whose buffers are borrowed for a scope.
//! * `persistent`: operations that own their memory, and are started many times.
//! * `collective`: collectives that move data.
//! * `view_collective`: collectives on data of any layout.
//! * `neighbor`: collectives of neighbours.
//! * `reduction`: reductions and scans.
//! * `in_place`: collectives whose ranks have what they bring where they get the result.
//! * `window`: one-sided communication.
//! * `shared_window`: windows whose ranks share memory.
//! * `file`: accesses to files.
//! * `filetype`: which values of a file a rank sees.
//! * `representation`: data representations of the user.

#[cfg(test)]
mod alone;
mod buffer;
mod coded;
mod collective;
mod equivalence;
mod file;
mod filetype;
mod flight;
mod in_place;
mod lent;
mod located;
mod message;
mod neighbor;
mod operations;
mod operator;
mod owned;
mod parts;
mod persistent;
mod prepared;
mod reduction;
mod representation;
mod shared_window;
mod view;
mod view_collective;
mod window;

pub use buffer::{Buffer, BufferMut};
pub use coded::{Code, Coded};
pub use collective::{
    all_gather, all_gatherv, all_to_all, all_to_allv, barrier, broadcast, gather, gatherv, scatter, scatterv,
};
pub use equivalence::{Equivalence, once_for};
pub use file::{read_at, read_at_all, read_next, write_at, write_at_all, write_next};
pub use filetype::{Filetype, etype};
pub use flight::{Flight, FlightIn, Flights, in_flight, test_any, wait_any};
pub use in_place::{
    all_gather_in_place, all_gatherv_in_place, all_to_all_in_place, all_to_allv_in_place, exscan_in_place,
    gather_in_place, reduce_in_place, reduce_scatter_block_in_place, reduce_scatter_in_place, scan_in_place,
    scatter_in_place,
};
pub use lent::{Received, Sent};
pub use located::{Locatable, Located};
pub use message::{receive, receive_message, send, send_receive, send_receive_in_place};
pub use neighbor::{neighbor_all_gather, neighbor_all_gatherv, neighbor_all_to_all, neighbor_all_to_allv};
pub use operator::Operator;
pub use persistent::Persistent;
pub use prepared::Prepared;
pub use reduction::{all_reduce, exscan, reduce, reduce_local, reduce_scatter, reduce_scatter_block, scan};
pub use representation::{Conversion, Conversions};
pub use shared_window::{ReadGuard, SharedWindow, WriteGuard};
pub use simurgh_mpi::{LockKind, Mode, Positioning};
pub use view::{View, ViewMut};
pub use view_collective::{all_gather_view, all_to_all_view, broadcast_view, gather_view, scatter_view};
pub use window::{Attached, Window};

use simurgh_datatype::Datatype;
use simurgh_datatype::memory::{Source, Target};

/// Values whose bytes are all zero.
#[must_use]
pub fn zeros<T: Equivalence>(len: usize) -> Vec<T> {
    // SAFETY:
    // - any bytes make a value of an `Equivalence` type, and zeroed padding is allowed everywhere.
    let zero = unsafe { std::mem::zeroed::<T>() };
    vec![zero; len]
}

/// A slice as the source of an operation.
///
/// # Safety
///
/// * The slice stays borrowed until the operations that get the source are complete.
#[inline]
unsafe fn source<T: Equivalence>(values: &[T]) -> Source {
    // SAFETY:
    // - as demanded of the caller.
    unsafe { Sent::from(values).source() }
}

/// A slice as the target of an operation.
///
/// # Safety
///
/// * As for [`source`], and nobody uses the slice until then.
#[inline]
unsafe fn target<T: Equivalence>(values: &mut [T]) -> Target {
    // SAFETY:
    // - as demanded of the caller.
    unsafe { Received::from(values).target() }
}

/// The datatype of which one value is one element.
fn whole<T: Equivalence>() -> Datatype {
    if T::COUNT == 1 {
        return T::datatype();
    }
    Datatype::contiguous(T::COUNT, &T::datatype()).expect("a type that exists fits in memory")
}
