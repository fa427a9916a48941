//! Who looks after the network in a process without workers: attached threads, while they wait.
//!
//! Such a process is a single rank whose threads belong to the program. Nobody looks while all of them compute, which
//! costs them nothing; a thread that waits takes the *watch*, if nobody has it: it polls for a bounded time, then
//! sleeps in the kernel on its own token and where the network rings, at once. Others that wait meanwhile sleep on
//! their tokens alone. Who goes on gives the watch back and wakes one of them to take it.
//!
//! Costs of a wait of the only thread: two swaps of a line that nobody else touches, and the polls.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::ec::{EcRef, LOOKS_PER_POLL, note_blocked, note_running};
use crate::network::Network;
use crate::quiet::Quiet;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering, SpinLock, by_turns, relax};

/// How long nothing comes from the network before it is asked whether anything ever will.
pub const CALM: Duration = Duration::from_millis(50);

/// The vigil of this process; there is one at most, until the process ends.
static VIGIL: OnceLock<Vigil> = OnceLock::new();

/// What attached threads do while they wait.
pub struct Vigil {
    network: Arc<dyn Network>,
    /// How often a thread looks before it sleeps; 0 where processes outnumber cores.
    looks: u32,
    /// Whether a thread has the watch.
    watched: CachePadded<AtomicBool>,
    /// Number of those that rest.
    resting: AtomicUsize,
    /// Threads that wait without having the watch.
    at_rest: SpinLock<Vec<EcRef>>,
    quiet: Quiet,
    /// A look has found something, since this was last taken note of.
    found: AtomicBool,
    /// Asks whether anybody else in the process could wake anybody.
    nobody_else: Box<dyn Fn() -> bool + Send + Sync>,
    on_quiet: Box<dyn Fn(u32) + Send + Sync>,
}

impl Vigil {
    /// Has attached threads look after `network` from now on, `looks` times before they sleep. If all of them wait,
    /// `nobody_else` in the process is left, and nothing has come for a while, `on_quiet` is called with 0. It is also
    /// called with the number of a question that [could not be answered](Vigil::is_quiet) at once.
    ///
    /// The first vigil of a process lasts; later ones do not begin.
    pub fn begin(
        network: Arc<dyn Network>,
        looks: u32,
        nobody_else: impl Fn() -> bool + Send + Sync + 'static,
        on_quiet: impl Fn(u32) + Send + Sync + 'static,
    ) -> &'static Self {
        VIGIL.get_or_init(|| Self {
            network,
            looks,
            watched: CachePadded::new(AtomicBool::new(false)),
            resting: AtomicUsize::new(0),
            at_rest: SpinLock::new(Vec::new()),
            quiet: Quiet::default(),
            found: AtomicBool::new(false),
            nobody_else: Box::new(nobody_else),
            on_quiet: Box::new(on_quiet),
        })
    }

    /// The vigil of the process, if one has begun.
    #[inline]
    pub(crate) fn get() -> Option<&'static Self> {
        VIGIL.get()
    }

    /// Whether what was called when the process became quiet has been called and nothing has happened since. Who wants
    /// to know what has been sent and received until then asks for that first. If it cannot be said just now, it is
    /// called for this question.
    pub fn is_quiet(&self, question: u32) -> bool {
        self.quiet.lasts(question)
    }

    /// Looks after the network once; true if that was worth it.
    pub(crate) fn look(&self) -> bool {
        self.network.has_mail() && self.poll()
    }

    fn poll(&self) -> bool {
        let was_quiet = self.quiet.begin_look();
        let found = self.network.poll();
        if found {
            // Relaxed: a hint.
            self.found.store(true, Ordering::Relaxed);
        }
        if was_quiet && let Some(question) = self.quiet.end_look(found) {
            (self.on_quiet)(question);
        }
        found
    }

    /// A sleeping thread has been given its token: it may sleep where it hears that from the network alone.
    pub(crate) fn ring(&self) {
        self.network.wake();
    }

    /// Looks at `done` for a bounded time while nobody else has the watch. True if it became true.
    #[inline]
    pub(crate) fn watch_for(&self, done: impl Fn() -> bool) -> bool {
        if !self.take() {
            return false;
        }
        let seen = self.look_for(done);
        self.give_back();
        seen
    }

    /// As [`Vigil::watch_for`], by who has the watch.
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
            self.quiet.end();
            return self.give_back();
        }
        self.at_rest.lock().push(me);
        self.resting.fetch_add(1, Ordering::SeqCst);
        // Who gave the watch back before it could see that this one rests has left it to be found here.
        if self.watched.load(Ordering::SeqCst) {
            me.sleep_in_kernel();
            self.quiet.end();
        }
        let mut at_rest = self.at_rest.lock();
        if let Some(place) = at_rest.iter().position(|ec| *ec == me) {
            at_rest.swap_remove(place);
            self.resting.fetch_sub(1, Ordering::SeqCst);
        }
        drop(at_rest);
        // It may have been woken to take the watch, and have nothing to wait for any more.
        if !self.watched.load(Ordering::SeqCst) {
            self.wake_one();
        }
    }

    /// Looks after the network until the token of the caller, which has the watch, is given.
    fn stand_watch(&self, me: EcRef) {
        let token = me.control().token();
        let mut calm_since = Instant::now();
        while !self.look_for(|| token.take()) {
            if !token.settle() {
                return token.clear();
            }
            note_blocked();
            if self.found.swap(false, Ordering::Relaxed) {
                calm_since = Instant::now();
            }
            if !self.quiet.has_begun() && calm_since.elapsed() >= CALM {
                self.look_whether_all_wait();
            }
            let limit = (!self.quiet.has_begun()).then_some(CALM);
            let (word, asleep) = token.sleeping_word();
            self.network.sleep(word, asleep, limit);
            if token.get_up() {
                note_running();
            } else {
                return token.clear();
            }
        }
    }

    /// Nothing has come for a while: says so, if nobody in the process is left who could do something.
    fn look_whether_all_wait(&self) {
        if self.network.is_quiet() && (self.nobody_else)() {
            self.quiet.begin();
            (self.on_quiet)(0);
        }
    }

    #[inline]
    fn take(&self) -> bool {
        let plain = || {
            // Relaxed: nobody else has it, nor will before he has ended the solitude.
            self.watched.store(true, Ordering::Relaxed);
            true
        };
        // SeqCst: see `park`. The load keeps the line shared while others have the watch.
        let locked = || !self.watched.load(Ordering::SeqCst) && !self.watched.swap(true, Ordering::SeqCst);
        by_turns(plain, locked)
    }

    #[inline]
    fn give_back(&self) {
        let plain = || {
            // Relaxed: see `take`. Nobody rests.
            self.watched.store(false, Ordering::Relaxed);
            false
        };
        let locked = || {
            self.watched.store(false, Ordering::SeqCst);
            self.resting.load(Ordering::SeqCst) > 0
        };
        if by_turns(plain, locked) {
            self.wake_one();
        }
    }

    #[cold]
    fn wake_one(&self) {
        let mut at_rest = self.at_rest.lock();
        let next = at_rest.pop();
        if next.is_some() {
            self.resting.fetch_sub(1, Ordering::SeqCst);
        }
        drop(at_rest);
        if let Some(next) = next {
            next.unpark();
        }
    }
}
