//! Hosts that join while this one runs, and those that part.
//!
//! The launcher asks first where this host can be reached, which opens a transport if nothing led to others before;
//! then it introduces the new hosts, and this one connects to them before they run (see [`simurgh_net::control`]).

use super::control::Control;
use super::error::HostError;
use super::job::newcomer;
use super::state::Host;
use super::watch::Introduced;
use super::wire_up::{Met, Way, Ways, addresses, cross_memory, world};
use simurgh_core::Network;
use simurgh_net::Fabric;
use simurgh_net::control::FromHost;
use simurgh_net::job::{JobSpec, Place};
use simurgh_net::transport::{HostId, Shm, ShmOffer, ShmPeer, Transport};
use std::sync::Arc;

/// How this host comes to know others.
pub(super) struct Growth {
    spec: JobSpec,
    ways: Ways,
    /// Shared memory that has been offered and leads nowhere yet.
    shm: Option<ShmOffer>,
    introduced: Vec<Introduced>,
    /// Has the network looked after, if there was none before.
    attend: Box<dyn Fn(Arc<dyn Network>) + Send>,
}

impl Growth {
    /// Of the host of this description, which these ways lead from. If there was no network, `attend` has a new one
    /// looked after.
    pub(super) fn new(spec: JobSpec, ways: Ways, attend: impl Fn(Arc<dyn Network>) + Send + 'static) -> Self {
        Self {
            spec,
            ways,
            shm: None,
            introduced: Vec::new(),
            attend: Box::new(attend),
        }
    }

    /// Tells the engine who has started the job, if somebody has, now that it is connected with all others.
    pub(super) fn begin_among_others(&self, own: &Host) -> Result<(), HostError> {
        if let (Some(parent), Some(control)) = (&self.spec.origin.parent, Control::get()) {
            own.job().set_parent(&parent.0)?;
            control.say(&FromHost::Met, &[]);
        }
        Ok(())
    }

    /// Says where this host can be reached.
    pub(super) fn open(&mut self) -> Result<(), HostError> {
        let Some(control) = Control::get() else {
            return Ok(());
        };
        if self.ways.shm.is_none() && self.shm.is_none() {
            self.shm = Some(ShmOffer::create(self.spec.host_in_universe())?);
        }
        let shm = match (&self.ways.shm, &self.shm) {
            (Some(shm), _) => Some(shm.descriptors()),
            (None, offer) => offer.as_ref().map(ShmOffer::descriptors),
        };
        let (addresses, descriptors) = addresses(shm, None);
        control.say(&FromHost::Opened { addresses }, &descriptors);
        Ok(())
    }

    /// Takes note of a host that is about to join.
    pub(super) fn introduce(&mut self, host: Introduced) {
        self.introduced.push(host);
    }

    /// Connects to those that have been introduced.
    pub(super) fn meet(&mut self, own: &Host) -> Result<(), HostError> {
        let Some(control) = Control::get() else {
            return Ok(());
        };
        let mut known: Vec<(HostId, Place)> = Vec::new();
        let mut peers = Vec::new();
        for other in self.introduced.drain(..) {
            let host = other.peer.host;
            let stranger = || HostError::Stranger { host };
            let place = other.peer.place.ok_or_else(stranger)?;
            let met = Met::new(other)?;
            peers.push(met.shm.ok_or_else(stranger)?);
            known.push((host, place));
        }
        known.sort_unstable_by_key(|(host, _)| *host);
        let newcomers: Vec<_> = known.into_iter().map(newcomer).collect();
        own.job().admit(&newcomers);
        self.connect(own, peers)?;
        control.say(&FromHost::Met, &[]);
        Ok(())
    }

    /// Connects to hosts of this node.
    fn connect(&mut self, own: &Host, peers: Vec<ShmPeer>) -> Result<(), HostError> {
        let hosts: Vec<HostId> = peers.iter().map(|peer| peer.host).collect();
        if let Some(shm) = &self.ways.shm {
            peers.into_iter().try_for_each(|peer| shm.admit(peer))?;
        } else if let Some(offer) = self.shm.take() {
            let shm = Arc::new(offer.join(peers, cross_memory(&self.spec))?);
            self.ways.shm = Some(Arc::clone(&shm));
            if let Some(network) = own.job().network() {
                network.fabric().add(shm);
            } else {
                return Ok(self.begin(own, shm, hosts));
            }
        }
        if let Some(network) = own.job().network() {
            let shm = Way::Shm.name();
            hosts
                .into_iter()
                .for_each(|host| network.fabric().join(host, shm));
        }
        Ok(())
    }

    /// Makes the fabric of a host that has been alone.
    fn begin(&self, own: &Host, shm: Arc<Shm>, hosts: Vec<HostId>) {
        let ways: Vec<(Arc<dyn Transport>, Vec<HostId>)> = vec![(shm, hosts)];
        let fabric = Fabric::new(self.spec.host_in_universe(), world(&self.spec), ways);
        let _ = own.job().connect(fabric);
        if let Some(network) = own.job().driver() {
            (self.attend)(network);
        }
    }
}
