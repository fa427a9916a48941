//! Hosts of other launchers that hosts here cannot reach any more.
//!
//! Their launcher knows the reason, and the universe passes it on soon. If it does not, the hosts count as lost.

use crate::supervise::Supervisor;
use crate::supervise::phase::Verdict;
use simurgh_net::HostId;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The time in which the reason comes from another launcher.
const PATIENCE: Duration = Duration::from_millis(400);

/// The hosts that cannot be reached.
#[derive(Default)]
pub(super) struct UnreachableHosts(BTreeMap<HostId, Unreachable>);

/// A host that cannot be reached.
struct Unreachable {
    /// The reason, in words that follow its name.
    reason: String,
    /// When it counts as lost.
    until: Instant,
}

impl UnreachableHosts {
    /// Adds a host. If there are several reports, the first one counts.
    fn add(&mut self, host: HostId, reason: String, now: Instant) {
        let until = now + PATIENCE;
        self.0.entry(host).or_insert(Unreachable { reason, until });
    }

    /// When the next one counts as lost.
    pub(super) fn until(&self) -> Option<Instant> {
        self.0.values().map(|missed| missed.until).min()
    }

    /// Forgets hosts whose end has been announced.
    pub(super) fn forget(&mut self, gone: &Range<HostId>) {
        self.0.retain(|host, _| !gone.contains(host));
    }

    /// A host that counts as lost, with the reason.
    fn take(&mut self, now: Instant) -> Option<(HostId, String)> {
        let (&host, _) = self.0.iter().find(|(_, missed)| missed.until <= now)?;
        self.0.remove(&host).map(|missed| (host, missed.reason))
    }
}

impl Supervisor<'_> {
    /// A host cannot reach one of another launcher. It is forgotten if no world here is connected with its world.
    pub(in crate::supervise) fn report_unreachable(&mut self, by: usize, host: HostId, reason: String) {
        if self.members[by].released {
            return;
        }
        let is_connected = self.is_connected_with(host);
        match &mut self.other_jobs {
            Some(other_jobs) if is_connected => other_jobs.unreachable.add(host, reason, Instant::now()),
            _ => self.forget_hosts_of_others(host, 1),
        }
    }

    /// Ends the job if a host counts as lost.
    pub(super) fn check_unreachable(&mut self) {
        let lost = |unreachable: &mut UnreachableHosts| unreachable.take(Instant::now());
        while let Some((host, reason)) = self
            .other_jobs
            .as_mut()
            .and_then(|other_jobs| lost(&mut other_jobs.unreachable))
        {
            if self.is_connected_with(host) {
                let message =
                    format!("a host of another mpiexec, with which this one is connected: {reason}");
                self.conclude(Verdict { status: 1, message });
            } else {
                self.forget_hosts_of_others(host, 1);
            }
        }
    }

    /// Whether the world of a host of another launcher is connected with one here that has not been released.
    fn is_connected_with(&self, host: HostId) -> bool {
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
        let (mut unreachable, now) = (UnreachableHosts::default(), Instant::now());
        for (host, reason) in [(7, "first"), (9, "other"), (7, "later")] {
            unreachable.add(host, reason.to_owned(), now);
        }
        assert_eq!(
            (unreachable.until(), unreachable.take(now)),
            (Some(now + PATIENCE), None)
        );
        unreachable.forget(&(8..10));
        let then = now + PATIENCE;
        assert_eq!(unreachable.take(then), Some((7, "first".to_owned())));
        assert_eq!((unreachable.take(then), unreachable.until()), (None, None));
    }
}
