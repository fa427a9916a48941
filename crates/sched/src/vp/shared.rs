//! The state that the virtual processors of a runtime share.

use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};

use simurgh_core::sync::{AtomicBool, SpinLock};
use simurgh_core::{Network, ProcessHooks, Worker, all_threads_wait, this_kernel_thread};

use super::substitute::Substitutes;
use crate::deadlock::Sleepers;
use crate::poller::Poller;
use crate::topology::Topology;
use crate::vp_set::VpSet;

/// Tells whether all threads of the process wait for each other, except these and the calling one.
pub(crate) type OthersWait = Box<dyn Fn(&[u32]) -> bool + Send + Sync>;

/// The state that all virtual processors of a runtime share.
pub(crate) struct Shared {
    pub(crate) team: Vec<&'static Worker>,
    pub(crate) topology: Topology,
    pub(crate) stop: AtomicBool,
    pub(crate) sleepers: Sleepers,
    pub(crate) on_deadlock: Option<Box<dyn Fn(u32) + Send + Sync>>,
    pub(crate) known_threads: usize,
    /// The ids of the threads of the runtime.
    pub(crate) threads: SpinLock<Vec<u32>>,
    pub(crate) others_wait: Option<OthersWait>,
    pub(crate) seed: Option<u64>,
    pub(crate) vp_set: VpSet,
    /// Whether busy virtual processors look at the network when something is to be expected.
    pub(crate) anticipates: bool,
    /// Which virtual processor polls the network, if there is one.
    pub(crate) poller: OnceLock<Poller>,
    pub(crate) substitutes: Substitutes,
    /// Called by a thread before it becomes a substitute.
    pub(crate) prepare: Box<dyn Fn() + Send + Sync>,
}

impl Shared {
    /// Has some of the virtual processors poll a network. Returns whether it is the first one; others are
    /// ignored.
    pub(crate) fn add_network(self: &Arc<Self>, network: Arc<dyn Network>, by: Range<usize>) -> bool {
        let mut is_first = false;
        self.poller.get_or_init(|| {
            is_first = true;
            let hooks = SchedulerHooks(Arc::downgrade(self));
            Poller::new(network, hooks, by, self.vp_set.all())
        });
        is_first
    }

    /// Whether all virtual processors sleep, and nothing is left in the process that could wake any of them. The caller
    /// is a virtual processor that is counted as asleep, or an attached thread that is counted as blocked.
    pub(crate) fn all_sleep(&self) -> bool {
        let quiet = || self.team.iter().all(|worker| worker.is_quiet()) && self.substitutes.are_quiet();
        let others_wait = || {
            all_threads_wait(self.team.len() + self.known_threads)
                || self
                    .others_wait
                    .as_ref()
                    .is_some_and(|wait| wait(&self.threads.lock()))
        };
        self.sleepers.are_all(self.team.len(), quiet, others_wait)
    }

    /// Whether that may be true, or become true although no virtual processor wakes up before: a thread that is not of
    /// the runtime may end or begin to wait. False if nobody wants to know.
    pub(super) fn may_all_sleep(&self) -> bool {
        self.on_deadlock.is_some() && self.sleepers.count() == self.team.len()
    }

    /// Notes that the calling thread belongs to the runtime. Returns its number.
    pub(crate) fn note_thread(&self) -> u32 {
        let number = this_kernel_thread();
        self.threads.lock().push(number);
        number
    }

    /// Reports that nobody is left in this process to wake an execution context: in answer to a question, or unasked
    /// (0).
    pub(super) fn report(&self, question: u32) {
        if let Some(report) = &self.on_deadlock {
            report(question);
        }
    }

    /// Ends the help of a thread that has acted in the place of a virtual processor.
    pub(super) fn end_help(&self) {
        self.sleepers.end_help();
        if self.sleepers.count() == self.team.len() {
            // Nobody has checked since then whether all sleep.
            self.team[0].notify();
        }
    }
}

/// The virtual processors, for the poll leader.
struct SchedulerHooks(Weak<Shared>);

impl ProcessHooks for SchedulerHooks {
    fn are_others_idle(&self) -> bool {
        self.0.upgrade().is_some_and(|shared| shared.all_sleep())
    }

    fn on_quiescent(&self, question: u32) {
        if let Some(shared) = self.0.upgrade() {
            shared.report(question);
        }
    }

    fn wake_successor(&self) -> bool {
        self.0.upgrade().is_some_and(|shared| {
            let poller = shared.poller.get();
            poller.is_some_and(|poller| poller.wake_resting(&shared.team))
        })
    }

    fn notify_worker(&self, worker: usize) {
        if let Some(shared) = self.0.upgrade() {
            shared.team[worker].notify();
        }
    }
}
