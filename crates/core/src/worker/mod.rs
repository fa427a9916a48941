//! The switching half of a virtual processor.
//!
//! A worker belongs to one kernel thread, which calls [`Worker::run`]. Its local queue needs no atomics; others reach
//! it through its inbox. From one execution context to the next it passes its own stack but not its own thread pointer:
//! a switch is two jumps and one thread-pointer write, and none when the same EC goes on. While another's thread
//! pointer is loaded the worker touches nothing thread-local; it loads its own before it idles or buries an EC.
//!
//! Cost of a switch between two ECs: two coroutine jumps (about 3 ns), one `wrfsbase` (9 to 28 ns), one or two locked
//! instructions for the token, a look at the [floating-point environment](crate::float_environment), no system call.
//! Bench: `benches/switch.rs`.

mod network;
mod registers;
mod substitute;

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::OnceLock;

use corosensei::CoroutineResult;
use crossbeam_utils::CachePadded;

use crate::balance::EcCount;
use crate::current_ec;
use crate::ec::{Attribute, Ec, EcRef};
use crate::idle_task::IdleTasks;
use crate::inbox::Inbox;
use crate::intrusive_queue::IntrusiveQueue;
use crate::network::Network;
use crate::parallel_for::{SharedLoopSlot, help};
use crate::poll_counters::PollCounters;
use crate::run_queue::RunQueue;
use crate::spawn::bury;
use crate::suspend::Suspend;
use crate::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, Ordering, SpinLock};

pub(crate) use network::Look;
use registers::Registers;
pub use substitute::Evicted;

static LARGEST_COUNT: AtomicUsize = AtomicUsize::new(1);

/// The largest number of workers a runtime of this process has had.
pub(crate) fn largest_count() -> usize {
    LARGEST_COUNT.load(Ordering::Relaxed)
}

/// The teams whose workers run.
static TEAMS: SpinLock<Vec<&'static Team>> = SpinLock::new(Vec::new());

/// Has a worker of each team look around, because something it cannot see has changed: the last attached thread has
/// blocked, so that perhaps nobody is left to wake anybody.
pub(crate) fn notify_teams() {
    let workers: Vec<_> = TEAMS
        .lock()
        .iter()
        .filter_map(|team| team.workers.first().copied())
        .collect();
    workers.into_iter().for_each(Worker::notify);
}

/// Counters of a worker, read by anybody at any time.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkerStats {
    /// Times an execution context was resumed.
    pub switches: u64,
    /// Polls of the network that found something to do.
    pub polls: u64,
    /// Nanoseconds in polls, estimated from some of them.
    pub network_ns: u64,
}

/// How a kernel thread is going to be a worker.
#[derive(Default)]
pub struct WorkerConfig {
    /// How often a waiting EC looks at its event while nothing else is ready; 0 where kernel threads outnumber cores.
    pub spin_limit: u32,
    /// With it, the next EC to run is drawn at random, the same for the same seed.
    pub seed: Option<u64>,
    /// The network that those look after who run on the worker, if they do.
    pub network: Option<Arc<dyn Network>>,
}

/// Runs execution contexts on one kernel thread.
pub struct Worker {
    shared: CachePadded<Shared>,
    own: CachePadded<Own>,
}

/// What other threads touch.
struct Shared {
    inbox: Inbox<Ec>,
    /// 0, or 1 + the index of a worker that has nothing to do and asks for some of ours.
    hungry: AtomicU32,
    /// Work that others may join in.
    shared_loop: SpinLock<SharedLoopSlot>,
    ec_count: EcCount,
}

/// What the workers of a runtime have in common.
struct Team {
    workers: Box<[&'static Worker]>,
    /// How many of them, the first ones, run whatever is ready; the others only what was given to them.
    common: usize,
    /// How many of them offer work, and idle_tasks.
    offers: CachePadded<AtomicUsize>,
    idle_tasks: IdleTasks,
}

/// What only the worker's kernel thread touches, save for reading counters.
struct Own {
    index: usize,
    local: RunQueue<Ec>,
    /// Whom it stands in for, if it is a substitute.
    principal: Option<&'static Worker>,
    registers: Registers,
    spin_limit: Cell<u32>,
    random: Cell<Option<u64>>,
    network: UnsafeCell<Option<Arc<dyn Network>>>,
    /// A network that has come while the worker ran, until it has been taken up.
    late_network: OnceLock<Arc<dyn Network>>,
    /// Switches after which the network is looked after. Others write it when the network comes late.
    next_look: AtomicU64,
    poll_counters: PollCounters,
    switches: AtomicU64,
    team: OnceLock<&'static Team>,
}

// SAFETY:
// - the cells are used only by the worker's kernel thread: `run` and what it resumes; everything else is atomic or
//   set once before the worker starts.
unsafe impl Sync for Worker {}
// SAFETY:
// - as above; a worker that does not run may be handed to another kernel thread.
unsafe impl Send for Worker {}

impl Worker {
    /// Makes `common` workers that know each other and share what there is to do, and `dedicated` ones, behind them,
    /// that run only what is given to them. They live for the rest of the program.
    #[must_use]
    pub fn team(common: usize, dedicated: usize) -> Vec<&'static Worker> {
        LARGEST_COUNT.fetch_max(common + dedicated, Ordering::Relaxed);
        let team: Vec<&'static Worker> = (0..common + dedicated)
            .map(|index| &*Box::leak(Box::new(Self::new(index, None))))
            .collect();
        let shared = Box::leak(Box::new(Team {
            workers: team.clone().into_boxed_slice(),
            common,
            offers: CachePadded::new(AtomicUsize::new(0)),
            idle_tasks: IdleTasks::default(),
        }));
        TEAMS.lock().push(shared);
        for worker in &team {
            let unset = worker.own.team.set(shared).is_ok();
            debug_assert!(unset, "a worker joins one team");
        }
        team
    }

    fn new(index: usize, principal: Option<&'static Worker>) -> Self {
        Self {
            shared: CachePadded::new(Shared {
                inbox: Inbox::new(),
                hungry: AtomicU32::new(0),
                shared_loop: SpinLock::new(SharedLoopSlot::default()),
                ec_count: EcCount::default(),
            }),
            own: CachePadded::new(Own {
                index,
                local: RunQueue::new(),
                principal,
                registers: Registers::new(),
                spin_limit: Cell::new(0),
                random: Cell::new(None),
                network: UnsafeCell::new(None),
                late_network: OnceLock::new(),
                next_look: AtomicU64::new(u64::MAX),
                poll_counters: PollCounters::default(),
                switches: AtomicU64::new(0),
                team: OnceLock::new(),
            }),
        }
    }

    /// Its place in the team.
    #[must_use]
    pub fn index(&self) -> usize {
        self.own.index
    }

    /// All workers of the team, by index.
    pub(crate) fn team_mates(&self) -> &[&'static Worker] {
        self.own.team.get().map_or(&[], |team| &team.workers)
    }

    /// The workers of the team that share what there is to do, by index.
    #[must_use]
    pub fn peers(&self) -> &[&'static Worker] {
        self.own
            .team
            .get()
            .map_or(&[], |team| &team.workers[..team.common])
    }

    /// The door for everybody else.
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

    /// Makes the calling kernel thread the worker's. Call it once per thread, before [`Worker::run`].
    pub fn enter(&'static self, entry: WorkerConfig) {
        self.own.registers.enter();
        self.own.spin_limit.set(entry.spin_limit);
        self.own.random.set(
            entry
                .seed
                .map(|seed| seed.wrapping_add(self.own.index as u64) | 1),
        );
        if entry.network.is_some() {
            self.own.next_look.store(0, Ordering::Relaxed);
        }
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and it has only now become that.
        unsafe { *self.own.network.get() = entry.network };
        let ec = Ec::obtain(Attribute::Compute);
        ec.set_worker(self);
        current_ec::set(ec);
    }

    /// Runs what is ready until nothing is. Returns how many execution contexts were resumed.
    pub fn run(&'static self) -> u64 {
        self.run_while(|| true)
    }

    /// As [`Worker::run`], as long as `goes_on` is true, which is asked before each execution context.
    #[inline]
    pub fn run_while(&'static self, goes_on: impl Fn() -> bool) -> u64 {
        let before = self.own.switches.load(Ordering::Relaxed);
        self.own.registers.look_again();
        while goes_on()
            && let Some(ec) = self.next()
        {
            self.resume(ec);
            let switches = self.own.switches.load(Ordering::Relaxed);
            // Relaxed: it says when to look, and for what is behind a lock.
            if switches >= self.own.next_look.load(Ordering::Relaxed) {
                self.look_in_passing(switches);
            }
        }
        self.load_own();
        self.own.switches.load(Ordering::Relaxed) - before
    }

    /// Whether the inbox holds something. For the worker's own thread, while idle.
    #[must_use]
    #[inline]
    pub fn has_mail(&self) -> bool {
        self.shared.inbox.has_mail()
    }

    /// What [`Worker::sleep`] wants: taken before the last look at anything that could keep the worker awake.
    #[must_use]
    pub fn ticket(&self) -> u32 {
        self.shared.inbox.ticket()
    }

    /// Sleeps in the kernel until there is something to do or, since `ticket`, somebody has called [`Worker::notify`].
    pub fn sleep(&self, ticket: u32) {
        self.shared.inbox.sleep(ticket);
    }

    /// Has the worker look around, if it sleeps or is about to.
    pub fn notify(&self) {
        self.shared.inbox.notify();
    }

    /// Asks `victim` for half of what it has ready; an answer comes through the inbox, or never.
    pub fn ask_for_work(&self, victim: &Worker) {
        // Relaxed: a hint.
        victim
            .shared
            .hungry
            .store(self.own.index as u32 + 1, Ordering::Relaxed);
    }

    /// Takes [`Worker::ask_for_work`] back, if it has not been answered.
    pub fn stop_asking(&self, victim: &Worker) {
        let mine = self.own.index as u32 + 1;
        // Relaxed: a hint.
        if victim.shared.hungry.load(Ordering::Relaxed) == mine {
            let _ = victim
                .shared
                .hungry
                .compare_exchange(mine, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Whether nothing waits in the inbox. For anybody.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.shared.inbox.is_quiet()
    }

    /// Undoes [`Worker::enter`], before the kernel thread ends.
    pub fn leave(&self) {
        self.own.next_look.store(u64::MAX, Ordering::Relaxed);
        // SAFETY:
        // - only the worker's kernel thread uses the slot, which is this one, and no EC runs.
        drop(unsafe { &mut *self.own.network.get() }.take());
        TEAMS
            .lock()
            .retain(|team| team.workers.first().is_none_or(|first| !ptr::eq(*first, self)));
        // SAFETY:
        // - `enter` put a control block there, which lives for the rest of the program.
        if let Some(ec) = unsafe { current_ec::get().as_ref() } {
            current_ec::set(ptr::null());
            ec.recycle();
        }
    }

    /// Those who live on it; those of a substitute live on its principal.
    pub(crate) fn ec_count(&self) -> &EcCount {
        match self.own.principal {
            None => &self.shared.ec_count,
            Some(principal) => principal.ec_count(),
        }
    }

    /// Says whether the execution contexts that wait for each other here may be moved to a worker with fewer. Not so at
    /// first.
    pub fn allow_moves(&self, moves: bool) {
        self.ec_count().allow_moves(moves);
    }

    pub(crate) fn shared_loop(&self) -> &SpinLock<SharedLoopSlot> {
        &self.shared.shared_loop
    }

    fn offers(&self) -> Option<&AtomicUsize> {
        self.own.team.get().map(|team| &*team.offers)
    }

    pub(crate) fn idle_tasks(&self) -> Option<&IdleTasks> {
        self.own.team.get().map(|team| &team.idle_tasks)
    }

    /// Tells the team that there are so many more pieces of work on offer, and wakes workers that sleep.
    pub(crate) fn announce(&self, more: isize) {
        if let Some(offers) = self.offers() {
            // Relaxed: a hint; the work travels through the lock of its slot or queue.
            offers.fetch_add(more.cast_unsigned(), Ordering::Relaxed);
        }
        self.peers()
            .iter()
            .filter(|peer| !ptr::eq(**peer, self))
            .for_each(|peer| peer.notify());
    }

    /// Takes the hint of [`Worker::announce`] back.
    pub(crate) fn withdraw(&self) {
        if let Some(offers) = self.offers() {
            offers.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether somebody in the team offers work. One shared line, which changes only when work is offered.
    #[inline]
    #[must_use]
    pub fn sees_shared_work(&self) -> bool {
        // Relaxed: a hint.
        self.offers()
            .is_some_and(|offers| offers.load(Ordering::Relaxed) != 0)
    }

    /// Joins in work that a peer offers, or does a piece of an task; false if there was none. For the worker's own
    /// thread, while idle.
    pub fn help(&self) -> bool {
        self.sees_shared_work() && (self.peers().iter().any(|peer| help(peer, self)) || self.run_idle_task())
    }

    /// Does a piece of an task; false if there is none.
    #[cold]
    pub(crate) fn run_idle_task(&self) -> bool {
        let Some(idle_tasks) = self.idle_tasks() else {
            return false;
        };
        let Some((task, environment)) = idle_tasks.first() else {
            return false;
        };
        let more = environment.lend(|| Arc::clone(&task).run_piece());
        if !more && idle_tasks.remove_first(&task) {
            self.withdraw();
        }
        true
    }

    pub(crate) fn spin_limit(&self) -> u32 {
        self.own.spin_limit.get()
    }

    /// Whether the worker has something better to do than to watch one event. For ECs that run on this worker.
    #[inline]
    pub(crate) fn has_ready(&self) -> bool {
        self.has_runnable() || self.sees_shared_work()
    }

    /// Whether there is an EC to run. For the worker's own thread and ECs that it runs.
    #[inline]
    #[must_use]
    pub fn has_runnable(&self) -> bool {
        // SAFETY:
        // - the caller runs on this worker's kernel thread, so the queue is its own.
        !unsafe { self.own.local.with(|local| local.is_empty()) } || self.has_mail()
    }

    /// Puts a ready EC behind the others.
    ///
    /// # Safety
    ///
    /// The caller runs on this worker's kernel thread.
    #[inline]
    pub(crate) unsafe fn push_local(&self, ec: &'static Ec) {
        // SAFETY:
        // - by the caller's promise the queue is not in use by anybody else.
        unsafe { self.own.local.with(|local| local.push_back(ec)) };
    }

    /// Puts a chain of ready ECs behind the others: O(1).
    ///
    /// # Safety
    ///
    /// The caller runs on this worker's kernel thread.
    pub(crate) unsafe fn append_local(&self, chain: &mut IntrusiveQueue<Ec>) {
        // SAFETY:
        // - by the caller's promise the queue is not in use by anybody else.
        unsafe { self.own.local.with(|local| local.append(chain)) };
    }

    #[inline]
    fn next(&self) -> Option<&'static Ec> {
        // SAFETY:
        // - called by `run`, on the worker's kernel thread, which is not within a use of the queue.
        unsafe { self.own.local.with(|local| self.take_next(local)) }
    }

    /// Takes what is to run next from the worker's queue, and asks for the memory of the one behind it.
    #[inline]
    fn take_next(&self, local: &mut IntrusiveQueue<Ec>) -> Option<&'static Ec> {
        if self.has_mail() {
            local.append(&mut self.shared.inbox.take());
        }
        if self.shared.hungry.load(Ordering::Relaxed) != 0 {
            self.share(local);
        }
        let next = match self.own.random.get() {
            None => local.pop_front(),
            Some(state) if !local.is_empty() => local.remove(self.draw(state) % local.len()),
            Some(_) => None,
        };
        if let Some(behind) = local.front() {
            behind.warm();
        }
        next
    }

    /// The next number of the seeded sequence (xorshift64).
    fn draw(&self, mut state: u64) -> usize {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.own.random.set(Some(state));
        (state >> 16) as usize
    }

    /// Gives the younger half of the queue to the worker that asked; while there is nothing to spare, the question
    /// stands.
    #[cold]
    fn share(&self, local: &mut IntrusiveQueue<Ec>) {
        if local.len() < 2 {
            return;
        }
        // Relaxed: a hint, which may have been taken back.
        let thief = self.shared.hungry.swap(0, Ordering::Relaxed) as usize;
        if thief != 0 {
            let half = local.split_off(local.len().div_ceil(2));
            self.peers()[thief - 1].inbox().push_all(half);
        }
    }

    #[inline]
    fn resume(&'static self, ec: &'static Ec) {
        // Relaxed: counters; only this thread writes.
        self.own
            .switches
            .store(self.own.switches.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if !ptr::eq(ec.worker(), self) {
            self.welcome(ec);
        }
        // SAFETY:
        // - the EC was on our queue, so it is suspended, has a body, and nobody else runs it;
        // - the worker keeps no reference to anything thread-local.
        let body = unsafe {
            self.own.registers.load(ec);
            (*ec.body().get()).as_mut().unwrap_unchecked()
        };
        let left = body.resume();
        self.own.registers.keep(ec);
        match left {
            CoroutineResult::Yield(how) => self.publish(ec, how),
            CoroutineResult::Return(()) => self.finish(ec),
        }
    }

    /// Takes an EC in that lived on another worker.
    #[cold]
    fn welcome(&self, ec: &'static Ec) {
        // SAFETY:
        // - workers live for the rest of the program.
        if let Some(old) = unsafe { ec.worker().as_ref() } {
            old.ec_count().remove();
        }
        self.ec_count().add();
        ec.set_worker(self);
    }

    /// Carries out what a suspended EC asked for; it may run elsewhere before this returns.
    #[inline]
    fn publish(&self, ec: &'static Ec, how: Suspend) {
        match how {
            Suspend::Park => {
                if !ec.token().settle() {
                    // SAFETY:
                    // - this is the worker's kernel thread.
                    unsafe { self.push_local(ec) };
                }
            }
            // SAFETY:
            // - the EC waits for the event, so the event outlives the wait; neither is touched once the EC is admitted;
            // - this is the worker's kernel thread.
            Suspend::Await(event) => unsafe {
                if !(*event).admit_sleeper(EcRef::new(ec)) {
                    self.push_local(ec);
                }
            },
            Suspend::Yield => self.requeue(ec),
            // SAFETY:
            // - the EC locked the slot, forgot the guard and lives on; the slot outlives the wait. The EC is linked
            //   before the lock is given back, and not touched after.
            Suspend::Freeze(slot) => unsafe {
                (*(*slot).value_ptr()).frozen.push(ec);
                (*slot).unlock();
            },
            // SAFETY:
            // - workers live for the rest of the program.
            Suspend::Move(worker) => unsafe { (*worker).inbox().push(ec) },
        }
    }

    /// Where an EC goes that yields: behind the others, or, in a seeded run, to any worker.
    fn requeue(&self, ec: &'static Ec) {
        let home = match self.own.random.get() {
            None => self,
            Some(state) => self.peers()[self.draw(state) % self.peers().len()],
        };
        if ptr::eq(home, self) {
            // SAFETY:
            // - this is the worker's kernel thread.
            unsafe { self.push_local(ec) };
        } else {
            home.inbox().push(ec);
        }
    }

    #[cold]
    fn finish(&self, ec: &'static Ec) {
        self.load_own();
        self.ec_count().remove();
        bury(ec);
    }

    /// Loads what is the kernel thread's own.
    fn load_own(&self) {
        // SAFETY:
        // - this is the worker's kernel thread, between two ECs, and it keeps no reference to anything thread-local.
        unsafe { self.own.registers.load_own() };
    }
}
