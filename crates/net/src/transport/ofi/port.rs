//! An open endpoint, before the other hosts are known.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use crossbeam_utils::CachePadded;
use simurgh_core::HostTable;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64};
use simurgh_fabric_sys as sys;
use sys::Library;

use super::address::Address;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::flush::FlushMarkers;
use super::heartbeat::{Heartbeat, Monitoring, NewPeer, OPERATIONS};
use super::identity::Identity;
use super::lost_hosts::LostHosts;
use super::memory::Memory;
use super::options::OfiOptions;
use super::peer::{Connection, Peer, Peers};
use super::protection::Protection;
use super::provider::ProviderInfo;
use super::receive_buffers::ReceiveBuffers;
use super::send_buffers::SendBuffers;
use super::transfers::Transfers;
use super::{MAX_FRAME, Ofi, RECEIVE_BUFFERS, heartbeat};
use crate::HostId;
use crate::auth::{self, Nonce, Secret};
use crate::transport::Access;

/// An open endpoint, which waits for the addresses of the others.
pub struct OfiPort {
    main: Endpoint,
    heartbeat: Endpoint,
    address: Address,
}

/// What job a host joins, and as what.
#[derive(Clone, Debug)]
pub struct ConnectOptions<'a> {
    /// The host.
    pub own: HostId,
    /// The hosts of its world.
    pub hosts: Range<HostId>,
    /// The job's secret, which is the same for all.
    pub secret: &'a Secret,
    /// The hosts that are reached this way, by what [`OfiPort::address`] has given there.
    pub peers: Vec<(HostId, &'a [u8])>,
    /// After which time without a sign of life a host is lost, and a quarter of it; if none, this is not looked at.
    pub peer_timeout: Option<Duration>,
}

impl OfiPort {
    /// Opens an endpoint of the best provider, or of the one that is chosen.
    ///
    /// # Errors
    ///
    /// [`OfiError`]: without libfabric, without such a provider, or when it fails.
    pub fn open(options: &OfiOptions) -> Result<Self, OfiError> {
        let info = ProviderInfo::find(Library::load()?, options)?;
        let provider = info.provider();
        let heartbeat = Endpoint::open(info.small(OPERATIONS), heartbeat::MESSAGE_LENGTH, 2 * OPERATIONS)?;
        let operations = RECEIVE_BUFFERS.single + SendBuffers::MOST + Transfers::MOST + FlushMarkers::MOST;
        let main = Endpoint::open(info, MAX_FRAME, operations as usize)?;
        let nonce = Nonce::random().map_err(|error| OfiError::System {
            provider: provider.clone(),
            message: error.to_string(),
        })?;
        let address = Address {
            main: main.address()?,
            heartbeat: heartbeat.address()?,
            nonce,
            protection: Protection::of(options.authenticate, &provider),
            provider,
        };
        Ok(Self {
            main,
            heartbeat,
            address,
        })
    }

    /// Name of the provider, as libfabric has it.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.address.provider
    }

    /// Name of the provider by which the host is reached that says so of itself; none if that is no address. Hosts can
    /// reach each other if they have the same one.
    #[must_use]
    pub fn provider_of(address: &[u8]) -> Option<String> {
        Address::from_bytes(address).map(|address| address.provider)
    }

    /// What the other hosts need to know to reach this one.
    #[must_use]
    pub fn address(&self) -> Vec<u8> {
        self.address.to_bytes()
    }

    /// Makes a transport of it, to the hosts of a job.
    ///
    /// # Errors
    ///
    /// [`OfiError`]: when an address is none, or of another provider, or the system has no descriptors or threads left.
    pub fn connect(self, joining: &ConnectOptions<'_>) -> Result<Ofi, OfiError> {
        let Self {
            main: endpoint,
            heartbeat,
            address,
        } = self;
        let refused = |message: String| OfiError::System {
            provider: address.provider.clone(),
            message,
        };
        let identity = Identity::new(joining.own, address.clone(), joining.secret.clone());
        let lost_hosts = LostHosts::new(joining.hosts.clone()).map_err(|error| refused(error.to_string()))?;
        let lost_hosts = Arc::new(lost_hosts);
        let (mut main, mut watched) = (BTreeMap::new(), Vec::new());
        for (host, bytes) in &joining.peers {
            let theirs = identity.read(*host, bytes)?;
            lost_hosts.add_host(*host);
            main.insert(*host, identity.connection(&endpoint, *host, &theirs)?);
            watched.push(NewPeer {
                host: *host,
                mac_keys: identity.heartbeat_keys(*host, &theirs),
                address: theirs.heartbeat,
            });
        }
        let peers = Arc::new(peer_table(joining.hosts.clone(), main));
        let receive_buffers = ReceiveBuffers::new(&endpoint, MAX_FRAME, RECEIVE_BUFFERS)?;
        receive_buffers
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        let begin = |timeout| {
            let post = Monitoring {
                own: joining.own,
                timeout,
                others: watched,
                hosts: joining.hosts.clone(),
                peers: Arc::clone(&peers),
            };
            Heartbeat::begin(heartbeat, post, Arc::clone(&lost_hosts))
        };
        let has_memory = endpoint.info().has(sys::FI_RMA);
        Ok(Ofi {
            heartbeat: joining.peer_timeout.map(begin).transpose()?,
            peers,
            has_pending: AtomicBool::new(false),
            lost_hosts,
            dropped: AtomicU64::new(0),
            access: Access {
                read: has_memory,
                write: has_memory,
            },
            transfers: Transfers::new(&endpoint, address.protection),
            memory: Memory::new(&endpoint, seed().map_err(refused)?),
            send_buffers: SendBuffers::new(&endpoint, MAX_FRAME)?,
            flush_markers: FlushMarkers::new(&endpoint)?,
            receive_buffers,
            endpoint,
            identity,
        })
    }
}

/// All that is known of the hosts of a world, and of others that can be reached.
fn peer_table(world: Range<HostId>, mut connections: BTreeMap<HostId, Connection>) -> Peers {
    let peer = |connection| CachePadded::new(Peer::new(connection));
    let peers = HostTable::new(world, |host| peer(connections.remove(&host)));
    for (host, connection) in connections {
        peers.add(host, peer(Some(connection)));
    }
    peers
}

/// A number that nobody else knows: the seed of the keys of exposed memory.
fn seed() -> Result<u64, String> {
    let bytes = auth::random().map_err(|error| format!("no random number: {error}"))?;
    Ok(u64::from_ne_bytes(bytes))
}
