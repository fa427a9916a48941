//! The predefined datatypes by handle.
//!
//! One table serves all ranks of the process, so that a lookup is one load, which is on the path of every message. A
//! rank may declare that its Fortran compiler has other types. The datatypes concerned then lose their entries here,
//! for all ranks, and what they are is asked of the calling rank: see [`Fortran`](super::fortran::Fortran).

use simurgh_core::sync::{AtomicU16, Ordering};
use simurgh_mpi::datatype::Basic;

use crate::constants::MPI_DATATYPE_NULL;
use crate::types::MPI_Datatype;

/// Handles of predefined datatypes lie in one page of this many numbers, which begins with the null handle.
const PAGE: usize = 256;

/// No datatype has this value.
const NONE: u16 = 0;

/// The datatypes in their usual sizes.
static USUAL: [Option<Basic>; PAGE] = {
    let mut table = [None; PAGE];
    let mut next = 0;
    while next < Basic::ALL.len() {
        let basic = Basic::ALL[next];
        table[place_of(basic)] = Some(basic);
        next += 1;
    }
    table
};

/// The values of the datatypes that are the usual ones at all ranks.
static AT_ALL_RANKS: [AtomicU16; PAGE] = {
    let mut table = [const { AtomicU16::new(NONE) }; PAGE];
    let mut next = 0;
    while next < Basic::ALL.len() {
        let basic = Basic::ALL[next];
        table[place_of(basic)] = AtomicU16::new(basic as u16);
        next += 1;
    }
    table
};

/// The place of a datatype of usual size.
const fn place_of(basic: Basic) -> usize {
    basic as usize - MPI_DATATYPE_NULL.0
}

/// The predefined datatype with this handle, if it is the usual one at all ranks.
#[inline]
pub(super) fn predefined(handle: MPI_Datatype) -> Option<Basic> {
    let place = handle.0.wrapping_sub(MPI_DATATYPE_NULL.0);
    // Relaxed: an entry that has gone only leads to the rank's own declarations. A rank sees its own change.
    match AT_ALL_RANKS.get(place)?.load(Ordering::Relaxed) {
        NONE => None,
        // SAFETY:
        // - every entry is `NONE` or the value of a `Basic`, whose representation is `u64`.
        value => Some(unsafe { std::mem::transmute::<u64, Basic>(value.into()) }),
    }
}

/// The predefined datatype with this handle as it is without declarations.
#[inline]
pub(super) fn usual(handle: MPI_Datatype) -> Option<Basic> {
    let place = handle.0.wrapping_sub(MPI_DATATYPE_NULL.0);
    USUAL.get(place).copied().flatten()
}

/// Makes the calls of all ranks ask what this datatype is.
pub(super) fn depends_on_rank(basic: Basic) {
    if let Some(entry) = AT_ALL_RANKS.get(place_of(basic.usual())) {
        entry.store(NONE, Ordering::Relaxed);
    }
}
