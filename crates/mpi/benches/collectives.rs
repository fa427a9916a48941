//! Time of a barrier, a short and a long allreduce, a broadcast and an all-to-all, by number of ranks.
//!
//! `cargo bench -p simurgh-mpi --bench collectives [-- NAME]`
#![allow(missing_docs, reason = "a bench")]

use simurgh_core::sync::{Arc, AtomicU64, Ordering};
use simurgh_mpi::Collective;
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Parts, Target};
use simurgh_mpi::op::{BuiltinOp, Op};
use simurgh_mpi::{Comm, Job, Process};
use simurgh_sched::{Builder, EcSpec};
use std::time::Instant;

/// A collective: what it is called, bytes it is given, and the call on a buffer with a part for each rank.
type Case = (&'static str, usize, fn(&Comm, &Target, &Target));

const CASES: [Case; 6] = [
    ("barrier", 0, |comm, _, _| comm.barrier().run().expect("all come")),
    ("allreduce", 8, allreduce),
    ("allreduce", 1 << 20, allreduce),
    ("bcast", 8, bcast),
    ("bcast", 1 << 20, bcast),
    ("alltoall", 4 << 10, |comm, send, recv| {
        let (send, recv) = (Parts::Even(send.as_source()), Parts::Even(recv.clone()));
        comm.alltoall(Some(send), recv)
            .and_then(Collective::run)
            .expect("all agree");
    }),
];

fn allreduce(comm: &Comm, send: &Target, recv: &Target) {
    let sum = Op::Builtin(BuiltinOp::Sum);
    comm.allreduce(Some(&send.as_source()), recv, &sum)
        .and_then(Collective::run)
        .expect("all agree");
}

fn bcast(comm: &Comm, send: &Target, _: &Target) {
    comm.bcast(send, 0).and_then(Collective::run).expect("all agree");
}

/// Microseconds a call, the best of several runs.
fn time(world: &Comm, (_, bytes, call): Case) -> f64 {
    let (mut data, mut room) = (vec![0_u8; bytes * world.size()], vec![0_u8; bytes * world.size()]);
    let double = || Datatype::Basic(Basic::Double);
    // SAFETY:
    // - the buffers have a part for each rank and live until the blocking calls have returned.
    let (send, recv) = unsafe {
        (
            Target::new(data.as_mut_ptr(), bytes / 8, double()),
            Target::new(room.as_mut_ptr(), bytes / 8, double()),
        )
    };
    let rounds = (40_000_000 / (world.size() * (bytes + 1000))).clamp(3, 20_000);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        (0..rounds).for_each(|_| call(world, &send, &recv));
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / rounds as f64);
    }
    best
}

/// Runs `size` ranks and gives the time that rank 0 measured.
fn measure(vps: usize, size: usize, case: Case) -> f64 {
    let job = Job::new(size);
    let runtime = Builder::new().vps(Some(vps)).start().expect("the runtime starts");
    let result = Arc::new(AtomicU64::new(0));
    let handles: Vec<_> = (0..size)
        .map(|id| {
            let (process, result) = (Process::new(Arc::clone(&job), id as u32), Arc::clone(&result));
            let rank = move || {
                Process::bind(Arc::clone(&process));
                process.init().expect("MPI starts");
                let time = time(&process.comm_world().expect("there is a world"), case);
                if id == 0 {
                    result.store(time.to_bits(), Ordering::Relaxed);
                }
                process.finalize().expect("MPI ends");
            };
            runtime
                .spawn(EcSpec::default(), id, rank)
                .expect("there is a stack")
        })
        .collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("no rank panics"));
    f64::from_bits(result.load(Ordering::Relaxed))
}

fn main() {
    // Cargo adds an option of its own.
    let name = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .unwrap_or_default();
    println!(
        "{:>10} {:>10} {:>6} {:>14} {:>14}",
        "call", "bytes", "ranks", "one VP, us", "two VPs, us"
    );
    for case in CASES.into_iter().filter(|case| case.0.contains(&name)) {
        for size in [2, 16, 64, 256] {
            let (one, two) = (measure(1, size, case), measure(2, size, case));
            println!("{:>10} {:>10} {size:>6} {one:>14.2} {two:>14.2}", case.0, case.1);
        }
    }
}
