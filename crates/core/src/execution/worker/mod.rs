//! Workers: the half of a virtual processor that switches between execution contexts.
//!
//! A worker belongs to one kernel thread, which calls [`Worker::run`]. Its run queue needs no locked instructions;
//! others reach it through its inbox. A worker switches stacks, but does not load its own thread pointer between two
//! execution contexts: a switch is two jumps and one thread-pointer write, and none of the latter when the same context
//! goes on. While the thread pointer of a context is loaded, the worker touches nothing thread-local; it loads its own
//! before it idles or reclaims a context.
//!
//! Cost of a switch between two contexts: two coroutine jumps (about 3 ns), one `wrfsbase` (9 to 28 ns), one or two
//! locked instructions for the park token, a comparison of the floating-point environment, no system call. Bench:
//! `benches/switch.rs`.

mod balance;
mod idle_task;
mod mail;
mod moves;
mod parallel_for;
mod poll_rhythm;
mod polling;
mod purposes;
mod registers;
mod substitute;
mod switch;
mod takeover;
mod team;
mod work_stealing;

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::OnceLock;

use crossbeam_utils::CachePadded;

use super::control_block::Ec;
use super::current_ec;
use super::purpose::Purpose;
use crate::network::{Network, PollCounters};
use crate::queue::{Inbox, IntrusiveQueue, RunQueue};
use crate::sync::{Arc, AtomicU32, AtomicU64, Ordering, SpinLock};
use balance::EcCount;
use mail::Mail;
use parallel_for::SharedLoopSlot;
use poll_rhythm::PollRhythm;
use registers::Registers;
use team::Team;

pub use idle_task::{IdleTask, post_idle_task};
pub use moves::move_to;
pub use parallel_for::{has_helpers, parallel_for};
pub(crate) use polling::PollOutcome;
pub use purposes::PurposeRules;
pub use substitute::Evicted;
pub(crate) use takeover::Takeovers;
pub(crate) use team::{largest_count, notify_teams};
pub(super) use work_stealing::nanoseconds;

/// So many execution contexts of a worker have the memory that they touch first in its first-level cache.
const CACHED: usize = 16;

/// Counters of a worker, which anybody may read at any time.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkerStats {
    /// Times an execution context was resumed.
    pub switches: u64,
    /// Polls of the network that found something to do.
    pub polls: u64,
    /// Nanoseconds in polls, estimated from a sample.
    pub network_ns: u64,
}

/// How a kernel thread is going to be a worker.
#[derive(Default)]
pub struct WorkerConfig {
    /// How often a waiting context checks its event while nothing else is ready; 0 where kernel threads outnumber
    /// cores.
    pub spin_limit: u32,
    /// With a seed, the next context to run is drawn at random, the same for the same seed.
    pub seed: Option<u64>,
    /// The network that contexts on the worker poll, if they do.
    pub network: Option<Arc<dyn Network>>,
    /// Whether the worker, while it is busy, looks at the network when something is to be expected by what has come
    /// before, and not after a fixed number of switches.
    pub anticipates: bool,
}

/// Runs execution contexts on one kernel thread.
pub struct Worker {
    shared: CachePadded<Shared>,
    own: CachePadded<Own>,
}

/// The part that other threads touch.
struct Shared {
    inbox: Inbox<Ec>,
    /// 0, or 1 + the index of a worker that has nothing to do and asks this one for work; and a bit if contexts are
    /// wanted elsewhere.
    asking: AtomicU32,
    /// When the worker itself has asked others for work, in nanoseconds.
    asked_at: AtomicU64,
    /// A parallel loop that others may join.
    shared_loop: SpinLock<SharedLoopSlot>,
    ec_count: EcCount,
}

/// The part that only the worker's kernel thread touches, except that others read counters.
struct Own {
    index: usize,
    local: RunQueue<Ec>,
    /// The worker that it stands in for, if it is a substitute.
    principal: Option<&'static Worker>,
    registers: Registers,
    mail: Mail,
    spin_limit: Cell<u32>,
    random: Cell<Option<u64>>,
    network: UnsafeCell<Option<Arc<dyn Network>>>,
    /// A network that has come while the worker ran, until it has been taken up.
    late_network: OnceLock<Arc<dyn Network>>,
    /// The number of switches after which the network is polled next. Others write it when the network comes late.
    next_poll: AtomicU64,
    poll_rhythm: PollRhythm,
    poll_counters: PollCounters,
    switches: AtomicU64,
    team: OnceLock<&'static Team>,
    /// The indices of the workers to which contexts may move on their own request.
    reach: OnceLock<Box<[usize]>>,
}

// SAFETY:
// - the cells are used only by the worker's kernel thread: `run` and what it resumes; everything else is atomic or
//   set once before the worker starts.
unsafe impl Sync for Worker {}
// SAFETY:
// - as above; a worker that does not run may be handed to another kernel thread.
unsafe impl Send for Worker {}

impl Worker {
    fn new(index: usize, principal: Option<&'static Worker>) -> Self {
        Self {
            shared: CachePadded::new(Shared {
                inbox: Inbox::new(),
                asking: AtomicU32::new(0),
                asked_at: AtomicU64::new(0),
                shared_loop: SpinLock::new(SharedLoopSlot::default()),
                ec_count: EcCount::default(),
            }),
            own: CachePadded::new(Own {
                index,
                local: RunQueue::new(),
                principal,
                registers: Registers::new(),
                mail: Mail::default(),
                spin_limit: Cell::new(0),
                random: Cell::new(None),
                network: UnsafeCell::new(None),
                late_network: OnceLock::new(),
                next_poll: AtomicU64::new(u64::MAX),
                poll_rhythm: PollRhythm::new(),
                poll_counters: PollCounters::default(),
                switches: AtomicU64::new(0),
                team: OnceLock::new(),
                reach: OnceLock::new(),
            }),
        }
    }

    /// Its place in the team.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.own.index
    }

    /// The queue by which others reach it.
    #[inline]
    #[must_use]
    pub(crate) fn inbox(&self) -> &Inbox<Ec> {
        &self.shared.inbox
    }

    /// Its counters.
    #[must_use]
    pub fn stats(&self) -> WorkerStats {
        let (polls, network_ns) = self.own.poll_counters.figures();
        WorkerStats {
            switches: self.own.switches.load(Ordering::Relaxed),
            polls,
            network_ns,
        }
    }

    /// Makes the calling kernel thread the worker's. To be called once per thread, before [`Worker::run`].
    pub fn enter(&'static self, config: WorkerConfig) {
        self.own.registers.enter();
        self.own.spin_limit.set(config.spin_limit);
        self.own.random.set(
            config
                .seed
                .map(|seed| seed.wrapping_add(self.own.index as u64) | 1),
        );
        self.own.poll_rhythm.set(config.anticipates);
        if config.network.is_some() {
            self.own.next_poll.store(0, Ordering::Relaxed);
        }
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and it has only now become that.
        unsafe { *self.own.network.get() = config.network };
        let ec = Ec::obtain(Purpose::Compute);
        ec.set_worker(self);
        current_ec::set(ec);
    }

    /// Runs what is ready until nothing is. Returns how many execution contexts were resumed.
    pub fn run(&'static self) -> u64 {
        self.run_while(|| true)
    }

    /// As [`Worker::run`], as long as `goes_on`, which is called before each execution context, returns true.
    #[inline]
    pub fn run_while(&'static self, goes_on: impl Fn() -> bool) -> u64 {
        let before = self.own.switches.load(Ordering::Relaxed);
        self.own.registers.reread();
        while goes_on()
            && let Some(ec) = self.next()
        {
            self.resume(ec);
            let switches = self.own.switches.load(Ordering::Relaxed);
            // Relaxed: it only says when to poll; the network itself is behind a lock.
            if switches >= self.own.next_poll.load(Ordering::Relaxed) {
                self.poll_in_passing(switches);
            }
            self.look_in_passing(switches);
        }
        self.load_own();
        self.own.switches.load(Ordering::Relaxed) - before
    }

    /// Undoes [`Worker::enter`], before the kernel thread ends.
    pub fn leave(&self) {
        self.own.next_poll.store(u64::MAX, Ordering::Relaxed);
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and no EC runs.
        drop(unsafe { &mut *self.own.network.get() }.take());
        self.leave_team();
        // SAFETY:
        // - `enter` put a control block there, which lives for the rest of the program.
        if let Some(ec) = unsafe { current_ec::get().as_ref() } {
            current_ec::set(ptr::null());
            ec.recycle();
        }
    }

    /// Whether the inbox holds something. For the worker's own thread, while idle.
    #[must_use]
    #[inline]
    pub fn has_mail(&self) -> bool {
        self.shared.inbox.has_mail()
    }

    /// Whether nothing waits in the inbox. Anybody may call this.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.shared.inbox.is_quiet()
    }

    /// A ticket for [`Worker::sleep`]. To be taken before the last look at anything that could keep the worker awake.
    #[must_use]
    pub fn ticket(&self) -> u32 {
        self.shared.inbox.ticket()
    }

    /// Sleeps in the kernel until there is something to do or somebody calls [`Worker::notify`]. Returns at once if
    /// that has happened since `ticket`.
    pub fn sleep(&self, ticket: u32) {
        self.shared.inbox.sleep(ticket);
    }

    /// Wakes the worker to look around, if it sleeps or is about to.
    pub fn notify(&self) {
        self.shared.inbox.notify();
    }

    /// The count of those that live on it; those of a substitute live on its principal.
    pub(crate) fn ec_count(&self) -> &EcCount {
        match self.own.principal {
            None => &self.shared.ec_count,
            Some(principal) => principal.ec_count(),
        }
    }

    /// Sets to which workers, by their indices, contexts that wait for each other here may be moved if fewer live
    /// there. Until then they may not be moved; the first call counts.
    pub fn allow_moves(&self, targets: impl Iterator<Item = usize>) {
        self.ec_count().allow_moves(targets);
    }

    #[inline]
    pub(crate) fn spin_limit(&self) -> u32 {
        self.own.spin_limit.get()
    }

    /// Whether the worker has something better to do than to watch one event. For contexts that run on this worker.
    #[inline]
    pub(crate) fn has_ready(&self) -> bool {
        self.has_runnable() || self.sees_shared_work()
    }

    /// Whether it is of any use that the running context yields: another one is ready, others share work, this one may
    /// go on elsewhere, or the worker has to poll between two contexts. For contexts that run on this worker.
    #[inline]
    pub(crate) fn wants_to_switch(&self) -> bool {
        // Relaxed: as in `run_while`.
        let is_poll_due =
            || self.own.switches.load(Ordering::Relaxed) >= self.own.next_poll.load(Ordering::Relaxed);
        self.has_ready() || self.own.random.get().is_some() || self.own.principal.is_some() || is_poll_due()
    }

    /// Whether there is a context to run. For the worker's own thread and the contexts that it runs.
    #[inline]
    #[must_use]
    pub fn has_runnable(&self) -> bool {
        // SAFETY:
        // - the caller runs on this worker's kernel thread, so the queue is its own.
        !unsafe { self.own.local.with(|local| local.is_empty()) } || self.has_mail()
    }

    /// Puts a ready context behind the others. If it is the next to run, its memory is prefetched: the context that has
    /// made it ready goes on for a while.
    ///
    /// # Safety
    ///
    /// The caller runs on this worker's kernel thread.
    #[inline]
    pub(crate) unsafe fn push_local(&self, ec: &'static Ec) {
        // SAFETY:
        // - by the caller's promise the queue is not in use by anybody else.
        let is_next = unsafe {
            self.own.local.with(|local| {
                let is_next = local.is_empty();
                local.push_back(ec);
                is_next
            })
        };
        if is_next && self.ec_count().size() > CACHED {
            ec.prefetch_own();
        }
    }

    /// Puts a queue of ready contexts behind the others: O(1).
    ///
    /// # Safety
    ///
    /// The caller runs on this worker's kernel thread.
    pub(crate) unsafe fn append_local(&self, ready: &mut IntrusiveQueue<Ec>) {
        // SAFETY:
        // - by the caller's promise the queue is not in use by anybody else.
        unsafe { self.own.local.with(|local| local.append(ready)) };
    }
}
