//! Epochs of windows that go wrong: nobody gets access to what others may access, and nothing hangs. All in one test
//! in a process of its own, whose threads are known.

use std::panic::{AssertUnwindSafe, catch_unwind};

use simurgh::{Builder, Communicator, ErrorClass, LockEpoch, LockKind, Result, Results, RunError, Window};
use simurgh_testing::{alone, panic_quietly};

fn builder(ranks: usize) -> Builder {
    // The main thread of the test harness is the other thread.
    Builder::new().ranks(ranks).vps(2).other_threads(1)
}

/// Leaves an epoch in some way, after which the window gives nobody access to anything.
fn leave(world: &Communicator, way: impl FnOnce(&LockEpoch<'_, u32>) -> Result<()>) -> Result<()> {
    let mut window: Window<u32> = world.allocate_window(1)?;
    let left = catch_unwind(AssertUnwindSafe(|| window.lock_epoch(way)));
    assert!(!matches!(left, Ok(Ok(()))));
    assert!(catch_unwind(AssertUnwindSafe(|| window.local().len())).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| window.local_mut().len())).is_err());
    let again = window.fence_epoch(|epoch| epoch.part(0).put(0, &1));
    assert!(again.is_err_and(|error| error.class() == ErrorClass::RmaSync));
    let again = window.lock_epoch(|_| Ok(()));
    assert!(again.is_err_and(|error| error.class() == ErrorClass::RmaSync));
    Ok(())
}

/// An epoch that is not ended gives no slice.
fn unended_epochs() {
    let ended = builder(1).run(|world| {
        leave(world, |_| {
            panic_quietly("no epoch is so good that it must be ended")
        })?;
        leave(world, |epoch| {
            std::mem::forget(epoch.lock(0, LockKind::Exclusive)?);
            Ok(())
        })?;
        leave(world, |epoch| {
            std::mem::forget(epoch.lock_all()?);
            Ok(())
        })
    });
    let mut ended = ended.expect("the run succeeds").into_iter();
    assert_eq!(ended.next(), Some(Ok(())));
}

/// An epoch of ranks that name each other, or of shared memory, gives no slice either if its guard is leaked.
fn leaked_guards() {
    let ended = builder(1).run(|world| {
        let refused = |end: std::thread::Result<usize>| assert!(end.is_err());
        let mut window: Window<u32> = world.allocate_window(1)?;
        std::mem::forget(window.post(&[0])?);
        refused(catch_unwind(AssertUnwindSafe(|| window.local().len())));
        assert!(window.fence_epoch(|_| Ok(())).is_err());
        assert!(window.post(&[0]).is_err());

        let mut window: Window<u32> = world.allocate_window(1)?;
        let mut exposure = window.post(&[])?;
        std::mem::forget(exposure.start(&[])?);
        drop(exposure);
        refused(catch_unwind(AssertUnwindSafe(|| window.local_mut().len())));
        assert!(window.start(&[]).is_err());

        let mut window = world.allocate_shared_window::<u32>(1)?;
        let left = window.lock_epoch(|epoch| {
            std::mem::forget(epoch.write(0)?);
            Ok(())
        });
        assert!(left.is_err_and(|error| error.class() == ErrorClass::RmaSync));
        refused(catch_unwind(AssertUnwindSafe(|| window.local_mut().len())));
        assert!(window.read_epoch(|_| Ok(())).is_err());
        Ok::<_, simurgh::Error>(())
    });
    let mut ended = ended.expect("the run succeeds").into_iter();
    assert_eq!(ended.next(), Some(Ok(())));
}

/// A failed run is left by ranks that poll a window.
fn polling_ranks_leave() {
    let ended = builder(2).run(|world| {
        let mut window = world.allocate_window::<u8>(1).expect("memory");
        let _ = window.lock_epoch(|epoch| {
            if world.rank() > 0 {
                panic_quietly("only rank 0 likes it here");
            }
            let locks = epoch.lock_all()?;
            loop {
                locks.part(1).get(0, &mut 0)?;
            }
            #[expect(unreachable_code, reason = "gives the closure its type")]
            Ok(())
        });
    });
    let error = ended.map(drop).expect_err("a rank panics");
    assert!(matches!(error, RunError::Panicked { rank: 1, .. }), "{error}");
}

/// The ranks of a deadlock, with the calls that they are in.
fn deadlocked(
    ended: std::result::Result<Results<Result<()>>, RunError>,
) -> Vec<(usize, Option<&'static str>)> {
    let error = ended.map(drop).expect_err("the ranks wait for each other");
    let RunError::Deadlock { waits } = &error else {
        panic!("{error}")
    };
    waits.iter().map(|wait| (wait.rank(), wait.call())).collect()
}

/// Ranks that disagree about the kind of an epoch wait for each other.
fn different_epochs() {
    let ended = builder(2).run(|world| {
        let mut window = world.allocate_window::<u8>(1)?;
        match world.rank() {
            0 => window.fence_epoch(|_| Ok(())),
            _ => window.lock_epoch(|_| Ok(())),
        }
    });
    assert_eq!(
        deadlocked(ended),
        [(0, Some("fence_epoch")), (1, Some("lock_epoch"))]
    );
}

/// Ranks that take two locks in different orders wait for each other.
fn locks_in_different_orders() {
    let ended = builder(2).run(|world| {
        let (own, other) = (world.rank(), 1 - world.rank());
        let mut window = world.allocate_window::<u8>(1)?;
        window.lock_epoch(|epoch| {
            let _first = epoch.lock(own, LockKind::Exclusive)?;
            world.barrier()?;
            epoch.lock(other, LockKind::Shared).map(drop)
        })
    });
    let call = Some("lock of a window");
    assert_eq!(deadlocked(ended), [(0, call), (1, call)]);
}

#[test]
fn wrong_epochs_end_without_access_to_the_memory_of_others() {
    alone(|| {
        let hook = std::panic::take_hook();
        // The panics of refused slices are expected.
        std::panic::set_hook(Box::new(|_| ()));
        unended_epochs();
        leaked_guards();
        std::panic::set_hook(hook);
        polling_ranks_leave();
        different_epochs();
        locks_in_different_orders();
    });
}
