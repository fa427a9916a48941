//! Substitutes: kernel threads that run what is ready on a virtual processor while one execution context keeps it.
//!
//! A substitute stands in for its principal, a virtual processor or another substitute, during one dispatch: while the
//! principal still runs the execution context that it ran when the substitute was called. The substitute checks that
//! before each context that it resumes. When it is no longer so, it gives back all that is ready, and sleeps. Contexts
//! of its own that wait at that time come to it when they are woken, and are passed on at once.
//!
//! A substitute may run on all cores between which its principal's contexts may move. Nobody asks it for work, so the
//! system's scheduler evens out what substitutes do. Substitutes do not count as virtual processors, but while one is
//! awake nobody concludes that all sleep.

use std::sync::Arc;
use std::thread::JoinHandle;

use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, SpinLock};
use simurgh_core::{Evicted, PassiveThread, WorkerConfig};

use super::shared::Shared;
use crate::affinity::Affinity;
use crate::poller::Poller;
use crate::worker_status::WorkerStatus;

/// A dispatch that there never is.
const NONE: u64 = u64::MAX;

/// All substitutes of a runtime.
#[derive(Default)]
pub(crate) struct Substitutes {
    all: SpinLock<Vec<Arc<Substitute>>>,
    threads: SpinLock<Vec<JoinHandle<()>>>,
    over: AtomicBool,
}

impl Substitutes {
    /// Whether nothing waits in the inbox of any of them.
    pub(super) fn are_quiet(&self) -> bool {
        self.all
            .lock()
            .iter()
            .all(|substitute| substitute.status.worker.is_quiet())
    }

    /// Starts a substitute for a principal; none if the system refuses the thread. One thread calls this.
    pub(super) fn start(
        &self,
        principal: &Arc<WorkerStatus>,
        shared: &Arc<Shared>,
    ) -> Option<Arc<Substitute>> {
        let substitute = Arc::new(Substitute {
            status: Arc::new(WorkerStatus::new(principal.worker.substitute())),
            principal: Arc::clone(principal),
            dispatch: AtomicU64::new(NONE),
        });
        // It sleeps at first.
        substitute.status.idle.begin();
        let (own, shared) = (Arc::clone(&substitute), Arc::clone(shared));
        self.all.lock().push(Arc::clone(&substitute));
        let thread = std::thread::Builder::new().name("substitute".to_owned());
        let Ok(thread) = thread.spawn(move || own.run(&shared)) else {
            self.all.lock().pop();
            return None;
        };
        self.threads.lock().push(thread);
        Some(substitute)
    }

    /// Whether the substitutes, and the guard that starts them, are to end.
    pub(crate) fn are_over(&self) -> bool {
        // Acquire pairs with the Release in `end`.
        self.over.load(Ordering::Acquire)
    }

    /// Says that they are to end.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Waits until all have given back what is ready and have ended, after [`Substitutes::end`].
    pub(crate) fn join(&self) {
        let all = self.all.lock().clone();
        all.iter()
            .for_each(|substitute| substitute.status.worker.notify());
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads {
            // One that panicked has already said so on stderr.
            let _ = thread.join();
        }
    }
}

/// The substitute of a principal.
pub(super) struct Substitute {
    status: Arc<WorkerStatus>,
    principal: Arc<WorkerStatus>,
    /// The dispatch of the principal during which it stands in.
    dispatch: AtomicU64,
}

impl Substitute {
    pub(super) fn status(&self) -> &Arc<WorkerStatus> {
        &self.status
    }

    /// Has it run what was taken from its principal, as long as this dispatch lasts, and poll the network.
    pub(super) fn stand_in(&self, dispatch: u64, evicted: Evicted) {
        // Relaxed: the inbox orders it.
        self.dispatch.store(dispatch, Ordering::Relaxed);
        match evicted.is_empty() {
            true => self.status.worker.notify(),
            false => self.status.worker.take_in(evicted),
        }
    }

    /// Whether the principal still runs what it ran when this one was called.
    fn is_needed(&self) -> bool {
        // Relaxed: it is read again before each execution context.
        self.principal.dispatch() == Some(self.dispatch.load(Ordering::Relaxed))
    }

    /// The body of the kernel thread.
    fn run(&self, shared: &Shared) {
        let worker = self.status.worker;
        self.status.begin(shared.note_thread());
        // What it does otherwise counts as help.
        let _passive = PassiveThread::new();
        if shared.topology.binds() {
            let _ = Affinity::of(&shared.topology.reach(worker.index())).bind(None);
        }
        (shared.prepare)();
        let network = shared.poller.get().map(Poller::network);
        worker.enter(WorkerConfig {
            spin_limit: 0,
            seed: None,
            network: network.filter(|_| shared.vp_set.drives(worker.index())).cloned(),
            anticipates: shared.anticipates,
        });
        while !shared.substitutes.are_over() {
            self.sleep(shared);
            self.serve(shared);
        }
        worker.leave();
    }

    /// Sleeps until there is something to run, or to poll.
    fn sleep(&self, shared: &Shared) {
        let ticket = self.status.worker.ticket();
        if !shared.substitutes.are_over() {
            self.status.worker.sleep(ticket);
        }
    }

    /// Runs what is ready, or gives it back.
    fn serve(&self, shared: &Shared) {
        let worker = self.status.worker;
        shared.sleepers.begin_help();
        self.status.idle.end();
        // Contexts that wait here may wait for the network, and perhaps nobody else can poll it.
        if let Some(poller) = shared.poller.get().filter(|_| self.is_needed()) {
            worker.poll(&**poller.network());
        }
        worker.run_while(|| self.is_needed());
        let left = worker.evict_own();
        if !left.is_empty() {
            self.principal.worker.take_in(left);
        }
        self.status.idle.begin();
        shared.end_help();
    }
}
