//! The cost of a switch from one execution context to another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use simurgh_core::{Barrier, Completion, yield_now};
use simurgh_sched::{Builder, EcSpec, Runtime};

/// Runs `f(index)` in `count` execution contexts; returns the time that the first one measures.
fn timed(runtime: &Runtime, count: usize, f: impl Fn(usize) -> Duration + Send + Sync + 'static) -> Duration {
    let shared = Arc::new((f, simurgh_core::Mutex::new(Duration::ZERO)));
    let handles: Vec<_> = (0..count)
        .map(|index| {
            let shared = Arc::clone(&shared);
            let body = move || {
                let took = (shared.0)(index);
                if index == 0 {
                    *shared.1.lock() = took;
                }
            };
            let spec = EcSpec {
                stack_size: 64 << 10,
                ..EcSpec::default()
            };
            runtime
                .spawn_member(spec, (index, count), body)
                .expect("an execution context")
        })
        .collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no panic"));
    *shared.1.lock()
}

/// Two contexts that hand an event back and forth; the time is one way.
fn ping_pong(runtime: &Runtime, iterations: u64) -> Duration {
    let events = Arc::new([Completion::new(), Completion::new()]);
    let took = timed(runtime, 2, move |index| {
        let start = Instant::now();
        for _ in 0..iterations {
            if index == 0 {
                events[1].complete();
                events[0].wait();
                events[0].reset();
            } else {
                events[1].wait();
                events[1].reset();
                events[0].complete();
            }
        }
        start.elapsed()
    });
    took / 2
}

fn switches(c: &mut Criterion) {
    let one = Builder::new().vps(Some(1)).start().expect("a runtime");
    for count in [2, 64, 1024] {
        c.bench_function(&format!("yield, {count} contexts on one processor"), |b| {
            b.iter_custom(|iterations| {
                let took = timed(&one, count, move |_| {
                    let start = Instant::now();
                    (0..iterations).for_each(|_| yield_now());
                    start.elapsed()
                });
                took / u32::try_from(count).expect("a small number")
            });
        });
    }
    c.bench_function("event, one way, one processor", |b| {
        b.iter_custom(|n| ping_pong(&one, n))
    });
    for count in [2, 64, 1024] {
        c.bench_function(&format!("barrier, {count} contexts on one processor"), |b| {
            b.iter_custom(|iterations| {
                let barrier = Barrier::new(count);
                timed(&one, count, move |_| {
                    let start = Instant::now();
                    (0..iterations).for_each(|_| {
                        barrier.wait();
                    });
                    start.elapsed()
                })
            });
        });
    }
    drop(one);
    if let Ok(two) = Builder::new().vps(Some(2)).start() {
        c.bench_function("event, one way, two processors", |b| {
            b.iter_custom(|n| ping_pong(&two, n))
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2));
    targets = switches
}
criterion_main!(benches);
