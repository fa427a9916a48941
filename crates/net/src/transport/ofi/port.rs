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

/// An open endpoint that is not connected to other hosts yet.
pub struct OfiPort {
    main: Endpoint,
    heartbeat: Endpoint,
    address: Address,
}

/// The job that a host joins, and its place in it.
#[derive(Clone, Debug)]
pub struct ConnectOptions<'a> {
    /// The number of the own host.
    pub own: HostId,
    /// The hosts of its world.
    pub hosts: Range<HostId>,
    /// The job's secret.
    pub secret: &'a Secret,
    /// The hosts that are reached over libfabric, each with the bytes that [`OfiPort::address`] has given there.
    pub peers: Vec<(HostId, &'a [u8])>,
    /// How long a host may give no sign of life before it is lost (at most a quarter more); none if hosts are not
    /// monitored.
    pub peer_timeout: Option<Duration>,
}

impl OfiPort {
    /// Opens an endpoint of the best provider that fits the options.
    ///
    /// # Errors
    ///
    /// [`OfiError`]: without libfabric, without such a provider, or when the provider fails.
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

    /// The name of the provider, as libfabric has it.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.address.provider
    }

    /// The name of the provider in a host's address; none if the bytes are no address. Hosts can reach each other if
    /// they have the same provider.
    #[must_use]
    pub fn provider_of(address: &[u8]) -> Option<String> {
        Address::from_bytes(address).map(|address| address.provider)
    }

    /// The address of this host, which the others need to reach it.
    #[must_use]
    pub fn address(&self) -> Vec<u8> {
        self.address.to_bytes()
    }

    /// Makes a transport to the hosts of a job of it.
    ///
    /// # Errors
    ///
    /// [`OfiError`]: when an address is malformed or of another provider, or the system has no descriptors or threads
    /// left.
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

/// The table of the hosts of a world, and of others that can be reached.
fn peer_table(world: Range<HostId>, mut connections: BTreeMap<HostId, Connection>) -> Peers {
    let peer = |connection| CachePadded::new(Peer::new(connection));
    let peers = HostTable::new(world, |host| peer(connections.remove(&host)));
    for (host, connection) in connections {
        peers.add(host, peer(Some(connection)));
    }
    peers
}

/// A random number: the seed of the keys of exposed memory.
fn seed() -> Result<u64, String> {
    let bytes = auth::random().map_err(|error| format!("no random number: {error}"))?;
    Ok(u64::from_ne_bytes(bytes))
}
