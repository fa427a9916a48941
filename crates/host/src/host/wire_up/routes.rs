//! Routes: which transport leads to which host.

use super::OpenTransports;
use crate::host::error::HostError;
use simurgh_net::HostId;
use simurgh_net::job::{JobSpec, Origin, Place};
use simurgh_settings::Id;
use std::ops::Range;

/// Names of transports, as in the setting.
const SHM: &str = "shm";
pub(super) const OFI: &str = "ofi";

/// The transport that leads to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Route {
    Shm,
    Ofi,
}

impl Route {
    /// The route from the host of `spec` to another one, by the setting `transport` and the nodes of both.
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

/// The routes that may be needed when the host of `spec` is connected with the others: those of its own world, and of
/// the worlds that are there already.
pub(super) fn needed(spec: &JobSpec) -> Result<Vec<Route>, HostError> {
    let world = others_of_world(spec).map(|(host, place)| (host, place.node));
    let others = (0..).zip(&spec.origin.neighbours);
    let realm = spec.origin.realm;
    // Number 0 stands for any host of another world on that node.
    let others = others
        .filter(|(_, hosts)| **hosts > 0)
        .map(|(node, _)| (0, realm.number(node)));
    world
        .chain(others)
        .map(|(host, node)| Route::to(spec, host, node))
        .collect()
}

/// Whether the host of `spec` may have to reach hosts of other launchers. The ranks of a universe that start it may
/// know such hosts, and a started world knows all hosts that its parents know.
pub(super) fn may_have_foreign(spec: &JobSpec) -> bool {
    let Origin { realm, parent, .. } = &spec.origin;
    !realm.is_alone() && parent.is_some() && spec.settings.show(Id::Transport) != SHM
}

/// The hosts by the transport that leads to them.
pub(in crate::host) struct Routes {
    pub(in crate::host) shm: Vec<HostId>,
    pub(in crate::host) ofi: Vec<HostId>,
}

impl Routes {
    /// The routes from the host of `spec` to these hosts.
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

    /// Fails if a transport that is needed has not been opened.
    pub(super) fn check_opened(self, open: &OpenTransports) -> Result<Self, HostError> {
        let shm = self.shm.first().filter(|_| open.shm.is_none());
        let ofi = self.ofi.first().filter(|_| open.ofi.is_none());
        match shm.or(ofi) {
            Some(&host) => Err(HostError::Unreachable { host }),
            None => Ok(self),
        }
    }
}

/// The numbers of the hosts of this world.
pub(in crate::host) fn world(spec: &JobSpec) -> Range<HostId> {
    let first = spec.origin.first_host;
    first..first + spec.hosts.len() as HostId
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::host::description::own_job;
    use simurgh_net::encoding::Bytes;
    use simurgh_net::job::Realm;
    use simurgh_settings::Values;
    use std::ffi::OsStr;

    /// The second of three hosts in a realm; the last two are on one node. All use this transport.
    pub(in super::super) fn host(realm: Realm, transport: &str) -> JobSpec {
        let variable = |name: &OsStr| (name == "SIMURGH_TRANSPORT").then(|| transport.into());
        let settings = Values::from_environment(variable).unwrap();
        let mut spec = own_job(1, &[0, 1, 1], settings).unwrap();
        spec.origin.realm = realm;
        spec.origin.first_host = realm.number(0);
        spec
    }

    #[test]
    fn hosts_of_other_launchers_are_reached_over_the_network() {
        let (own, other) = (Realm(2), Realm(3));
        let to = |realm: Realm, node, transport| {
            Route::to(&host(own, transport), realm.number(9), realm.number(node))
        };
        assert_eq!(to(own, 1, "auto").unwrap(), Route::Shm);
        assert_eq!(to(own, 0, "auto").unwrap(), Route::Ofi);
        assert_eq!(to(other, 1, "auto").unwrap(), Route::Ofi);
        assert_eq!(to(own, 1, "ofi").unwrap(), Route::Ofi);
        assert!(to(other, 1, "shm").is_err());
    }

    #[test]
    fn who_is_started_in_a_universe_may_know_hosts_of_others() {
        let child = |realm, transport| {
            let mut spec = host(realm, transport);
            spec.origin.parent = Some(Bytes(vec![1]));
            may_have_foreign(&spec)
        };
        assert!(child(Realm(2), "auto") && child(Realm(2), "ofi"));
        assert!(!child(Realm(2), "shm") && !child(Realm::default(), "auto"));
        assert!(!may_have_foreign(&host(Realm(2), "auto")));
    }
}
