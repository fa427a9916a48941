//! How this host is connected with the others.
//!
//! Before it knows them, it opens a door for each transport that will be needed, and tells the launcher how to get
//! there; when it has been told of theirs, it makes a fabric of them all.

use super::control::Control;
use super::error::HostError;
use super::introduced::Introduced;
use super::job::newcomer;
use simurgh_mpi::Job;
use simurgh_net::Fabric;
use simurgh_net::control::{Address, Bytes, FromHost, Hello, Peer, VERSION};
use simurgh_net::job::{JobSpec, Origin, Place};
use simurgh_net::transport::ofi::{Authenticate, Choice, Joining, Ofi, OfiPort};
use simurgh_net::transport::{HostId, Shm, ShmNeighbours, Transport};
use simurgh_settings::Id;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Names of transports, as in the setting.
const SHM: &str = "shm";
const OFI: &str = "ofi";

/// The transports of this host, before it knows the others.
pub(super) struct Doors {
    control: &'static Control,
    shm: Option<Shm>,
    ofi: Option<OfiPort>,
}

/// The transports of this host that lead to others.
#[derive(Default)]
pub(super) struct Ways {
    pub(super) shm: Option<Arc<Shm>>,
    pub(super) ofi: Option<Arc<Ofi>>,
}

/// What leads to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Shm,
    Ofi,
}

impl Way {
    /// What leads from the host of this description to another one, as the setting and their nodes say.
    pub(super) fn to(spec: &JobSpec, host: HostId, node: u32) -> Result<Self, HostError> {
        let together = spec.node_in_universe() == node;
        match spec.settings.show(Id::Transport).as_str() {
            SHM if !together => Err(HostError::Apart { host }),
            OFI => Ok(Self::Ofi),
            _ if together => Ok(Self::Shm),
            _ => Ok(Self::Ofi),
        }
    }
}

/// The hosts of the job, in the order of their numbers.
pub(super) fn own_world(spec: &JobSpec) -> impl Iterator<Item = (HostId, Place)> {
    (spec.origin.first_host..).zip(spec.places())
}

/// The other hosts of the job.
fn others_of_world(spec: &JobSpec) -> impl Iterator<Item = (HostId, Place)> {
    let own = spec.host_in_universe();
    own_world(spec).filter(move |(host, _)| *host != own)
}

/// What leads to the other hosts that there may be when the one of this description is connected with them.
fn needed(spec: &JobSpec) -> Result<Vec<Way>, HostError> {
    let world = others_of_world(spec).map(|(host, place)| (host, place.node));
    let others = (0..).zip(&spec.origin.neighbours);
    let realm = spec.origin.realm;
    // The lowest number stands for the hosts of other jobs.
    let others = others
        .filter(|(_, hosts)| **hosts > 0)
        .map(|(node, _)| (0, realm.number(node)));
    world
        .chain(others)
        .map(|(host, node)| Way::to(spec, host, node))
        .collect()
}

/// Whether there may be hosts of other launchers when the host of this description is connected with others: who is
/// started by ranks of a universe knows those whom its parents know.
fn may_have_far(spec: &JobSpec) -> bool {
    let Origin { realm, parent, .. } = &spec.origin;
    !realm.is_alone() && parent.is_some() && spec.settings.show(Id::Transport) != SHM
}

/// The hosts to which each transport leads.
pub(super) struct Routes {
    pub(super) shm: Vec<HostId>,
    pub(super) ofi: Vec<HostId>,
}

impl Routes {
    /// Those from the host of this description to these.
    pub(super) fn to(
        spec: &JobSpec,
        hosts: impl IntoIterator<Item = (HostId, Place)>,
    ) -> Result<Self, HostError> {
        let mut routes = Self {
            shm: Vec::new(),
            ofi: Vec::new(),
        };
        for (host, place) in hosts {
            match Way::to(spec, host, place.node)? {
                Way::Shm => routes.shm.push(host),
                Way::Ofi => routes.ofi.push(host),
            }
        }
        Ok(routes)
    }

    /// Checks that there is a door for each.
    fn through(self, doors: &Doors) -> Result<Self, HostError> {
        let shm = self.shm.first().filter(|_| doors.shm.is_none());
        let ofi = self.ofi.first().filter(|_| doors.ofi.is_none());
        match shm.or(ofi) {
            Some(&host) => Err(HostError::Stranger { host }),
            None => Ok(self),
        }
    }
}

impl Doors {
    /// Opens what the job needs, and tells the launcher that this host is there.
    pub(super) fn open(control: &'static Control, spec: &JobSpec) -> Result<Self, HostError> {
        let needed = needed(spec)?;
        let shm = needed.contains(&Way::Shm).then(|| near(control, spec));
        let ofi = match needed.contains(&Way::Ofi) {
            true => Some(OfiPort::open(&choice(spec))?),
            // Where it cannot be opened, the hosts that were there before have met no others.
            false if may_have_far(spec) => OfiPort::open(&choice(spec)).ok(),
            false => None,
        };
        let doors = Self {
            control,
            shm: shm.transpose()?,
            ofi,
        };
        let hello = Hello {
            version: VERSION,
            secret: control.secret().clone(),
            host: spec.host_in_universe(),
            addresses: addresses(doors.ofi.as_ref().map(OfiPort::address)),
        };
        control.say(&FromHost::Hello(hello));
        Ok(doors)
    }

    /// Whether they lead to all others already, before those have come: to those of the same world, on the same node.
    pub(super) fn lead_to_all(&self, spec: &JobSpec) -> bool {
        self.ofi.is_none() && spec.origin.neighbours.is_empty() && spec.origin.parent.is_none()
    }

    /// Connects this host, whose part in the job this is, with all others; there is no network if there are none.
    pub(super) fn connect(
        self,
        spec: &JobSpec,
        job: &Arc<Job>,
        others: &Introduced,
    ) -> Result<Ways, HostError> {
        let newcomers = others.places();
        let all = others_of_world(spec).chain(newcomers.iter().copied());
        let routes = Routes::to(spec, all)?.through(&self)?;
        let mut led = Ways::default();
        if routes.shm.is_empty() && routes.ofi.is_empty() {
            return Ok(led);
        }
        job.admit(&newcomers.into_iter().map(newcomer).collect::<Vec<_>>())?;
        let mut ways: Vec<(Arc<dyn Transport>, Vec<HostId>)> = Vec::new();
        if let Some(ofi) = self.ofi {
            let ofi = ofi.connect(&joining(self.control, spec, far(&others.peers, &routes.ofi)?))?;
            ways.push((led.ofi.insert(Arc::new(ofi)).clone(), routes.ofi));
        }
        if let Some(shm) = self.shm {
            admit_near(&shm, others, &routes.shm)?;
            ways.push((led.shm.insert(Arc::new(shm)).clone(), routes.shm));
        }
        let _ = job.connect(Fabric::new(spec.host_in_universe(), world(spec), ways));
        Ok(led)
    }
}

/// The transport to the hosts of the job that are on this one's node.
pub(super) fn near(control: &Control, spec: &JobSpec) -> Result<Shm, HostError> {
    let own = spec.host_in_universe();
    let neighbours = ShmNeighbours {
        hosts: spec.hosts_on(spec.hosts[spec.host as usize].node),
        memory: control.memory().ok_or(HostError::Stranger { host: own })?,
    };
    Ok(Shm::join(own, &neighbours, cross_memory(spec))?)
}

/// Has the transport lead to hosts of other worlds on this node, so that it does to all of these.
pub(super) fn admit_near(shm: &Shm, introduced: &Introduced, hosts: &[HostId]) -> Result<(), HostError> {
    for neighbours in &introduced.neighbours {
        shm.admit(neighbours)?;
    }
    match hosts.iter().find(|host| !shm.leads_to(**host)) {
        Some(&host) => Err(HostError::Stranger { host }),
        None => Ok(()),
    }
}

/// These hosts with their addresses over libfabric.
pub(super) fn far<'a>(peers: &'a [Peer], hosts: &[HostId]) -> Result<Vec<(HostId, &'a [u8])>, HostError> {
    let known: BTreeMap<HostId, &Peer> = peers.iter().map(|peer| (peer.host, peer)).collect();
    let address = |host: &HostId| {
        let mut addresses = known.get(host)?.addresses.iter();
        let found = addresses.find(|address| address.transport == OFI)?;
        Some((*host, &found.bytes.0[..]))
    };
    let each = hosts
        .iter()
        .map(|host| address(host).ok_or(HostError::Stranger { host: *host }));
    each.collect()
}

/// The hosts of the job.
pub(super) fn world(spec: &JobSpec) -> Range<HostId> {
    let first = spec.origin.first_host;
    first..first + spec.hosts.len() as HostId
}

/// How this host joins others over libfabric.
pub(super) fn joining<'a>(
    control: &'a Control,
    spec: &JobSpec,
    peers: Vec<(HostId, &'a [u8])>,
) -> Joining<'a> {
    Joining {
        own: spec.host_in_universe(),
        hosts: world(spec),
        secret: control.secret(),
        peers,
        peer_timeout: spec.settings.time(Id::PeerTimeout),
    }
}

/// Where transports can be reached, as far as others have to be told.
pub(super) fn addresses(ofi: Option<Vec<u8>>) -> Vec<Address> {
    let address = |bytes| Address {
        transport: OFI.to_owned(),
        bytes: Bytes(bytes),
    };
    ofi.map(address).into_iter().collect()
}

/// Whether long messages on a node are copied by the kernel. Who has a core for each process is faster without: both
/// sides copy at a time, through memory that stays in their caches.
pub(super) fn cross_memory(spec: &JobSpec) -> bool {
    match spec.settings.show(Id::CrossMemory).as_str() {
        "on" => true,
        "off" => false,
        _ => hosts_outnumber_cores(spec),
    }
}

/// Whether the node has more hosts than processors for them.
pub(super) fn hosts_outnumber_cores(spec: &JobSpec) -> bool {
    let (_, own) = spec.place_on_node();
    let node = spec.hosts[spec.host as usize].node;
    let others = spec.origin.neighbours.get(node as usize).copied().unwrap_or(0);
    let processes = own + others as usize;
    let processors = spec
        .control
        .as_ref()
        .map_or(u32::MAX, |control| control.processors);
    processes > processors as usize
}

/// Which provider of libfabric is wanted.
pub(super) fn choice(spec: &JobSpec) -> Choice {
    let name = |id| spec.settings.name(id).map(str::to_owned);
    Choice {
        provider: name(Id::Provider),
        interface: name(Id::Interface),
        // Nobody knows where other launchers are.
        one_machine: spec.origin.realm.is_alone()
            && spec.origin.nodes <= 1
            && spec.hosts.iter().all(|host| host.node == spec.hosts[0].node),
        authenticate: match spec.settings.show(Id::Authenticate).as_str() {
            "off" => Authenticate::Off,
            "headers" => Authenticate::Headers,
            "full" => Authenticate::Full,
            _ => Authenticate::Auto,
        },
    }
}

#[cfg(test)]
mod tests;
