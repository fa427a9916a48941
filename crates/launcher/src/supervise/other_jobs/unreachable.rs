//! Hosts of other launchers that those of this one cannot reach any more.
//!
//! Their launcher knows why, and the universe says so soon. If it does not, they are lost all the same.

use crate::supervise::Supervisor;
use crate::supervise::phase::Verdict;
use simurgh_net::HostId;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Time in which the word of another launcher comes that its job has failed.
const PATIENCE: Duration = Duration::from_millis(400);

/// Hosts that are missed.
#[derive(Default)]
pub(super) struct UnreachableHosts(BTreeMap<HostId, Unreachable>);

/// What is known of a host that cannot be reached.
struct Unreachable {
    /// Why it is missed, in words that follow its name.
    reason: String,
    /// Until when another word may come.
    until: Instant,
}

impl UnreachableHosts {
    /// Another one is missed. What is said first counts.
    fn add(&mut self, host: HostId, reason: String, now: Instant) {
        let until = now + PATIENCE;
        self.0.entry(host).or_insert(Unreachable { reason, until });
    }

    /// When the first of them is lost.
    pub(super) fn until(&self) -> Option<Instant> {
        self.0.values().map(|missed| missed.until).min()
    }

    /// These hosts are gone, and that is no loss.
    pub(super) fn forget(&mut self, gone: &Range<HostId>) {
        self.0.retain(|host, _| !gone.contains(host));
    }

    /// One that is lost, and why.
    fn take(&mut self, now: Instant) -> Option<(HostId, String)> {
        let (&host, _) = self.0.iter().find(|(_, missed)| missed.until <= now)?;
        self.0.remove(&host).map(|missed| (host, missed.reason))
    }
}

impl Supervisor<'_> {
    /// A host cannot reach one of another launcher. If none of the worlds here has to do with that one's, it is gone.
    pub(in crate::supervise) fn miss(&mut self, by: usize, host: HostId, reason: String) {
        if self.members[by].released {
            return;
        }
        let is_connected = self.has_to_do_with(host);
        match &mut self.other_jobs {
            Some(other_jobs) if is_connected => other_jobs.missing.add(host, reason, Instant::now()),
            _ => self.part_with(host, 1),
        }
    }

    /// Ends the job if it has heard nothing more of a host that cannot be reached.
    pub(super) fn look_for_missing(&mut self) {
        let lost = |missing: &mut UnreachableHosts| missing.take(Instant::now());
        while let Some((host, reason)) = self
            .other_jobs
            .as_mut()
            .and_then(|other_jobs| lost(&mut other_jobs.missing))
        {
            if self.has_to_do_with(host) {
                let message =
                    format!("a host of another mpiexec, with which this one is connected: {reason}");
                self.conclude(Verdict { status: 1, message });
            } else {
                self.part_with(host, 1);
            }
        }
    }

    /// Whether a world that has not been let go has to do with that of another launcher's host.
    fn has_to_do_with(&self, host: HostId) -> bool {
        let peer = self
            .other_jobs
            .as_ref()
            .and_then(|other_jobs| other_jobs.peers.get(&host));
        let place = peer.and_then(|peer| peer.place);
        place.is_some_and(|place| self.worlds.are_connected_to(place.world))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_lost_if_nothing_else_is_heard_of_it_in_time() {
        let (mut missing, now) = (UnreachableHosts::default(), Instant::now());
        for (host, reason) in [(7, "first"), (9, "other"), (7, "later")] {
            missing.add(host, reason.to_owned(), now);
        }
        assert_eq!((missing.until(), missing.take(now)), (Some(now + PATIENCE), None));
        missing.forget(&(8..10));
        let then = now + PATIENCE;
        assert_eq!(missing.take(then), Some((7, "first".to_owned())));
        assert_eq!((missing.take(then), missing.until()), (None, None));
    }
}
