//! The starvation guard: an execution context that keeps its virtual processor does not keep others from running.
//!
//! Scheduling is cooperative: who computes, spins on shared memory or blocks in the kernel without a call of ours keeps
//! the virtual processor, and what else is ready there waits. It may wait for ever, if the one waits for something that
//! another is to do. So a thread looks from time to time which virtual processors still run the execution context that
//! they ran before. From one that has done so for longer than the limit it takes away what else is ready, and gives it
//! to a virtual processor that is idle and has asked for work, or else to a [substitute](crate::substitute).
//! Substitutes are watched as virtual processors are.
//!
//! Costs: each use of a run queue is bracketed by two plain stores. Four looks per limit at a line of each virtual
//! processor while any of them is awake, and none while all sleep. Where one is kept, a system call that interrupts all
//! others, if something has come for it; its queue may hold something besides, for which that is done ever less often.

use std::sync::Arc;
use std::time::{Duration, Instant};

use simurgh_core::Evicted;

use crate::poller::Poller;
use crate::substitute::Substitute;
use crate::vp::Common;
use crate::worker_status::WorkerStatus;

/// Most substitutes of a runtime: so many execution contexts may keep a virtual processor or a substitute at a time
/// before one more keeps others from running.
pub const SUBSTITUTES_MAX: usize = 64;

/// Looks in the time for which an execution context may keep its virtual processor.
const LOOKS: u32 = 4;

/// Looks at somebody who is kept between two at its queue, at most.
const RARELY: u32 = 16;

/// Who looks whether somebody keeps others from running.
pub(crate) struct Guard {
    common: Arc<Common>,
    limit: Duration,
    watched: Vec<Watched>,
    /// To be called when something is run elsewhere for the first time.
    on_relief: Option<Box<dyn Fn() + Send>>,
}

/// Somebody who may keep others from running, as the guard knows it.
struct Watched {
    status: Arc<WorkerStatus>,
    /// What it ran when it was looked at first.
    stint: Option<u64>,
    since: Instant,
    /// How often it has been found to run that for too long.
    found: u32,
    substitute: Option<Arc<Substitute>>,
}

impl Watched {
    fn new(status: Arc<WorkerStatus>) -> Self {
        Self {
            status,
            stint: None,
            since: Instant::now(),
            found: 0,
            substitute: None,
        }
    }

    /// What it has been running since longer than the limit.
    fn overdue(&mut self, limit: Duration) -> Option<u64> {
        let stint = self.status.stint();
        if stint.is_none() || stint != self.stint {
            (self.stint, self.since, self.found) = (stint, Instant::now(), 0);
        }
        let overdue = stint.filter(|_| self.since.elapsed() >= limit);
        self.found += u32::from(overdue.is_some());
        overdue
    }

    /// What is ready there, as far as it is looked for this time.
    fn evict(&self) -> Evicted {
        let is_due = self.found.is_power_of_two() || self.found.is_multiple_of(RARELY);
        match is_due || !self.status.worker.is_quiet() {
            true => self.status.worker.evict(),
            false => Evicted::default(),
        }
    }
}

impl Guard {
    pub(crate) fn new(
        common: Arc<Common>,
        limit: Duration,
        statuses: impl Iterator<Item = Arc<WorkerStatus>>,
        on_relief: Option<Box<dyn Fn() + Send>>,
    ) -> Self {
        Self {
            common,
            limit,
            watched: statuses.map(Watched::new).collect(),
            on_relief,
        }
    }

    /// The body of the kernel thread; who ends the runtime unparks it.
    pub(crate) fn run(mut self) {
        self.common.note_thread();
        let mut all_slept = false;
        while !self.common.substitutes.are_over() {
            let all_sleep = self.common.sleepers.count() == self.common.team.len();
            if all_sleep && all_slept {
                self.common.sleepers.doze(self.common.team.len());
            }
            all_slept = all_sleep;
            std::thread::park_timeout(self.limit / LOOKS);
            self.look();
        }
    }

    fn look(&mut self) {
        for index in 0..self.watched.len() {
            if let Some(stint) = self.watched[index].overdue(self.limit) {
                self.relieve(index, stint);
            }
        }
    }

    /// Has others run what is ready where one execution context does not let it run.
    fn relieve(&mut self, index: usize, stint: u64) {
        self.common.sleepers.begin_help();
        let worker = self.watched[index].status.worker;
        let evicted = self.watched[index].evict();
        let is_wanted = !evicted.is_empty();
        if is_wanted && let Some(report) = self.on_relief.take() {
            report();
        }
        if is_wanted && let Some(asking_worker) = worker.asking_worker() {
            asking_worker.take_in(evicted);
        } else if is_wanted || self.leaves_network_alone(index) {
            match self.substitute(index) {
                Some(substitute) => substitute.stand_in(stint, evicted),
                None => worker.take_in(evicted),
            }
        }
        self.common.end_help();
    }

    /// Whether others who live there may wait for the network, and nobody is free to look after it.
    fn leaves_network_alone(&self, index: usize) -> bool {
        self.common.poller.get().is_some_and(Poller::is_open)
            && self.common.sleepers.count() == 0
            && self.watched[index].status.worker.residents() > 1
    }

    /// The substitute of somebody; none if there cannot be more.
    fn substitute(&mut self, index: usize) -> Option<Arc<Substitute>> {
        if let Some(substitute) = &self.watched[index].substitute {
            return Some(Arc::clone(substitute));
        }
        let common = &self.common;
        let status = &self.watched[index].status;
        let substitute = (self.watched.len() < common.vp_set.common + SUBSTITUTES_MAX)
            .then(|| common.substitutes.appoint(status, common))
            .flatten()?;
        self.watched[index].substitute = Some(Arc::clone(&substitute));
        self.watched.push(Watched::new(Arc::clone(substitute.status())));
        Some(substitute)
    }
}
