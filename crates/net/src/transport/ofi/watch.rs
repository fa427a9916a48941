//! Signs of life: a thread that asks other hosts for them, and answers those who ask.
//!
//! It has an endpoint of its own, so that it neither waits for virtual processors that compute nor wakes them. Over tcp
//! nothing else tells that a host has been stopped or a link cut: what is sent goes into the kernel's buffers, and what
//! does not come does not fail.
//!
//! Watched are the hosts that this one has exchanged packets with, and always the next one by number, so that each is
//! watched by somebody. A message is 16 bytes: token, sender, question or answer. The thread sleeps but for four
//! questions per watched host and timeout, and their answers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use simurgh_core::sync::{Arc, AtomicBool, Ordering, SpinLock};
use simurgh_core::{Bystander, Roster};
use simurgh_fabric_sys::{calls, fi_addr_t};

use super::endpoint::{Completion, Endpoint};
use super::error::OfiError;
use super::frame::Token;
use super::inbound::{Inbound, Room};
use super::losses::Losses;
use super::operation::Kind;
use super::pulses::{Pulses, Step};
use crate::transport::HostId;

/// Bytes of a message.
pub(super) const MESSAGE: usize = 16;
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

/// What a message says.
const QUESTION: u32 = 1;
const ANSWER: u32 = 2;

/// The thread, and what it shares with others.
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    _bystander: Bystander,
}

struct Shared {
    /// Of each host that can be reached, whether it is watched.
    watched: Roster<AtomicBool>,
    /// Hosts that have come, and their addresses, until the thread knows them.
    newcomers: SpinLock<Vec<(HostId, Vec<u8>)>>,
    losses: Arc<Losses>,
    over: AtomicBool,
    /// Becomes readable when it is over, or hosts have come.
    alarm: OwnedFd,
}

/// What the thread needs to know.
pub(super) struct Post<'a> {
    /// The host that watches.
    pub(super) own: HostId,
    /// The job's secret.
    pub(super) secret: &'a [u8],
    /// After which time without a sign a host is lost.
    pub(super) timeout: Duration,
    /// Where the thread of each host is reached, if it is.
    pub(super) addresses: BTreeMap<HostId, fi_addr_t>,
    /// The hosts of the world.
    pub(super) hosts: Range<HostId>,
}

/// What the thread works on.
struct Watcher {
    own: HostId,
    token: Token,
    addresses: BTreeMap<HostId, fi_addr_t>,
    shared: Arc<Shared>,
    inbound: Inbound,
    endpoint: Endpoint,
}

impl Watch {
    /// Begins to watch.
    pub(super) fn begin(endpoint: Endpoint, post: Post<'_>, losses: Arc<Losses>) -> Result<Self, OfiError> {
        let inbound = Inbound::new(&endpoint, MESSAGE, ROOM)?;
        inbound
            .replenish(&endpoint)
            .map_err(|error| endpoint.failure("fi_recvmsg", error))?;
        let refused = |error: String| OfiError::System {
            provider: endpoint.offer().provider(),
            message: error,
        };
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let alarm = eventfd(0, flags).map_err(|error| refused(error.to_string()))?;
        let first = first_watched(post.own, &post.addresses);
        let is_watched = |host| AtomicBool::new(Some(host) == first);
        let watched = Roster::new(post.hosts, is_watched);
        for &host in post.addresses.keys() {
            watched.add(host, is_watched(host));
        }
        let shared = Arc::new(Shared {
            watched,
            newcomers: SpinLock::default(),
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
            token: Token::of(post.secret),
            addresses: post.addresses,
            shared: Arc::clone(&shared),
            inbound,
            endpoint,
        };
        let pulses = Pulses::new(post.timeout, Instant::now());
        let bystander = Bystander::new();
        let thread = thread.spawn(move || watcher.run(pulses)).map_err(|_| refusal)?;
        Ok(Self {
            shared,
            thread: Some(thread),
            _bystander: bystander,
        })
    }

    /// A host has come.
    pub(super) fn admit(&self, host: HostId, address: Vec<u8>) {
        self.shared.watched.add(host, AtomicBool::new(false));
        self.shared.newcomers.lock().push((host, address));
        self.shared.wake();
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
fn first_watched(own: HostId, addresses: &BTreeMap<HostId, fi_addr_t>) -> Option<HostId> {
    let next = addresses.range(own + 1..).chain(addresses).next();
    next.map(|(host, _)| *host)
}

impl Watcher {
    fn run(mut self, mut pulses: Pulses) {
        while !self.shared.over.load(Ordering::SeqCst) {
            while self.receive(&mut pulses) {}
            self.meet_newcomers();
            for step in pulses.steps(Instant::now(), self.watched()) {
                match step {
                    Step::Ask(host) => self.say(host, QUESTION),
                    Step::Lose(host) => {
                        let reason = "it has given no sign of life for the time of peer_timeout; \
                                      the host has been stopped, or the network between is cut";
                        self.shared.losses.add(host, reason.to_owned());
                    }
                }
            }
            self.sleep(pulses.rest(Instant::now()));
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
        self.addresses.keys().copied().filter(is_watched).collect()
    }

    /// Notes where hosts are reached that have come.
    fn meet_newcomers(&mut self) {
        let newcomers = std::mem::take(&mut *self.shared.newcomers.lock());
        for (host, address) in newcomers {
            match self.endpoint.insert(&address) {
                Ok(address) => drop(self.addresses.insert(host, address)),
                Err(error) => self.shared.losses.add(host, error.to_string()),
            }
        }
    }

    /// Takes what has come; false if nothing has.
    fn receive(&self, pulses: &mut Pulses) -> bool {
        let mut answers = Vec::new();
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
            let message = unsafe { self.inbound.frame(key.number, data) };
            if let Some((from, word)) = self.read(message) {
                pulses.hear(from, Instant::now());
                answers.extend((word == QUESTION).then_some(from));
            }
            self.inbound.handled(&self.endpoint, key.number, flags);
        });
        if self.inbound.is_short() {
            // What cannot be posted now is tried again after the next message or turn.
            let _ = self.inbound.replenish(&self.endpoint);
        }
        answers.into_iter().for_each(|host| self.say(host, ANSWER));
        any
    }

    /// What a message says, and who says it.
    fn read(&self, message: &[u8]) -> Option<(HostId, u32)> {
        let message: &[u8; MESSAGE] = message.try_into().ok()?;
        let word = |at: usize| message[at..at + 4].try_into().map(u32::from_le_bytes).ok();
        let from = word(8)?;
        let known = message[..8] == self.token.0.to_le_bytes()
            && from != self.own
            && self.addresses.contains_key(&from);
        known.then_some((from, word(12)?))
    }

    /// Says something to a host. If it cannot be said now, the next turn says it.
    fn say(&self, host: HostId, word: u32) {
        let Some(&address) = self.addresses.get(&host) else {
            return;
        };
        let mut message = [0; MESSAGE];
        message[..8].copy_from_slice(&self.token.0.to_le_bytes());
        message[8..12].copy_from_slice(&self.own.to_le_bytes());
        message[12..].copy_from_slice(&word.to_le_bytes());
        // SAFETY:
        // - the endpoint is open; the message is short enough for any provider to take a copy.
        unsafe { calls::fi_inject(self.endpoint.as_ptr(), message.as_ptr().cast(), MESSAGE, address) };
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
