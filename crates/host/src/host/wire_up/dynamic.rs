//! Wire-up with hosts that join while this one runs.
//!
//! The launcher first asks where this host can be reached, which opens a transport if none led to other hosts before.
//! Then it introduces the new hosts, and this host connects to them before their ranks run (see
//! [`simurgh_net::control`]).

use super::{self as wire_up, IntroducedHosts, Route, Routes, Transports, addresses, choice, joining, world};
use crate::host::control::Control;
use crate::host::error::HostError;
use crate::host::heap_registrations;
use crate::host::job::host_record;
use crate::host::state::Host;
use simurgh_core::Network;
use simurgh_core::sync::revoke_bias;
use simurgh_net::control::{FromHost, Received, ToHost, shortened};
use simurgh_net::job::JobSpec;
use simurgh_net::transport::ofi::OfiPort;
use simurgh_net::transport::{Shm, Transport};
use simurgh_net::{Fabric, HostId};
use std::sync::Arc;

/// The state of the wire-up with hosts that join later.
pub(in crate::host) struct DynamicWireUp {
    spec: JobSpec,
    transports: Transports,
    /// Transports that are open but lead to no host yet.
    shm: Option<Shm>,
    ofi: Option<OfiPort>,
    introduced: IntroducedHosts,
    /// Lets the process drive its network, if it had none before.
    attend: Box<dyn Fn(Arc<dyn Network>) + Send>,
}

impl DynamicWireUp {
    /// The wire-up of the host that `spec` describes; `transports` are those that it has. If it has no network yet,
    /// `attend` is called with the first one.
    pub(in crate::host) fn new(
        spec: JobSpec,
        transports: Transports,
        attend: impl Fn(Arc<dyn Network>) + Send + 'static,
    ) -> Self {
        Self {
            spec,
            transports,
            shm: None,
            ofi: None,
            introduced: IntroducedHosts::default(),
            attend: Box::new(attend),
        }
    }

    /// Tells the engine which processes have started the job, if some have. This host is connected with all others by
    /// now.
    pub(in crate::host) fn begin_among_others(&self, own: &Host) -> Result<(), HostError> {
        if let (Some(parent), Some(control)) = (&self.spec.origin.parent, Control::get()) {
            own.job().set_parent(&parent.0)?;
            control.say(&FromHost::Met);
        }
        Ok(())
    }

    /// Tells the launcher where this host can be reached: by hosts of the same launcher, or, if they are `far`, by
    /// hosts of other launchers. If the latter is impossible, the launcher hears the reason.
    pub(in crate::host) fn open(&mut self, far: bool) -> Result<(), HostError> {
        let Some(control) = Control::get() else {
            return Ok(());
        };
        // From now on the listening thread works on what the ranks use.
        revoke_bias();
        let (own, node) = (self.spec.host_in_universe(), self.spec.node_in_universe());
        let way = match far {
            true => Route::Ofi,
            false => Route::to(&self.spec, own, node)?,
        };
        match way {
            Route::Shm if self.transports.shm.is_none() && self.shm.is_none() => {
                self.shm = Some(wire_up::open_shm(control, &self.spec)?);
            }
            Route::Ofi if self.transports.ofi.is_none() && self.ofi.is_none() => {
                match OfiPort::open(&choice(&self.spec)) {
                    Ok(port) => self.ofi = Some(port),
                    // Only the ranks that want to meet others need the transport, and they are told.
                    Err(error) if far => {
                        let reason = shortened(&error.to_string());
                        control.say(&FromHost::Unreachable { reason });
                        return Ok(());
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Route::Shm | Route::Ofi => {}
        }
        let ofi = match (&self.transports.ofi, &self.ofi) {
            (Some(ofi), _) => Some(ofi.address()),
            (None, port) => port.as_ref().map(OfiPort::address),
        };
        let addresses = addresses(ofi);
        control.say(&FromHost::Opened { addresses });
        Ok(())
    }

    /// Notes hosts that are about to join.
    pub(in crate::host) fn introduce(&mut self, received: Received<ToHost>) {
        // A message that says nothing about hosts is of no use here.
        let _ = self.introduced.note(received);
    }

    /// Connects to the hosts that have been introduced.
    pub(in crate::host) fn meet(&mut self, own: &Host) -> Result<(), HostError> {
        let Some(control) = Control::get() else {
            return Ok(());
        };
        let introduced = std::mem::take(&mut self.introduced);
        let known = introduced.places();
        let routes = Routes::to(&self.spec, known.iter().copied())?;
        let records: Vec<_> = known.into_iter().map(host_record).collect();
        own.job().admit(&records)?;
        let far = wire_up::ofi_peers(&introduced.peers, &routes.ofi)?;
        let new = [
            self.connect_shm(routes.shm, &introduced)?,
            self.connect_ofi(control, far)?,
        ];
        self.add_routes(own, new.into_iter().flatten());
        control.say(&FromHost::Met);
        Ok(())
    }

    /// Connects to hosts by shared memory.
    fn connect_shm(
        &mut self,
        hosts: Vec<HostId>,
        introduced: &IntroducedHosts,
    ) -> Result<Option<NewRoutes>, HostError> {
        let Some(&first) = hosts.first() else {
            return Ok(None);
        };
        let is_new = self.transports.shm.is_none();
        let shm = match (&self.transports.shm, self.shm.take()) {
            (Some(shm), _) => Arc::clone(shm),
            (None, Some(shm)) => Arc::new(shm),
            (None, None) => return Err(HostError::Unreachable { host: first }),
        };
        wire_up::admit_shm(&shm, introduced, &hosts)?;
        self.transports.shm = Some(Arc::clone(&shm));
        Ok(Some(NewRoutes {
            transport: shm,
            is_new,
            hosts,
        }))
    }

    /// Connects to hosts over libfabric.
    fn connect_ofi(
        &mut self,
        control: &Control,
        peers: Vec<(HostId, &[u8])>,
    ) -> Result<Option<NewRoutes>, HostError> {
        let hosts: Vec<HostId> = peers.iter().map(|(host, _)| *host).collect();
        if hosts.is_empty() {
            return Ok(None);
        }
        let ofi = match (&self.transports.ofi, self.ofi.take()) {
            (None, Some(port)) => Arc::new(port.connect(&joining(control, &self.spec, peers))?),
            (None, None) => return Err(HostError::Unreachable { host: hosts[0] }),
            (Some(ofi), _) => {
                peers
                    .iter()
                    .try_for_each(|(host, address)| ofi.add_host(*host, address))?;
                Arc::clone(ofi)
            }
        };
        let is_new = self.transports.ofi.replace(Arc::clone(&ofi)).is_none();
        Ok(Some(NewRoutes {
            transport: ofi,
            is_new,
            hosts,
        }))
    }

    /// Adds the new routes to the fabric; makes the fabric if this host has been the only one.
    fn add_routes(&self, own: &Host, leads: impl Iterator<Item = NewRoutes>) {
        let leads = leads.inspect(|lead| heap_registrations::hold(&*lead.transport));
        let Some(network) = own.job().network() else {
            let transports = leads.map(|lead| (lead.transport, lead.hosts)).collect();
            let fabric = Fabric::new(self.spec.host_in_universe(), world(&self.spec), transports);
            let _ = own.job().connect(fabric);
            if let Some(network) = own.job().driver() {
                (self.attend)(network);
            }
            return;
        };
        for lead in leads {
            let name = lead.transport.name();
            if lead.is_new {
                network.fabric().add_transport(lead.transport);
            }
            for host in lead.hosts {
                network.fabric().add_host(host, name);
            }
        }
    }
}

/// A transport, and the new hosts that it leads to.
struct NewRoutes {
    transport: Arc<dyn Transport>,
    /// Whether the transport led to no host before.
    is_new: bool,
    hosts: Vec<HostId>,
}
