//! Runs that fail: the caller gets the error, and nothing hangs. All in one test in a process of its own, whose threads
//! are known.

use std::thread;
use std::time::Duration;

use simurgh::{
    Builder, Communicator, Error, ErrorClass, Op, RequestSet, Result, Results, RunError, Source, Tag,
};
use simurgh_testing::{alone, panic_quietly};

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

/// Rank 0 does `work`, which fails, while rank 1 waits for a message.
fn fails(work: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) -> RunError {
    let ended = builder(2).run(move |world| match world.rank() {
        0 => work(world),
        _ => world.recv(&mut 0, 0, 9).map(drop),
    });
    ended
        .map(drop)
        .expect_err("rank 1 waits for a message that does not come")
}

fn no_flour() -> Error {
    Error::new(ErrorClass::Other, "no flour")
}

/// A rank that leaves a scope or an epoch waits for others there. That they do not come is not what has gone wrong.
fn what_ranks_leave_scopes_with_is_told() {
    let failed = |error| {
        let expected = "rank 0 failed: no flour";
        assert!(matches!(&error, RunError::Failed { rank: 0, .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    failed(fails(|world| {
        world.scope(|scope| {
            scope.ibarrier()?;
            Err(no_flour())
        })
    }));
    failed(fails(|world| {
        let mut sum = 0;
        // The outer scope has nothing to wait for.
        world.scope(|_| {
            world.scope(|scope| {
                scope.iall_reduce(&1, &mut sum, &Op::sum())?;
                Err(no_flour())
            })
        })
    }));
    let error = fails(|world| {
        world.scope(|scope| {
            scope.ibarrier()?;
            panic_quietly("no water")
        })
    });
    assert!(
        matches!(&error, RunError::Panicked { rank: 0, message, .. } if message == "no water"),
        "{error}"
    );
}

/// As above; rank 1 begins the epoch, and does not end it.
fn what_ranks_leave_epochs_with_is_told() {
    let ended = builder(2).run(|world| {
        let mut window = world.allocate_window::<u8>(1)?;
        window.fence_epoch(|_| match world.rank() {
            0 => Err(no_flour()),
            _ => world.recv(&mut 0, 0, 9).map(drop),
        })
    });
    let error = ended.map(drop).expect_err("rank 1 does not end the epoch");
    assert!(matches!(&error, RunError::Failed { rank: 0, .. }), "{error}");
}

/// An error that the rank has left behind has nothing to do with a deadlock.
fn what_is_over_is_not_told() {
    let error = fails(|world| {
        let mut value = 0;
        let failed = world.scope(|scope| {
            scope.irecv(&mut value, 1, 9)?;
            Err::<(), _>(no_flour())
        });
        assert!(failed.is_err());
        world.barrier()
    });
    assert!(matches!(error, RunError::Deadlock { .. }), "{error}");
}

fn the_first_error_ends_the_run() {
    let ended = builder(5).try_run(|world| {
        if world.rank() == 4 {
            return Err(no_flour());
        }
        world.barrier()
    });
    let error = ended.map(drop).expect_err("rank 4 fails");
    assert!(matches!(&error, RunError::Failed { rank: 4, .. }), "{error}");
    assert!(error.to_string().contains("no flour"), "{error}");
    let ended = builder(3).try_run(|world| Ok::<_, Error>(world.rank()));
    assert_eq!(ended.expect("nothing fails"), [0, 1, 2]);
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
    alone(|| {
        deadlock();
        settings();
        panics();
        aborts();
        busy_ranks_leave();
        functions_of_reductions_may_panic();
        a_collective_that_a_rank_does_not_start();
        a_future_that_nothing_completes();
        what_ranks_leave_scopes_with_is_told();
        what_ranks_leave_epochs_with_is_told();
        what_is_over_is_not_told();
        the_first_error_ends_the_run();
        a_deadlock_is_seen_when_an_unknown_thread_has_ended();
    });
}
