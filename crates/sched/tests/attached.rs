//! Threads that wait while every virtual processor is kept look after the network themselves. Alone in its file:
//! attached threads of a process do so for one runtime.

use std::sync::Arc;
use std::time::Duration;

use simurgh_core::sync::{
    AtomicBool, AtomicU32, AtomicUsize, Ordering, SpinLock, futex_wait_for, futex_wake, relax,
};
use simurgh_core::{Completion, Network};
use simurgh_sched::{Builder, EcSpec, Runtime};
use simurgh_testing::{Deadline, LIMIT};

const THREADS: usize = 3;
const ROUNDS: usize = 300;

/// A network over which events arrive. It rings like one that sleeps in `poll(2)`.
#[derive(Default)]
struct Events {
    arrived: SpinLock<Vec<Arc<Completion>>>,
    waiting: AtomicUsize,
    bell: AtomicU32,
    asleep: AtomicUsize,
}

impl Events {
    fn send(&self, event: Arc<Completion>) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.arrived.lock().push(event);
        self.wake();
    }
}

impl Network for Events {
    fn has_mail(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    fn poll(&self) -> bool {
        let arrived = std::mem::take(&mut *self.arrived.lock());
        self.waiting.fetch_sub(arrived.len(), Ordering::SeqCst);
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
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.bell, 1);
    }

    fn is_quiet(&self) -> bool {
        !self.has_mail()
    }
}

/// Events that threads wait for one after the other, each of which is sent when the one before has been noticed.
fn exchange(network: &Arc<Events>) {
    std::thread::scope(|scope| {
        let talk = || {
            for _ in 0..ROUNDS {
                let event = Arc::new(Completion::new());
                network.send(Arc::clone(&event));
                event.wait();
                let event = Arc::new(Completion::new());
                let sent = Arc::clone(&event);
                let send = scope.spawn(move || network.send(sent));
                event.wait();
                send.join().expect("no panic");
            }
        };
        (0..THREADS).for_each(|_| drop(scope.spawn(talk)));
    });
}

/// Keeps a virtual processor, or has it fall idle now and then, until it is over.
fn keep(runtime: &Runtime, vp: usize, over: &Arc<AtomicBool>, steadily: bool) {
    let over = Arc::clone(over);
    let spec = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    let keep = move || {
        let mut deadline = Deadline::after(LIMIT);
        while !over.load(Ordering::SeqCst) && !deadline.has_passed() {
            if steadily {
                relax();
            } else {
                let event = Arc::new(Completion::new());
                let happens = Arc::clone(&event);
                let thread = std::thread::spawn(move || happens.complete());
                event.wait();
                thread.join().expect("no panic");
            }
        }
        assert!(over.load(Ordering::SeqCst), "nobody looks after the network");
    };
    let _ = runtime.spawn(spec, vp, keep).expect("an execution context");
}

#[test]
fn threads_hear_from_the_network_whether_processors_are_kept_or_fall_idle() {
    for vps in [1, 2] {
        for steadily in [true, false] {
            let network = Arc::new(Events::default());
            let runtime = Builder::new()
                .vps(Some(vps))
                .network(Arc::clone(&network) as Arc<dyn Network>)
                .start()
                .expect("a runtime");
            let over = Arc::new(AtomicBool::new(false));
            (0..vps).for_each(|vp| keep(&runtime, vp, &over, steadily));
            exchange(&network);
            over.store(true, Ordering::SeqCst);
        }
    }
}
