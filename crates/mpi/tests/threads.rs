//! `MPI_THREAD_MULTIPLE`: many threads of one rank, and ranks on threads that are not the runtime's.

use crate::common;
use crate::common::{RUNNERS, on_threads, recv_one, run, run_with, send_one};
use simurgh_mpi::constants::ANY_SOURCE;
use simurgh_mpi::{ErrorClass, Job, Phase, Process};
use std::sync::Arc;

#[test]
fn threads_of_a_rank_communicate_at_once() {
    // More threads than a rank has slots for blocking calls.
    const THREADS: i32 = 8;
    run_with(common::Runner::Threads, 2, |world| {
        on_threads(world, THREADS, |world, number| {
            let other = 1 - world.rank();
            for round in 0..200 {
                if world.rank() == 0 {
                    send_one(world, round, other, number);
                    assert_eq!(recv_one(world, other, number), round + 1);
                } else {
                    assert_eq!(recv_one(world, ANY_SOURCE, number), round);
                    send_one(world, round + 1, other, number);
                }
            }
        });
    });
}

#[test]
fn threads_share_probed_messages() {
    run_with(common::Runner::Threads, 2, |world| {
        on_threads(world, 4, |world, _| {
            for _ in 0..100 {
                if world.rank() == 0 {
                    send_one(world, 3, 1, 5);
                } else {
                    let (message, status) = world.mprobe(0, 5).unwrap();
                    let mut number = [0];
                    assert_eq!(message.recv(&common::into(&mut number)), Ok(status));
                    assert_eq!(number, [3]);
                }
            }
        });
    });
}

#[test]
fn an_execution_context_knows_its_process() {
    run(3, |world| {
        let id = Process::with_current(|process| process.map(|process| process.id()));
        assert_eq!(id, Some(world.process().id()));
    });
    std::thread::spawn(|| Process::with_current(|process| assert!(process.is_none())))
        .join()
        .unwrap();
}

#[test]
fn a_process_begins_and_ends_once() {
    let process = Process::singleton();
    assert_eq!(process.phase(), Phase::Before);
    assert_eq!(process.comm_world().unwrap_err().class(), ErrorClass::Comm);
    assert_eq!(process.finalize().unwrap_err().class(), ErrorClass::Other);
    process.init().unwrap();
    assert_eq!(process.init().unwrap_err().class(), ErrorClass::Other);
    assert_eq!(process.comm_world().unwrap().size(), 1);
    process.finalize().unwrap();
    assert_eq!(process.phase(), Phase::After);
    assert_eq!(process.comm_world().unwrap_err().class(), ErrorClass::Comm);
    assert_eq!(
        (process.extension_or(|| 5_u8), process.extension_or(|| 6_u8)),
        (Some(&5), Some(&5))
    );
    assert_eq!(process.extension::<u8>(), Some(&5));
}

#[test]
fn a_job_is_gone_when_its_processes_are() {
    for runner in RUNNERS {
        let job = Arc::new(std::sync::Mutex::new(std::sync::Weak::new()));
        let kept = Arc::clone(&job);
        run_with(runner, 4, move |world| {
            let job: &Arc<Job> = world.process().job();
            *kept.lock().unwrap() = Arc::downgrade(job);
            drop(world.dup().unwrap());
        });
        let job = job.lock().unwrap().clone();
        assert!(job.upgrade().is_none(), "with {runner:?}");
    }
}
