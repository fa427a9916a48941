//! Messages, exchanges of borders and reductions of native Rust programs. `./x bench rust` compares them with those of
//! rsmpi (`benches/rust/rsmpi.rs`), in the same lines: keyword, bytes, and nanoseconds or, for what all ranks do,
//! microseconds.

use std::time::Instant;

use simurgh::{Communicator, Op, Result};

/// Nanoseconds of a call of `f`: the best of several batches.
fn time(world: &Communicator, calls: u32, mut f: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        world.barrier()?;
        let start = Instant::now();
        (0..calls).try_for_each(|_| f())?;
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
    }
    Ok(best)
}

fn ping_pong(world: &Communicator, bytes: usize) -> Result<f64> {
    let (mine, mut theirs) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    let other = 1 - world.rank();
    let both = time(world, (20_000_000 / (bytes as u32 + 4000)).max(50), || {
        if world.rank() == 0 {
            world.send(&mine[..], other, 0)?;
            world.recv(&mut theirs[..], other, 0)?;
        } else {
            world.recv(&mut theirs[..], other, 0)?;
            world.send(&mine[..], other, 0)?;
        }
        Ok(())
    });
    Ok(both? / 2.0)
}

fn halo(world: &Communicator, values: usize) -> Result<f64> {
    let (rank, size) = (world.rank(), world.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let (first, last) = (vec![1.0_f64; values], vec![2.0_f64; values]);
    let (mut before, mut after) = (vec![0.0_f64; values], vec![0.0_f64; values]);
    time(world, (4_000_000 / (8 * values as u32 + 4000)).max(20), || {
        world.scope(|scope| {
            scope.irecv(&mut before[..], left, 0)?;
            scope.irecv(&mut after[..], right, 1)?;
            scope.isend(&last[..], right, 0)?;
            scope.isend(&first[..], left, 1)?;
            Ok(())
        })
    })
}

fn all_reduce(world: &Communicator, values: usize) -> Result<f64> {
    let (mine, mut sum) = (vec![1.0_f64; values], vec![0.0_f64; values]);
    time(world, (2_000_000 / (8 * values as u32 + 4000)).max(20), || {
        world.all_reduce(&mine[..], &mut sum[..], &Op::sum())
    })
}

fn measure(world: &Communicator) -> Result<()> {
    let print = |keyword: &str, bytes: usize, value: f64| {
        if world.rank() == 0 {
            println!("{keyword} {bytes} {value:.2}");
        }
    };
    if world.size() == 2 {
        for bytes in [8, 512, 4096, 65_536, 1 << 20] {
            print("message", bytes, ping_pong(world, bytes)?);
        }
    }
    for values in [8, 512, 16_384] {
        print("halo", 8 * values, halo(world, values)? / 1e3);
    }
    for values in [1, 1024, 65_536] {
        print("allreduce", 8 * values, all_reduce(world, values)? / 1e3);
    }
    Ok(())
}

fn main() {
    let ended = simurgh::run(measure).expect("the run succeeds");
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}
