//! Hosts of other launchers that those of this one cannot reach any more.
//!
//! Their launcher knows why, and the universe says so soon. If it does not, they are lost all the same.

use crate::supervise::Supervisor;
use crate::supervise::ending::Verdict;
use simurgh_net::transport::HostId;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Time in which the word of another launcher comes that its job has failed.
const PATIENCE: Duration = Duration::from_millis(400);

/// What is missed first, and until when another word may come.
#[derive(Default)]
pub(super) struct Missing(Option<Missed>);

/// A host that cannot be reached.
struct Missed {
    host: HostId,
    reason: String,
    until: Instant,
}

impl Missing {
    pub(super) fn until(&self) -> Option<Instant> {
        self.0.as_ref().map(|missed| missed.until)
    }

    /// These hosts are gone, and that is no loss.
    pub(super) fn forget(&mut self, gone: &Range<HostId>) {
        self.0.take_if(|missed| gone.contains(&missed.host));
    }
}

impl Supervisor<'_> {
    /// A host cannot reach one of another launcher. If none of the worlds here has to do with that one's, it is gone.
    pub(in crate::supervise) fn miss(&mut self, by: usize, host: HostId, reason: String) {
        if self.members[by].released {
            return;
        }
        let Some(abroad) = &mut self.abroad else { return };
        let Some(place) = abroad.peers.get(&host).and_then(|peer| peer.place) else {
            return;
        };
        if self.worlds.are_tied_to(place.world) {
            let until = Instant::now() + PATIENCE;
            abroad.missing.0.get_or_insert(Missed { host, reason, until });
        } else {
            self.part_with(host, 1);
        }
    }

    /// Ends the job if it has heard nothing more of a host that cannot be reached.
    pub(super) fn look_for_missing(&mut self) {
        let Some(abroad) = &mut self.abroad else { return };
        let is_over = |missed: &mut Missed| missed.until <= Instant::now();
        let Some(Missed { host, reason, .. }) = abroad.missing.0.take_if(is_over) else {
            return;
        };
        let place = abroad.peers.get(&host).and_then(|peer| peer.place);
        if place.is_some_and(|place| self.worlds.are_tied_to(place.world)) {
            let message = format!("a host of another mpiexec, with which this one is connected: {reason}");
            self.conclude(Verdict { status: 1, message });
        } else {
            self.part_with(host, 1);
        }
    }
}
