//! Wire-up: how this host is connected with the others.
//!
//! Before it knows the others, a host opens the transports that will be needed, and tells the launcher their addresses.
//! When the launcher has told it the addresses of the others, the host connects to them, and the connected transports
//! become the fabric.
//!
//! * [`routes`]: which transport leads to which host.
//! * [`introduced`]: the hosts that the launcher has introduced.
//! * [`dynamic`]: the same for hosts that join later.

mod dynamic;
mod introduced;
mod routes;

pub(super) use dynamic::DynamicWireUp;
pub(super) use introduced::IntroducedHosts;
pub(super) use routes::{own_world, world};

use super::control::Control;
use super::error::HostError;
use super::heap_registrations;
use super::job::host_record;
use routes::{OFI, Route, Routes, may_have_foreign, needed, others_of_world};
use simurgh_mpi::Job;
use simurgh_net::control::{Address, FromHost, Hello, Peer, VERSION};
use simurgh_net::encoding::Bytes;
use simurgh_net::job::JobSpec;
use simurgh_net::transport::ofi::{Authenticate, ConnectOptions, Ofi, OfiOptions, OfiPort};
use simurgh_net::transport::{CrossMemory, Shm, ShmGroup, Transport};
use simurgh_net::{Fabric, HostId};
use simurgh_settings::Id;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The transports that are open before the other hosts are known.
pub(super) struct OpenTransports {
    control: &'static Control,
    shm: Option<Shm>,
    ofi: Option<OfiPort>,
}

/// The transports that lead to other hosts.
#[derive(Default)]
pub(super) struct Transports {
    pub(super) shm: Option<Arc<Shm>>,
    pub(super) ofi: Option<Arc<Ofi>>,
}

impl OpenTransports {
    /// Opens the transports that the job needs, and tells the launcher that this host is there.
    pub(super) fn open(control: &'static Control, spec: &JobSpec) -> Result<Self, HostError> {
        let needed = needed(spec)?;
        let shm = needed.contains(&Route::Shm).then(|| open_shm(control, spec));
        let ofi = match needed.contains(&Route::Ofi) {
            true => Some(OfiPort::open(&choice(spec))?),
            // If it cannot be opened here, the older hosts have not been able to meet hosts of other launchers either.
            false if may_have_foreign(spec) => OfiPort::open(&choice(spec)).ok(),
            false => None,
        };
        let open = Self {
            control,
            shm: shm.transpose()?,
            ofi,
        };
        let hello = Hello {
            version: VERSION,
            secret: control.secret().clone(),
            host: spec.host_in_universe(),
            addresses: addresses(open.ofi.as_ref().map(OfiPort::address)),
        };
        control.say(&FromHost::Hello(hello));
        Ok(open)
    }

    /// Whether messages can be sent to all other hosts before those have started: all are of this world, on this node.
    pub(super) fn reach_all_early(&self, spec: &JobSpec) -> bool {
        self.ofi.is_none() && spec.origin.neighbours.is_empty() && spec.origin.parent.is_none()
    }

    /// Connects this host with all others. Without others there is no network.
    pub(super) fn connect(
        self,
        spec: &JobSpec,
        job: &Arc<Job>,
        others: &IntroducedHosts,
    ) -> Result<Transports, HostError> {
        let places = others.places();
        let all = others_of_world(spec).chain(places.iter().copied());
        let routes = Routes::to(spec, all)?.check_opened(&self)?;
        let mut connected = Transports::default();
        if routes.shm.is_empty() && routes.ofi.is_empty() {
            return Ok(connected);
        }
        job.admit(&places.into_iter().map(host_record).collect::<Vec<_>>())?;
        let mut transports: Vec<(Arc<dyn Transport>, Vec<HostId>)> = Vec::new();
        if let Some(ofi) = self.ofi {
            let ofi = ofi.connect(&joining(
                self.control,
                spec,
                ofi_peers(&others.peers, &routes.ofi)?,
            ))?;
            transports.push((connected.ofi.insert(Arc::new(ofi)).clone(), routes.ofi));
        }
        if let Some(shm) = self.shm {
            admit_shm(&shm, others, &routes.shm)?;
            transports.push((connected.shm.insert(Arc::new(shm)).clone(), routes.shm));
        }
        for (transport, _) in &transports {
            heap_registrations::hold(&**transport);
        }
        let _ = job.connect(Fabric::new(spec.host_in_universe(), world(spec), transports));
        Ok(connected)
    }
}

/// The shared-memory transport to the hosts of this world on this node.
pub(super) fn open_shm(control: &Control, spec: &JobSpec) -> Result<Shm, HostError> {
    let own = spec.host_in_universe();
    let neighbours = ShmGroup {
        hosts: spec.hosts_on(spec.hosts[spec.host as usize].node),
        memory: control.memory().ok_or(HostError::Unreachable { host: own })?,
    };
    Ok(Shm::join(own, &neighbours, cross_memory(spec))?)
}

/// Adds the hosts of other worlds on this node to the transport. Fails unless the transport then leads to all of
/// `hosts`.
pub(super) fn admit_shm(shm: &Shm, introduced: &IntroducedHosts, hosts: &[HostId]) -> Result<(), HostError> {
    for neighbours in &introduced.neighbours {
        shm.add_hosts(neighbours)?;
    }
    match hosts.iter().find(|host| !shm.leads_to(**host)) {
        Some(&host) => Err(HostError::Unreachable { host }),
        None => Ok(()),
    }
}

/// These hosts with their libfabric addresses.
pub(super) fn ofi_peers<'a>(
    peers: &'a [Peer],
    hosts: &[HostId],
) -> Result<Vec<(HostId, &'a [u8])>, HostError> {
    let known: BTreeMap<HostId, &Peer> = peers.iter().map(|peer| (peer.host, peer)).collect();
    let address = |host: &HostId| {
        let mut addresses = known.get(host)?.addresses.iter();
        let found = addresses.find(|address| address.transport == OFI)?;
        Some((*host, &found.bytes.0[..]))
    };
    let each = hosts
        .iter()
        .map(|host| address(host).ok_or(HostError::Unreachable { host: *host }));
    each.collect()
}

/// The arguments with which this host joins others over libfabric.
pub(super) fn joining<'a>(
    control: &'a Control,
    spec: &JobSpec,
    peers: Vec<(HostId, &'a [u8])>,
) -> ConnectOptions<'a> {
    ConnectOptions {
        own: spec.host_in_universe(),
        hosts: world(spec),
        secret: control.secret(),
        peers,
        peer_timeout: spec.settings.time(Id::PeerTimeout),
    }
}

/// The addresses of this host's transports that others have to be told.
pub(super) fn addresses(ofi: Option<Vec<u8>>) -> Vec<Address> {
    let address = |bytes| Address {
        transport: OFI.to_owned(),
        bytes: Bytes(bytes),
    };
    ofi.map(address).into_iter().collect()
}

/// Whether the kernel copies long messages between processes of a node. Where processes outnumber the cores it does, so
/// that the sender need not run again. Otherwise, both sides may be faster, since they copy at the same time.
pub(super) fn cross_memory(spec: &JobSpec) -> CrossMemory {
    match spec.settings.show(Id::CrossMemory).as_str() {
        "on" => CrossMemory::On,
        "off" => CrossMemory::Off,
        _ if hosts_outnumber_cores(spec) => CrossMemory::On,
        _ => CrossMemory::WhereFaster,
    }
}

/// Whether the node has more hosts than processors.
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

/// The libfabric provider that is wanted.
pub(super) fn choice(spec: &JobSpec) -> OfiOptions {
    let name = |id| spec.settings.name(id).map(str::to_owned);
    OfiOptions {
        provider: name(Id::Provider),
        interface: name(Id::Interface),
        // Hosts of other launchers may be on any machine.
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
mod tests {
    use super::routes::tests::host;
    use super::*;
    use simurgh_net::job::Realm;

    #[test]
    fn others_may_be_on_other_machines() {
        let of = |realm| {
            let mut spec = host(realm, "auto");
            spec.hosts.iter_mut().for_each(|host| host.node = 0);
            choice(&spec).one_machine
        };
        assert!(of(Realm::default()) && !of(Realm(1)));
    }
}
