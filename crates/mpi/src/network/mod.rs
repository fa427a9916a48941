//! The protocols between hosts.
//!
//! A message whose receiver lives on another host becomes packets (`wire`). The progress engine of the receiving host
//! handles them (`dispatch`): whoever polls the network matches the message against the table of the receiver, in the
//! name of the sender. The protocols rest on the contract of transports alone:
//!
//! * **Eager.** Short data is sent at once, if the sender has credits for it (`credit`), so that the receiver's host is
//!   sure to have room. It is one packet or several (`segments`), which are copied once into buffers of the transport
//!   and once from there to the target, or into an eager buffer if no receive has been posted.
//! * **Rendezvous.** Longer data, and the data of a synchronous send, stays in the sender's memory. The sender sends a
//!   request to send. When that has matched a receive, the receiver sends a clear to send for as much as it has room
//!   for (`rendezvous`). The data comes in fragments, packed straight from the sender's layout into the transport's
//!   buffers and unpacked straight into the target's (`pipeline`). If both lie in one piece and the transport has
//!   access to remote memory, the receiver gets the data, or the sender puts it (`rdma`), as the setting `rendezvous`
//!   says. Between processes of a node with a core for each, both copy (`cooperative`).
//!
//! An operation under way has a handle, which the other host sends back (`handle_table`). A packet that makes no sense
//! has no effect and is counted.
//!
//! * **Active message.** A request to another host as such, which a layer above handles there, without a rank
//!   (`active_message`).
//! * **One-sided transfer.** A layer above reads or writes memory that another host has exposed (`one_sided`).
//!
//! Hosts also send messages to each other that belong to no rank ([`HostChannel`]), for what the ranks of a host do
//! together. They use the same protocols, and go to an endpoint of the host.
//!
//! Costs of a short message: for the sender, one locked instruction on the line of the receiver's window, and the
//! transport's send; no lock that unrelated ranks share. For the receiving host, the transport's poll, one lock of the
//! receiver's table, one or two copies, and, if the message had to be queued, one locked instruction on the line of
//! what has been received.

mod active_message;
mod answer;
mod cancel;
mod cooperative;
mod counters;
mod credit;
mod dispatch;
mod exposed;
mod failures;
mod flush;
mod frequent;
mod handle_table;
mod host_channel;
mod one_sided;
pub mod packets;
mod pipeline;
mod progress;
mod protocol_choice;
mod rdma;
mod rendezvous;
mod request_window;
mod segments;
mod send;
mod send_data;
mod wire;

#[cfg(test)]
mod tests;

pub(crate) use active_message::{ActiveMessageHandler, ActiveRequest, ReplyTo, Service};
pub(crate) use answer::{ANSWER, Answer};
pub(crate) use failures::Rounds;
pub(crate) use host_channel::{HostChannel, Pending};
pub(crate) use one_sided::{Data, OneSidedTransfer};
pub(crate) use rendezvous::MatchedReceive;
pub(crate) use send::OutgoingMessage;
pub(crate) use send_data::SendData;

use crate::context::ContextMessage;
use crate::endpoint::Endpoint;
use crate::host::Host;
use crate::matching::{Envelope, PatternKinds};
use crate::memory::Source;
use crate::request::{Request, RequestPool};
use active_message::{ActiveMessages, PendingReply};
use counters::Counters;
pub use counters::NetworkStats;
use credit::{Account, Accounts};
use crossbeam_utils::CachePadded;
use failures::Failures;
use flush::Flush;
use handle_table::HandleTable;
use packets::HOST_BASE;
use progress::TaskQueue;
use protocol_choice::ProtocolChoice;
use rdma::Put;
use rendezvous::PendingReceive;
use segments::Arrivals;
use send::PendingSend;
use simurgh_core::sync::{Arc, AtomicU64, AtomicUsize};
use simurgh_net::Fabric;
use simurgh_net::HostId;
use simurgh_net::transport::Access;
use simurgh_settings::Id;
use std::cell::Cell;
use std::fmt;
use wire::{Label, Packet};

/// The network of a job: its messages to and from other hosts.
pub struct Network {
    fabric: Fabric,
    /// The endpoint of the messages to this host itself.
    host_endpoint: Endpoint,
    host_requests: RequestPool,
    failures: Failures,
    pending_sends: HandleTable<PendingSend>,
    pending_receives: HandleTable<PendingReceive>,
    /// Bytes that have been asked for and have not come. It tells whether they would fill the caches.
    expected: CachePadded<AtomicU64>,
    accounts: Accounts,
    arrivals: Arrivals,
    /// The access to memory that the protocols make use of, where there is any.
    wanted: Access,
    protocol_choice: ProtocolChoice,
    puts: HandleTable<Put>,
    flushes: HandleTable<Flush>,
    one_sided: HandleTable<OneSidedTransfer>,
    /// Eager messages that are being cancelled, each with the request of the rank that waits for the answer.
    eager_cancels: HandleTable<Arc<Request>>,
    active_messages: ActiveMessages,
    pending_replies: HandleTable<PendingReply>,
    tasks: TaskQueue,
    /// Gets, puts, flushes and transfers of one-sided communication that have been started and are not over.
    transfers: AtomicUsize,
    counters: Counters,
}

impl Network {
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
        let network = Self {
            fabric,
            host_endpoint: Endpoint::new(
                settings.amount(Id::ScanLimit),
                settings.amount(Id::BacklogLimit),
                &Arc::default(),
            ),
            host_requests: RequestPool::new(),
            failures: Failures::default(),
            pending_sends: HandleTable::new(users),
            pending_receives: HandleTable::new(users),
            expected: CachePadded::default(),
            accounts: Accounts::new(layout.hosts(), window),
            arrivals: Arrivals::default(),
            wanted: rdma::wanted(settings),
            protocol_choice: ProtocolChoice::default(),
            puts: HandleTable::new(users),
            flushes: HandleTable::new(1),
            one_sided: HandleTable::new(users),
            eager_cancels: HandleTable::new(users),
            active_messages: ActiveMessages::default(),
            pending_replies: HandleTable::new(users),
            tasks: TaskQueue::default(),
            transfers: AtomicUsize::new(0),
            counters: Counters::default(),
        };
        layout.others().for_each(|other| network.admit(other.host));
        Arc::new(network)
    }

    /// Opens an account for a host that has come.
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

    /// The counts of what has been sent and received so far.
    #[must_use]
    pub fn stats(&self) -> NetworkStats {
        self.counters.stats(&self.fabric)
    }

    /// The message from `sender`, a process of this host, to a process of another host.
    pub(crate) fn outgoing_message<'a>(
        &self,
        local: &Host,
        sender: u32,
        process: u32,
        envelope: Envelope,
        kinds: PatternKinds,
        source: &'a Source,
    ) -> OutgoingMessage<'a> {
        OutgoingMessage {
            host: local.layout().host_of(process),
            label: Label {
                process,
                envelope,
                kinds,
            },
            source,
            sender,
            stalled: Cell::new(false),
        }
    }

    /// Sends a packet with data.
    #[inline]
    fn send(&self, to: HostId, packet: &Packet, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        let header = packet.header(self.accounts.with(to).acknowledge());
        self.fabric.send(to, &header, length, fill);
    }

    /// Sends a packet whose only data is a region.
    fn tell(&self, to: HostId, packet: &Packet) {
        let region = packet.region();
        let bytes: &[u8] = region.as_ref().map_or(&[], |region| region);
        self.send(to, packet, bytes.len(), &mut |room| room.copy_from_slice(bytes));
    }

    /// Notes that an eager message of a host, which was queued here, has left the memory of this host.
    #[inline]
    pub(crate) fn received(&self, from: HostId, bytes: usize) {
        if self.accounts.with(from).release(credit::cost(bytes)) {
            self.tell(from, &Packet::Credit);
        }
    }

    /// The bytes of the last eager message of a host that went straight to its target.
    pub(crate) fn last_delivered(&self, from: HostId) -> usize {
        self.accounts.with(from).last_delivered()
    }

    /// Notes that an eager message has gone straight to its target. `account` is the one with the host that sent it.
    /// Called by the thread that polls.
    #[inline]
    fn delivered(&self, from: HostId, account: &Account<'_>, bytes: usize) {
        if account.deliver(bytes) {
            self.tell(from, &Packet::Credit);
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("own", &self.fabric.own())
            .field("hosts", &self.fabric.hosts())
            .field("sent and received", &self.fabric.counts())
            .field("backed up", &self.fabric.is_backed_up())
            .field("tasks", &self.tasks.any())
            .field("transfers", &self.transfers)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}
