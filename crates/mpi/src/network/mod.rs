//! Messages between hosts.
//!
//! A message whose receiver lives on another host becomes packets ([`wire`]); the receiving host's table is looked at
//! by whoever polls the network there, in the sender's name. The protocols rest on the contract of transports alone:
//!
//! * **Eager.** Short data goes at once, if the receiver's host is sure to have room for it (`credit`): one packet,
//!   copied once into a buffer of the transport and once from there to the target, or into a buffer if no receive has
//!   been posted.
//! * **Rendezvous.** Longer data, and any that a send has to wait for, stays where it is: a request tells of it, and
//!   when it has met a receive, the receiver asks for as much as it has room for. It comes in pieces, packed straight
//!   from the sender's layout into the transport's buffers and unpacked straight into the target's (`stream`). If both
//!   lie in one piece and the transport has access to remote memory, the receiver reads it, or has it written
//!   (`transfer`).
//!
//! What is under way has a handle, which the other host sends back (`register`). A packet that makes no sense has no
//! effect and is counted.
//!
//! Hosts have messages of their own ([`Line`]), for what ranks of a host do together. They go the same ways, to an
//! endpoint that no rank has.
//!
//! Costs of a short message: for the sender, one locked instruction on the line of the receiver's window, and the
//! transport's send; no lock that unrelated ranks share. For the receiving host, the transport's poll, one lock of
//! the receiver's table, one or two copies, and, if it had to lie in the table, one locked instruction on the line of
//! what has been received.

mod abandoned;
mod arrival;
mod counters;
mod credit;
mod drain;
mod exposed;
mod fetch;
mod goods;
mod line;
pub mod packets;
mod recall;
mod register;
mod send;
mod stream;
mod tasks;
mod transfer;
mod wire;

#[cfg(test)]
mod tests;

pub(crate) use abandoned::Rounds;
pub(crate) use fetch::Wanted;
pub(crate) use goods::Goods;
pub(crate) use line::{Line, Pending};
pub(crate) use send::Letter;

use crate::context::ContextMessage;
use crate::endpoint::Endpoint;
use crate::host::Host;
use crate::matching::{Envelope, Lanes};
use crate::memory::Source;
use crate::request::{Request, RequestPool};
use abandoned::Abandoned;
use arrival::Reception;
use counters::Counters;
pub use counters::NetworkStats;
use credit::{Account, Accounts};
use crossbeam_utils::CachePadded;
use drain::Draining;
use fetch::Incoming;
use packets::HOST_BASE;
use register::Register;
use send::Outgoing;
use simurgh_core::sync::{Arc, AtomicU64, AtomicUsize, Ordering};
use simurgh_net::Fabric;
use simurgh_net::HostId;
use simurgh_settings::Id;
use std::cell::Cell;
use std::fmt;
use tasks::Tasks;
use transfer::Writing;
use wire::{Label, Packet};

/// What a job does with its other hosts.
pub struct Remote {
    fabric: Fabric,
    /// Where messages to this host as such go.
    line: Endpoint,
    line_requests: RequestPool,
    abandoned: Abandoned,
    outgoing: Register<Outgoing>,
    incoming: Register<Incoming>,
    /// Bytes that have been asked for and have not come: whether they would fill the caches.
    expected: CachePadded<AtomicU64>,
    accounts: Accounts,
    writing: Register<Writing>,
    draining: Register<Draining>,
    /// Questions for messages that have been sent.
    recalls: Register<Arc<Request>>,
    tasks: Tasks,
    /// Reads, writes and drainings that have been started and are not over.
    transfers: AtomicUsize,
    counters: Counters,
}

impl Remote {
    pub(crate) fn new(local: &Host, fabric: Fabric) -> Arc<Self> {
        let layout = local.layout();
        let same = fabric.own() == layout.own() && fabric.hosts() == layout.hosts();
        assert!(
            same,
            "the fabric and the layout are of the same host of the same job"
        );
        let settings = local.settings();
        let window = settings.amount(Id::EagerWindow) as u32;
        let users = layout.here().len();
        let remote = Self {
            fabric,
            line: Endpoint::new(settings.amount(Id::ScanLimit)),
            line_requests: RequestPool::new(),
            abandoned: Abandoned::default(),
            outgoing: Register::new(users),
            incoming: Register::new(users),
            expected: CachePadded::default(),
            accounts: Accounts::new(layout.hosts(), window),
            writing: Register::new(users),
            draining: Register::new(1),
            recalls: Register::new(users),
            tasks: Tasks::default(),
            transfers: AtomicUsize::new(0),
            counters: Counters::default(),
        };
        layout.others().for_each(|other| remote.admit(other.host));
        Arc::new(remote)
    }

    /// A host has come.
    pub(crate) fn admit(&self, host: HostId) {
        self.accounts.admit(host);
    }

    /// All hosts, as this one sees them.
    #[must_use]
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// Tells a host something about the labels of communicators.
    pub(crate) fn tell_context(&self, host: HostId, notice: ContextMessage) {
        self.tell(host, &Packet::Context(notice));
    }

    /// What has been sent and received so far.
    #[must_use]
    pub fn stats(&self) -> NetworkStats {
        self.counters.stats(&self.fabric)
    }

    /// Does what there is to do; false if there was nothing, or somebody else is at it.
    #[inline]
    pub(crate) fn work(&self, local: &Host) -> bool {
        let arrived = self.fabric.poll(&Reception { local, remote: self });
        let done = self.go_on(local);
        arrived || done
    }

    /// The message from `sender`, a process here, to another that lives elsewhere.
    pub(crate) fn letter<'a>(
        &self,
        local: &Host,
        sender: u32,
        process: u32,
        envelope: Envelope,
        lanes: Lanes,
        source: &'a Source,
    ) -> Letter<'a> {
        Letter {
            host: local.layout().host_of(process),
            label: Label {
                process,
                envelope,
                lanes,
            },
            source,
            sender,
            stalled: Cell::new(false),
        }
    }

    /// Whether messages have arrived, or something waits to be sent on.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.fabric.has_work() || self.tasks.are_there()
    }

    /// Whether something waits to be sent on.
    pub(crate) fn is_busy(&self) -> bool {
        self.tasks.are_there()
    }

    /// Whether nothing is under way but what other hosts have yet to handle.
    pub(crate) fn is_quiet(&self) -> bool {
        // What has arrived and has not been looked at counts as sent, not as received.
        !self.fabric.is_backed_up() && !self.tasks.are_there() && self.transfers.load(Ordering::SeqCst) == 0
    }

    /// Sends a packet with data.
    #[inline]
    fn send(&self, to: HostId, packet: &Packet, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        let header = packet.header(self.accounts.with(to).settle());
        self.fabric.send(to, &header, length, fill);
    }

    /// Sends a packet that has no data but a region.
    fn tell(&self, to: HostId, packet: &Packet) {
        let region = packet.region();
        let bytes: &[u8] = region.as_ref().map_or(&[], |region| region);
        self.send(to, packet, bytes.len(), &mut |room| room.copy_from_slice(bytes));
    }

    /// Notes that a message of a host that has lain here has left our memory.
    #[inline]
    pub(crate) fn received(&self, from: HostId, bytes: usize) {
        if self.accounts.with(from).let_go(credit::cost(bytes)) {
            self.tell(from, &Packet::Credit);
        }
    }

    /// Notes that a message of a host, with which this is the account, has gone straight to its target. Called by
    /// whoever polls.
    #[inline]
    fn passed(&self, from: HostId, account: Account<'_>, bytes: usize) {
        if account.pass(credit::cost(bytes)) {
            self.tell(from, &Packet::Credit);
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("own", &self.fabric.own())
            .field("hosts", &self.fabric.hosts())
            .field("sent and received", &self.fabric.counts())
            .field("backed up", &self.fabric.is_backed_up())
            .field("tasks", &self.tasks.are_there())
            .field("transfers", &self.transfers)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}
