//! Running small jobs in tests: ranks as execution contexts of a scheduler, or as attached threads.
#![allow(dead_code, reason = "each test file uses a part")]

mod hosts;
mod universe;

#[allow(unused_imports, reason = "each test file uses a part")]
pub(crate) use hosts::{run_everywhere, run_hosts, run_hosts_over, run_laid_out};
#[allow(unused_imports, reason = "each test file uses a part")]
pub(crate) use universe::{run_realms, run_universe};

use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::{Collective, Comm, Job, Mode, Process, Request};
use simurgh_sched::policy::{Machine, Policy};
use simurgh_sched::{Builder, EcSpec};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// How the ranks of a test run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runner {
    /// As execution contexts on this many virtual processors, in an order decided by the seed.
    Contexts(usize, Option<u64>),
    /// As execution contexts in blocks on this many virtual processors, where they stay unless they move themselves.
    Blocks(usize),
    /// As operating system threads.
    Threads,
    /// Every other one as a thread, the rest as execution contexts on this many virtual processors.
    Mixed(usize),
}

/// The runners that every test goes through.
pub(crate) const RUNNERS: [Runner; 5] = [
    Runner::Contexts(1, None),
    Runner::Contexts(2, None),
    Runner::Contexts(1, Some(1)),
    Runner::Contexts(1, Some(2)),
    Runner::Threads,
];

/// Runs `f` on each of `size` ranks, with every runner.
pub(crate) fn run(size: usize, f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    let f = Arc::new(f);
    for runner in RUNNERS {
        let f = Arc::clone(&f);
        run_with(runner, size, move |world| f(world));
    }
}

/// Places nobody anywhere else than asked for.
struct Staying;

impl Policy for Staying {
    fn name(&self) -> &str {
        "staying"
    }

    fn victims(&self, _vp: usize, _machine: &Machine<'_>) -> Vec<usize> {
        Vec::new()
    }
}

/// Runs `f` on each of `size` ranks.
pub(crate) fn run_with(runner: Runner, size: usize, f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    run_job(&Job::new(size), runner, f);
}

/// Runs `f` on each rank of a job.
pub(crate) fn run_job(job: &Arc<Job>, runner: Runner, f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    let f = Arc::new(f);
    let rank = |id: u32| {
        let f = Arc::clone(&f);
        life(job, id, move |world| f(world))
    };
    let size = job.size();
    let ids = 0..u32::try_from(size).expect("tests are small");
    let placed = |place: fn(usize, usize, usize) -> usize, vps| {
        let ids = ids.clone();
        ids.map(move |id| (place(id as usize, size, vps), rank(id)))
    };
    match runner {
        Runner::Contexts(vps, seed) => {
            let builder = Builder::new().vps(Some(vps)).seed(seed);
            run_contexts(builder, placed(|id, _, _| id, vps));
        }
        Runner::Blocks(vps) => {
            let builder = Builder::new().vps(Some(vps)).policy(Arc::new(Staying));
            run_contexts(builder, placed(|id, size, vps| id * vps / size, vps));
        }
        Runner::Threads => run_threads(ids.map(rank)),
        Runner::Mixed(vps) => {
            let contexts = ids.clone().filter(|id| id.is_multiple_of(2));
            let contexts: Vec<_> = contexts.map(|id| (id as usize, rank(id))).collect();
            std::thread::scope(|scope| {
                scope.spawn(|| run_threads(ids.filter(|id| !id.is_multiple_of(2)).map(rank)));
                run_contexts(Builder::new().vps(Some(vps)), contexts.into_iter());
            });
        }
    }
}

/// Runs a rank from its beginning to its end.
fn life(
    job: &Arc<Job>,
    id: u32,
    f: impl FnOnce(&Arc<Comm>) + Send + 'static,
) -> impl FnOnce() + Send + 'static {
    let process = Process::new(Arc::clone(job), id);
    move || {
        Process::bind(Arc::clone(&process));
        let ran = catch_unwind(AssertUnwindSafe(|| {
            process.init().expect("MPI starts");
            f(&process.comm_world().expect("there is a world"));
            process.finalize().expect("MPI ends");
        }));
        if ran.is_err() {
            // The other ranks may wait for this one for ever. The panic has been printed.
            std::process::exit(101);
        }
    }
}

/// Runs functions as threads.
fn run_threads<F: FnOnce() + Send + 'static>(ranks: impl Iterator<Item = F>) {
    let threads: Vec<_> = ranks.map(std::thread::spawn).collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().expect("panics are caught"));
}

/// Runs functions as execution contexts, each beginning on the virtual processor with its number.
fn run_contexts<F: FnOnce() + Send + 'static>(builder: Builder, ranks: impl Iterator<Item = (usize, F)>) {
    let runtime = builder.start().expect("the runtime starts");
    let spec = EcSpec {
        stack_size: 256 << 10,
        ..EcSpec::default()
    };
    let start = |(vp, rank)| runtime.spawn(spec, vp, rank).expect("there is a stack");
    let handles: Vec<_> = ranks.map(start).collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().expect("panics are caught"));
}

/// The elements of a slice, to be sent.
pub(crate) fn out<T: Element>(data: &[T]) -> Source {
    // SAFETY:
    // - the tests keep their buffers until the operations on them are complete.
    unsafe { Source::new(data.as_ptr().cast(), data.len(), Datatype::Basic(T::BASIC)) }
}

/// The elements of a slice, to be received into.
pub(crate) fn into<T: Element>(data: &mut [T]) -> Target {
    // SAFETY:
    // - as in `out`.
    unsafe { Target::new(data.as_mut_ptr().cast(), data.len(), Datatype::Basic(T::BASIC)) }
}

/// A type with an MPI counterpart.
pub(crate) trait Element: Copy {
    /// The counterpart.
    const BASIC: Basic;
}

impl Element for u8 {
    const BASIC: Basic = Basic::Byte;
}

impl Element for i64 {
    const BASIC: Basic = Basic::Int64;
}

impl Element for i32 {
    const BASIC: Basic = Basic::Int32;
}

/// The tag by which threads of a rank tell it that they have ended.
const ENDED: i32 = i32::MAX - 1;

/// Runs `f` on several threads of the calling rank at once. The rank waits for a message of each, which leaves its
/// virtual processor to others.
pub(crate) fn on_threads(comm: &Arc<Comm>, count: i32, f: impl Fn(&Comm, i32) + Send + Clone + 'static) {
    let threads: Vec<_> = (0..count)
        .map(|number| {
            let (comm, f) = (Arc::clone(comm), f.clone());
            std::thread::spawn(move || {
                Process::bind(Arc::clone(comm.process()));
                let ran = catch_unwind(AssertUnwindSafe(|| f(&comm, number)));
                send_one(&comm, i32::from(ran.is_err()), comm.rank(), ENDED);
            })
        })
        .collect();
    let failed: i32 = (0..count).map(|_| recv_one(comm, comm.rank(), ENDED)).sum();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(failed, 0, "threads have panicked");
}

/// Carries out a collective: blocking, nonblocking or as a persistent one, each in its turn.
pub(crate) fn carry_out(collective: Collective<'_>) -> simurgh_mpi::Result<()> {
    // All ranks are in the same turn, for they make the same calls.
    std::thread_local!(static TURN: Cell<u32> = const { Cell::new(0) });
    let request = match TURN.replace(TURN.get() + 1) % 4 {
        0 => return collective.run(),
        1 | 2 => collective.start()?,
        _ => {
            let request = collective.persistent();
            request.start()?;
            request
        }
    };
    let status = if TURN.get().is_multiple_of(2) {
        request.wait()
    } else {
        std::iter::from_fn(|| Some(request.test()))
            .flatten()
            .next()
            .expect("it ends")
    };
    request.result(status).map(drop)
}

/// Receives one number.
pub(crate) fn recv_one(comm: &Comm, source: i32, tag: i32) -> i32 {
    let mut number = [i32::MIN];
    comm.recv(into(&mut number), source, tag)
        .expect("a message comes");
    number[0]
}

/// Sends one number.
pub(crate) fn send_one(comm: &Comm, number: i32, dest: i32, tag: i32) {
    comm.send(&out(&[number]), dest, tag).expect("the message goes");
}

/// Starts a send.
pub(crate) fn start_send(comm: &Comm, mode: Mode, source: &Source, dest: i32, tag: i32) -> Arc<Request> {
    let started = comm
        .isend(mode, source, dest, tag)
        .expect("the arguments are right");
    started.into_request(comm.process())
}

/// Makes both ranks of a pair come here before either goes on.
pub(crate) fn meet(comm: &Comm) {
    let other = 1 - comm.rank();
    comm.sendrecv(
        &out(&[0_u8; 0]),
        other,
        i32::MAX,
        &into(&mut [0_u8; 0]),
        other,
        i32::MAX,
    )
    .expect("both come");
}
