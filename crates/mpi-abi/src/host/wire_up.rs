//! How this host is connected with the others.
//!
//! Before it knows them, it opens a door for each transport that will be needed, and tells the launcher how to get
//! there; when it has been told of theirs, it makes a fabric of them all.

use super::control::Control;
use super::error::HostError;
use super::watch::Introduced;
use simurgh_net::Fabric;
use simurgh_net::control::{Address, Bytes, FromHost, Hello, VERSION};
use simurgh_net::job::JobSpec;
use simurgh_net::transport::ofi::{Choice, Joining, OfiPort};
use simurgh_net::transport::{HostId, ShmOffer, ShmPeer, Transport};
use simurgh_settings::Id;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
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

/// The hosts to which each transport leads.
struct Routes {
    shm: Vec<HostId>,
    ofi: Vec<HostId>,
}

impl Routes {
    /// As the setting and the nodes of the hosts say.
    fn of(spec: &JobSpec) -> Result<Self, HostError> {
        let wanted = spec.settings.show(Id::Transport);
        let node = spec.hosts[spec.host as usize].node;
        let others = (0..).zip(&spec.hosts).filter(|(host, _)| *host != spec.host);
        let mut routes = Self {
            shm: Vec::new(),
            ofi: Vec::new(),
        };
        for (host, share) in others {
            let together = share.node == node;
            match wanted.as_str() {
                SHM if !together => return Err(HostError::Apart { host }),
                OFI => routes.ofi.push(host),
                _ if together => routes.shm.push(host),
                _ => routes.ofi.push(host),
            }
        }
        Ok(routes)
    }
}

impl Doors {
    /// Opens what the job needs, and tells the launcher that this host is there.
    pub(super) fn open(control: &'static Control, spec: &JobSpec) -> Result<Self, HostError> {
        let routes = Routes::of(spec)?;
        let shm = (!routes.shm.is_empty()).then(|| ShmOffer::create(spec.host));
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
        let mut descriptors: Vec<BorrowedFd<'_>> = Vec::new();
        let mut addresses = Vec::new();
        if let Some(shm) = &self.shm {
            let own = shm.descriptors();
            addresses.push(address(SHM, Vec::new(), own.len()));
            descriptors.extend(own);
        }
        if let Some(ofi) = &self.ofi {
            addresses.push(address(OFI, ofi.address(), 0));
        }
        let hello = Hello {
            version: VERSION,
            secret: self.control.secret().clone(),
            host: spec.host,
            pid: std::process::id(),
            addresses,
        };
        self.control.say(&FromHost::Hello(hello), &descriptors);
    }

    /// Connects this host with all others; none if there are none.
    pub(super) fn connect(
        self,
        spec: &JobSpec,
        others: Vec<Introduced>,
    ) -> Result<Option<Fabric>, HostError> {
        let (hosts, routes) = (spec.hosts.len(), Routes::of(spec)?);
        if hosts == 1 {
            return Ok(None);
        }
        let mut met = Met::all(spec, others)?;
        let mut ways: Vec<(Arc<dyn Transport>, Vec<HostId>)> = Vec::new();
        if let Some(ofi) = self.ofi {
            let peer = |&host: &HostId| {
                let address = met[host as usize].ofi.as_deref();
                Ok((host, address.ok_or(HostError::Stranger { host })?))
            };
            let joining = Joining {
                own: spec.host,
                hosts: 0..hosts as HostId,
                secret: self.control.secret().as_bytes(),
                peers: routes.ofi.iter().map(peer).collect::<Result<_, HostError>>()?,
                peer_timeout: spec.settings.get(Id::PeerTimeout).map(Duration::from_millis),
            };
            let ofi = ofi.connect(&joining)?;
            ways.push((Arc::new(ofi), routes.ofi));
        }
        if let Some(shm) = self.shm {
            let mut peer = |&host: &HostId| {
                let peer = met[host as usize].shm.take();
                peer.ok_or(HostError::Stranger { host })
            };
            let peers: Vec<_> = routes.shm.iter().map(&mut peer).collect::<Result<_, _>>()?;
            let shm = shm.join(peers, cross_memory(spec))?;
            ways.push((Arc::new(shm), routes.shm));
        }
        Ok(Some(Fabric::new(spec.host, 0..hosts as HostId, ways)))
    }
}

/// Whether long messages on a node are copied by the kernel. Who has a core for each process is faster without: both
/// sides copy at a time, through memory that stays in their caches.
fn cross_memory(spec: &JobSpec) -> bool {
    match spec.settings.show(Id::CrossMemory).as_str() {
        "on" => true,
        "off" => false,
        _ => hosts_outnumber_cores(spec),
    }
}

/// Whether the node has more hosts than cores for them.
pub(super) fn hosts_outnumber_cores(spec: &JobSpec) -> bool {
    let (_, processes) = spec.place_on_node();
    std::thread::available_parallelism().is_ok_and(|cores| processes > cores.get())
}

/// Which provider of libfabric is wanted.
fn choice(spec: &JobSpec) -> Choice {
    let name = |id| spec.settings.name(id).map(str::to_owned);
    Choice {
        provider: name(Id::Provider),
        interface: name(Id::Interface),
        one_machine: spec.hosts.iter().all(|host| host.node == spec.hosts[0].node),
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
struct Met {
    shm: Option<ShmPeer>,
    ofi: Option<Vec<u8>>,
}

impl Met {
    /// All hosts, in their order, as far as they have been introduced.
    fn all(spec: &JobSpec, others: Vec<Introduced>) -> Result<Vec<Self>, HostError> {
        let mut met: Vec<Self> = spec.hosts.iter().map(|_| Self::default()).collect();
        for other in others {
            let host = other.peer.host;
            let place = met.get_mut(host as usize);
            *place.ok_or(HostError::Stranger { host })? = Self::new(other)?;
        }
        Ok(met)
    }

    fn new(other: Introduced) -> Result<Self, HostError> {
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
