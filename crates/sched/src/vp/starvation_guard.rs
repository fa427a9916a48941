//! The starvation guard: an execution context that keeps its virtual processor does not keep others from running.
//!
//! Scheduling is cooperative. A context that computes, spins on shared memory or blocks in the kernel without calling
//! the runtime keeps its virtual processor, and what else is ready there waits. It may wait for ever, if the context
//! waits for something that another one is to do. So a thread checks from time to time which virtual processors still
//! run the context that they ran before. From one that has done so for longer than the limit, it takes away what else
//! is ready. It gives that to an idle virtual processor that has asked for work, or else to a
//! [substitute](super::substitute). Substitutes are guarded as virtual processors are.
//!
//! A context whose thread sleeps in the kernel is not given that long, because nobody uses its processor meanwhile. Two
//! checks that find the same dispatch, and the thread asleep, suffice. In programs that block so, as those with OpenMP
//! do at the end of each parallel region, the checks come much more often. In seeded runs only the limit counts, since
//! the seed's order ends when something runs elsewhere.
//!
//! Costs: each use of a run queue is bracketed by two plain stores. A line of each virtual processor is read four times
//! per limit while any of them, or a substitute, is awake, and never while all sleep. A dispatch that lasts from one
//! check to the next costs a look at a file of the kernel. For a processor that is kept, there is a system call that
//! interrupts all others, if something has come for it. Its queue may hold something besides, for which that is done
//! ever less often.

use std::sync::Arc;
use std::time::{Duration, Instant};

use simurgh_core::{Evicted, PassiveThread};

use super::shared::Shared;
use super::substitute::Substitute;
use crate::poller::Poller;
use crate::worker_status::WorkerStatus;

/// Most substitutes of a runtime: so many execution contexts may keep a virtual processor or a substitute at a time
/// before one more keeps others from running.
pub const SUBSTITUTES_MAX: usize = 64;

/// Checks in the time for which an execution context may keep its virtual processor.
const CHECKS: u32 = 4;

/// The time between two checks while contexts that sleep in the kernel keep others from running.
const QUICK_PERIOD: Duration = Duration::from_micros(500);

/// The number of checks for which this is expected again after it was last so.
const QUICK_CHECKS: u32 = 500;

/// Most checks of a worker that is kept between two looks at its queue.
const QUEUE_PERIOD: u32 = 16;

/// Checks whether an execution context keeps others from running.
pub(crate) struct StarvationGuard {
    shared: Arc<Shared>,
    limit: Duration,
    guarded: Vec<Guarded>,
    /// How many of the next checks come quickly.
    quick_checks: u32,
    /// To be called when something is run elsewhere for the first time.
    on_relief: Option<Box<dyn Fn() + Send>>,
}

/// A virtual processor or a substitute, as the guard knows it.
struct Guarded {
    status: Arc<WorkerStatus>,
    /// The dispatch that was under way at the last check.
    dispatch: Option<u64>,
    since: Instant,
    /// How many checks have found that it lasts for too long.
    overdue_checks: u32,
    /// Whether the thread slept in the kernel at the last check that found the same dispatch as the one before.
    is_asleep: bool,
    substitute: Option<Arc<Substitute>>,
}

impl Guarded {
    fn new(status: Arc<WorkerStatus>) -> Self {
        Self {
            status,
            dispatch: None,
            since: Instant::now(),
            overdue_checks: 0,
            is_asleep: false,
            substitute: None,
        }
    }

    /// The dispatch under way, if it keeps others from running: it has lasted for longer than the limit, or since the
    /// last check with the thread asleep now.
    fn overdue(&mut self, limit: Duration, sleep_counts: bool) -> Option<u64> {
        let dispatch = self.status.dispatch();
        if dispatch.is_none() || dispatch != self.dispatch {
            (self.dispatch, self.since, self.overdue_checks) = (dispatch, Instant::now(), 0);
            return None;
        }
        self.is_asleep = sleep_counts && self.status.sleeps();
        let is_overdue = self.is_asleep || self.since.elapsed() >= limit;
        self.overdue_checks += u32::from(is_overdue);
        dispatch.filter(|_| is_overdue)
    }

    /// Takes away what is ready there, if this check looks for it.
    fn evict(&self) -> Evicted {
        let is_due =
            self.overdue_checks.is_power_of_two() || self.overdue_checks.is_multiple_of(QUEUE_PERIOD);
        match is_due || !self.status.worker.is_quiet() {
            true => self.status.worker.evict(),
            false => Evicted::default(),
        }
    }
}

impl StarvationGuard {
    pub(crate) fn new(
        shared: Arc<Shared>,
        limit: Duration,
        statuses: impl Iterator<Item = Arc<WorkerStatus>>,
        on_relief: Option<Box<dyn Fn() + Send>>,
    ) -> Self {
        Self {
            shared,
            limit,
            guarded: statuses.map(Guarded::new).collect(),
            quick_checks: 0,
            on_relief,
        }
    }

    /// The body of the kernel thread, which is unparked when the runtime ends.
    pub(crate) fn run(mut self) {
        self.shared.note_thread();
        let _passive = PassiveThread::new();
        let mut all_slept = false;
        while !self.shared.substitutes.are_over() {
            // A substitute that is kept has to be guarded even if all virtual processors sleep.
            let all_sleep = self.shared.sleepers.are_idle(self.shared.team.len());
            if all_sleep && all_slept {
                self.shared.sleepers.sleep_as_guard(self.shared.team.len());
            }
            all_slept = all_sleep;
            std::thread::park_timeout(self.period());
            self.check();
        }
    }

    /// The time until the next check.
    fn period(&self) -> Duration {
        let period = self.limit / CHECKS;
        match self.quick_checks {
            0 => period,
            _ => period.min(QUICK_PERIOD),
        }
    }

    fn check(&mut self) {
        self.quick_checks = self.quick_checks.saturating_sub(1);
        let sleep_counts = self.shared.seed.is_none();
        for index in 0..self.guarded.len() {
            if let Some(dispatch) = self.guarded[index].overdue(self.limit, sleep_counts) {
                self.relieve(index, dispatch);
            }
        }
    }

    /// Has what is ready run elsewhere, where one execution context keeps it from running.
    fn relieve(&mut self, index: usize, dispatch: u64) {
        self.shared.sleepers.begin_help();
        let worker = self.guarded[index].status.worker;
        worker.suspend_mailbox();
        let evicted = self.guarded[index].evict();
        let is_wanted = !evicted.is_empty();
        if is_wanted && self.guarded[index].is_asleep {
            self.quick_checks = QUICK_CHECKS;
        }
        if is_wanted && let Some(report) = self.on_relief.take() {
            report();
        }
        if is_wanted && let Some(idle) = worker.asking_worker() {
            idle.take_over(evicted, worker);
        } else if is_wanted || self.leaves_network_alone(index) {
            match self.substitute(index) {
                Some(substitute) => substitute.stand_in(dispatch, evicted),
                None => worker.take_in(evicted),
            }
        }
        self.shared.end_help();
    }

    /// Whether others that live there may wait for the network, and nobody is free to poll it.
    fn leaves_network_alone(&self, index: usize) -> bool {
        self.shared.poller.get().is_some_and(Poller::is_vacant)
            && self.shared.sleepers.count() == 0
            && self.guarded[index].status.worker.residents() > 1
    }

    /// The substitute of a worker; none if there cannot be more.
    fn substitute(&mut self, index: usize) -> Option<Arc<Substitute>> {
        if let Some(substitute) = &self.guarded[index].substitute {
            return Some(Arc::clone(substitute));
        }
        let shared = &self.shared;
        let status = &self.guarded[index].status;
        let substitute = (self.guarded.len() < shared.vp_set.common + SUBSTITUTES_MAX)
            .then(|| shared.substitutes.start(status, shared))
            .flatten()?;
        self.guarded[index].substitute = Some(Arc::clone(&substitute));
        self.guarded.push(Guarded::new(Arc::clone(substitute.status())));
        Some(substitute)
    }
}
