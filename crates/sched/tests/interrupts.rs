//! Execution contexts attend to interrupts during a wait, which goes on afterwards.

use std::sync::Arc;
use std::sync::mpsc::channel;

use simurgh_core::sync::{AtomicUsize, Ordering};
use simurgh_core::{Barrier, Completion, EcRef};
use simurgh_sched::{Builder, EcHandle, EcSpec};
use simurgh_testing::{Deadline, LIMIT};

const CONTEXTS: usize = 8;

static ATTENDED: AtomicUsize = AtomicUsize::new(0);

fn attend() {
    let asked = simurgh_core::current().attention().swap(0, Ordering::SeqCst);
    ATTENDED.fetch_add(asked as usize, Ordering::SeqCst);
}

/// Interrupts all, and waits until they have attended.
fn interrupt(contexts: &[EcRef]) {
    let before = ATTENDED.load(Ordering::SeqCst);
    for context in contexts {
        context.attention().store(1, Ordering::SeqCst);
        let _ = simurgh_core::interrupt(*context);
    }
    let mut deadline = Deadline::after(LIMIT);
    while ATTENDED.load(Ordering::SeqCst) < before + contexts.len() {
        assert!(!deadline.has_passed(), "not all have attended");
        std::thread::yield_now();
    }
}

#[test]
fn waits_go_on_after_interrupts() {
    simurgh_core::set_attend(attend);
    let runtime = Builder::new().vps(Some(2)).start().expect("a runtime");
    let (event, gate) = (Arc::new(Completion::new()), Arc::new(Barrier::new(CONTEXTS + 1)));
    let (sender, receiver) = channel();
    let handles: Vec<EcHandle> = (0..CONTEXTS)
        .map(|index| {
            let (event, gate, sender) = (Arc::clone(&event), Arc::clone(&gate), sender.clone());
            let body = move || {
                simurgh_core::current().listen();
                sender.send(simurgh_core::current()).expect("the test waits");
                if index == 0 {
                    event.wait();
                }
                gate.wait();
            };
            runtime
                .spawn(EcSpec::default(), index, body)
                .expect("an execution context")
        })
        .collect();
    let contexts: Vec<EcRef> = receiver.iter().take(CONTEXTS).collect();
    for _ in 0..100 {
        interrupt(&contexts);
    }
    event.complete();
    interrupt(&contexts);
    gate.wait();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    assert_eq!(ATTENDED.load(Ordering::SeqCst), 101 * CONTEXTS);
}
