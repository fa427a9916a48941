//! Collective communication within a host.
//!
//! A collective is one meeting of the communicator's ranks (`board.rs`). Each lays descriptors of its buffers on the
//! table; a short one is done by the last rank to arrive before it releases the others, a longer one is shared: every
//! rank does its part after the release, and whoever's buffers others use waits until all have done theirs
//! (`meeting.rs`). Either way data goes once, straight from the users' buffers to the users' buffers.
//!
//! Reductions combine the ranks' data in rank order, each element by one rank alone, so results depend neither on the
//! scheduling nor on how the work was shared. A user's operation is called as the function of the rank that works.
//!
//! Buffers with a part for each rank are [`Parts`](crate::memory::Parts): evenly spaced ones make `MPI_Gather`, ones
//! given one by one make `MPI_Gatherv`; so each method here serves both, and `alltoall` serves `MPI_Alltoallw` too.
//! `None` in place of a buffer is `MPI_IN_PLACE`, or a buffer that means nothing at this rank.

mod alltoall;
mod board;
mod broadcast;
mod call;
mod fold;
mod gather;
mod meeting;
mod reduce;
mod scan;
mod scatter;

pub use board::Board;

use board::Offers;
use call::Call;
use meeting::{Offer, Share};

use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Source, Target, transfer};
use crate::tool;

impl Comm {
    /// Waits until all ranks, of both groups of an inter-communicator, have called it (`MPI_Barrier`).
    ///
    /// # Errors
    ///
    /// When other ranks are in different collective calls.
    pub fn barrier(&self) -> Result<()> {
        tool::collective(self.process(), "MPI_Barrier");
        self.board().barrier(self.seat())
    }

    /// The calling rank, as an index.
    fn index(&self) -> usize {
        self.rank() as usize
    }

    /// Takes part in a collective without a root, whose work uses every rank's buffers.
    fn meet(
        &self,
        call: Call,
        offer: Offer,
        perform: impl Fn(Offers<'_>, Share) -> Result<()>,
    ) -> Result<()> {
        self.check_intra()?;
        tool::collective(self.process(), call.name());
        self.board()
            .collect(self.index(), call, offer, true, self.alone_limit(), perform)
    }

    /// Takes part in a collective with a root; `lends` says whether others use this rank's buffers.
    fn meet_at(
        &self,
        call: Call,
        root: usize,
        offer: Offer,
        lends: bool,
        perform: impl Fn(Offers<'_>, Share) -> Result<()>,
    ) -> Result<()> {
        self.check_intra()?;
        tool::collective(self.process(), call.name());
        let (rank, call, alone) = (self.index(), call.at(root), self.alone_limit());
        self.board().collect(rank, call, offer, lends, alone, perform)
    }

    fn alone_limit(&self) -> usize {
        self.process().job().alone_limit()
    }
}

/// Moves the data of rank `from` to rank `to`.
fn deliver(source: Option<Source>, from: usize, target: Option<Target>, to: usize) -> Result<()> {
    let (Some(source), Some(target)) = (source, target) else {
        return Err(no_buffer(from, to));
    };
    if transfer(&source, &target).truncated {
        return Err(truncated(&source, from, &target, to));
    }
    Ok(())
}

#[cold]
fn truncated(source: &Source, from: usize, target: &Target, to: usize) -> Error {
    let (bytes, room) = (source.bytes(), target.bytes());
    Error::new(
        ErrorClass::Truncate,
        format!(
            "rank {from} gives {bytes} bytes to rank {to}, which has room for {room}: make the counts agree"
        ),
    )
}

#[cold]
fn no_buffer(from: usize, to: usize) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!("nothing can go from rank {from} to rank {to}: one of them gave no buffer for it"),
    )
}

/// The error of a rank that may not work in place.
#[cold]
fn not_in_place(rank: i32, root: i32) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!("rank {rank} gives MPI_IN_PLACE for its buffer, but only the root, rank {root}, may"),
    )
}
