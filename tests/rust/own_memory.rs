//! Windows of memory that the program has, and accesses with requests.

use simurgh::{Attached, Communicator, LockKind, Op, Result};

/// The length of a list.
const LENGTH: usize = 20_000;

/// Each rank brings its values into a window, in which others update and read them with requests.
pub(super) fn accessed_with_requests(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let next = (rank + 1) % size;
    for kind in [LockKind::Shared, LockKind::Exclusive] {
        let mut window = world.create_window(vec![rank as u64; LENGTH + rank])?;
        let (ones, sent) = (vec![1; LENGTH], [7; 100]);
        let (mut before, mut read) = (vec![0; LENGTH], vec![0; LENGTH]);
        window.lock_epoch(|epoch| {
            let lock = epoch.lock(next, kind)?;
            world.scope(|scope| {
                let update = lock.rget_accumulate(scope, 0, &ones, &mut before, &Op::sum())?;
                let (values, _) = update.wait()?;
                assert!(values.iter().all(|value| *value == next as u64));
                lock.rput(scope, LENGTH - 100, &sent[..])?;
                lock.raccumulate(scope, LENGTH - 100, &sent[..], &Op::sum())?;
                // Only updates keep their order among each other.
                lock.flush()?;
                lock.rget(scope, 0, &mut read)?;
                lock.flush_local()
            })
        })?;
        assert!(read[..LENGTH - 100].iter().all(|value| *value == 1 + next as u64));
        assert_eq!(read[LENGTH - 100..], [14; 100]);
        let values = window.into_values()?;
        assert_eq!((values.len(), values[0]), (LENGTH + rank, 1 + rank as u64));
    }
    Ok(())
}

/// Each rank attaches a list of a length of its own to a window, and tells the others where it is.
pub(super) fn attached_by_each(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut window = world.create_dynamic_window::<u64>()?;
    let list = window.attach(vec![rank as u64; LENGTH + rank])?;
    let mut lists = vec![Attached::default(); size];
    world.all_gather(&[list], &mut lists)?;
    let mut read = vec![0; LENGTH];
    window.fence_epoch(|epoch| {
        let theirs = epoch.part(next).at(lists[next]);
        assert_eq!(lists[next].len(), LENGTH + next);
        let refused = theirs.put(LENGTH + next, &1);
        assert!(refused.is_err_and(|error| error.class() == simurgh::ErrorClass::RmaRange));
        theirs.get(0, &mut read)
    })?;
    assert!(read.iter().all(|value| *value == next as u64));
    window.lock_epoch(|epoch| {
        let locks = epoch.lock_all()?;
        (0..size).try_for_each(|target| {
            let theirs = locks.part(target).at(lists[target]);
            theirs.accumulate(0, &1, &Op::sum())?;
            if target == next {
                theirs.put(1, &vec![rank as u64; LENGTH - 1])
            } else {
                Ok(())
            }
        })?;
        locks.flush_all()
    })?;
    let values = window.detach(list)?;
    assert_eq!(values[0], (rank + size) as u64);
    assert!(values[1..LENGTH].iter().all(|value| *value == before as u64));
    // What is gone is refused by the process that had it.
    world.barrier()?;
    let gone = window.fence_epoch(|epoch| epoch.part(next).at(lists[next]).swap(0, 1));
    assert!(gone.is_err_and(|error| error.class() == simurgh::ErrorClass::RmaRange));
    Ok(())
}
