//! Who looks after the network on behalf of all that wait: one at a time has the *watch*.
//!
//! In a process without workers, which is a single rank whose threads belong to the program, these are attached threads
//! while they wait. Nobody looks while all of them compute, which costs them nothing; a thread that waits takes the
//! watch, if nobody has it: it polls for a bounded time, then sleeps in the kernel on its own token and where the
//! network rings, at once. Others that wait meanwhile sleep on their tokens alone. Who goes on gives the watch back and
//! wakes one of them to take it.
//!
//! Where there are workers, an idle one takes the watch as well. While all of them are kept by ranks that compute or
//! spin, a thread of a rank that waits has it, so that it blocks nobody but itself. It does not poll for long: the
//! cores are the workers'. Who gives the watch back wakes a worker that rests rather than a thread.
//!
//! Costs of a wait of the only thread: two swaps of a line that nobody else touches, and the polls; of a sleep a store
//! more.

use std::ptr;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::ec::{EcRef, LOOKS_PER_POLL, note_running, note_watching};
use crate::network::Network;
use crate::quiescence::Quiescence;
use crate::sync::{Arc, AtomicBool, AtomicPtr, AtomicUsize, Ordering, SpinLock, if_biased, relax};

/// How long nothing comes from the network before it is asked whether anything ever will.
pub const QUIESCENCE_DELAY: Duration = Duration::from_millis(50);

/// How long at most between two such questions, while others in the process may still act.
pub const QUIESCENCE_DELAY_MAX: Duration = Duration::from_secs(1);

/// The poll_leader in which attached threads of this process take part; there is one at most at a time.
static POLL_LEADER: AtomicPtr<PollLeader> = AtomicPtr::new(ptr::null_mut());

/// Nobody has the watch.
const NOBODY: usize = 0;
/// An attached thread has it.
const THREAD: usize = usize::MAX;

/// Who else there is in the process, as far as a [`PollLeader`] is concerned.
pub trait ProcessHooks: Send + Sync {
    /// Whether nobody in the process but attached threads that wait could wake anybody. Asked by one of these.
    fn are_others_idle(&self) -> bool;

    /// Takes note that the process is quiet: unasked (0), or in answer to the question of this number, which
    /// [could not be answered](PollLeader::is_quiet) at once.
    fn on_quiescent(&self, question: u32);

    /// Has a worker take the watch that rests and could have it; false if there is none.
    fn relieve(&self) -> bool {
        false
    }

    /// Has the worker of this index look around, which has the watch.
    fn rouse(&self, worker: usize) {
        let _ = worker;
    }
}

/// Looking after a network in turns.
pub struct PollLeader {
    network: Arc<dyn Network>,
    /// How often a thread looks before it sleeps; 0 where processes outnumber cores.
    looks: u32,
    /// Whether workers take the watch as well.
    among_workers: bool,
    /// Who has the watch: [`NOBODY`], an attached [`THREAD`], or one more than the index of a worker.
    watch: CachePadded<AtomicUsize>,
    /// The attached thread that sleeps with the watch, or did so last, as a word; 0 if none has.
    sleeper: AtomicUsize,
    /// Number of those that rest.
    resting: AtomicUsize,
    /// Threads that wait without having the watch.
    at_rest: SpinLock<Vec<EcRef>>,
    quiescence: Quiescence,
    /// A look has found something, since this was last taken note of.
    found: AtomicBool,
    others: Box<dyn ProcessHooks>,
}

impl PollLeader {
    /// Has attached threads look after `network` from now on, `looks` times before they sleep, in a process without
    /// workers. If all of them wait, the `others` are idle, and nothing has come for a while, these hear of it.
    ///
    /// The first poll_leader of a process lasts; later ones do not begin.
    pub fn begin(
        network: Arc<dyn Network>,
        looks: u32,
        others: impl ProcessHooks + 'static,
    ) -> &'static Self {
        Self::get().unwrap_or_else(|| {
            let poll_leader = Self::new(network, looks, false, Box::new(others));
            poll_leader.open();
            poll_leader
        })
    }

    /// One that workers keep. Attached threads take part once it is [open](PollLeader::open) to them.
    pub fn among_workers(network: Arc<dyn Network>, others: impl ProcessHooks + 'static) -> &'static Self {
        Self::new(network, 0, true, Box::new(others))
    }

    /// It lasts as long as the program: a thread may be in it at any time.
    fn new(
        network: Arc<dyn Network>,
        looks: u32,
        among_workers: bool,
        others: Box<dyn ProcessHooks>,
    ) -> &'static Self {
        Box::leak(Box::new(Self {
            network,
            looks,
            among_workers,
            watch: CachePadded::new(AtomicUsize::new(NOBODY)),
            sleeper: AtomicUsize::new(0),
            resting: AtomicUsize::new(0),
            at_rest: SpinLock::new(Vec::new()),
            quiescence: Quiescence::default(),
            found: AtomicBool::new(false),
            others,
        }))
    }

    /// Lets attached threads take part, unless they do so elsewhere.
    pub fn open(&'static self) {
        let new = ptr::from_ref(self).cast_mut();
        // Only the first counts.
        let _first = POLL_LEADER.compare_exchange(ptr::null_mut(), new, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Attached threads do not take part any more, from their next wait on.
    pub fn close(&'static self) {
        let own = ptr::from_ref(self).cast_mut();
        let was_open = POLL_LEADER.compare_exchange(own, ptr::null_mut(), Ordering::SeqCst, Ordering::SeqCst);
        if was_open.is_ok() {
            self.rouse(THREAD);
            self.ring();
            while self.wake_one() {}
        }
    }

    /// The poll_leader in which attached threads take part, if there is one.
    #[inline]
    pub(crate) fn get() -> Option<&'static Self> {
        // SAFETY:
        // - what is stored there lives for the rest of the program. Acquire pairs with the exchange in `open`.
        unsafe { POLL_LEADER.load(Ordering::Acquire).as_ref() }
    }

    fn is_open(&self) -> bool {
        ptr::eq(POLL_LEADER.load(Ordering::SeqCst), self)
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Arc<dyn Network> {
        &self.network
    }

    /// Whether the process is quiet.
    #[must_use]
    pub fn quiescence(&self) -> &Quiescence {
        &self.quiescence
    }

    /// Whether what the others [hear](ProcessHooks::on_quiescent) when the process becomes quiet has been said and nothing has
    /// happened since. Who wants to know what has been sent and received until then asks for that first. If it cannot
    /// be said just now, it is answered later.
    pub fn is_quiet(&self, question: u32) -> bool {
        self.quiescence.lasts(question)
    }

    /// Looks after the network once; true if that was worth it.
    pub(crate) fn look(&self) -> bool {
        self.network.has_mail() && self.poll()
    }

    fn poll(&self) -> bool {
        self.poll_by(|network| network.poll(), || false)
    }

    /// Has the network polled by `poll`; whether it found something. If not, and the process has been quiet until then,
    /// it still is, unless the caller `is_busy`.
    pub fn poll_by(&self, poll: impl FnOnce(&dyn Network) -> bool, is_busy: impl FnOnce() -> bool) -> bool {
        let was_quiet = self.quiescence.begin_poll();
        let found = poll(&*self.network);
        if found {
            // Relaxed: a hint.
            self.found.store(true, Ordering::Relaxed);
        }
        if was_quiet && let Some(question) = self.quiescence.end_poll(found || is_busy()) {
            self.others.on_quiescent(question);
        }
        found
    }

    /// A sleeping thread has been given its token: it may sleep where it hears that from the network alone.
    pub(crate) fn ring(&self) {
        self.network.wake();
    }

    /// Looks at `done` for a bounded time while nobody else has the watch; once among workers. True if it became true.
    #[inline]
    pub(crate) fn watch_for(&self, done: impl Fn() -> bool) -> bool {
        if self.among_workers {
            return self.look() && done();
        }
        if !self.take() {
            return false;
        }
        let seen = self.look_for(done);
        self.give_back();
        seen
    }

    /// As [`PollLeader::watch_for`], by who has the watch.
    #[inline]
    fn look_for(&self, done: impl Fn() -> bool) -> bool {
        let mut looks = self.looks;
        loop {
            if done() {
                return true;
            }
            let mail = self.network.has_mail();
            if mail && self.poll() {
                continue;
            }
            if looks == 0 {
                return false;
            }
            looks = looks.saturating_sub(if mail { LOOKS_PER_POLL } else { 1 });
            relax();
        }
    }

    /// Blocks the calling thread until its token is given, or for no reason.
    pub(crate) fn park(&self, me: EcRef) {
        if self.take() {
            self.stand_watch(me);
            self.quiescence.end();
            return self.give_back();
        }
        self.at_rest.lock().push(me);
        self.resting.fetch_add(1, Ordering::SeqCst);
        // Who gave the watch back before it could see that this one rests has left it to be found here.
        if self.watch.load(Ordering::SeqCst) != NOBODY {
            me.sleep_in_kernel();
            if self.quiescence.end() {
                // Who has the watch has to find out when it is quiet again.
                self.rouse(self.watch.load(Ordering::SeqCst));
            }
        }
        let mut at_rest = self.at_rest.lock();
        if let Some(place) = at_rest.iter().position(|ec| *ec == me) {
            at_rest.swap_remove(place);
            self.resting.fetch_sub(1, Ordering::SeqCst);
        }
        drop(at_rest);
        // It may have been woken to take the watch, and have nothing to wait for any more.
        if self.watch.load(Ordering::SeqCst) == NOBODY {
            self.hand_on();
        }
    }

    /// Looks after the network until the token of the caller, which has the watch, is given.
    fn stand_watch(&self, me: EcRef) {
        let token = me.control().token();
        let (mut calm_since, mut pause) = (Instant::now(), QUIESCENCE_DELAY);
        // SeqCst: who ends the quiet, or closes the poll_leader, does so first, and then looks who sleeps.
        self.sleeper.store(me.to_word(), Ordering::SeqCst);
        while self.is_open() && !self.look_for(|| token.take()) {
            if !token.settle() {
                return token.clear();
            }
            note_watching();
            if self.found.swap(false, Ordering::Relaxed) {
                (calm_since, pause) = (Instant::now(), QUIESCENCE_DELAY);
            }
            if !self.quiescence.has_begun() && calm_since.elapsed() >= pause {
                self.look_whether_all_wait();
                // To look at all threads is not for nothing.
                pause = (2 * pause).min(QUIESCENCE_DELAY_MAX);
            }
            let limit = (!self.quiescence.has_begun()).then_some(pause);
            let (word, asleep) = token.sleeping_word();
            self.network.sleep(word, asleep, limit);
            if token.cancel_park() {
                note_running();
            } else {
                return token.clear();
            }
        }
    }

    /// Nothing has come for a while: says so, if nobody in the process is left who could do something.
    fn look_whether_all_wait(&self) {
        if self.network.is_quiet() && self.others.are_others_idle() {
            self.quiescence.begin();
            self.others.on_quiescent(0);
        }
    }

    #[inline]
    fn take(&self) -> bool {
        let plain = || {
            // Relaxed: nobody else has it, nor will before he has ended the solitude.
            self.watch.store(THREAD, Ordering::Relaxed);
            true
        };
        if_biased(plain, || self.take_as(THREAD))
    }

    #[inline]
    fn take_as(&self, holder: usize) -> bool {
        // SeqCst: see `park`. The load keeps the line shared while others have the watch.
        self.watch.load(Ordering::SeqCst) == NOBODY
            && self
                .watch
                .compare_exchange(NOBODY, holder, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
    }

    #[inline]
    fn give_back(&self) {
        let plain = || {
            // Relaxed: see `take`. Nobody rests.
            self.watch.store(NOBODY, Ordering::Relaxed);
            false
        };
        let locked = || {
            self.watch.store(NOBODY, Ordering::SeqCst);
            self.among_workers || self.resting.load(Ordering::SeqCst) > 0
        };
        if if_biased(plain, locked) {
            self.hand_on();
        }
    }

    /// Nobody has the watch: has one take it that rests, if there is one.
    #[cold]
    fn hand_on(&self) {
        if !self.others.relieve() {
            self.wake_one();
        }
    }

    /// Has an attached thread take the watch that rests; false if there is none.
    fn wake_one(&self) -> bool {
        if self.resting.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let mut at_rest = self.at_rest.lock();
        let next = at_rest.pop();
        if next.is_some() {
            self.resting.fetch_sub(1, Ordering::SeqCst);
        }
        drop(at_rest);
        next.is_some_and(|next| {
            next.unpark();
            true
        })
    }

    /// Has who has the watch look around.
    #[cold]
    fn rouse(&self, holder: usize) {
        match holder {
            NOBODY => {}
            // SeqCst: see `stand_watch`. Who is about to sleep there finds out by itself.
            THREAD => match self.sleeper.load(Ordering::SeqCst) {
                0 => {}
                word => EcRef::from_word(word).unpark(),
            },
            worker => self.others.rouse(worker - 1),
        }
    }

    // For workers.

    /// Takes the watch for the worker of this index, if nobody else has it; whether that one has it now.
    pub fn try_lead(&self, worker: usize) -> bool {
        self.is_led_by(worker) || self.take_as(worker + 1)
    }

    /// Whether that worker has the watch.
    pub fn is_led_by(&self, worker: usize) -> bool {
        self.watch.load(Ordering::SeqCst) == worker + 1
    }

    /// Whether nobody has the watch.
    pub fn has_no_leader(&self) -> bool {
        self.watch.load(Ordering::SeqCst) == NOBODY
    }

    /// The worker of this index has something to run: if it has the watch, or nobody, another one that rests takes it.
    pub fn pass_on(&self, worker: usize) {
        let over = self.quiescence.end();
        match self.watch.load(Ordering::SeqCst) {
            NOBODY => self.hand_on(),
            holder if holder == worker + 1 => {
                self.watch.store(NOBODY, Ordering::SeqCst);
                self.hand_on();
            }
            // It has to find out when it is quiet again.
            holder if over => self.rouse(holder),
            _ => {}
        }
    }
}
