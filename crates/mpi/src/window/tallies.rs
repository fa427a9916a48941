//! The end of epochs of post and start without replies.
//!
//! A target takes part in the end of such an epoch. So its process need not reply that it has handled the requests of
//! the epoch, and the origin need not wait until it has: the origin tells it how many it has sent to that process so
//! far, in memory that the processes of the node share (`NodeControl`), before it says that its accesses are over. The
//! target waits until so many have been handled. They have come by then: most have been handled while the target waited
//! for the others. When the origin begins another epoch, it waits first: its accesses keep their order.
//!
//! Fences are no such ends: a third rank may access the target as soon as it has passed the fence itself.
//!
//! This is done where each rank has a process of its own, and all processes share that memory; and in epochs in which
//! nothing but puts and accumulates has been sent, since an origin waits for what it gets. Requests that may still wait
//! in the origin's process, for want of room on their way, are waited for as well: the target would have to wait until
//! the origin makes its next call.
//!
//! Costs: a store for each target that has been accessed, and a look at as many words as there are ranks.

use super::Window;
use super::access_log::Ends;
use super::open::EpochKind;
use super::shared::WindowShared;
use crate::error::Result;
use simurgh_core::{SharedTally, spin_while_idle, yield_now};

impl WindowShared {
    /// What the ranks tell the process of a rank, if they share memory for it.
    fn tallies_to(&self, seat: u32) -> Option<&[SharedTally]> {
        let control = self.process_control()?;
        Some(control.tallies(seat as usize))
    }
}

impl Window {
    /// Whether the rank is in an epoch at whose end it meets its targets, or does not wait for them.
    #[inline]
    pub(super) fn ends_at_targets(&self) -> bool {
        let is_start = self.open.is(EpochKind::Start);
        self.open.is(EpochKind::Fence) || is_start && self.shared.process_control().is_some()
    }

    /// Waits for what has been sent in the last epoch, if its targets only wait for that themselves.
    #[inline]
    pub(super) fn settle(&self) -> Result<()> {
        let is_unsettled = self.epochs().take_unsettled();
        if is_unsettled {
            self.flush_hosts(Ends::Nothing)
        } else {
            Ok(())
        }
    }

    /// Ends the rank's operations in an epoch of `MPI_Win_start`, at whose end the targets call
    /// [`Window::await_requests`].
    pub(super) fn end_requests(&self) -> Result<()> {
        if self.tell_requests().is_none() {
            return self.flush_hosts(Ends::Nothing);
        }
        self.pace.end();
        self.await_transfers(None)
    }

    /// Sends what waits, and tells the targets how much has been sent. None if nothing has been, or replies have to be
    /// awaited.
    fn tell_requests(&self) -> Option<()> {
        let is_possible = self.shared.process_control().is_some() && self.is_told_by_replies();
        let own = is_possible.then(|| self.comm.seat())?;
        let dirty = self.epochs().take_unreplied()?;
        dirty.iter().for_each(|dirty| self.send_waiting(dirty.host));
        let mut told = Some(());
        for (seat, part) in (0..).zip(self.shared.parts()) {
            let place = dirty.binary_search_by_key(&part.host(), |dirty| dirty.host);
            if place.is_err() {
                continue;
            }
            match self.network().requests_sent(part.host()) {
                Some(sent) => self.shared.tallies_to(seat)?[own].tell(sent),
                None => told = None,
            }
        }
        self.epochs().leave_unsettled(dirty);
        told
    }

    /// Waits until the requests of which other ranks have told have been handled.
    pub(super) fn await_requests(&self) {
        let own = self.comm.seat() as u32;
        for (seat, tally) in (0..).zip(self.shared.tallies_to(own).unwrap_or_default()) {
            while let Some(sent) = tally.told() {
                let host = self.shared.part(seat).host();
                let is_over = || self.network().has_handled(host, sent);
                while !is_over() && !spin_while_idle(is_over) {
                    yield_now();
                }
                tally.forget(sent);
            }
        }
    }
}
