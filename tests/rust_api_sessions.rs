//! Sessions, groups, and programs that are started, through the Rust interface.

use simurgh::{Builder, Command, Comparison, ErrorClass, Op, Rank, Result, RunError};
use simurgh_testing::panic_quietly;

/// Runs `f` with 1, 2, 7 and 64 ranks that have no world; every rank must succeed.
fn with_ranks(f: impl Fn(&Rank) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 7, 64] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run_sessions(f.clone()).expect("the run succeeds");
        assert_eq!(ended.len(), ranks);
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

fn class<R: std::fmt::Debug>(result: Result<R>) -> ErrorClass {
    result.expect_err("the call is wrong").class()
}

#[test]
fn process_sets_have_names_and_members() {
    with_ranks(|rank| {
        let session = rank.session();
        let sets = session.process_sets();
        let sizes: Vec<_> = sets[..3]
            .iter()
            .map(|set| (set.name(), set.group().size()))
            .collect();
        let all = session.group("mpi://WORLD")?.size();
        assert_eq!(
            sizes,
            [("mpi://WORLD", all), ("mpi://SELF", 1), ("simurgh://host", all)]
        );
        for set in &sets {
            assert_eq!(
                session.group(set.name())?.compare(set.group()),
                Comparison::Identical
            );
        }
        assert_eq!(session.group("mpi://self")?.rank(), Some(0));
        assert_eq!(class(session.group("mpi://NOWHERE")), ErrorClass::Arg);
        assert!(session.info().iter().any(|(key, _)| key == "thread_level"));
        Ok(())
    });
}

#[test]
fn sessions_communicate_side_by_side() {
    with_ranks(|rank| {
        let (first, second) = (rank.session(), rank.session());
        let all = first.group("mpi://WORLD")?;
        let own = all.rank().expect("the rank is in the world");
        let forward = first.communicator(&all, "forward")?;
        let reversed = second.group("mpi://WORLD")?.include((0..all.size()).rev())?;
        assert_eq!(all.compare(&reversed) == Comparison::Identical, all.size() == 1);
        let backward = second.communicator(&reversed, "backward")?;
        // The first session has ended for the program; its communicator keeps it.
        drop(first);
        assert_eq!((forward.rank(), backward.rank()), (own, all.size() - 1 - own));
        for communicator in [&forward, &backward] {
            let mut sum = 0;
            communicator.all_reduce(&own, &mut sum, &Op::sum())?;
            assert_eq!(sum, all.size() * (all.size() - 1) / 2);
        }
        let half = backward
            .dup()?
            .split(Some(own % 2), 0)?
            .expect("a colour was given");
        drop((forward, backward, second));
        half.barrier()
    });
}

#[test]
fn a_rank_uses_mpi_again_and_again() {
    with_ranks(|rank| {
        for round in 0..3 {
            let session = rank.session();
            let all = session.communicator(&session.group("mpi://WORLD")?, "again")?;
            let mut told = if all.rank() == 0 { round } else { -1 };
            all.broadcast(&mut told, 0)?;
            assert_eq!(told, round);
            let mut window = all.allocate_window::<u32>(1)?;
            drop((all, session));
            window.fence_epoch(|epoch| epoch.part(0).put(0, &7))?;
        }
        Ok(())
    });
}

#[test]
fn sessions_stand_beside_the_world() {
    let ended = Builder::new().ranks(3).vps(2).run(|world| {
        let session = world.session();
        let pair = session.group("mpi://WORLD")?.exclude([1])?;
        if pair.rank().is_none() {
            assert_eq!(class(session.communicator(&pair, "pair")), ErrorClass::Group);
            return Ok(());
        }
        let pair = session.communicator(&pair, "pair")?;
        let (mine, mut theirs) = (world.rank(), 9);
        pair.send_receive(&mine, 1 - pair.rank(), 0, &mut theirs, 1 - pair.rank(), 0)?;
        assert_eq!(theirs, 2 - mine);
        Ok::<_, simurgh::Error>(())
    });
    ended
        .expect("the run succeeds")
        .into_iter()
        .for_each(|end| end.expect("no call fails"));
}

#[test]
fn groups_make_communicators_within_communicators() {
    let ended = Builder::new().ranks(7).vps(2).run(|world| {
        let all = world.group();
        let even = all.include((0..7).step_by(2))?;
        let odd = all.difference(&even);
        let mine = if even.rank().is_some() { &even } else { &odd };
        let made = world.create(mine)?.expect("the rank is in its group");
        assert_eq!((Some(made.rank()), made.size()), (mine.rank(), mine.size()));
        assert_eq!(made.group().compare(mine), Comparison::Identical);
        assert_eq!(even.union(&odd).compare(&all), Comparison::Similar);
        assert_eq!(even.intersection(&odd).size(), 0);
        assert_eq!(world.create(&all.exclude(0..7)?)?.map(|none| none.size()), None);
        assert_eq!(
            (class(all.include([7])), class(all.exclude([1, 1]))),
            (ErrorClass::Rank, ErrorClass::Rank)
        );
        assert_eq!(class(world.create_group(&all, -1)), ErrorClass::Tag);
        assert_eq!(
            (
                even.translate(3, &all),
                even.translate(3, &odd),
                even.translate(4, &all)
            ),
            (Some(6), None, None)
        );
        Ok::<_, simurgh::Error>(())
    });
    ended
        .expect("the run succeeds")
        .into_iter()
        .for_each(|end| end.expect("no call fails"));
}

#[test]
fn a_session_that_is_leaked_fails_the_run() {
    let ended = Builder::new()
        .ranks(1)
        .run_sessions(|rank| std::mem::forget(rank.session()));
    let Err(RunError::Engine { rank: 0, error }) = ended else {
        panic!("the run must fail: {ended:?}");
    };
    assert_eq!(error.class(), ErrorClass::Session);
    // A panic takes the session with it.
    let ended = Builder::new().ranks(2).run_sessions(|rank| {
        let session = rank.session();
        let group = session.group("mpi://WORLD").expect("it is there");
        let all = session.communicator(&group, "").expect("all ranks call it");
        if all.rank() == 1 {
            panic_quietly("rank 1 has had enough");
        }
        let _ = all.barrier();
    });
    assert!(
        matches!(ended, Err(RunError::Panicked { rank: 1, .. })),
        "{ended:?}"
    );
}

#[test]
fn without_a_launcher_nothing_is_started() {
    let ended = Builder::new().ranks(3).vps(2).run(|world| {
        let command = [Command::new("/bin/true", 1)];
        let last = world.size() - 1;
        assert_eq!(class(world.spawn(&command, last)), ErrorClass::Spawn);
        assert_eq!(class(world.spawn(&command, world.size())), ErrorClass::Root);
        assert_eq!(
            class(world.spawn(&[Command::new("a\0b", 1)], 0)),
            ErrorClass::Spawn
        );
        assert_eq!(class(world.spawn(&[Command::new("", 1)], 0)), ErrorClass::Arg);
        assert_eq!(class(world.open_port()), ErrorClass::Port);
        assert_eq!(class(world.lookup("ocean")), ErrorClass::Name);
        assert_eq!(class(world.connect("nowhere", 0, None)), ErrorClass::Port);
        assert_eq!(class(world.accept("nowhere", last)), ErrorClass::Port);
        assert!(world.parent().is_none());
        world.dup()?.disconnect()
    });
    ended
        .expect("the run succeeds")
        .into_iter()
        .for_each(|end| end.expect("no call fails"));
}
