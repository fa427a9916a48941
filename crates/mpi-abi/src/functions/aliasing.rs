//! Aliasing checks: buffers of a call that must not be the same memory.
//!
//! A rank's own data that is read from the address where it is written is easily noticed, and refused unless checks are
//! off. A search for any overlap has to look at all parts, so it is done only where all checks are on. It only compares
//! data that lies in one piece, since the pieces of other layouts may interleave.

use std::ffi::c_int;
use std::ops::Range;

use simurgh_mpi::check::Checks;
use simurgh_mpi::memory::{Parts, Source, Target, overlap};
use simurgh_mpi::{Comm, ErrorClass};

use crate::constants::MPI_PROC_NULL;
use crate::error::{CallError, Outcome};
use crate::handles::Rank;

/// The names of two buffers, and what to do if they are one.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    read: &'static str,
    written: &'static str,
    remedy: &'static str,
}

const fn pair(read: &'static str, written: &'static str, remedy: &'static str) -> Pair {
    Pair {
        read,
        written,
        remedy,
    }
}

pub(super) const SEND_IN_PLACE: Pair = pair(
    "sendbuf",
    "recvbuf",
    "pass MPI_IN_PLACE as sendbuf to replace the data",
);
pub(super) const RECEIVE_IN_PLACE: Pair = pair(
    "sendbuf",
    "recvbuf",
    "pass MPI_IN_PLACE as recvbuf to leave the root's part where it is",
);
pub(super) const NEVER: Pair = pair("sendbuf", "recvbuf", "use two buffers");
const REPLACED: Pair = pair("sendbuf", "recvbuf", "use MPI_Sendrecv_replace or two buffers");
pub(super) const LOCAL: Pair = pair("inbuf", "inoutbuf", "use two buffers");

/// A buffer, as a whole or with a part for each rank.
pub(super) trait Side {
    /// The lowest address of the data for a rank, if there is any.
    fn lowest_of(&self, rank: usize) -> Option<usize>;

    /// The address ranges of the data for so many ranks, as far as they are single pieces.
    fn byte_ranges_of(&self, ranks: usize) -> Vec<Range<usize>>;
}

macro_rules! sides {
    ($($buffer:ty),*) => { $(
        impl Side for $buffer {
            fn lowest_of(&self, _: usize) -> Option<usize> {
                self.lowest()
            }

            fn byte_ranges_of(&self, _: usize) -> Vec<Range<usize>> {
                self.byte_range().into_iter().collect()
            }
        }

        impl Side for Parts<$buffer> {
            fn lowest_of(&self, rank: usize) -> Option<usize> {
                self.part(rank)?.lowest()
            }

            fn byte_ranges_of(&self, ranks: usize) -> Vec<Range<usize>> {
                self.byte_ranges(ranks).collect()
            }
        }
    )* };
}

sides!(Source, Target);

/// Fails if the two buffers of a collective are the same memory.
pub(super) fn check(
    rank: Rank<'_>,
    comm: &Comm,
    (read, written): (Option<&impl Side>, Option<&impl Side>),
    pair: Pair,
) -> Outcome {
    let (Some(read), Some(written)) = (read, written) else {
        return Ok(());
    };
    // In an inter-communicator no rank receives its own data.
    if !comm.is_inter() {
        check_own(rank, comm.rank() as usize, (read, written), pair)?;
    }
    check_all(rank, (read, comm.peers()), (written, comm.peers()), pair)
}

/// Fails if two buffers without parts are the same memory.
pub(super) fn check_whole(rank: Rank<'_>, read: &Source, written: &Target, pair: Pair) -> Outcome {
    check_own(rank, 0, (read, written), pair)?;
    check_all(rank, (read, 1), (written, 1), pair)
}

/// Fails if the buffers of an exchange overlap, where all checks are on.
pub(super) fn check_exchange(
    rank: Rank<'_>,
    (sent, dest): (&Source, c_int),
    (received, source): (&Target, c_int),
) -> Outcome {
    if dest == MPI_PROC_NULL || source == MPI_PROC_NULL {
        return Ok(());
    }
    check_all(rank, (sent, 1), (received, 1), REPLACED)
}

/// Fails if a rank's own data is read from the address where it is written.
fn check_own(rank: Rank<'_>, own: usize, (read, written): (&impl Side, &impl Side), pair: Pair) -> Outcome {
    if rank.process.job().checks() == Checks::Off {
        return Ok(());
    }
    match read.lowest_of(own) {
        Some(found) if Some(found) == written.lowest_of(own) => Err(same(pair)),
        _ => Ok(()),
    }
}

/// Fails if any data is both read and written, where all checks are on. Each buffer comes with the number of its parts.
pub(super) fn check_all(
    rank: Rank<'_>,
    (read, sources): (&impl Side, usize),
    (written, targets): (&impl Side, usize),
    pair: Pair,
) -> Outcome {
    if rank.process.job().checks() < Checks::All {
        return Ok(());
    }
    match overlap(read.byte_ranges_of(sources), written.byte_ranges_of(targets)) {
        Some(common) => Err(overlapping(pair, &common)),
        None => Ok(()),
    }
}

#[cold]
fn same(
    Pair {
        read,
        written,
        remedy,
    }: Pair,
) -> Box<CallError> {
    let reason = format!("{read} and {written} are the same memory: {remedy}");
    CallError::new(ErrorClass::Buffer, reason)
}

#[cold]
fn overlapping(
    Pair {
        read,
        written,
        remedy,
    }: Pair,
    common: &Range<usize>,
) -> Box<CallError> {
    let (first, bytes) = (common.start, common.len());
    let reason = format!("{read} and {written} overlap in {bytes} bytes from {first:#x} on: {remedy}");
    CallError::new(ErrorClass::Buffer, reason)
}
