//! Kernel threads that run what is ready on a virtual processor while one execution context keeps it.
//!
//! A substitute stands in for its principal, a virtual processor or another substitute, during one stint: while the
//! principal runs the one execution context that it ran when the substitute was called. Before each one that it resumes
//! the substitute looks whether that is still so; if not, it gives back all that is ready, and sleeps. Those of its
//! execution contexts that wait then come to it when they are woken, and are passed on at once.
//!
//! A substitute runs on all cores between which those of its principal may move: nobody asks it for work, so it is the
//! system that evens out what substitutes do. Substitutes do not count as virtual processors, but while one is awake
//! nobody takes all for asleep.

use std::sync::Arc;
use std::thread::JoinHandle;

use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, SpinLock};
use simurgh_core::{Evicted, WorkerConfig};

use crate::affinity::Affinity;
use crate::poller::Poller;
use crate::vp::Common;
use crate::worker_status::WorkerStatus;

/// A stint that there never is.
const NONE: u64 = u64::MAX;

/// All substitutes of a runtime.
#[derive(Default)]
pub(crate) struct Substitutes {
    statuses: SpinLock<Vec<Arc<Substitute>>>,
    threads: SpinLock<Vec<JoinHandle<()>>>,
    /// Other threads that wake nobody by themselves.
    others: AtomicU64,
    over: AtomicBool,
}

impl Substitutes {
    /// Threads of the runtime that are no virtual processors.
    pub(crate) fn threads(&self) -> usize {
        self.statuses.lock().len() + self.others.load(Ordering::SeqCst) as usize
    }

    /// There is one more thread of the runtime.
    pub(crate) fn count_other(&self) {
        self.others.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether nothing waits for any of them.
    pub(crate) fn are_quiet(&self) -> bool {
        self.statuses
            .lock()
            .iter()
            .all(|substitute| substitute.status.worker.is_quiet())
    }

    /// Starts one for a principal, called by one thread; none if the system has no thread for it.
    pub(crate) fn appoint(
        &self,
        principal: &Arc<WorkerStatus>,
        common: &Arc<Common>,
    ) -> Option<Arc<Substitute>> {
        let substitute = Arc::new(Substitute {
            status: Arc::new(WorkerStatus::new(principal.worker.substitute())),
            principal: Arc::clone(principal),
            stint: AtomicU64::new(NONE),
        });
        // It is asleep, and so it begins.
        substitute.status.idle.begin();
        let (own, common) = (Arc::clone(&substitute), Arc::clone(common));
        self.statuses.lock().push(Arc::clone(&substitute));
        let thread = std::thread::Builder::new().name("substitute".to_owned());
        let Ok(thread) = thread.spawn(move || own.run(&common)) else {
            self.statuses.lock().pop();
            return None;
        };
        self.threads.lock().push(thread);
        Some(substitute)
    }

    /// Whether they are to end, and who appoints them.
    pub(crate) fn are_over(&self) -> bool {
        // Acquire pairs with the Release in `end`.
        self.over.load(Ordering::Acquire)
    }

    /// Says that they are to end.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Waits until all have given back what is ready and ended, after they have been told to.
    pub(crate) fn dismiss(&self) {
        let statuses = self.statuses.lock().clone();
        statuses
            .iter()
            .for_each(|substitute| substitute.status.worker.notify());
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads {
            // One that panicked has already said so on stderr.
            let _ = thread.join();
        }
    }
}

/// Who stands in for a principal.
pub(crate) struct Substitute {
    status: Arc<WorkerStatus>,
    principal: Arc<WorkerStatus>,
    /// The stint of the principal during which it does.
    stint: AtomicU64,
}

impl Substitute {
    pub(crate) fn status(&self) -> &Arc<WorkerStatus> {
        &self.status
    }

    /// Has it run what was taken from its principal, as long as this stint lasts, and look after the network.
    pub(crate) fn stand_in(&self, stint: u64, evicted: Evicted) {
        // Relaxed: the inbox orders it.
        self.stint.store(stint, Ordering::Relaxed);
        match evicted.is_empty() {
            true => self.status.worker.notify(),
            false => self.status.worker.take_in(evicted),
        }
    }

    /// Whether the principal still runs what it ran then.
    fn is_needed(&self) -> bool {
        // Relaxed: it is read again before each execution context.
        self.principal.stint() == Some(self.stint.load(Ordering::Relaxed))
    }

    /// The body of the kernel thread.
    fn run(&self, common: &Common) {
        let worker = self.status.worker;
        common.note_thread();
        if common.topology.binds() {
            let _ = Affinity::of(&common.topology.reach(worker.index())).bind(None);
        }
        (common.prepare)();
        let network = common.poller.get().map(Poller::network);
        worker.enter(WorkerConfig {
            spin_limit: 0,
            seed: None,
            network: network.filter(|_| common.vp_set.drives(worker.index())).cloned(),
        });
        while !common.substitutes.are_over() {
            self.sleep(common);
            self.serve(common);
        }
        worker.leave();
    }

    /// Sleeps until there is something to run, or to look after.
    fn sleep(&self, common: &Common) {
        let ticket = self.status.worker.ticket();
        if !common.substitutes.are_over() {
            self.status.worker.sleep(ticket);
        }
    }

    /// Runs what is ready, or gives it back.
    fn serve(&self, common: &Common) {
        let worker = self.status.worker;
        common.sleepers.begin_help();
        self.status.idle.end();
        // Who waits here may wait for the network, after which nobody else may look.
        if let Some(poller) = common.poller.get().filter(|_| self.is_needed()) {
            worker.poll(&**poller.network());
        }
        worker.run_while(|| self.is_needed());
        let left = worker.evict_own();
        if !left.is_empty() {
            self.principal.worker.take_in(left);
        }
        self.status.idle.begin();
        common.end_help();
    }
}
