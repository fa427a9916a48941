//! Signs of life: a thread that asks other hosts for them, and answers those who ask.
//!
//! It has an endpoint of its own, so that it neither waits for virtual processors that compute nor wakes them. Over tcp
//! nothing else tells that a host has been stopped or a link cut: what is sent goes into the kernel's buffers, and what
//! does not come does not fail.
//!
//! Watched are the hosts that this one has exchanged packets with, and always the next one by number, so that each is
//! watched by somebody. With each sign (`sign`) a host tells how many packets it has exchanged with the other one, so
//! that it shows when what is sent does not arrive though signs do (`stalls`). The thread sleeps but for four questions
//! per watched host and timeout, and their answers.

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

use super::endpoint::{Completion, Endpoint};
use super::error::OfiError;
use super::inbound::{Inbound, Room};
use super::losses::Losses;
use super::operation::Kind;
use super::peer::Peers;
use super::pulses::{Pulses, Step};
use super::seal::Seals;
use super::sign::{self, Sign, Word};
use super::stalls::{Account, Flow, Stalls};
use crate::transport::HostId;

/// Operations under way on the thread's endpoint.
pub(super) const OPERATIONS: usize = 64;
/// The buffers for messages.
const ROOM: Room = Room {
    many: (2, 32 << 10),
    single: OPERATIONS as u32,
};
/// Longest sleep where a provider has nothing that wakes it.
const NAP: Duration = Duration::from_millis(20);
/// The name of the thread.
pub const WATCH_THREAD: &str = "simurgh-watch";
/// Bytes of the thread's stack.
const STACK: usize = 512 << 10;

/// Why a host is lost that says nothing.
const SILENT: &str = "it has given no sign of life for the time of peer_timeout; the host has been stopped, or the \
                      network between is cut";
/// Why a host is lost whose packets do not come.
const STUCK: &str = "what is sent between it and this one does not arrive for the time of peer_timeout, though both \
                     look for it; somebody has taken over the connection, or the network between is cut";

/// The thread, and what it shares with others.
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    _passive: PassiveThread,
}

struct Shared {
    /// Of each host that can be reached, whether it is watched.
    watched: HostTable<AtomicBool>,
    /// Hosts that have come, until the thread knows them.
    newcomers: SpinLock<Vec<Newcomer>>,
    /// How often somebody has looked whether packets have come.
    looks: CachePadded<AtomicU64>,
    losses: Arc<Losses>,
    over: AtomicBool,
    /// Becomes readable when it is over, or hosts have come.
    alarm: OwnedFd,
}

/// What the thread needs to know.
pub(super) struct Post {
    /// The host that watches.
    pub(super) own: HostId,
    /// After which time without a sign a host is lost.
    pub(super) timeout: Duration,
    /// The hosts that can be reached.
    pub(super) others: Vec<Newcomer>,
    /// The hosts of the world.
    pub(super) hosts: Range<HostId>,
    /// What has been exchanged with each.
    pub(super) peers: Arc<Peers>,
}

/// A host that has come.
pub(super) struct Newcomer {
    pub(super) host: HostId,
    /// Where its thread is reached.
    pub(super) address: Vec<u8>,
    pub(super) seals: Seals,
}

/// The thread of another host.
struct Other {
    address: fi_addr_t,
    seals: Seals,
    /// The number of the next sign to it.
    next: u64,
    /// The number that the next sign from it has at least.
    due: u64,
    /// Whether something between the two has been due for some time.
    is_due: bool,
}

/// What the thread works on.
struct Watcher {
    own: HostId,
    others: BTreeMap<HostId, Other>,
    peers: Arc<Peers>,
    shared: Arc<Shared>,
    pulses: Pulses,
    stalls: Stalls,
    inbound: Inbound,
    endpoint: Endpoint,
}

impl Watch {
    /// Begins to watch.
    pub(super) fn begin(endpoint: Endpoint, post: Post, losses: Arc<Losses>) -> Result<Self, OfiError> {
        let inbound = Inbound::new(&endpoint, sign::LENGTH, ROOM)?;
        inbound
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        let refused = |error: String| OfiError::System {
            provider: endpoint.offer().provider(),
            message: error,
        };
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let alarm = eventfd(0, flags).map_err(|error| refused(error.to_string()))?;
        let first = first_watched(post.own, &post.others);
        let is_watched = |host| AtomicBool::new(Some(host) == first);
        let watched = HostTable::new(post.hosts, is_watched);
        for other in &post.others {
            watched.add(other.host, is_watched(other.host));
        }
        let shared = Arc::new(Shared {
            watched,
            newcomers: SpinLock::new(post.others),
            looks: CachePadded::new(AtomicU64::new(0)),
            losses,
            over: AtomicBool::new(false),
            alarm,
        });
        let thread = std::thread::Builder::new()
            .name(WATCH_THREAD.to_owned())
            .stack_size(STACK);
        let refusal = refused("no thread".to_owned());
        let watcher = Watcher {
            own: post.own,
            others: BTreeMap::new(),
            peers: post.peers,
            shared: Arc::clone(&shared),
            pulses: Pulses::new(post.timeout, Instant::now()),
            stalls: Stalls::new(post.timeout),
            inbound,
            endpoint,
        };
        let passive = PassiveThread::new();
        let thread = with_signals_blocked(|| thread.spawn(move || watcher.run())).map_err(|_| refusal)?;
        Ok(Self {
            shared,
            thread: Some(thread),
            _passive: passive,
        })
    }

    /// A host has come.
    pub(super) fn admit(&self, newcomer: Newcomer) {
        self.shared.watched.add(newcomer.host, AtomicBool::new(false));
        self.shared.newcomers.lock().push(newcomer);
        self.shared.wake();
    }

    /// Somebody looks whether packets have come: one thread at a time.
    #[inline]
    pub(super) fn look(&self) {
        // Relaxed: it says nothing about anything else, and no other thread changes it.
        let looks = self.shared.looks.load(Ordering::Relaxed);
        self.shared.looks.store(looks + 1, Ordering::Relaxed);
    }

    /// Packets are exchanged with a host: it is watched from now on.
    #[inline]
    pub(super) fn meet(&self, host: HostId) {
        let watched = &self.shared.watched[host];
        // Relaxed: the thread sees it at its next turn. Looked at first, so that nobody writes a line that all read.
        if !watched.load(Ordering::Relaxed) {
            watched.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// Has the thread look around.
    fn wake(&self) {
        // It fails only if it has been rung so often that nobody can miss it.
        let _ = rustix::io::write(&self.alarm, &1_u64.to_ne_bytes());
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.shared.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The next host by number that can be reached.
fn first_watched(own: HostId, others: &[Newcomer]) -> Option<HostId> {
    let hosts = others.iter().map(|other| other.host);
    let behind = hosts.clone().filter(|host| *host > own).min();
    behind.or_else(|| hosts.min())
}

impl Watcher {
    fn run(mut self) {
        while !self.shared.over.load(Ordering::SeqCst) {
            self.meet_newcomers();
            while self.receive() {}
            for step in self.pulses.steps(Instant::now(), self.watched()) {
                match step {
                    Step::Ask(host) => self.say(host, Word::Question),
                    Step::Lose(host) => self.shared.losses.add(host, SILENT.to_owned()),
                }
            }
            self.sleep(self.pulses.rest(Instant::now()));
        }
        self.endpoint.shut();
    }

    /// The hosts that are watched.
    fn watched(&self) -> Vec<HostId> {
        let shared = &self.shared;
        let is_watched = |host: &HostId| {
            // Relaxed: as in `meet`.
            shared.watched[*host].load(Ordering::Relaxed) && !shared.losses.has(*host)
        };
        self.others.keys().copied().filter(is_watched).collect()
    }

    /// Notes how hosts are reached that have come.
    fn meet_newcomers(&mut self) {
        let newcomers = std::mem::take(&mut *self.shared.newcomers.lock());
        for Newcomer { host, address, seals } in newcomers {
            let other = |address| Other {
                address,
                seals,
                next: 0,
                due: 0,
                is_due: false,
            };
            match self.endpoint.insert(&address) {
                Ok(address) => drop(self.others.insert(host, other(address))),
                Err(error) => self.shared.losses.add(host, error.to_string()),
            }
        }
    }

    /// Takes what has come; false if nothing has.
    fn receive(&mut self) -> bool {
        let mut signs = Vec::new();
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
            let bytes = unsafe { self.inbound.frame(key.number, data) };
            let seal = |host| self.others.get(&host).map(|other| &other.seals.inward);
            signs.extend(Sign::read(bytes, seal));
            self.inbound.handled(&self.endpoint, key.number, flags);
        });
        if self.inbound.is_short() {
            // What cannot be posted now is tried again after the next message or turn.
            let _ = self.inbound.replenish(&self.endpoint);
        }
        signs.into_iter().for_each(|sign| self.hear(sign));
        any
    }

    /// A host has said something.
    fn hear(&mut self, sign: Sign) {
        let host = sign.from;
        let Some(other) = self
            .others
            .get_mut(&host)
            .filter(|other| other.due <= sign.number)
        else {
            return;
        };
        other.due = sign.number + 1;
        let now = Instant::now();
        self.pulses.hear(host, now);
        let flow = self.compare(sign, now);
        if flow == Flow::Slow || sign.is_due {
            self.shared.losses.rouse();
        }
        if flow == Flow::Stuck {
            self.shared.losses.add(host, STUCK.to_owned());
        }
        if sign.word == Word::Question {
            self.say(host, Word::Answer);
        }
    }

    /// Looks whether what hosts send to each other arrives.
    fn compare(&mut self, sign: Sign, now: Instant) -> Flow {
        let host = sign.from;
        let Some(peer) = self.peers.get(host) else {
            return Flow::Free;
        };
        let account = Account {
            ours: peer.exchanged(),
            theirs: (sign.sent, sign.received),
            looks: [self.looks(), sign.looks],
        };
        let flow = self.stalls.look(host, &account, now);
        if let Some(other) = self.others.get_mut(&host) {
            other.is_due = flow != Flow::Free;
        }
        flow
    }

    /// How often somebody has looked here.
    fn looks(&self) -> u64 {
        // Relaxed: as in `Watch::look`.
        self.shared.looks.load(Ordering::Relaxed)
    }

    /// Says something to a host. If it cannot be said now, the next turn says it.
    fn say(&mut self, host: HostId, word: Word) {
        let (from, looks) = (self.own, self.looks());
        let exchanged = self
            .peers
            .get(host)
            .map(|peer| peer.exchanged())
            .unwrap_or_default();
        let Some(other) = self.others.get_mut(&host) else {
            return;
        };
        let sign = Sign {
            from,
            word,
            is_due: other.is_due,
            number: other.next,
            sent: exchanged.sent,
            received: exchanged.received,
            looks,
        };
        other.next += 1;
        let bytes = sign.to_bytes(&other.seals.outward);
        let (endpoint, address) = (self.endpoint.as_ptr(), other.address);
        // SAFETY:
        // - the endpoint is open; the bytes are few enough for any provider to take a copy.
        unsafe { calls::fi_inject(endpoint, bytes.as_ptr().cast(), bytes.len(), address) };
    }

    /// Sleeps until something comes, it is over, or the time has passed.
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
        // An interrupted wait is a turn more.
        let _ = poll(&mut waits, Timespec::try_from(limit).ok().as_ref());
        // Fails if nobody has rung.
        let _ = rustix::io::read(&self.shared.alarm, &mut [0; 8]);
    }
}
