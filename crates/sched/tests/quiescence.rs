//! A runtime with a network reports when it is quiescent, and takes that back. Alone in its file: it counts the threads
//! of the process.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering, futex_wait_for, futex_wake};
use simurgh_core::{Completion, while_blocked};
use simurgh_sched::policy::{self, Policy};
use simurgh_sched::{Builder, EcSpec, Network};
use simurgh_settings::{Id, Values};
use simurgh_testing::{Deadline, LIMIT};

/// The policy of this name.
fn named(name: &str) -> Arc<dyn Policy> {
    let mut settings = Values::default();
    let read = settings.read(Id::Policy, "--policy", name.as_ref());
    read.expect("a policy");
    policy::of_settings(&settings).expect("a policy")
}

/// The test harness keeps one thread of its own besides the one that runs the test.
const HARNESS_THREADS: usize = 1;

/// A network over which one event arrives.
#[derive(Default)]
struct OneEvent {
    /// Whether it wakes nobody, so that only a poll can tell whether something has arrived.
    is_still: bool,
    event: Completion,
    arrived: AtomicBool,
    bell: AtomicU32,
}

impl OneEvent {
    fn ring(&self) {
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.bell, 1);
    }
}

impl Network for OneEvent {
    fn has_mail(&self) -> bool {
        self.is_still || self.arrived.load(Ordering::SeqCst)
    }

    fn poll(&self) -> bool {
        let any = self.arrived.swap(false, Ordering::SeqCst);
        if any {
            self.event.complete();
        }
        any
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        if self.is_still {
            return futex_wait_for(word, expected, Some(Duration::from_micros(200)));
        }
        let bell = self.bell.load(Ordering::SeqCst);
        if !self.has_mail() && word.load(Ordering::SeqCst) == expected {
            futex_wait_for(&self.bell, bell, limit);
        }
    }

    fn wake(&self) {
        self.ring();
    }

    fn is_quiet(&self) -> bool {
        !self.arrived.load(Ordering::SeqCst)
    }
}

/// The next report, if there is one in time.
fn next(told: &mpsc::Receiver<u32>) -> Option<u32> {
    Deadline::after(LIMIT).wait(|time| told.recv_timeout(time).ok())
}

#[test]
fn it_is_quiescent_until_something_arrives_and_then_again() {
    let policies = [(1, "wq"), (2, "wq"), (2, "nd"), (2, "sleep")];
    for ((vps, policy), is_still) in policies
        .into_iter()
        .flat_map(|policy| [(policy, false), (policy, true)])
    {
        let network = Arc::new(OneEvent {
            is_still,
            ..OneEvent::default()
        });
        let (tell, told) = mpsc::channel();
        let runtime = Builder::new()
            .vps(Some(vps))
            .policy(named(policy))
            .known_threads(HARNESS_THREADS)
            .network(Arc::clone(&network) as Arc<dyn Network>)
            .on_deadlock(move |question| tell.send(question).expect("the test listens"))
            .start()
            .expect("a runtime");
        let is_quiet = runtime.quiescence();
        let spec = EcSpec {
            stack_size: 128 << 10,
            ..EcSpec::default()
        };
        let never = Arc::new(Completion::new());
        let (awaited, wanting) = (Arc::clone(&network), Arc::clone(&never));
        let spinning = Arc::new(AtomicBool::new(false));
        let spins = Arc::clone(&spinning);
        let ec = runtime
            .spawn(spec, vps - 1, move || {
                awaited.event.wait();
                spins.store(true, Ordering::SeqCst);
                let mut deadline = Deadline::after(LIMIT);
                while spins.load(Ordering::SeqCst) && !deadline.has_passed() {
                    std::thread::yield_now();
                }
                wanting.wait();
            })
            .expect("an execution context");
        let report = || while_blocked(|| next(&told).expect("it becomes quiet"));
        // A question that is asked in vain is answered later, unless quiescence has been reported again before.
        let until_quiet = || {
            assert_eq!(report(), 0);
            let in_vain = |question: &u32| !is_quiet(*question);
            for question in (1..).take_while(in_vain) {
                if report() == question {
                    return;
                }
            }
        };
        until_quiet();
        network.arrived.store(true, Ordering::SeqCst);
        network.ring();
        while !spinning.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        assert!(!is_quiet(1), "an execution context runs");
        spinning.store(false, Ordering::SeqCst);
        until_quiet();
        assert!(told.try_recv().is_err());
        never.complete();
        ec.join().expect("no panic");
    }
}
