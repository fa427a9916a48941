//! Collectives that are started without waiting: who does the work, in what order, and what is told of them.

use crate::common::{Runner, into, out, run, run_job, run_with};
use simurgh_core::sync::{AtomicUsize, Ordering, relax};
use simurgh_mpi::op::{BuiltinOp, Op, UserOp};
use simurgh_mpi::{Comm, Job, Request, Unfinished, wait_all, wait_any};
use simurgh_settings::{Id, Values};
use std::ffi::OsStr;
use std::sync::Arc;

const SUM: Op = Op::Builtin(BuiltinOp::Sum);

/// A job in which the work of every collective is shared, however short.
fn sharing(size: usize) -> Arc<Job> {
    let mut settings = Values::default();
    settings
        .read(Id::Collectives, "the test", OsStr::new("any=shared"))
        .expect("a rule");
    Job::with_settings(size, settings)
}

fn start_sum(comm: &Comm, mine: &[i32], sum: &mut [i32]) -> Arc<Request> {
    let started = comm.allreduce(Some(&out(mine)), &into(sum), &SUM);
    started
        .and_then(simurgh_mpi::Collective::start)
        .expect("it starts")
}

#[test]
fn a_processor_without_ranks_does_the_work_of_ranks_that_compute() {
    run_job(&sharing(2), Runner::Contexts(3, None), |world| {
        let mine = vec![world.rank() + 1; 1 << 18];
        let mut sum = vec![0; mine.len()];
        for _ in 0..20 {
            sum.fill(0);
            let request = start_sum(world, &mine, &mut sum);
            // Neither suspends: whoever does it is on the third virtual processor.
            while !request.is_done() {
                relax();
            }
            request.result(request.wait()).unwrap();
            assert!(sum.iter().all(|sum| *sum == 3));
        }
    });
}

#[test]
fn who_waits_does_the_work_of_one_that_computes() {
    static WAITED: AtomicUsize = AtomicUsize::new(0);
    run_job(&sharing(2), Runner::Blocks(2), |world| {
        let mine = vec![world.rank() + 1; 1 << 18];
        let mut sum = vec![0; mine.len()];
        let request = start_sum(world, &mine, &mut sum);
        if world.rank() == 0 {
            while WAITED.load(Ordering::Acquire) == 0 {
                relax();
            }
        } else {
            request.wait();
            assert!(sum.iter().all(|sum| *sum == 3));
            WAITED.store(1, Ordering::Release);
        }
        request.wait();
        assert!(sum.iter().all(|sum| *sum == 3));
    });
}

#[test]
fn ranks_that_poll_let_the_work_of_others_go_on() {
    static ARRIVED: AtomicUsize = AtomicUsize::new(0);
    run_job(&sharing(3), Runner::Contexts(1, None), |world| {
        let mine = vec![1; 1 << 18];
        let mut sum = vec![0; mine.len()];
        let request = start_sum(world, &mine, &mut sum);
        if world.rank() == 2 {
            // The last to start is not the first to wait, and its processor never idle.
            while ARRIVED.load(Ordering::Acquire) < 2 {
                assert!(world.iprobe(0, 5).unwrap().is_none());
            }
        } else {
            request.wait();
            ARRIVED.fetch_add(1, Ordering::Release);
        }
        request.wait();
        assert!(sum.iter().all(|sum| *sum == 3));
    });
}

#[test]
fn any_number_is_under_way_and_ends_in_any_order() {
    run(4, |world| {
        const MANY: usize = 100;
        let comms: Vec<_> = (0..3).map(|_| world.dup().unwrap()).collect();
        let mine: Vec<Vec<i32>> = (0..MANY)
            .map(|index| vec![index as i32; 1 + index * 97])
            .collect();
        let mut sums: Vec<Vec<i32>> = mine.iter().map(|mine| vec![-1; mine.len()]).collect();
        let start = |(index, sum): (usize, &mut Vec<i32>)| start_sum(&comms[index % 3], &mine[index], sum);
        let mut requests: Vec<_> = sums.iter_mut().enumerate().map(start).collect();
        // Communicators go while their collectives are under way.
        comms.into_iter().for_each(|comm| comm.free().unwrap());
        for _ in 0..MANY / 2 {
            let simurgh_mpi::Outcome::Complete(index, status) =
                wait_any(requests.iter().map(|request| Some(&**request)))
            else {
                panic!("there are some");
            };
            assert!(status.error.is_success());
            world.process().release(requests.swap_remove(index));
        }
        assert!(wait_all(
            requests.iter().map(|request| Some(&**request)),
            |_, _| {}
        ));
        for (index, sum) in sums.iter().enumerate() {
            assert!(sum.iter().all(|sum| *sum == 4 * index as i32));
        }
    });
}

#[test]
fn a_function_of_the_program_runs_in_a_rank() {
    run_with(Runner::Contexts(3, None), 2, |world| {
        let rank = world.rank();
        thread_local!(static RANK: std::cell::Cell<i32> = const { std::cell::Cell::new(-1) });
        RANK.set(rank);
        let op = UserOp::new(
            Box::new(move |input, inout| {
                // A context of its own has none of the thread-local variables of the rank.
                assert_eq!(RANK.get(), rank);
                SUM.reduce(input, inout).unwrap();
            }),
            true,
        );
        let mine = vec![1; 1 << 17];
        let mut sum = vec![0; mine.len()];
        let collective = world.allreduce(Some(&out(&mine)), &into(&mut sum), &Op::User(Arc::new(op)));
        let request = collective.and_then(simurgh_mpi::Collective::start).unwrap();
        request.wait();
        assert!(sum.iter().all(|sum| *sum == 2));
    });
}

#[test]
fn collectives_that_somebody_has_not_started_are_told() {
    run_with(Runner::Contexts(1, None), 3, |world| {
        let comm = world.dup().unwrap();
        let persistent_collective = comm.barrier().persistent();
        let meet = || world.barrier().run().unwrap();
        let mut one = [1];
        if world.rank() == 1 {
            meet();
            let mut told = world.process().job().unfinished();
            // The others wait for this rank in a barrier already.
            told.retain(|collective| !collective.blocking);
            let expected = |call: &str, communicator, started: &[u32], missing: &[u32]| Unfinished {
                blocking: false,
                call: call.to_owned(),
                communicator,
                started: started.to_vec(),
                missing: missing.to_vec(),
                elsewhere: false,
            };
            let number = told.last().expect("there are some").communicator;
            assert_ne!(number, 0);
            assert_eq!(
                told,
                [
                    expected("MPI_Bcast with root 2", number, &[0, 2], &[1]),
                    expected("MPI_Barrier", number, &[0], &[1, 2]),
                    expected("MPI_Barrier", number, &[0], &[1, 2]),
                ]
            );
            meet();
        }
        let bcast = comm.bcast(&into(&mut one), 2).unwrap().start().unwrap();
        let mut requests = vec![bcast];
        if world.rank() == 0 {
            requests.push(comm.barrier().start().unwrap());
            persistent_collective.start().unwrap();
        }
        if world.rank() != 1 {
            meet();
            meet();
        }
        if world.rank() != 0 {
            requests.push(comm.barrier().start().unwrap());
            persistent_collective.start().unwrap();
        }
        requests.push(persistent_collective);
        assert!(requests.iter().all(|request| request.wait().error.is_success()));
        meet();
        let told = world.process().job().unfinished();
        assert!(told.iter().all(|collective| collective.blocking));
    });
}
