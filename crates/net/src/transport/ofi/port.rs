//! An open endpoint, before the other hosts are known.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use crossbeam_utils::CachePadded;
use simurgh_core::Roster;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64};
use simurgh_fabric_sys as sys;
use sys::{Library, fi_addr_t};

use super::address::Address;
use super::choice::Choice;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::frame::Token;
use super::inbound::Inbound;
use super::losses::Losses;
use super::marks::Marks;
use super::memory::Memory;
use super::offer::Offer;
use super::outbound::Outbound;
use super::peer::Peer;
use super::transfers::Transfers;
use super::watch::{MESSAGE, OPERATIONS, Post, Watch};
use super::{LONGEST, Ofi, ROOM};
use crate::transport::{Access, HostId};

/// What an endpoint calls other hosts.
type Addresses = BTreeMap<HostId, fi_addr_t>;

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
    pub secret: &'a [u8],
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
        let watch = Endpoint::open(offer.small(OPERATIONS), MESSAGE, 2 * OPERATIONS)?;
        let operations = ROOM.single + Outbound::MOST + Transfers::MOST + Marks::MOST;
        let main = Endpoint::open(offer, LONGEST, operations as usize)?;
        let address = Address {
            provider,
            main: main.address()?,
            watch: watch.address()?,
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

    /// The addresses of hosts at both endpoints.
    fn insert(&self, peers: &[(HostId, &[u8])]) -> Result<(Addresses, Addresses), OfiError> {
        let (mut main, mut watched) = (Addresses::new(), Addresses::new());
        for (host, bytes) in peers {
            let address = Address::checked(*host, bytes, &self.address.provider)?;
            main.insert(*host, self.main.insert(&address.main)?);
            watched.insert(*host, self.watch.insert(&address.watch)?);
        }
        Ok((main, watched))
    }

    /// Makes a transport of it, to the hosts of a job.
    ///
    /// # Errors
    ///
    /// [`OfiError`]: when an address is none, or of another provider, or the system has no descriptors or threads left.
    pub fn connect(self, joining: &Joining<'_>) -> Result<Ofi, OfiError> {
        let (main, watched) = self.insert(&joining.peers)?;
        let Self {
            main: endpoint,
            watch,
            address,
        } = self;
        let refused = |message: String| OfiError::System {
            provider: address.provider.clone(),
            message,
        };
        let losses = Losses::new(joining.hosts.clone()).map_err(|error| refused(error.to_string()))?;
        let losses = Arc::new(losses);
        main.keys().for_each(|host| losses.admit(*host));
        let inbound = Inbound::new(&endpoint, LONGEST, ROOM)?;
        inbound
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        let post = |timeout| Post {
            own: joining.own,
            secret: joining.secret,
            timeout,
            addresses: watched,
            hosts: joining.hosts.clone(),
        };
        let begin = |timeout| Watch::begin(watch, post(timeout), Arc::clone(&losses));
        let token = Token::of(joining.secret);
        let has_memory = endpoint.offer().has(sys::FI_RMA);
        Ok(Ofi {
            own: joining.own,
            token,
            address: address.clone(),
            peers: roster(joining.hosts.clone(), main),
            kept: AtomicBool::new(false),
            watch: joining.peer_timeout.map(begin).transpose()?,
            losses,
            dropped: AtomicU64::new(0),
            access: Access {
                read: has_memory,
                write: has_memory,
            },
            transfers: Transfers::new(&endpoint),
            memory: Memory::new(&endpoint, random().map_err(refused)?),
            outbound: Outbound::new(&endpoint, LONGEST)?,
            marks: Marks::new(&endpoint, token, joining.own)?,
            inbound,
            endpoint,
        })
    }
}

/// All that is known of the hosts of a world, and of others that have an address.
fn roster(world: Range<HostId>, mut addresses: Addresses) -> Roster<CachePadded<Peer>> {
    let peer = |address| CachePadded::new(Peer::new(address));
    let peers = Roster::new(world, |host| peer(addresses.remove(&host)));
    for (host, address) in addresses {
        peers.add(host, peer(Some(address)));
    }
    peers
}

/// A number that nobody else knows.
fn random() -> Result<u64, String> {
    let mut bytes = [0; 8];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(8) => Ok(u64::from_ne_bytes(bytes)),
        outcome => Err(format!("no random number: {outcome:?}")),
    }
}
