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
use super::choice::Choice;
use super::cover::Cover;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::identity::Identity;
use super::inbound::Inbound;
use super::losses::Losses;
use super::marks::Marks;
use super::memory::Memory;
use super::offer::Offer;
use super::outbound::Outbound;
use super::peer::{Contact, Peer, Peers};
use super::transfers::Transfers;
use super::watch::{Newcomer, OPERATIONS, Post, Watch};
use super::{LONGEST, Ofi, ROOM, sign};
use crate::control::{Secret, fixed};
use crate::proof::Nonce;
use crate::transport::{Access, HostId};

/// An open endpoint, which waits for the addresses of the others.
pub struct OfiPort {
    main: Endpoint,
    watch: Endpoint,
    address: Address,
}

/// What job a host joins, and as what.
#[derive(Clone, Debug)]
pub struct Joining<'a> {
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
    pub fn open(choice: &Choice) -> Result<Self, OfiError> {
        let offer = Offer::find(Library::load()?, choice)?;
        let provider = offer.provider();
        let watch = Endpoint::open(offer.small(OPERATIONS), sign::LENGTH, 2 * OPERATIONS)?;
        let operations = ROOM.single + Outbound::MOST + Transfers::MOST + Marks::MOST;
        let main = Endpoint::open(offer, LONGEST, operations as usize)?;
        let nonce = Nonce::random().map_err(|error| OfiError::System {
            provider: provider.clone(),
            message: error.to_string(),
        })?;
        let address = Address {
            main: main.address()?,
            watch: watch.address()?,
            nonce,
            cover: Cover::of(choice.authenticate, &provider),
            provider,
        };
        Ok(Self { main, watch, address })
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
    pub fn connect(self, joining: &Joining<'_>) -> Result<Ofi, OfiError> {
        let Self {
            main: endpoint,
            watch,
            address,
        } = self;
        let refused = |message: String| OfiError::System {
            provider: address.provider.clone(),
            message,
        };
        let identity = Identity::new(joining.own, address.clone(), joining.secret.clone());
        let losses = Losses::new(joining.hosts.clone()).map_err(|error| refused(error.to_string()))?;
        let losses = Arc::new(losses);
        let (mut main, mut watched) = (BTreeMap::new(), Vec::new());
        for (host, bytes) in &joining.peers {
            let theirs = identity.read(*host, bytes)?;
            losses.admit(*host);
            main.insert(*host, identity.packets(&endpoint, *host, &theirs)?);
            watched.push(Newcomer {
                host: *host,
                seals: identity.signs(*host, &theirs),
                address: theirs.watch,
            });
        }
        let peers = Arc::new(roster(joining.hosts.clone(), main));
        let inbound = Inbound::new(&endpoint, LONGEST, ROOM)?;
        inbound
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        let begin = |timeout| {
            let post = Post {
                own: joining.own,
                timeout,
                others: watched,
                hosts: joining.hosts.clone(),
                peers: Arc::clone(&peers),
            };
            Watch::begin(watch, post, Arc::clone(&losses))
        };
        let has_memory = endpoint.offer().has(sys::FI_RMA);
        Ok(Ofi {
            watch: joining.peer_timeout.map(begin).transpose()?,
            peers,
            kept: AtomicBool::new(false),
            losses,
            dropped: AtomicU64::new(0),
            access: Access {
                read: has_memory,
                write: has_memory,
            },
            transfers: Transfers::new(&endpoint, address.cover),
            memory: Memory::new(&endpoint, random().map_err(refused)?),
            outbound: Outbound::new(&endpoint, LONGEST)?,
            marks: Marks::new(&endpoint)?,
            inbound,
            endpoint,
            identity,
        })
    }
}

/// All that is known of the hosts of a world, and of others that can be reached.
fn roster(world: Range<HostId>, mut contacts: BTreeMap<HostId, Contact>) -> Peers {
    let peer = |contact| CachePadded::new(Peer::new(contact));
    let peers = HostTable::new(world, |host| peer(contacts.remove(&host)));
    for (host, contact) in contacts {
        peers.add(host, peer(Some(contact)));
    }
    peers
}

/// A number that nobody else knows.
fn random() -> Result<u64, String> {
    let bytes = fixed::random().map_err(|error| format!("no random number: {error}"))?;
    Ok(u64::from_ne_bytes(bytes))
}
