//! Steady traffic allocates nothing: a counting allocator looks.
#![allow(missing_docs, reason = "a test")]

mod common;

use common::{Runner, into, out, run_with, start_send};
use rustix::thread::gettid;
use simurgh_mpi::op::{BuiltinOp, Op};
use simurgh_mpi::{Collective, Comm, Mode, Request, wait_all};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

struct Counting;

/// What the ranks' kernel thread has allocated.
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// The kernel thread on which the ranks run. The threads of the test harness allocate as they like, for example when a
/// test before this one has ended.
static RANKS_THREAD: AtomicI32 = AtomicI32::new(0);

/// Tests in this process count in turn.
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY:
// - everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if this_thread() == RANKS_THREAD.load(Ordering::Relaxed) {
            ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY:
        // - the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY:
        // - the caller's promise is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

fn this_thread() -> i32 {
    gettid().as_raw_nonzero().get()
}

/// Runs ranks on one virtual processor, whose allocations count.
fn run_counted(seed: Option<u64>, ranks: usize, f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    run_with(Runner::Contexts(1, seed), ranks, move |world| {
        RANKS_THREAD.store(this_thread(), Ordering::Relaxed);
        f(world);
    });
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// Sizes of the three ways through the protocol: inline, copied out, lent.
const SIZES: [usize; 3] = [8, 4000, 50_000];

/// One round of everything that programs do again and again.
fn round(world: &Comm, mine: &[u8], theirs: &mut [u8], persistent: &[Arc<Request>; 2]) {
    let other = 1 - world.rank();
    let (source, target) = (out(mine), into(theirs));
    // The receive of one is posted, the other's message comes unexpected.
    if world.rank() == 0 {
        world.send(&source, other, 1).unwrap();
        world.recv(target.clone(), other, 1).unwrap();
    } else {
        world.recv(target.clone(), other, 1).unwrap();
        world.send(&source, other, 1).unwrap();
    }
    world.sendrecv(&source, other, 2, &target, other, 2).unwrap();
    let requests = [
        start_send(world, Mode::Standard, &source, other, 3),
        world.irecv(&target, other, 3).unwrap(),
    ];
    assert!(wait_all(
        requests.iter().map(|request| Some(&**request)),
        |_, _| {}
    ));
    requests
        .into_iter()
        .for_each(|request| world.process().release(request));
    Request::start_all(persistent).unwrap();
    assert!(wait_all(
        persistent.iter().map(|request| Some(&**request)),
        |_, _| {}
    ));
    let status = world.iprobe(other, 99).unwrap();
    assert_eq!(status, None);
}

/// One round of collectives that nobody waits for at once; `again` is a persistent one.
fn collectives(world: &Comm, mine: &[i32], sum: &mut [i32], again: &Arc<Request>) {
    let target = into(sum);
    let requests = [
        world.barrier().start().unwrap(),
        world
            .allreduce(Some(&out(mine)), &target, &Op::Builtin(BuiltinOp::Sum))
            .and_then(Collective::start)
            .unwrap(),
        world.bcast(&target, 1).and_then(Collective::start).unwrap(),
    ];
    again.start().unwrap();
    assert!(again.wait().error.is_success());
    for request in requests {
        assert!(request.wait().error.is_success());
        world.process().release(request);
    }
}

#[test]
fn collectives_without_waiting_allocate_nothing() {
    let _alone = ALONE.lock();
    for seed in [None, Some(1), Some(2)] {
        run_counted(seed, 3, |world| {
            // Done by the last to start, and left to whoever waits.
            for len in [10, 100_000] {
                let (mine, mut sum, mut total) = (vec![1; len], vec![0; len], vec![0; len]);
                let again = world
                    .allreduce(Some(&out(&mine)), &into(&mut total), &Op::Builtin(BuiltinOp::Sum))
                    .unwrap()
                    .persistent();
                (0..50).for_each(|_| collectives(world, &mine, &mut sum, &again));
                world.barrier().run().unwrap();
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                (0..100).for_each(|_| collectives(world, &mine, &mut sum, &again));
                world.barrier().run().unwrap();
                if world.rank() == 0 {
                    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
                    assert_eq!(allocated, 0, "{allocated} allocations for {len} elements");
                }
                world.barrier().run().unwrap();
            }
        });
    }
}

#[test]
fn steady_traffic_allocates_nothing() {
    let _alone = ALONE.lock();
    for seed in [None, Some(1), Some(2)] {
        run_counted(seed, 2, |world| {
            let other = 1 - world.rank();
            for size in SIZES {
                let (mine, mut theirs) = (vec![1; size], vec![0; size]);
                let persistent = [
                    world.recv_init(&into(&mut theirs), other, 4).unwrap(),
                    world.send_init(Mode::Standard, &out(&mine), other, 4).unwrap(),
                ];
                // Tables, pools and stacks grow to what they need.
                (0..50).for_each(|_| round(world, &mine, &mut theirs, &persistent));
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                (0..200).for_each(|_| round(world, &mine, &mut theirs, &persistent));
                // Rank 1 may end its rounds while rank 0 is about to start the next size; it counts for both.
                if world.rank() == 0 {
                    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
                    assert_eq!(
                        allocated, 0,
                        "{allocated} allocations in 200 rounds of {size} bytes"
                    );
                }
                world
                    .sendrecv(&out(&[0_u8]), other, 5, &into(&mut [0_u8]), other, 5)
                    .unwrap();
            }
        });
    }
}
