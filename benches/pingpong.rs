//! The cost of messages and reductions between ranks of a native Rust program.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use simurgh::{Builder, Communicator, Op, Result};

mod common;
use common::exchange;

/// The time of `f`, which all ranks run, as rank 0 measures it.
fn timed(
    ranks: usize,
    vps: usize,
    f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static,
) -> Duration {
    let took = Builder::new()
        .ranks(ranks)
        .vps(vps)
        .stack_size(128 << 10)
        .run(move |world| {
            world.barrier()?;
            let start = Instant::now();
            f(world)?;
            Ok::<_, simurgh::Error>(start.elapsed())
        });
    let took = took.expect("the run succeeds").into_vec().swap_remove(0);
    took.expect("no call fails")
}

/// Eight bytes back and forth; the time is one way.
fn ping_pong(vps: usize, iterations: u64) -> Duration {
    let took = timed(2, vps, move |world| exchange(world, iterations));
    took / 2
}

fn all_reduce(ranks: usize, vps: usize, iterations: u64) -> Duration {
    timed(ranks, vps, move |world| {
        let mut sum = 0.0;
        (0..iterations).try_for_each(|_| world.all_reduce(&1.0, &mut sum, &Op::sum()))
    })
}

fn native(c: &mut Criterion) {
    for vps in [1, 2] {
        c.bench_function(&format!("8 bytes, one way, {vps} processors"), |b| {
            b.iter_custom(|n| ping_pong(vps, n))
        });
        c.bench_function(
            &format!("all_reduce of 8 bytes, 64 ranks, {vps} processors"),
            |b| {
                b.iter_custom(|n| all_reduce(64, vps, n));
            },
        );
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2));
    targets = native
}
criterion_main!(benches);
