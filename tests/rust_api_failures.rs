//! Runs that fail: the caller gets the error, and nothing hangs. All in one test, so that the threads of the process
//! are known.

use std::thread;
use std::time::Duration;

use simurgh::{Builder, Communicator, Op, RequestSet, Result, Results, RunError, Source, Tag};
use simurgh_testing::panic_quietly;

fn builder(ranks: usize) -> Builder {
    // The main thread of the test harness is the other thread.
    Builder::new().ranks(ranks).vps(2).other_threads(1)
}

fn deadlock() {
    let error = builder(3)
        .run(|world| match world.rank() {
            0 => world.recv(&mut 0, 1, 5).map(|_| ()),
            1 => world.barrier(),
            _ => Ok(()),
        })
        .expect_err("rank 0 waits for rank 1, which waits for all");
    let RunError::Deadlock { waits } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        waits
            .iter()
            .map(|wait| (wait.rank(), wait.call()))
            .collect::<Vec<_>>(),
        [(0, Some("recv")), (1, Some("barrier")),]
    );
    assert!(
        error
            .to_string()
            .contains("rank 0 in recv (rank 1 of the communicator, tag 5)"),
        "{error}"
    );
}

fn panics() {
    let error = builder(7)
        .run(|world| {
            if world.rank() == 3 {
                panic_quietly("no flour");
            }
            let _ = world.recv(&mut 0, Source::Any, Tag::Any);
        })
        .expect_err("a rank panics");
    assert_eq!(error.to_string(), "rank 3 panicked: no flour");
}

fn aborts() {
    let error = builder(2)
        .run(|world| {
            if world.rank() == 1 {
                world.abort(42)
            } else {
                world.barrier()
            }
        })
        .expect_err("a rank aborts");
    assert!(
        matches!(error, RunError::Aborted { rank: 1, code: 42 }),
        "{error}"
    );
}

/// Rank 0 does `work`, which has no end, while rank 1 panics.
fn leaves(work: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let error = builder(2)
        .run(move |world| {
            if world.rank() > 0 {
                panic_quietly("only rank 0 likes it here");
            }
            loop {
                work(world).expect("nothing fails");
            }
        })
        .map(|_: Results<()>| ())
        .expect_err("a rank panics");
    assert!(matches!(error, RunError::Panicked { rank: 1, .. }), "{error}");
}

fn busy_ranks_leave() {
    leaves(|world| world.iprobe(Source::Any, Tag::Any).map(drop));
    leaves(|world| {
        let mut receive = world.persistent_recv(vec![0], 1, 0)?;
        receive.start()?;
        while !receive.is_complete() {}
        Ok(())
    });
    leaves(|world| {
        let mut value = 0;
        world.scope(|scope| {
            let receive = scope.irecv(&mut value, 1, 0)?;
            while !receive.is_complete() {}
            Ok(())
        })
    });
    leaves(|world| {
        let mut value = 0;
        world.scope(|scope| {
            let mut receives = RequestSet::from_iter([scope.irecv(&mut value, 1, 0)?]);
            while receives.test_any().is_none() {}
            Ok(())
        })
    });
}

/// A reduction whose function panics, run by `reduce`.
fn explodes(reduce: impl Fn(&Communicator, &Op<u32>) -> Result<()> + Send + Sync + 'static) {
    let error = builder(4)
        .run(move |world| {
            reduce(
                world,
                &Op::commutative(|_: u32, _| -> u32 { panic_quietly("cannot add") }),
            )
        })
        .expect_err("the function panics");
    assert!(
        matches!(&error, RunError::Panicked { message, .. } if message == "cannot add"),
        "{error}"
    );
}

fn functions_of_reductions_may_panic() {
    explodes(|world, op| world.all_reduce(&1, &mut 0, op));
    explodes(|world, op| {
        let (mine, mut sum) = (1, 0);
        world.scope(|scope| scope.iall_reduce(&mine, &mut sum, op)?.wait().map(|_| ()))
    });
    explodes(|world, op| {
        let (mine, mut sum) = (1, 0);
        world.scope(|scope| scope.iall_reduce(&mine, &mut sum, op).map(|_| ()))
    });
}

/// Rank 1 waits for a collective that rank 0 never starts, and rank 0 for the end of the run.
fn a_collective_that_a_rank_does_not_start() {
    let error = builder(2)
        .run(|world| {
            let mut value = 0;
            if world.rank() == 1 {
                return world.scope(|scope| scope.ibroadcast(&mut value, 1).map(|_| ()));
            }
            world.recv(&mut value, 1, 0).map(|_| ())
        })
        .expect_err("rank 0 does not start the broadcast");
    let waits = match &error {
        RunError::Deadlock { waits } => waits.iter().map(|wait| wait.call()).collect::<Vec<_>>(),
        _ => panic!("{error}"),
    };
    assert_eq!(waits, [Some("recv"), Some("wait for an operation of a scope")]);
}

fn a_future_that_nothing_completes() {
    let error = builder(2)
        .run(|world| {
            let mut value = 0;
            world.scope(|scope| {
                world.block_on(async { scope.irecv(&mut value, Source::Any, 0)?.await.map(drop) })
            })
        })
        .expect_err("nobody sends");
    let RunError::Deadlock { waits } = &error else {
        panic!("{error}")
    };
    let calls: Vec<_> = waits.iter().map(|wait| wait.call()).collect();
    assert_eq!(calls, [Some("await of a future"); 2]);
}

/// A thread that the run does not know ends while all ranks wait. Until then it might have woken one.
fn a_deadlock_is_seen_when_an_unknown_thread_has_ended() {
    let unknown = thread::spawn(|| thread::sleep(Duration::from_millis(200)));
    let error = builder(2)
        .run(|world| world.recv(&mut 0, 1 - world.rank(), 0).map(|_| ()))
        .expect_err("both ranks wait");
    assert!(
        matches!(&error, RunError::Deadlock { waits } if waits.len() == 2),
        "{error}"
    );
    unknown.join().expect("the thread sleeps only");
}

fn settings() {
    assert!(matches!(
        builder(0).run(|_| ()),
        Err(RunError::Ranks { asked: 0 })
    ));
    assert!(matches!(builder(1).vps(0).run(|_| ()), Err(RunError::Setting(_))));
}

#[test]
fn failures_are_reported_and_nobody_hangs() {
    deadlock();
    settings();
    panics();
    aborts();
    busy_ranks_leave();
    functions_of_reductions_may_panic();
    a_collective_that_a_rank_does_not_start();
    a_future_that_nothing_completes();
    a_deadlock_is_seen_when_an_unknown_thread_has_ended();
}
