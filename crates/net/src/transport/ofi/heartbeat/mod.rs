//! Heartbeats: a thread that asks other hosts for signs of life, and answers theirs.
//!
//! The thread has an endpoint of its own, so that it neither waits for virtual processors that compute nor wakes them.
//! Over tcp nothing else shows that a host has been stopped or a link cut: packets to it go into the kernel's buffers,
//! and packets that do not come do not fail.
//!
//! A host monitors the hosts with which it has exchanged packets, and always the next one by number, so that each host
//! is monitored by some other one. With each heartbeat (`message`) a host tells how many packets it has exchanged with
//! the other one, which shows if packets do not arrive though heartbeats do (`stall_detector`). How long a host may be
//! silent is decided by the `failure_detector`.
//!
//! The thread sleeps but for four questions for each monitored host and timeout, and their answers.

mod failure_detector;
mod message;
mod stall_detector;

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64, Ordering, SpinLock};
use simurgh_core::{HostTable, PassiveThread, with_signals_blocked};
use simurgh_fabric_sys::{calls, fi_addr_t};

use self::failure_detector::{Action, FailureDetector};
use self::message::{HeartbeatMessage, MessageKind};
use self::stall_detector::{Counters, Progress, StallDetector};

use super::endpoint::{Completion, Endpoint};
use super::error::OfiError;
use super::lost_hosts::LostHosts;
use super::mac::MacKeys;
use super::operation::Kind;
use super::peer::Peers;
use super::receive_buffers::{BufferCounts, ReceiveBuffers};
use crate::HostId;

/// Bytes of a heartbeat.
pub(super) const MESSAGE_LENGTH: usize = message::LENGTH;
/// Most operations under way on the thread's endpoint.
pub(super) const OPERATIONS: usize = 64;
/// The buffers for heartbeats.
const RECEIVE_BUFFERS: BufferCounts = BufferCounts {
    many: (2, 32 << 10),
    single: OPERATIONS as u32,
};
/// Longest sleep where the provider has no descriptor that wakes the thread.
const NAP: Duration = Duration::from_millis(20);
/// The name of the thread.
pub const HEARTBEAT_THREAD: &str = "simurgh-watch";
/// Bytes of the thread's stack.
const STACK: usize = 512 << 10;

/// Why a host is lost that gives no sign of life.
const SILENT: &str = "it has given no sign of life for the time of peer_timeout; the host has been stopped, or the \
                      network between is cut";
/// Why a host is lost whose packets do not arrive.
const STUCK: &str = "what is sent between it and this one does not arrive for the time of peer_timeout, though both \
                     look for it; somebody has taken over the connection, or the network between is cut";

/// The heartbeat thread of a host.
pub(super) struct Heartbeat {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Until the thread is about to end.
    passive: Option<PassiveThread>,
}

/// Shared by the thread and the rest of the process.
struct Shared {
    /// For each host that can be reached, whether it is monitored.
    monitored: HostTable<AtomicBool>,
    /// Hosts that have been added, until the thread knows them.
    new_peers: SpinLock<Vec<NewPeer>>,
    /// How often this host has polled its endpoint for packets.
    polls: CachePadded<AtomicU64>,
    lost_hosts: Arc<LostHosts>,
    over: AtomicBool,
    /// Becomes readable when the thread is to end, or hosts have been added.
    alarm: OwnedFd,
}

/// The parameters of the thread.
pub(super) struct Monitoring {
    /// The own host.
    pub(super) own: HostId,
    /// How long a host may give no sign of life before it is lost.
    pub(super) timeout: Duration,
    /// The hosts that can be reached.
    pub(super) others: Vec<NewPeer>,
    /// The hosts of the world.
    pub(super) hosts: Range<HostId>,
    /// All hosts, with the counts of packets exchanged.
    pub(super) peers: Arc<Peers>,
}

/// A host that is added.
pub(super) struct NewPeer {
    pub(super) host: HostId,
    /// The address of its thread.
    pub(super) address: Vec<u8>,
    pub(super) mac_keys: MacKeys,
}

/// The heartbeat thread of another host.
struct Other {
    address: fi_addr_t,
    mac_keys: MacKeys,
    /// The number of the next heartbeat to it.
    next: u64,
    /// The lowest number that the next heartbeat from it may have.
    due: u64,
    /// Whether packets or transfers between the two have been delayed.
    is_delayed: bool,
}

/// The state of the thread.
struct HeartbeatThread {
    own: HostId,
    others: BTreeMap<HostId, Other>,
    peers: Arc<Peers>,
    shared: Arc<Shared>,
    failure_detector: FailureDetector,
    stall_detector: StallDetector,
    receive_buffers: ReceiveBuffers,
    endpoint: Endpoint,
}

impl Heartbeat {
    /// Starts the thread.
    pub(super) fn begin(
        endpoint: Endpoint,
        monitoring: Monitoring,
        lost_hosts: Arc<LostHosts>,
    ) -> Result<Self, OfiError> {
        let receive_buffers = ReceiveBuffers::new(&endpoint, MESSAGE_LENGTH, RECEIVE_BUFFERS)?;
        receive_buffers
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        let refused = |error: String| OfiError::System {
            provider: endpoint.info().provider(),
            message: error,
        };
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let alarm = eventfd(0, flags).map_err(|error| refused(error.to_string()))?;
        let first = first_monitored(monitoring.own, &monitoring.others);
        let is_monitored = |host| AtomicBool::new(Some(host) == first);
        let monitored = HostTable::new(monitoring.hosts, is_monitored);
        for other in &monitoring.others {
            monitored.add(other.host, is_monitored(other.host));
        }
        let shared = Arc::new(Shared {
            monitored,
            new_peers: SpinLock::new(monitoring.others),
            polls: CachePadded::new(AtomicU64::new(0)),
            lost_hosts,
            over: AtomicBool::new(false),
            alarm,
        });
        let thread = std::thread::Builder::new()
            .name(HEARTBEAT_THREAD.to_owned())
            .stack_size(STACK);
        let refusal = refused("no thread".to_owned());
        let state = HeartbeatThread {
            own: monitoring.own,
            others: BTreeMap::new(),
            peers: monitoring.peers,
            shared: Arc::clone(&shared),
            failure_detector: FailureDetector::new(monitoring.timeout, Instant::now()),
            stall_detector: StallDetector::new(monitoring.timeout),
            receive_buffers,
            endpoint,
        };
        let thread = with_signals_blocked(|| thread.spawn(move || state.run())).map_err(|_| refusal)?;
        Ok(Self {
            shared,
            thread: Some(thread),
            passive: Some(PassiveThread::new()),
        })
    }

    /// Adds a host.
    pub(super) fn add_peer(&self, new_peer: NewPeer) {
        self.shared.monitored.add(new_peer.host, AtomicBool::new(false));
        self.shared.new_peers.lock().push(new_peer);
        self.shared.wake();
    }

    /// Counts a poll of the endpoint for packets. Called by one thread at a time.
    #[inline]
    pub(super) fn count_poll(&self) {
        // Relaxed: it orders nothing else, and no other thread changes it.
        let polls = self.shared.polls.load(Ordering::Relaxed);
        self.shared.polls.store(polls + 1, Ordering::Relaxed);
    }

    /// Has a host monitored from now on, since packets are exchanged with it.
    #[inline]
    pub(super) fn monitor(&self, host: HostId) {
        let monitored = &self.shared.monitored[host];
        // Relaxed: the thread sees it at its next turn. The load comes first, so that a line that all threads read is
        // not written.
        if !monitored.load(Ordering::Relaxed) {
            monitored.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// Wakes the thread.
    fn wake(&self) {
        // It fails only if the counter is full, and then the descriptor is readable.
        let _ = rustix::io::write(&self.alarm, &1_u64.to_ne_bytes());
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.passive = None;
        self.shared.over.store(true, Ordering::SeqCst);
        self.shared.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The next host by number that can be reached.
fn first_monitored(own: HostId, others: &[NewPeer]) -> Option<HostId> {
    let hosts = others.iter().map(|other| other.host);
    let behind = hosts.clone().filter(|host| *host > own).min();
    behind.or_else(|| hosts.min())
}

impl HeartbeatThread {
    fn run(mut self) {
        while !self.shared.over.load(Ordering::SeqCst) {
            self.add_new_peers();
            while self.receive() {}
            for action in self.failure_detector.actions(Instant::now(), self.monitored()) {
                match action {
                    Action::Ping(host) => self.send(host, MessageKind::Ping),
                    Action::Lose(host) => self.shared.lost_hosts.add(host, SILENT.to_owned()),
                }
            }
            self.sleep(self.failure_detector.rest(Instant::now()));
        }
        self.endpoint.shut();
    }

    /// The hosts that are monitored and not lost.
    fn monitored(&self) -> Vec<HostId> {
        let shared = &self.shared;
        let is_monitored = |host: &HostId| {
            // Relaxed: as in `meet`.
            shared.monitored[*host].load(Ordering::Relaxed) && !shared.lost_hosts.has(*host)
        };
        self.others.keys().copied().filter(is_monitored).collect()
    }

    /// Takes note of the hosts that have been added.
    fn add_new_peers(&mut self) {
        let new_peers = std::mem::take(&mut *self.shared.new_peers.lock());
        for NewPeer {
            host,
            address,
            mac_keys,
        } in new_peers
        {
            let other = |address| Other {
                address,
                mac_keys,
                next: 0,
                due: 0,
                is_delayed: false,
            };
            match self.endpoint.insert(&address) {
                Ok(address) => drop(self.others.insert(host, other(address))),
                Err(error) => self.shared.lost_hosts.add(host, error.to_string()),
            }
        }
    }

    /// Handles the heartbeats that have come. False if none has.
    fn receive(&mut self) -> bool {
        let mut messages = Vec::new();
        let any = self.endpoint.complete(&mut |completion| {
            let (key, flags, data) = match completion {
                Completion::Done { key, flags, data } => (Some(key), flags, data),
                Completion::Failed { key, flags, .. } => (key, flags, (std::ptr::null(), 0)),
            };
            let Some(key) = key.filter(|key| key.kind == Kind::Receive) else {
                return;
            };
            // SAFETY:
            // - that is what has just been completed; it is posted again below.
            let bytes = unsafe { self.receive_buffers.frame(key.number, data) };
            let mac_key = |host| self.others.get(&host).map(|other| &other.mac_keys.inward);
            messages.extend(HeartbeatMessage::read(bytes, mac_key));
            self.receive_buffers.handled(&self.endpoint, key.number, flags);
        });
        if self.receive_buffers.is_short() {
            // A buffer that cannot be posted now is posted after the next heartbeat or turn.
            let _ = self.receive_buffers.replenish(&self.endpoint);
        }
        messages
            .into_iter()
            .for_each(|message| self.handle_message(message));
        any
    }

    /// Handles a heartbeat of a host.
    fn handle_message(&mut self, message: HeartbeatMessage) {
        let host = message.from;
        let Some(other) = self
            .others
            .get_mut(&host)
            .filter(|other| other.due <= message.number)
        else {
            return;
        };
        other.due = message.number + 1;
        let now = Instant::now();
        self.failure_detector.heard_from(host, now);
        let progress = self.compare(message, now);
        if progress == Progress::Delayed || message.is_delayed {
            self.shared.lost_hosts.wake();
        }
        if progress == Progress::Stalled {
            self.shared.lost_hosts.add(host, STUCK.to_owned());
        }
        if message.kind == MessageKind::Ping {
            self.send(host, MessageKind::Pong);
        }
    }

    /// Compares what the two hosts say that they have sent and received.
    fn compare(&mut self, message: HeartbeatMessage, now: Instant) -> Progress {
        let host = message.from;
        let Some(peer) = self.peers.get(host) else {
            return Progress::Moving;
        };
        let counters = Counters {
            ours: peer.traffic(),
            theirs: (message.sent, message.received),
            polls: [self.polls(), message.polls],
        };
        let progress = self.stall_detector.check(host, &counters, now);
        if let Some(other) = self.others.get_mut(&host) {
            other.is_delayed = progress != Progress::Moving;
        }
        progress
    }

    /// How often this host has polled.
    fn polls(&self) -> u64 {
        // Relaxed: as in `Heartbeat::look`.
        self.shared.polls.load(Ordering::Relaxed)
    }

    /// Sends a heartbeat to a host. If the provider does not take it, the next turn sends another.
    fn send(&mut self, host: HostId, kind: MessageKind) {
        let (from, polls) = (self.own, self.polls());
        let traffic = self
            .peers
            .get(host)
            .map(|peer| peer.traffic())
            .unwrap_or_default();
        let Some(other) = self.others.get_mut(&host) else {
            return;
        };
        let message = HeartbeatMessage {
            from,
            kind,
            is_delayed: other.is_delayed,
            number: other.next,
            sent: traffic.sent,
            received: traffic.received,
            polls,
        };
        other.next += 1;
        let bytes = message.to_bytes(&other.mac_keys.outward);
        let (endpoint, address) = (self.endpoint.as_ptr(), other.address);
        // SAFETY:
        // - the endpoint is open; the bytes are few enough for any provider to take a copy.
        unsafe { calls::fi_inject(endpoint, bytes.as_ptr().cast(), bytes.len(), address) };
    }

    /// Sleeps until something comes, the thread is to end, or the time is over.
    fn sleep(&self, limit: Duration) {
        let bell = self.endpoint.descriptor();
        let limit = if bell.is_some() { limit } else { limit.min(NAP) };
        if !self.endpoint.try_wait() && bell.is_some() {
            return;
        }
        let descriptors = [Some(self.shared.alarm.as_fd()), bell];
        let mut waits: Vec<_> = descriptors
            .iter()
            .flatten()
            .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
            .collect();
        // An interrupted wait is one more turn.
        let _ = poll(&mut waits, Timespec::try_from(limit).ok().as_ref());
        // Fails if the thread was not woken.
        let _ = rustix::io::read(&self.shared.alarm, &mut [0; 8]);
    }
}
