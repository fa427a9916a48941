//! Time of a message one way, between two ranks that wait for each other: on one virtual processor and on two.
//!
//! `cargo bench -p simurgh-mpi --bench pingpong` for the table, `… -- VPS BYTES ROUNDS` for one figure (under a
//! profiler).
#![allow(missing_docs, reason = "a bench")]

use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::{Comm, Job, Process};
use simurgh_sched::{Builder, EcSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Short runs, of which the best counts: one in which nobody else used the cores.
const RUNS: usize = 100;

/// Nanoseconds one way, the best of several runs of `rounds` each.
fn ping_pong(world: &Comm, size: usize, rounds: u32) -> f64 {
    let (data, mut room) = (vec![1_u8; size], vec![0_u8; size]);
    // SAFETY:
    // - the buffers live until the blocking calls have returned.
    let source = unsafe { Source::new(data.as_ptr(), size, Datatype::Basic(Basic::Byte)) };
    // SAFETY:
    // - as above.
    let target = unsafe { Target::new(room.as_mut_ptr(), size, Datatype::Basic(Basic::Byte)) };
    let other = 1 - world.rank();
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        for _ in 0..rounds {
            if world.rank() == 0 {
                world.send(&source, other, 1).expect("it goes");
                world.recv(target.clone(), other, 1).expect("it comes");
            } else {
                world.recv(target.clone(), other, 1).expect("it comes");
                world.send(&source, other, 1).expect("it goes");
            }
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(2 * rounds));
    }
    best
}

/// Runs the two ranks and gives the time that rank 0 measured.
fn measure(vps: usize, size: usize, rounds: u32) -> f64 {
    let job = Job::new(2);
    let runtime = Builder::new().vps(Some(vps)).start().expect("the runtime starts");
    let result = Arc::new(AtomicU64::new(0));
    let handles: Vec<_> = (0..2_u32)
        .map(|id| {
            let (process, result) = (Process::new(Arc::clone(&job), id), Arc::clone(&result));
            let rank = move || {
                Process::bind(Arc::clone(&process));
                process.init().expect("MPI starts");
                let time = ping_pong(&process.comm_world().expect("there is a world"), size, rounds);
                if id == 0 {
                    result.store(time.to_bits(), Ordering::Relaxed);
                }
                process.finalize().expect("MPI ends");
            };
            runtime
                .spawn(EcSpec::default(), id as usize, rank)
                .expect("there is a stack")
        })
        .collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no rank panics"));
    f64::from_bits(result.load(Ordering::Relaxed))
}

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if let [vps, size, rounds] = numbers[..] {
        println!(
            "{:.1} ns",
            measure(vps, size, u32::try_from(rounds).expect("fewer rounds"))
        );
        return;
    }
    println!("{:>10} {:>14} {:>14}", "bytes", "one VP, ns", "two VPs, ns");
    for (size, rounds) in [
        (0, 100_000),
        (8, 100_000),
        (1024, 100_000),
        (8192, 20_000),
        (65_536, 5_000),
        (1 << 20, 300),
    ] {
        println!(
            "{size:>10} {:>14.1} {:>14.1}",
            measure(1, size, rounds),
            measure(2, size, rounds)
        );
    }
}
