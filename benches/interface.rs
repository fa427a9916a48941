//! What the safe interface costs: a message of eight bytes, one way, through the interface and through the engine.
//!
//! The ways take turns, in batches so short that most of them run without an interruption, and the best batch of each
//! counts. So the differences mean something on a busy machine, too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use simurgh::{Builder, Communicator, Result};
use simurgh_mpi::memory::{Source, StagingBuffer, Target};
use simurgh_mpi::{Comm, Mode, Process};

mod common;
use common::exchange;

/// Exchanges in a batch, which takes some 0.1 ms.
const EXCHANGES: u32 = 500;

/// The time for which batches are run.
const TIME: Duration = Duration::from_secs(3);

/// Calls of the engine with values whose type is known, so that they are described in the calls.
#[inline(never)]
fn engine(comm: &Comm) -> Result<()> {
    let mut value = 0_u64;
    for _ in 0..EXCHANGES {
        if comm.rank() == 0 {
            simurgh_typed::send(comm, &value, 1, 0, Mode::Standard)?;
            simurgh_typed::receive(comm, &mut value, 1, 0)?;
        } else {
            simurgh_typed::receive(comm, &mut value, 0, 0)?;
            simurgh_typed::send(comm, &value, 0, 0, Mode::Standard)?;
        }
    }
    Ok(())
}

/// Calls of the engine with buffers that have been described beforehand.
#[inline(never)]
fn engine_with_buffers(comm: &Comm, source: &Source, target: &Target) -> Result<()> {
    for _ in 0..EXCHANGES {
        if comm.rank() == 0 {
            comm.send_in(Mode::Standard, source, 1, 0)?;
            comm.recv_with(|| target.clone(), 1, 0)?;
        } else {
            comm.recv_with(|| target.clone(), 0, 0)?;
            comm.send_in(Mode::Standard, source, 0, 0)?;
        }
    }
    Ok(())
}

/// The world as the engine knows it, at the calling rank.
fn engine_world() -> Arc<Comm> {
    Process::with_current(|process| process.and_then(|process| process.comm_world().ok()))
        .expect("the caller is a rank")
}

/// Nanoseconds of a message, one way, for each of the ways.
fn measure(world: &Communicator) -> Result<[f64; 3]> {
    let (comm, buffer) = (engine_world(), StagingBuffer::new(8));
    let (source, target) = (buffer.source(0, 8), buffer.target(0, 8));
    let ways: [&dyn Fn() -> Result<()>; 3] =
        [&|| exchange(world, EXCHANGES.into()), &|| engine(&comm), &|| {
            engine_with_buffers(&comm, &source, &target)
        }];
    let (begin, mut best) = (Instant::now(), [Duration::MAX; 3]);
    let mut goes_on = 1_u8;
    while goes_on > 0 {
        for (way, best) in ways.iter().zip(&mut best) {
            world.barrier()?;
            let start = Instant::now();
            way()?;
            *best = start.elapsed().min(*best);
        }
        goes_on = u8::from(begin.elapsed() < TIME);
        world.broadcast(&mut goes_on, 0)?;
    }
    Ok(best.map(|time| time.as_secs_f64() * 1e9 / f64::from(2 * EXCHANGES)))
}

fn main() {
    for vps in [1, 2] {
        let builder = Builder::new().ranks(2).vps(vps).stack_size(128 << 10);
        let ended = builder.run(measure).expect("the run succeeds");
        let times = ended.into_iter().next().expect("there is rank 0");
        let [interface, engine, with_buffers] = times.expect("no call fails");
        println!(
            "{vps} processors: {interface:.1} ns through the interface, {engine:.1} ns through the engine, \
             {with_buffers:.1} ns with buffers described beforehand"
        );
    }
}
