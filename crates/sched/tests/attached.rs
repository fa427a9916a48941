//! Attached threads that wait poll the network themselves while every virtual processor is kept. Alone in its file:
//! attached threads of a process do that for one runtime.

mod common;

use std::sync::Arc;

use common::{Events, spawn, start};
use simurgh_core::Completion;
use simurgh_core::sync::{AtomicBool, Ordering, relax};
use simurgh_sched::Runtime;
use simurgh_testing::{Deadline, LIMIT};

const THREADS: usize = 3;
const ROUNDS: usize = 300;

/// Threads wait for events one after the other; each event is sent after the one before has been noticed.
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

/// Keeps a virtual processor, or lets it become idle now and then, until `over`.
fn keep(runtime: &Runtime, vp: usize, over: &Arc<AtomicBool>, steadily: bool) {
    let over = Arc::clone(over);
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
    let _ = spawn(runtime, vp, keep);
}

#[test]
fn threads_notice_the_network_whether_processors_are_kept_or_become_idle() {
    for vps in [1, 2] {
        for steadily in [true, false] {
            let (network, runtime) = start(vps);
            let over = Arc::new(AtomicBool::new(false));
            (0..vps).for_each(|vp| keep(&runtime, vp, &over, steadily));
            exchange(&network);
            over.store(true, Ordering::SeqCst);
        }
    }
}
