//! How this host is connected with the others.
//!
//! Before it knows them, it opens a door for each transport that will be needed, and tells the launcher how to get
//! there; when it has been told of theirs, it makes a fabric of them all.

use super::control::Control;
use super::error::HostError;
use super::watch::Introduced;
use simurgh_net::Fabric;
use simurgh_net::control::{Address, Bytes, FromHost, Hello, VERSION};
use simurgh_net::job::{JobSpec, Place};
use simurgh_net::transport::ofi::{Choice, Joining, Ofi, OfiPort};
use simurgh_net::transport::{HostId, SHM_DESCRIPTORS, Shm, ShmOffer, ShmPeer, Transport};
use simurgh_settings::Id;
use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Names of transports, as in the setting.
const SHM: &str = "shm";
const OFI: &str = "ofi";

/// The transports of this host, before it knows the others.
pub(super) struct Doors {
    control: &'static Control,
    shm: Option<ShmOffer>,
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
        let shm = (!routes.shm.is_empty()).then(|| ShmOffer::create(spec.host_in_universe()));
        let ofi = (!routes.ofi.is_empty()).then(|| OfiPort::open(&choice(spec)));
        let doors = Self {
            control,
            shm: shm.transpose()?,
            ofi: ofi.transpose()?,
        };
        doors.announce(spec);
        Ok(doors)
    }

    fn announce(&self, spec: &JobSpec) {
        let own = self.shm.as_ref().map(ShmOffer::descriptors);
        let (addresses, descriptors) = addresses(own, self.ofi.as_ref().map(OfiPort::address));
        let hello = Hello {
            version: VERSION,
            secret: self.control.secret().clone(),
            host: spec.host_in_universe(),
            pid: std::process::id(),
            addresses,
        };
        self.control.say(&FromHost::Hello(hello), &descriptors);
    }

    /// Connects this host with all others; no fabric if there are none.
    pub(super) fn connect(
        self,
        spec: &JobSpec,
        others: Vec<Introduced>,
    ) -> Result<(Option<Fabric>, Ways), HostError> {
        let (own, routes) = (spec.host_in_universe(), Routes::of(spec)?);
        let mut led = Ways::default();
        if routes.shm.is_empty() && routes.ofi.is_empty() {
            return Ok((None, led));
        }
        let mut met = met(others)?;
        let mut ways: Vec<(Arc<dyn Transport>, Vec<HostId>)> = Vec::new();
        if let Some(ofi) = self.ofi {
            let peer = |host: &HostId| {
                let met = met.get(host).and_then(|met| met.ofi.as_deref());
                Ok((*host, met.ok_or(HostError::Stranger { host: *host })?))
            };
            let peers = routes.ofi.iter().map(peer).collect::<Result<_, HostError>>()?;
            let ofi = Arc::new(ofi.connect(&joining(self.control, spec, peers))?);
            led.ofi = Some(Arc::clone(&ofi));
            ways.push((ofi, routes.ofi));
        }
        if let Some(shm) = self.shm {
            let mut peer = |host: &HostId| {
                let peer = met.get_mut(host).and_then(|met| met.shm.take());
                peer.ok_or(HostError::Stranger { host: *host })
            };
            let peers: Vec<_> = routes.shm.iter().map(&mut peer).collect::<Result<_, _>>()?;
            let shm = Arc::new(shm.join(peers, cross_memory(spec))?);
            led.shm = Some(Arc::clone(&shm));
            ways.push((shm, routes.shm));
        }
        Ok((Some(Fabric::new(own, world(spec), ways)), led))
    }
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

/// Where transports can be reached, and the descriptors that belong to that.
pub(super) fn addresses(
    shm: Option<[BorrowedFd<'_>; SHM_DESCRIPTORS]>,
    ofi: Option<Vec<u8>>,
) -> (Vec<Address>, Vec<BorrowedFd<'_>>) {
    let shared = shm.iter().map(|own| address(SHM, Vec::new(), own.len()));
    let far = ofi.map(|bytes| address(OFI, bytes, 0));
    (shared.chain(far).collect(), shm.into_iter().flatten().collect())
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

/// Whether the node has more hosts than cores for them, as seen when it is asked first.
pub(super) fn hosts_outnumber_cores(spec: &JobSpec) -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    let (_, own) = spec.place_on_node();
    let node = spec.hosts[spec.host as usize].node;
    let others = spec.origin.others.iter().filter(|(_, place)| place.node == node);
    let processes = own + others.count();
    *ANSWER.get_or_init(|| std::thread::available_parallelism().is_ok_and(|cores| processes > cores.get()))
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

fn address(transport: &str, bytes: Vec<u8>, descriptors: usize) -> Address {
    Address {
        transport: transport.to_owned(),
        bytes: Bytes(bytes),
        descriptors,
    }
}

/// How another host can be reached.
#[derive(Default)]
pub(super) struct Met {
    pub(super) shm: Option<ShmPeer>,
    pub(super) ofi: Option<Vec<u8>>,
}

/// All hosts that have been introduced, by number.
fn met(others: Vec<Introduced>) -> Result<BTreeMap<HostId, Met>, HostError> {
    let met = others
        .into_iter()
        .map(|other| Ok((other.peer.host, Met::new(other)?)));
    met.collect()
}

impl Met {
    pub(super) fn new(other: Introduced) -> Result<Self, HostError> {
        let Introduced { peer, descriptors } = other;
        let (host, pid) = (peer.host, peer.pid);
        let mut descriptors = descriptors.into_iter();
        let mut met = Self::default();
        for address in peer.addresses {
            let own: Vec<OwnedFd> = descriptors.by_ref().take(address.descriptors).collect();
            match address.transport.as_str() {
                SHM => {
                    let descriptors = own.try_into().map_err(|_| HostError::Stranger { host })?;
                    met.shm = Some(ShmPeer {
                        host,
                        pid,
                        descriptors,
                    });
                }
                OFI => met.ofi = Some(address.bytes.0),
                _ => return Err(HostError::Stranger { host }),
            }
        }
        Ok(met)
    }
}
