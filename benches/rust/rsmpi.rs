//! What `benches/messages.rs` measures, of rsmpi (the crate `mpi`). `./x bench rust` compiles it against MPICH.

use std::time::Instant;

use mpi::collective::SystemOperation;
use mpi::request::WaitGuard;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// Nanoseconds of a call of `f`: the best of several batches.
fn time(world: &SimpleCommunicator, calls: u32, mut f: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        world.barrier();
        let start = Instant::now();
        (0..calls).for_each(|_| f());
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
    }
    best
}

fn ping_pong(world: &SimpleCommunicator, bytes: usize) -> f64 {
    let (mine, mut theirs) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    let other = world.process_at_rank(1 - world.rank());
    let both = time(world, (20_000_000 / (bytes as u32 + 4000)).max(50), || {
        if world.rank() == 0 {
            other.send(&mine[..]);
            other.receive_into(&mut theirs[..]);
        } else {
            other.receive_into(&mut theirs[..]);
            other.send(&mine[..]);
        }
    });
    both / 2.0
}

fn halo(world: &SimpleCommunicator, values: usize) -> f64 {
    let (rank, size) = (world.rank(), world.size());
    let (left, right) = (
        world.process_at_rank((rank + size - 1) % size),
        world.process_at_rank((rank + 1) % size),
    );
    let (first, last) = (vec![1.0_f64; values], vec![2.0_f64; values]);
    let (mut before, mut after) = (vec![0.0; values], vec![0.0; values]);
    time(world, (4_000_000 / (8 * values as u32 + 4000)).max(20), || {
        mpi::request::scope(|scope| {
            let _receives = (
                WaitGuard::from(left.immediate_receive_into_with_tag(scope, &mut before[..], 0)),
                WaitGuard::from(right.immediate_receive_into_with_tag(scope, &mut after[..], 1)),
            );
            let _sends = (
                WaitGuard::from(right.immediate_send_with_tag(scope, &last[..], 0)),
                WaitGuard::from(left.immediate_send_with_tag(scope, &first[..], 1)),
            );
        });
    })
}

fn all_reduce(world: &SimpleCommunicator, values: usize) -> f64 {
    let (mine, mut sum) = (vec![1.0_f64; values], vec![0.0; values]);
    time(world, (2_000_000 / (8 * values as u32 + 4000)).max(20), || {
        world.all_reduce_into(&mine[..], &mut sum[..], SystemOperation::sum());
    })
}

fn main() {
    let universe = mpi::initialize().expect("MPI starts");
    let world = universe.world();
    let print = |keyword: &str, bytes: usize, value: f64| {
        if world.rank() == 0 {
            println!("{keyword} {bytes} {value:.2}");
        }
    };
    if world.size() == 2 {
        for bytes in [8, 512, 4096, 65_536, 1 << 20] {
            print("message", bytes, ping_pong(&world, bytes));
        }
    }
    for values in [8, 512, 16_384] {
        print("halo", 8 * values, halo(&world, values) / 1e3);
    }
    for values in [1, 1024, 65_536] {
        print("allreduce", 8 * values, all_reduce(&world, values) / 1e3);
    }
}
