//! An execution context that keeps its virtual processor does not keep others from running.

use std::io::{Read, Write};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering, relax};
use simurgh_core::{Completion, EcHandle, current, yield_now};
use simurgh_sched::{Builder, EcSpec, Runtime};
use simurgh_testing::{Deadline, LIMIT};

const PATIENCE: Duration = Duration::from_millis(10);

fn runtime(vps: usize) -> Runtime {
    runtime_with(vps, PATIENCE)
}

fn runtime_with(vps: usize, patience: Duration) -> Runtime {
    let builder = Builder::new().vps(Some(vps)).patience(Some(patience));
    builder.start().expect("a runtime")
}

fn start(runtime: &Runtime, f: impl FnOnce() + Send + 'static) -> EcHandle {
    let small = EcSpec {
        stack_size: 128 << 10,
        ..EcSpec::default()
    };
    runtime.spawn(small, 0, f).expect("an execution context")
}

/// Keeps the virtual processor until `happened` returns true.
fn keep_until(happened: impl Fn() -> bool) {
    let mut deadline = Deadline::after(LIMIT);
    while !happened() {
        assert!(!deadline.has_passed(), "it does not happen");
        relax();
    }
}

fn thread() -> u64 {
    std::fs::read_link("/proc/thread-self")
        .ok()
        .and_then(|path| path.file_name()?.to_str()?.parse().ok())
        .expect("a thread has a number")
}

fn join(handles: impl IntoIterator<Item = EcHandle>) {
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
}

#[test]
fn a_context_that_spins_for_another_of_its_processor_sees_it_run() {
    for vps in [1, 2] {
        let runtime = runtime(vps);
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let spins = start(&runtime, move || keep_until(|| seen.load(Ordering::Acquire)));
        let sets = start(&runtime, move || flag.store(true, Ordering::Release));
        join([spins, sets]);
    }
}

#[test]
fn each_of_many_may_spin_for_the_next() {
    const COUNT: usize = 12;
    let runtime = runtime(1);
    let turn = Arc::new(AtomicUsize::new(COUNT));
    let spin = |index: usize| {
        let turn = Arc::clone(&turn);
        start(&runtime, move || {
            keep_until(|| turn.load(Ordering::Acquire) == index + 1);
            turn.store(index, Ordering::Release);
        })
    };
    join((0..COUNT).map(spin).collect::<Vec<_>>());
    assert_eq!(turn.load(Ordering::Acquire), 0);
}

#[test]
fn a_context_that_blocks_in_the_kernel_for_another_of_its_processor_is_served() {
    let runtime = runtime(1);
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    let reads = start(&runtime, move || {
        let mut byte = [0];
        reader.read_exact(&mut byte).expect("somebody writes");
        assert_eq!(byte, [7]);
    });
    let writes = start(&runtime, move || writer.write_all(&[7]).expect("somebody reads"));
    join([reads, writes]);
}

/// Nobody uses the processor meanwhile, so others go on there long before the limit is over.
#[test]
fn a_context_that_blocks_in_the_kernel_is_relieved_before_the_limit() {
    const ROUNDS: u32 = 20;
    const PATIENCE: Duration = Duration::from_millis(400);
    let runtime = runtime_with(1, PATIENCE);
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        let (mut until_written, mut written) = std::io::pipe().expect("a pipe");
        let reads = start(&runtime, move || {
            until_written.read_exact(&mut [0]).expect("a byte");
        });
        let writes = start(&runtime, move || written.write_all(&[1]).expect("somebody reads"));
        join([reads, writes]);
    }
    let took = begun.elapsed();
    assert!(took < ROUNDS * PATIENCE / 2, "it took {took:?}");
}

/// A context that has waited on a substitute is woken there while another one keeps it. All virtual processors sleep,
/// and the thread that wakes the context never waits in the runtime, which would wake a virtual processor.
#[test]
fn a_substitute_that_is_kept_while_all_processors_sleep_is_relieved() {
    let runtime = runtime(1);
    let (mut until_both_ran, mut both_ran) = std::io::pipe().expect("a pipe");
    let (mut until_woken, mut is_woken) = std::io::pipe().expect("a pipe");
    let (ended, ends) = mpsc::channel();
    let wake = Arc::new(Completion::new());
    let (waits, wakes) = (Arc::clone(&wake), wake);
    let mut byte = [0];
    let keeps = start(&runtime, move || {
        until_both_ran.read_exact(&mut byte).expect("a byte")
    });
    let waits = start(&runtime, move || {
        waits.wait();
        is_woken.write_all(&[1]).expect("somebody reads");
    });
    let keeps_substitute = start(&runtime, move || {
        both_ran.write_all(&[1]).expect("somebody reads");
        until_woken.read_exact(&mut byte).expect("a byte");
        ended.send(()).expect("somebody listens");
    });
    join([keeps]);
    // By now the virtual processor and, after two checks, the guard have nothing to do.
    std::thread::sleep(8 * PATIENCE);
    wakes.complete();
    ends.recv_timeout(LIMIT)
        .expect("the context that was woken has run");
    join([waits, keeps_substitute]);
}

#[test]
fn a_context_that_ran_elsewhere_comes_back_when_the_processor_is_free() {
    let runtime = runtime(1);
    let came = Arc::new(AtomicUsize::new(0));
    let (home, seen) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&came));
    let own = Arc::clone(&home);
    let spins = start(&runtime, move || {
        own.store(thread() as usize, Ordering::Release);
        keep_until(|| seen.load(Ordering::Acquire) == 3);
    });
    let others: Vec<_> = (0..3)
        .map(|_| {
            let (came, home) = (Arc::clone(&came), Arc::clone(&home));
            start(&runtime, move || {
                assert_ne!(thread() as usize, home.load(Ordering::Acquire));
                came.fetch_add(1, Ordering::AcqRel);
                let mut deadline = Deadline::after(LIMIT);
                while thread() as usize != home.load(Ordering::Acquire) {
                    assert!(!deadline.has_passed(), "it stays with the substitute");
                    yield_now();
                }
                assert_eq!(current().vp(), Some(0));
            })
        })
        .collect();
    join([spins]);
    join(others);
}

#[test]
fn a_context_that_is_ready_again_and_again_where_another_spins_goes_on() {
    const ROUNDS: usize = 1000;
    let runtime = runtime(2);
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    let spins = start(&runtime, move || keep_until(|| seen.load(Ordering::Acquire)));
    let small = EcSpec::default();
    let meeting = Arc::new(simurgh_core::Barrier::new(4));
    let met: Vec<_> = (0..4)
        .map(|index| {
            let meeting = Arc::clone(&meeting);
            let meet = move || {
                (0..ROUNDS).for_each(|_| {
                    let _is_last = meeting.wait();
                })
            };
            runtime
                .spawn(small, index % 2, meet)
                .expect("an execution context")
        })
        .collect();
    join(met);
    over.store(true, Ordering::Release);
    join([spins]);
}
