//! Which transport leads to which host.

use super::OpenTransports;
use crate::host::error::HostError;
use simurgh_net::HostId;
use simurgh_net::job::{JobSpec, Origin, Place};
use simurgh_settings::Id;
use std::ops::Range;

/// Names of transports, as in the setting.
const SHM: &str = "shm";
pub(super) const OFI: &str = "ofi";

/// What leads to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Route {
    Shm,
    Ofi,
}

impl Route {
    /// What leads from the host of this description to another one, as the setting and their nodes say.
    pub(in crate::host) fn to(spec: &JobSpec, host: HostId, node: u32) -> Result<Self, HostError> {
        let together = spec.node_in_universe() == node;
        match spec.settings.show(Id::Transport).as_str() {
            SHM if !together => Err(HostError::OtherNode { host }),
            OFI => Ok(Self::Ofi),
            _ if together => Ok(Self::Shm),
            _ => Ok(Self::Ofi),
        }
    }
}

/// The hosts of the job, in the order of their numbers.
pub(in crate::host) fn own_world(spec: &JobSpec) -> impl Iterator<Item = (HostId, Place)> {
    (spec.origin.first_host..).zip(spec.places())
}

/// The other hosts of the job.
pub(super) fn others_of_world(spec: &JobSpec) -> impl Iterator<Item = (HostId, Place)> {
    let own = spec.host_in_universe();
    own_world(spec).filter(move |(host, _)| *host != own)
}

/// What leads to the other hosts that there may be when the one of this description is connected with them.
pub(super) fn needed(spec: &JobSpec) -> Result<Vec<Route>, HostError> {
    let world = others_of_world(spec).map(|(host, place)| (host, place.node));
    let others = (0..).zip(&spec.origin.neighbours);
    let realm = spec.origin.realm;
    // The lowest number stands for the hosts of other jobs.
    let others = others
        .filter(|(_, hosts)| **hosts > 0)
        .map(|(node, _)| (0, realm.number(node)));
    world
        .chain(others)
        .map(|(host, node)| Route::to(spec, host, node))
        .collect()
}

/// Whether there may be hosts of other launchers when the host of this description is connected with others: who is
/// started by ranks of a universe knows those whom its parents know.
pub(super) fn may_have_foreign(spec: &JobSpec) -> bool {
    let Origin { realm, parent, .. } = &spec.origin;
    !realm.is_alone() && parent.is_some() && spec.settings.show(Id::Transport) != SHM
}

/// The hosts to which each transport leads.
pub(in crate::host) struct Routes {
    pub(in crate::host) shm: Vec<HostId>,
    pub(in crate::host) ofi: Vec<HostId>,
}

impl Routes {
    /// Those from the host of this description to these.
    pub(in crate::host) fn to(
        spec: &JobSpec,
        hosts: impl IntoIterator<Item = (HostId, Place)>,
    ) -> Result<Self, HostError> {
        let mut routes = Self {
            shm: Vec::new(),
            ofi: Vec::new(),
        };
        for (host, place) in hosts {
            match Route::to(spec, host, place.node)? {
                Route::Shm => routes.shm.push(host),
                Route::Ofi => routes.ofi.push(host),
            }
        }
        Ok(routes)
    }

    /// Checks that there is a door for each.
    pub(super) fn check_opened(self, open: &OpenTransports) -> Result<Self, HostError> {
        let shm = self.shm.first().filter(|_| open.shm.is_none());
        let ofi = self.ofi.first().filter(|_| open.ofi.is_none());
        match shm.or(ofi) {
            Some(&host) => Err(HostError::Unreachable { host }),
            None => Ok(self),
        }
    }
}

/// The hosts of the job.
pub(in crate::host) fn world(spec: &JobSpec) -> Range<HostId> {
    let first = spec.origin.first_host;
    first..first + spec.hosts.len() as HostId
}
