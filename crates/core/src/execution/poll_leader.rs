//! The poll leader: the one thread at a time that polls the network on behalf of all that wait.
//!
//! This is the leader/followers pattern. In a process without workers, which is a single rank whose threads belong to
//! the program, the candidates are attached threads while they wait. Nobody polls while all of them compute, which
//! costs them nothing. A thread that begins to wait becomes the leader if there is none: it polls for a bounded time,
//! and then sleeps in the kernel, on its own park token and where the network wakes it at once. Other threads that wait
//! meanwhile sleep on their tokens alone. A leader that goes on resigns, and wakes one of them to succeed it.
//!
//! Where there are workers, an idle one may become the leader as well. While ranks that compute or spin keep all
//! workers, a waiting thread of a rank leads, so that it blocks nobody but itself. It does not poll for long, since the
//! cores belong to the workers. A leader that resigns wakes a resting worker rather than a thread.
//!
//! # Protocol
//!
//! `leader` names the leader: nobody, an attached thread, or a worker. A thread that does not get it registers as
//! resting and then looks once more whether there is a leader; a leader that resigns clears `leader` and then looks for
//! those that rest. All of that is SeqCst, so one of the two sees the other, and somebody takes over.
//!
//! The system may have put two processes that wait for each other on the same core. So a leader that has polled for a
//! few microseconds leaves its core to others now and then: otherwise the other one would run only when this one goes
//! to sleep. A leader that has looked for so long, and has its core for itself, says so ([`Network::watch`]): others
//! may ask it for something then, and are answered at once.
//!
//! # Costs
//!
//! A wait of the only thread costs two swaps of a line that nobody else touches, and the polls; a sleep costs a store
//! more.

use std::ptr;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use super::EcRef;
use super::core_sharing::{CoreSharing, Offer};
use super::external_wakers::{note_running, note_watching};
use crate::network::{CHECKS_PER_POLL, Network, Quiescence};
use crate::sync::{Arc, AtomicBool, AtomicPtr, AtomicUsize, Ordering, SpinLock, if_biased, relax};

/// How long nothing must come from the network before anybody checks whether the process is quiescent.
pub const QUIESCENCE_DELAY: Duration = Duration::from_millis(50);

/// Longest time between two such checks, while others in the process may still act.
pub const QUIESCENCE_DELAY_MAX: Duration = Duration::from_secs(1);

/// So many checks of a leader follow each other before it offers its core to others for the first time.
const CHECKS_BEFORE_YIELD: u32 = 64;

/// So many checks lie between two such offers. One takes as long as a few checks where nobody wants the core.
const CHECKS_PER_YIELD: u32 = 16;

/// The poll leader in which attached threads of this process take part; there is one at most at a time.
static OPEN: AtomicPtr<PollLeader> = AtomicPtr::new(ptr::null_mut());

/// There is no leader.
const NOBODY: usize = 0;
/// An attached thread is the leader.
const THREAD: usize = usize::MAX;

/// The rest of the process, as a [`PollLeader`] has to know it and to call it.
pub trait ProcessHooks: Send + Sync {
    /// Whether nobody in the process could wake anybody, apart from attached threads that wait. An attached thread that
    /// waits asks this.
    fn are_others_idle(&self) -> bool;

    /// Takes note that the process is quiescent: unasked (0), or in answer to the question with this number, which
    /// [could not be answered](PollLeader::is_quiet) at once.
    fn on_quiescent(&self, question: u32);

    /// Wakes a resting worker to become the leader; false if there is none.
    fn wake_successor(&self) -> bool {
        false
    }

    /// Moves the calling thread, which shares its core with another one that waits or computes, to a core of its own.
    fn move_from_shared_core(&self) {}

    /// Wakes the worker with this index, which is the leader, to look around.
    fn notify_worker(&self, worker: usize) {
        let _ = worker;
    }
}

/// The time in which a network is [watched](Network::watch).
struct Watch<'a>(&'a dyn Network);

impl<'a> Watch<'a> {
    fn begin(network: &'a dyn Network) -> Self {
        network.watch(true);
        Self(network)
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.0.watch(false);
    }
}

/// The leadership in polling a network.
pub struct PollLeader {
    network: Arc<dyn Network>,
    /// How often a thread checks before it sleeps; 0 where processes outnumber cores.
    checks: u32,
    /// Whether workers may be the leader as well.
    has_workers: bool,
    /// The leader: [`NOBODY`], an attached [`THREAD`], or one more than the index of a worker.
    leader: CachePadded<AtomicUsize>,
    /// The attached thread that sleeps as the leader, or did so last, as a word; 0 if none has.
    sleeper: AtomicUsize,
    /// Number of those in `resting`.
    resting_count: AtomicUsize,
    /// Threads that wait and do not lead.
    resting: SpinLock<Vec<EcRef>>,
    quiescence: Quiescence,
    /// A poll has found something since this was last cleared.
    found: AtomicBool,
    core_sharing: CoreSharing,
    hooks: Box<dyn ProcessHooks>,
}

impl PollLeader {
    /// Has attached threads poll `network` from now on, in a process without workers. They check `checks` times before
    /// they sleep. When all of them wait, the `hooks` say that the others are idle, and nothing has come for a while,
    /// the hooks are told that the process is quiescent.
    ///
    /// The first one of a process lasts; later calls return it.
    pub fn begin(
        network: Arc<dyn Network>,
        checks: u32,
        hooks: impl ProcessHooks + 'static,
    ) -> &'static Self {
        Self::get().unwrap_or_else(|| {
            let this = Self::new(network, checks, false, Box::new(hooks));
            this.open();
            this
        })
    }

    /// One for workers. Attached threads take part once it is [open](PollLeader::open) to them.
    pub fn with_workers(network: Arc<dyn Network>, hooks: impl ProcessHooks + 'static) -> &'static Self {
        Self::new(network, 0, true, Box::new(hooks))
    }

    /// It lasts as long as the program: a thread may be in it at any time.
    fn new(
        network: Arc<dyn Network>,
        checks: u32,
        has_workers: bool,
        hooks: Box<dyn ProcessHooks>,
    ) -> &'static Self {
        Box::leak(Box::new(Self {
            network,
            checks,
            has_workers,
            leader: CachePadded::new(AtomicUsize::new(NOBODY)),
            sleeper: AtomicUsize::new(0),
            resting_count: AtomicUsize::new(0),
            resting: SpinLock::new(Vec::new()),
            quiescence: Quiescence::default(),
            found: AtomicBool::new(false),
            core_sharing: CoreSharing::default(),
            hooks,
        }))
    }

    /// Lets attached threads take part, unless they take part in another one.
    pub fn open(&'static self) {
        let new = ptr::from_ref(self).cast_mut();
        // Only the first counts.
        let _first = OPEN.compare_exchange(ptr::null_mut(), new, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Ends the part of attached threads, from their next wait on.
    pub fn close(&'static self) {
        let own = ptr::from_ref(self).cast_mut();
        let was_open = OPEN.compare_exchange(own, ptr::null_mut(), Ordering::SeqCst, Ordering::SeqCst);
        if was_open.is_ok() {
            self.notify(THREAD);
            self.ring();
            while self.wake_thread() {}
        }
    }

    /// The one in which attached threads take part, if there is one.
    #[inline]
    pub(super) fn get() -> Option<&'static Self> {
        // SAFETY:
        // - what is stored there lives for the rest of the program. Acquire pairs with the exchange in `open`.
        unsafe { OPEN.load(Ordering::Acquire).as_ref() }
    }

    fn is_open(&self) -> bool {
        ptr::eq(OPEN.load(Ordering::SeqCst), self)
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Arc<dyn Network> {
        &self.network
    }

    /// Whether the process is quiescent.
    #[must_use]
    pub fn quiescence(&self) -> &Quiescence {
        &self.quiescence
    }

    /// Whether the hooks have been told that the process is [quiescent](ProcessHooks::on_quiescent), and nothing has
    /// happened since. A caller that wants to know what was sent and received until then has to read that first. If the
    /// question cannot be answered just now, this is false, and the hooks are told later.
    pub fn is_quiet(&self, question: u32) -> bool {
        self.quiescence.lasts(question)
    }

    /// Polls the network once, if that seems worth it; true if something was found.
    pub(super) fn poll_once(&self) -> bool {
        self.network.has_mail() && self.poll()
    }

    fn poll(&self) -> bool {
        self.poll_by(|network| network.poll(), || false)
    }

    /// Has the network polled by `poll`, and returns whether that found something. If it did not, and the process was
    /// quiescent before, the process still is, unless the caller `is_busy`.
    pub fn poll_by(&self, poll: impl FnOnce(&dyn Network) -> bool, is_busy: impl FnOnce() -> bool) -> bool {
        let was_quiescent = self.quiescence.begin_poll();
        let found = poll(&*self.network);
        if found {
            // Relaxed: a hint.
            self.found.store(true, Ordering::Relaxed);
        }
        if was_quiescent && let Some(question) = self.quiescence.end_poll(found || is_busy()) {
            self.hooks.on_quiescent(question);
        }
        found
    }

    /// Wakes a thread that was given its token while it sleeps in the network, where it may not hear of the token.
    pub(super) fn ring(&self) {
        self.network.wake();
    }

    /// Whether a thread that waits polls more than once.
    pub(super) fn polls_long(&self) -> bool {
        !self.has_workers && self.checks > 0
    }

    /// Polls and checks `done` for a bounded time, if there is no other leader; once where there are workers. True if
    /// `done` became true.
    #[inline]
    pub(super) fn poll_until(&self, done: impl Fn() -> bool) -> bool {
        if self.has_workers {
            return self.poll_once() && done();
        }
        if !self.take() {
            return false;
        }
        let seen = self.poll_as_leader(self.checks, done);
        self.resign();
        seen
    }

    /// As [`PollLeader::poll_until`], for the leader, which checks so often, and as often again after it has found
    /// something: where requests of others come one after the other, each would be late if it slept between them.
    #[inline]
    fn poll_as_leader(&self, limit: u32, done: impl Fn() -> bool) -> bool {
        let (mut checks, mut since_yield) = (limit, 0);
        let mut watch = None;
        loop {
            if done() {
                return true;
            }
            let mail = self.network.has_mail();
            if mail && self.poll() {
                // Whoever has sent it has a core.
                (checks, since_yield) = (limit, 0);
                continue;
            }
            if checks == 0 {
                return false;
            }
            let step = if mail { CHECKS_PER_POLL } else { 1 };
            checks = checks.saturating_sub(step);
            since_yield += step;
            if since_yield < CHECKS_BEFORE_YIELD {
                relax();
            } else {
                since_yield = CHECKS_BEFORE_YIELD - CHECKS_PER_YIELD;
                match self.core_sharing.offer() {
                    Offer::Over if watch.is_none() => watch = Some(Watch::begin(&*self.network)),
                    Offer::Over => {}
                    Offer::Contended => watch = None,
                    Offer::Move => self.hooks.move_from_shared_core(),
                }
            }
        }
    }

    /// Blocks the calling thread until its token is given, or for no reason.
    pub(super) fn park(&self, me: EcRef) {
        self.park_after(self.checks, me);
    }

    /// As [`PollLeader::park`], for a thread that has [looked](PollLeader::poll_until) already.
    pub(super) fn park_asleep(&self, me: EcRef) {
        self.park_after(0, me);
    }

    /// As [`PollLeader::park`], for a thread that checks so often before it sleeps for the first time.
    fn park_after(&self, checks: u32, me: EcRef) {
        if self.take() {
            self.lead(checks, me);
            self.quiescence.end();
            return self.resign();
        }
        self.resting.lock().push(me);
        self.resting_count.fetch_add(1, Ordering::SeqCst);
        // A leader that resigned before it could see this thread rest has left the place to be found empty here.
        if self.leader.load(Ordering::SeqCst) != NOBODY {
            me.sleep_in_kernel();
            if self.quiescence.end() {
                // The leader has to find out when the process is quiescent again.
                self.notify(self.leader.load(Ordering::SeqCst));
            }
        }
        let mut resting = self.resting.lock();
        if let Some(place) = resting.iter().position(|ec| *ec == me) {
            resting.swap_remove(place);
            self.resting_count.fetch_sub(1, Ordering::SeqCst);
        }
        drop(resting);
        // It may have been woken to lead, and have nothing to wait for any more.
        if self.leader.load(Ordering::SeqCst) == NOBODY {
            self.wake_successor();
        }
    }

    /// Polls, and sleeps in the network, until the token of the caller, which is the leader, is given. It checks so
    /// often before it sleeps for the first time.
    fn lead(&self, mut checks: u32, me: EcRef) {
        let token = me.control().token();
        let (mut calm_since, mut pause) = (Instant::now(), QUIESCENCE_DELAY);
        // SeqCst: whoever ends the quiescence, or closes this, does so first, and then looks for the sleeper.
        self.sleeper.store(me.to_word(), Ordering::SeqCst);
        while self.is_open() && !self.poll_as_leader(checks, || token.take()) {
            checks = self.checks;
            if !token.settle() {
                return token.clear();
            }
            note_watching();
            if self.found.swap(false, Ordering::Relaxed) {
                (calm_since, pause) = (Instant::now(), QUIESCENCE_DELAY);
            }
            if !self.quiescence.has_begun() && calm_since.elapsed() >= pause {
                self.check_quiescence();
                // The check looks at all threads, which is not cheap.
                pause = (2 * pause).min(QUIESCENCE_DELAY_MAX);
            }
            let limit = (!self.quiescence.has_begun()).then_some(pause);
            let (word, parked) = token.parked_word();
            self.network.sleep(word, parked, limit);
            if token.cancel_park() {
                note_running();
            } else {
                return token.clear();
            }
        }
    }

    /// Reports that the process is quiescent, if nobody in it is left who could do something.
    fn check_quiescence(&self) {
        if self.network.is_quiet() && self.hooks.are_others_idle() {
            self.quiescence.begin();
            self.hooks.on_quiescent(0);
        }
    }

    /// Becomes the leader, for an attached thread; false if there is one.
    #[inline]
    fn take(&self) -> bool {
        let plain = || {
            // Relaxed: there is no other candidate, nor will be before the bias has been revoked.
            self.leader.store(THREAD, Ordering::Relaxed);
            true
        };
        if_biased(plain, || self.take_as(THREAD))
    }

    #[inline]
    fn take_as(&self, candidate: usize) -> bool {
        // SeqCst: see `park`. The load keeps the line shared while somebody else leads.
        self.leader.load(Ordering::SeqCst) == NOBODY
            && self
                .leader
                .compare_exchange(NOBODY, candidate, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
    }

    #[inline]
    fn resign(&self) {
        let plain = || {
            // Relaxed: see `take`. Nobody rests.
            self.leader.store(NOBODY, Ordering::Relaxed);
            false
        };
        let locked = || {
            self.leader.store(NOBODY, Ordering::SeqCst);
            self.has_workers || self.resting_count.load(Ordering::SeqCst) > 0
        };
        if if_biased(plain, locked) {
            self.wake_successor();
        }
    }

    /// Wakes somebody that rests to become the leader, if there is anybody. There is no leader.
    #[cold]
    fn wake_successor(&self) {
        if !self.hooks.wake_successor() {
            self.wake_thread();
        }
    }

    /// Wakes an attached thread that rests to become the leader; false if there is none.
    fn wake_thread(&self) -> bool {
        if self.resting_count.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let mut resting = self.resting.lock();
        let next = resting.pop();
        if next.is_some() {
            self.resting_count.fetch_sub(1, Ordering::SeqCst);
        }
        drop(resting);
        next.is_some_and(|next| {
            next.unpark();
            true
        })
    }

    /// Wakes the leader to look around.
    #[cold]
    fn notify(&self, leader: usize) {
        match leader {
            NOBODY => {}
            // SeqCst: see `lead`. A thread that is about to sleep there finds out by itself.
            THREAD => match self.sleeper.load(Ordering::SeqCst) {
                0 => {}
                word => EcRef::from_word(word).unpark(),
            },
            worker => self.hooks.notify_worker(worker - 1),
        }
    }

    // For workers.

    /// Makes the worker with this index the leader, if nobody else is. Returns whether it is the leader now.
    pub fn try_lead(&self, worker: usize) -> bool {
        self.is_led_by(worker) || self.take_as(worker + 1)
    }

    /// Whether the worker with this index is the leader.
    pub fn is_led_by(&self, worker: usize) -> bool {
        self.leader.load(Ordering::SeqCst) == worker + 1
    }

    /// Whether there is no leader.
    pub fn has_no_leader(&self) -> bool {
        self.leader.load(Ordering::SeqCst) == NOBODY
    }

    /// Says that the worker with this index has something to run. If it is the leader, or there is none, another
    /// candidate that rests becomes the leader.
    pub fn pass_on(&self, worker: usize) {
        let was_quiescent = self.quiescence.end();
        match self.leader.load(Ordering::SeqCst) {
            NOBODY => self.wake_successor(),
            leader if leader == worker + 1 => {
                self.leader.store(NOBODY, Ordering::SeqCst);
                self.wake_successor();
            }
            // The leader has to find out when the process is quiescent again.
            leader if was_quiescent => self.notify(leader),
            _ => {}
        }
    }
}
