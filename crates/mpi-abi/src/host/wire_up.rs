//! How this host is connected with the others.
//!
//! Before it knows them, it opens a door for each transport that will be needed, and tells the launcher how to get
//! there; when it has been told of theirs, it makes a fabric of them all.

use super::control::Control;
use super::error::HostError;
use super::introduced::Introduced;
use simurgh_net::Fabric;
use simurgh_net::control::{Address, Bytes, FromHost, Hello, Peer, VERSION};
use simurgh_net::job::{JobSpec, Place};
use simurgh_net::transport::ofi::{Choice, Joining, Ofi, OfiPort};
use simurgh_net::transport::{HostId, Shm, ShmNeighbours, Transport};
use simurgh_settings::Id;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

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
        let together = spec.hosts[spec.host as usize].node == node;
        match spec.settings.show(Id::Transport).as_str() {
            SHM if !together => Err(HostError::Apart { host }),
            OFI => Ok(Self::Ofi),
            _ if together => Ok(Self::Shm),
            _ => Ok(Self::Ofi),
        }
    }
}

/// All hosts that are there when the one of this description starts, with itself, in the order of their numbers.
pub(super) fn everybody(spec: &JobSpec) -> Vec<(HostId, Place)> {
    let own = (spec.origin.first_host..).zip(spec.places());
    spec.origin.others.iter().copied().chain(own).collect()
}

/// The other hosts to which each transport leads.
struct Routes {
    shm: Vec<HostId>,
    ofi: Vec<HostId>,
}

impl Routes {
    fn of(spec: &JobSpec) -> Result<Self, HostError> {
        let mut routes = Self {
            shm: Vec::new(),
            ofi: Vec::new(),
        };
        for (host, place) in everybody(spec) {
            if host == spec.host_in_universe() {
                continue;
            }
            match Way::to(spec, host, place.node)? {
                Way::Shm => routes.shm.push(host),
                Way::Ofi => routes.ofi.push(host),
            }
        }
        Ok(routes)
    }
}

impl Doors {
    /// Opens what the job needs, and tells the launcher that this host is there.
    pub(super) fn open(control: &'static Control, spec: &JobSpec) -> Result<Self, HostError> {
        let routes = Routes::of(spec)?;
        let shm = (!routes.shm.is_empty()).then(|| near(control, spec));
        let ofi = (!routes.ofi.is_empty()).then(|| OfiPort::open(&choice(spec)));
        let doors = Self {
            control,
            shm: shm.transpose()?,
            ofi: ofi.transpose()?,
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
        self.ofi.is_none() && spec.origin.others.is_empty() && spec.origin.parent.is_none()
    }

    /// Connects this host with all others; no fabric if there are none.
    pub(super) fn connect(
        self,
        spec: &JobSpec,
        others: &Introduced,
    ) -> Result<(Option<Fabric>, Ways), HostError> {
        let (own, routes) = (spec.host_in_universe(), Routes::of(spec)?);
        let mut led = Ways::default();
        if routes.shm.is_empty() && routes.ofi.is_empty() {
            return Ok((None, led));
        }
        let mut ways: Vec<(Arc<dyn Transport>, Vec<HostId>)> = Vec::new();
        if let Some(ofi) = self.ofi {
            let ofi = ofi.connect(&joining(self.control, spec, far(&others.peers, &routes.ofi)?))?;
            ways.push((led.ofi.insert(Arc::new(ofi)).clone(), routes.ofi));
        }
        if let Some(shm) = self.shm {
            admit_near(&shm, others, &routes.shm)?;
            ways.push((led.shm.insert(Arc::new(shm)).clone(), routes.shm));
        }
        Ok((Some(Fabric::new(own, world(spec), ways)), led))
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
        secret: control.secret().as_bytes(),
        peers,
        peer_timeout: spec.settings.get(Id::PeerTimeout).map(Duration::from_millis),
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
    let others = spec.origin.others.iter().filter(|(_, place)| place.node == node);
    let processes = own + others.count();
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
        one_machine: spec.origin.nodes <= 1 && spec.hosts.iter().all(|host| host.node == spec.hosts[0].node),
    }
}
