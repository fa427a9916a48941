//! An open endpoint, before the other hosts are known.

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicBool, AtomicU64};
use simurgh_fabric_sys as sys;
use sys::Library;

use super::address::Address;
use super::choice::Choice;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::frame::Token;
use super::inbound::Inbound;
use super::losses::Losses;
use super::memory::Memory;
use super::offer::Offer;
use super::outbound::Outbound;
use super::peer::Peer;
use super::transfers::Transfers;
use super::{LONGEST, Ofi};
use crate::transport::{Access, HostId};

/// An open endpoint, which waits for the addresses of the others.
pub struct OfiPort {
    main: Endpoint,
    address: Address,
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
        let operations = Inbound::MOST + Outbound::MOST + Transfers::MOST;
        let main = Endpoint::open(offer, LONGEST, operations as usize)?;
        let address = Address {
            provider,
            main: main.address()?,
            watch: Vec::new(),
        };
        Ok(Self { main, address })
    }

    /// Name of the provider, as libfabric has it.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.address.provider
    }

    /// What the other hosts need to know to reach this one.
    #[must_use]
    pub fn address(&self) -> Vec<u8> {
        self.address.to_bytes()
    }

    /// Makes a transport of it, for host `own`, with the addresses of all hosts in their order and the job's secret,
    /// which is the same for all.
    ///
    /// # Errors
    ///
    /// [`OfiError`]: when an address is none, or of another provider.
    pub fn connect(self, own: HostId, secret: &[u8], addresses: &[Vec<u8>]) -> Result<Ofi, OfiError> {
        let endpoint = self.main;
        let peer = |(host, bytes): (HostId, &Vec<u8>)| {
            let address = Address::from_bytes(bytes).ok_or(OfiError::Malformed(host))?;
            if address.provider != self.address.provider {
                return Err(OfiError::Mismatch {
                    host,
                    theirs: address.provider,
                    ours: self.address.provider.clone(),
                });
            }
            Ok(CachePadded::new(Peer::new(endpoint.insert(&address.main)?)))
        };
        let peers = (0..).zip(addresses).map(peer).collect::<Result<_, OfiError>>()?;
        let seed = random(&self.address.provider)?;
        let has_memory = endpoint.offer().has(sys::FI_RMA);
        let inbound = Inbound::new(&endpoint, LONGEST)?;
        inbound
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        Ok(Ofi {
            own,
            token: Token::of(secret),
            peers,
            kept: AtomicBool::new(false),
            losses: Losses::new(addresses.len() as u32),
            dropped: AtomicU64::new(0),
            access: Access {
                read: has_memory,
                write: has_memory,
            },
            transfers: Transfers::new(&endpoint),
            memory: Memory::new(&endpoint, seed),
            outbound: Outbound::new(&endpoint, LONGEST)?,
            inbound,
            endpoint,
        })
    }
}

/// A number that nobody else knows.
fn random(provider: &str) -> Result<u64, OfiError> {
    let mut bytes = [0; 8];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(8) => Ok(u64::from_ne_bytes(bytes)),
        outcome => Err(OfiError::System {
            provider: provider.to_owned(),
            message: format!("no random number: {outcome:?}"),
        }),
    }
}
