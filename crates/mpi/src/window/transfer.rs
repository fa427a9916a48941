//! Long puts and gets of memory on other hosts, which a transport carries out: it writes and reads the memory of the
//! target's host, so no data is copied into packets and out of them.
//!
//! The host of a target exposes the target's memory when another host first asks for it, until the rank frees the
//! window. So windows that nobody accesses in this way cost nothing. Both sides of a transfer lie in one piece; other
//! data is sent in packets (`remote`), and so is all data of dynamic windows, and where accesses are checked.
//!
//! When a transfer is over, its data is there. So a flush waits for transfers, and need not ask the target's host about
//! them.
//!
//! Short data is worth a transfer if the rank waits for it soon (`pace`): one takes less time than a packet and its
//! reply, but several times that of one more request in a packet.
//!
//! Where a transfer is over as soon as the call returns, since the kernel copies between two processes, nobody waits
//! for it. Such transfers of short data go a short way once the memory is known (`across`). Longer data goes in packets
//! where that is faster (`long_data`).

use super::error::fault;
use super::long_data::Way;
use super::operation::Located;
use super::packet::Kind;
use super::remote::BYTE;
use super::shared::WindowShared;
use super::{Flavor, Window};
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{self, Region, Run, Runs};
use crate::network::{Data, Network, OneSidedTransfer, Service};
use crate::request::{Request, Waiter};
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_net::HostId;
use simurgh_net::transport;
use std::collections::{BTreeMap, VecDeque};

/// Data with fewer bytes is sent in packets, unless the rank waits for it soon.
pub(super) const LEAST: usize = 4 << 10;

/// Most transfers of a rank that are under way in a window.
const MOST: usize = 64;

/// Bytes of the description of exposed memory: address and key.
const DESCRIPTION: usize = 16;

/// The memory of ranks of other hosts that has been asked for, by rank; none where it is not exposed.
pub(super) type RemoteRegions = SpinLock<BTreeMap<u32, Option<transport::Region>>>;

/// What has become of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has to be sent in packets.
    Left,
    /// It is being transferred.
    Begun,
    /// It is where it should be.
    Done,
}

/// The memory of a rank as it is exposed to other hosts.
#[derive(Default)]
pub(super) struct Exposures(SpinLock<Exposed>);

#[derive(Default)]
struct Exposed {
    /// For each transport, with a host to which it leads.
    regions: Vec<(HostId, transport::Region)>,
    /// Whether the rank has freed the window.
    is_over: bool,
}

/// The transfers of a rank that have not been waited for.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    under_way: VecDeque<(HostId, Arc<Request>)>,
    /// The host of one that has failed.
    failed: Option<HostId>,
}

impl Exposures {
    /// The memory of the rank as a host accesses it, from now on; none if it cannot.
    fn expose_to(&self, network: &Network, host: HostId, memory: &Region) -> Option<transport::Region> {
        let mut exposed = self.0.lock();
        if exposed.is_over {
            return None;
        }
        let known = exposed.regions.iter();
        let mut known = known.filter(|(other, _)| network.lead_alike(*other, host));
        if let Some((_, region)) = known.next() {
            return Some(*region);
        }
        let region = network.expose_to(host, memory)?;
        exposed.regions.push((host, region));
        Some(region)
    }

    /// Ends all access, since the rank frees the window.
    pub(super) fn end(&self, network: &Network) {
        let regions = {
            let mut exposed = self.0.lock();
            exposed.is_over = true;
            std::mem::take(&mut exposed.regions)
        };
        for (host, region) in regions {
            network.conceal(host, Some(region));
        }
    }

    /// The description of the memory for a host, as far as it can be exposed.
    pub(super) fn describe(
        &self,
        network: &Network,
        host: HostId,
        memory: &Region,
    ) -> Option<[u8; DESCRIPTION]> {
        let region = self.expose_to(network, host, memory)?;
        let mut description = [0; DESCRIPTION];
        description[..8].copy_from_slice(&region.address.to_le_bytes());
        description[8..].copy_from_slice(&region.key.to_le_bytes());
        Some(description)
    }
}

impl WindowShared {
    /// The memory of a rank of another host, if it has been asked for; in that none if it is not exposed.
    #[inline]
    pub(super) fn known_region(&self, seat: u32) -> Option<Option<transport::Region>> {
        self.remote_regions.lock().get(&seat).copied()
    }
}

impl Transfers {
    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty() && self.failed.is_none()
    }

    /// Takes the oldest one with a host, or with any.
    fn take(&mut self, host: Option<HostId>) -> Option<(HostId, Arc<Request>)> {
        let is_meant = |(other, _): &(HostId, _)| host.is_none_or(|host| host == *other);
        let place = self.under_way.iter().position(is_meant)?;
        self.under_way.remove(place)
    }
}

impl Window {
    /// Transfers data of `length` bytes to or from the memory of a target, or begins to. If it is begun, the waiter is
    /// completed when it is over.
    pub(super) fn transfer(
        &self,
        located: &Located<'_>,
        (data, length): (Data, usize),
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> Outcome {
        let host = located.part.host();
        let is_synchronous = self.network().is_synchronous(host);
        let is_worth = length >= LEAST || length > 0 && self.pace.begin();
        if !is_worth || !data.is_contiguous() {
            return Outcome::Left;
        }
        let Some(place) = self.only_run(located, length) else {
            return Outcome::Left;
        };
        let way = match is_synchronous {
            true => self.way_of(host, length, data.is_put()),
            false => Way::Kernel,
        };
        if way == Way::Packets {
            self.sends_packets(length);
            return Outcome::Left;
        }
        let Some(region) = self.remote_region(located) else {
            return Outcome::Left;
        };
        let offset = (located.displacement + place.offset as i64).cast_unsigned();
        if is_synchronous {
            return self.transfer_at_once(located, way, (region, offset), (&data, length));
        }
        let transfer = OneSidedTransfer::new(host, (region, offset), (data, length));
        self.begin_transfer(transfer, waiter())
    }

    /// Transfers data to or from a process of the node: by the kernel, or both ways.
    fn transfer_at_once(
        &self,
        located: &Located<'_>,
        way: Way,
        place: (transport::Region, u64),
        (data, length): (&Data, usize),
    ) -> Outcome {
        if let (Way::Both, Data::Put(origin)) = (way, data) {
            self.put_both_ways(origin, located, place);
            return Outcome::Done;
        }
        let host = located.part.host();
        let copy = || self.network().transfer_now(host, place, (data, length));
        if !self.copy_now((length, data.is_put()), copy) {
            return Outcome::Left;
        }
        self.shorten(located.seat, place.0);
        Outcome::Done
    }

    /// Begins a transfer. If it is begun, the waiter is completed when it is over.
    pub(super) fn begin_transfer(&self, mut transfer: OneSidedTransfer, waiter: Option<Waiter>) -> Outcome {
        self.make_room();
        let request = self.process().requests().take_receive();
        transfer.waiters = [Some(Waiter::Request(Arc::clone(&request))), waiter];
        let host = transfer.host;
        if !self.network().transfer(self.process().job().host(), transfer) {
            return Outcome::Left;
        }
        self.epochs().transfers.under_way.push_back((host, request));
        Outcome::Begun
    }

    /// The run of the target's elements, if there is one that holds data of so many bytes, and transfers can access
    /// it.
    fn only_run(&self, located: &Located<'_>, length: usize) -> Option<Run> {
        let may_be = self.flavor() != Flavor::Dynamic && self.shared.access_logs().is_none();
        let mut runs = may_be.then(|| Runs::new(located.datatype, located.count, &BYTE))?;
        let first = runs.next()?;
        (length <= first.count && runs.next().is_none()).then_some(first)
    }

    /// The memory of a target; none if it is not exposed to this host.
    fn remote_region(&self, located: &Located<'_>) -> Option<transport::Region> {
        let known = self.shared.known_region(located.seat);
        known.unwrap_or_else(|| {
            let asked = self.ask_region(located);
            self.shared.remote_regions.lock().insert(located.seat, asked);
            asked
        })
    }

    /// Asks the host of a target for its memory.
    #[cold]
    fn ask_region(&self, located: &Located<'_>) -> Option<transport::Region> {
        let numbers = self.label(Kind::Expose, 0, located.seat).numbers();
        let host = located.part.host();
        let ask = |target: &memory::Target| self.network().ask(Service::Windows, host, numbers, &[], target);
        let described = memory::collect(DESCRIPTION, |target| ask(target).map(drop)).ok()?;
        let (address, key) = described.split_first_chunk()?;
        Some(transport::Region {
            address: u64::from_le_bytes(*address),
            length: located.part.bytes() as u64,
            key: u64::from_le_bytes(*key.first_chunk()?),
        })
    }

    /// Waits for the oldest transfer if many are under way.
    fn make_room(&self) {
        if self.epochs().transfers.under_way.len() < MOST {
            return;
        }
        let _turn = self.take_turn();
        if let Some(oldest) = self.take_transfer(None) {
            self.await_transfer(oldest);
        }
    }

    fn await_transfer(&self, (host, request): (HostId, Arc<Request>)) {
        let status = request.wait();
        self.process().requests().give_back(request);
        if !status.error.is_success() {
            self.epochs().transfers.failed = Some(host);
        }
    }

    /// Waits for the transfers with a host, or for all.
    #[inline]
    pub(super) fn await_transfers(&self, host: Option<HostId>) -> Result<()> {
        if self.epochs().transfers.is_empty() {
            return Ok(());
        }
        self.await_those_under_way(host)
    }

    #[cold]
    fn await_those_under_way(&self, host: Option<HostId>) -> Result<()> {
        // Those that another thread of the rank begins meanwhile need not be waited for.
        let count = self.epochs().transfers.under_way.len();
        for _ in 0..count {
            let Some(transfer) = self.take_transfer(host) else {
                break;
            };
            self.await_transfer(transfer);
        }
        let failed = self.epochs().transfers.failed.take();
        failed.map_or(Ok(()), |host| Err(not_done(host)))
    }

    fn take_transfer(&self, host: Option<HostId>) -> Option<(HostId, Arc<Request>)> {
        self.epochs().transfers.take(host)
    }
}

#[cold]
fn not_done(host: HostId) -> Error {
    let message = format!("the network has not carried out a put or get of memory of host {host}");
    fault(ErrorClass::Other, message)
}
