//! Runs that fail: the caller is told, and nobody hangs. In one test, so that the threads of the process are known.

use simurgh::{Builder, Op, RunError, Source, Tag};

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
                panic!("no flour");
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

fn busy_ranks_leave() {
    let error = builder(2)
        .run(|world| {
            assert_eq!(world.rank(), 0, "only rank 0 likes it here");
            loop {
                let _ = world.iprobe(Source::Any, Tag::Any);
            }
        })
        .map(|_: Vec<()>| ())
        .expect_err("a rank panics");
    assert!(matches!(error, RunError::Panicked { rank: 1, .. }), "{error}");
}

fn functions_of_reductions_may_panic() {
    let error = builder(4)
        .run(|world| {
            let op = Op::commutative(|_: u32, _| panic!("cannot add"));
            world.all_reduce(&1, &mut 0, &op)
        })
        .expect_err("the function panics");
    assert!(
        matches!(&error, RunError::Panicked { message, .. } if message == "cannot add"),
        "{error}"
    );
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
}
