//! A network for tests of who looks after it.

use std::sync::Arc;
use std::time::Duration;

use simurgh_core::Completion;
use simurgh_core::sync::{AtomicU32, AtomicUsize, Ordering, SpinLock, futex_wait_for, futex_wake};
use simurgh_sched::{Builder, EcHandle, EcSpec, Network, Runtime};

/// A network over which events arrive that somebody waits for. It rings like one that sleeps in `poll(2)`.
#[derive(Default)]
pub(crate) struct Events {
    arrived: SpinLock<Vec<Arc<Completion>>>,
    waiting: AtomicUsize,
    /// Changes whenever something arrives and whenever somebody is woken.
    bell: AtomicU32,
    /// Events that have been found.
    pub(crate) polls: AtomicUsize,
    /// The number of threads that sleep at the bell.
    pub(crate) asleep: AtomicUsize,
}

impl Events {
    /// Has an event arrive.
    pub(crate) fn send(&self, event: Arc<Completion>) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.arrived.lock().push(event);
        self.ring();
    }

    /// Rings.
    pub(crate) fn ring(&self) {
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.bell, 1);
    }
}

impl Network for Events {
    fn has_mail(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    fn poll(&self) -> bool {
        let arrived = std::mem::take(&mut *self.arrived.lock());
        self.waiting.fetch_sub(arrived.len(), Ordering::SeqCst);
        self.polls.fetch_add(arrived.len(), Ordering::SeqCst);
        arrived.iter().for_each(|event| event.complete());
        !arrived.is_empty()
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        assert_eq!(self.asleep.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
        let bell = self.bell.load(Ordering::SeqCst);
        if !self.has_mail() && word.load(Ordering::SeqCst) == expected {
            futex_wait_for(&self.bell, bell, limit);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake(&self) {
        self.ring();
    }

    fn is_quiet(&self) -> bool {
        !self.has_mail()
    }
}

/// A network, and a runtime that looks after it.
pub(crate) fn start(vps: usize) -> (Arc<Events>, Runtime) {
    let network = Arc::new(Events::default());
    let runtime = Builder::new()
        .vps(Some(vps))
        .network(Arc::clone(&network) as Arc<dyn Network>)
        .start()
        .expect("a runtime");
    (network, runtime)
}

/// An execution context that begins on this virtual processor.
pub(crate) fn spawn(runtime: &Runtime, vp: usize, f: impl FnOnce() + Send + 'static) -> EcHandle {
    let spec = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    runtime.spawn(spec, vp, f).expect("an execution context")
}
