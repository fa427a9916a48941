//! Windows of memory that the program has, and accesses with requests, through the Rust interface.

use simurgh::{Attached, Builder, Communicator, ErrorClass, LockKind, Op, Result};

/// Runs `f` with 1, 2, 6 and 30 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 6, 30] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(f.clone()).expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

fn class<T>(result: Result<T>) -> Option<ErrorClass> {
    result.err().map(|error| error.class())
}

#[test]
fn values_go_into_a_window_and_come_back() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        // Ranks have different numbers of values, the first one none.
        let mut window = world.create_window(vec![rank as u64; rank])?;
        assert_eq!(window.local(), vec![rank as u64; rank]);
        window.fence_epoch(|epoch| {
            (1..size).try_for_each(|other| epoch.part(other).accumulate(other - 1, &1, &Op::sum()))
        })?;
        let beyond = window.fence_epoch(|epoch| epoch.part(rank).put(rank, &1));
        assert_eq!(class(beyond), Some(ErrorClass::RmaRange));
        let values = window.into_values()?;
        let mut expected = vec![rank as u64; rank];
        if let Some(last) = expected.last_mut() {
            *last += size as u64;
        }
        assert_eq!(values, expected);
        let mut window = world.allocate_window(2)?;
        window.local_mut().fill(5_u8);
        assert_eq!(window.into_values()?, [5, 5]);
        Ok(())
    });
}

/// The values of a window that has gone away in an epoch are not freed: another rank may still write to them.
#[test]
fn a_window_that_goes_away_in_an_epoch_keeps_its_values() {
    let ended = Builder::new().ranks(1).run(|world| {
        let mut window = world.create_window(vec![3_u32; 100])?;
        std::mem::forget(window.post(&[0])?);
        assert_eq!(class(window.into_values()), Some(ErrorClass::RmaSync));
        let mut window = world.create_dynamic_window::<u32>()?;
        let list = window.attach(vec![3; 100])?;
        std::mem::forget(window.post(&[0])?);
        assert_eq!(class(window.detach(list)), Some(ErrorClass::RmaSync));
        assert_eq!(class(window.attached(list).map(drop)), Some(ErrorClass::RmaSync));
        assert_eq!(class(window.attach(vec![1])), Some(ErrorClass::RmaSync));
        Ok::<_, simurgh::Error>(())
    });
    ended.unwrap().into_iter().for_each(|end| end.unwrap());
}

#[test]
fn ranks_attach_lists_and_detach_them() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut window = world.create_dynamic_window::<i64>()?;
        assert!(window.local().is_empty());
        let lists = [window.attach(vec![0; 10 + rank])?, window.attach(vec![7; size])?];
        let mut all = vec![Attached::default(); 2 * size];
        world.all_gather(&lists, &mut all)?;
        for other in 0..size {
            assert_eq!(
                (all[2 * other].len(), all[2 * other + 1].len()),
                (10 + other, size)
            );
        }
        // Between fences, under a lock, and of ranks that name each other.
        window.fence_epoch(|epoch| {
            (0..size).try_for_each(|other| {
                let list = epoch.part(other).at(all[2 * other]);
                list.accumulate(other, &[1, 2][..], &Op::sum())
            })
        })?;
        assert_eq!(
            window.attached(lists[0])?[rank..rank + 2],
            [size as i64, 2 * size as i64]
        );
        window.lock_epoch(|epoch| {
            let next = (rank + 1) % size;
            let lock = epoch.lock(next, LockKind::Exclusive)?;
            let list = lock.at(all[2 * next + 1]);
            list.put(rank, &(rank as i64))?;
            let mut value = 0;
            list.get(rank, &mut value)?;
            assert_eq!(value, rank as i64);
            Ok(())
        })?;
        let before = (rank + size - 1) % size;
        let expected: Vec<_> = (0..size)
            .map(|place| if place == before { before as i64 } else { 7 })
            .collect();
        assert_eq!(window.attached(lists[1])?, expected);
        window.attached_mut(lists[1])?.fill(4);
        let mut exposure = window.post(&[rank])?;
        let access = exposure.start(&[rank])?;
        assert_eq!(access.part(rank).at(lists[1]).fetch_and_op(0, 5, &Op::sum())?, 4);
        assert_eq!(access.part(rank).at(lists[1]).compare_and_swap(0, 9, 1)?, 9);
        assert_eq!(access.part(rank).at(lists[1]).swap(0, 2)?, 1);
        access.complete()?;
        exposure.wait()?;
        let mut values = vec![4; size];
        values[0] = 2;
        assert_eq!(window.detach(lists[1])?, values);
        assert_eq!(class(window.detach(lists[1])), Some(ErrorClass::RmaAttach));
        Ok(())
    });
}

#[test]
fn what_is_not_attached_is_not_accessed() {
    with_ranks(|world| {
        let rank = world.rank();
        let mut window = world.create_dynamic_window::<u32>()?;
        assert_eq!(class(window.attach(Vec::new())), Some(ErrorClass::Size));
        let (list, gone) = (window.attach(vec![1; 4])?, window.attach(vec![2; 4])?);
        window.detach(gone)?;
        // Any numbers are a place: those of another type, of another window, or of nothing at all.
        let [forged, odd] = [[1_u64 << 40, 4], [0, 0]].map(|numbers| {
            let mut place = [Attached::default()];
            world
                .send_receive(&numbers, rank, 0, &mut place[..], rank, 0)
                .map(|_| place[0])
        });
        let mut address = [0_u64; 2];
        world.send_receive(&list, rank, 0, &mut address, rank, 0)?;
        address[0] += 1;
        let mut shifted = Attached::default();
        world.send_receive(&address, rank, 0, &mut shifted, rank, 0)?;
        window.fence_epoch(|epoch| {
            let part = epoch.part(rank);
            let refused = Some(ErrorClass::RmaRange);
            assert_eq!(class(part.at(list).put(4, &1)), refused);
            assert_eq!(class(part.at(list).put(3, &[1, 2][..])), refused);
            assert_eq!(class(part.at(list).get(usize::MAX, &mut 1)), refused);
            assert_eq!(class(part.at(gone).put(0, &1)), refused);
            assert_eq!(class(part.at(forged?).put(0, &1)), refused);
            assert_eq!(class(part.at(odd?).put(0, &1)), refused);
            assert_eq!(class(part.at(shifted).put(0, &1)), refused);
            assert_eq!(class(part.put(0, &1)), refused);
            assert_eq!(class(part.put(3, &1)), refused);
            part.at(list).put(3, &5)
        })?;
        assert_eq!(window.attached(list)?, [1, 1, 1, 5]);
        let mut other = world.allocate_window::<u32>(4)?;
        assert_eq!(class(other.attach(vec![1])), Some(ErrorClass::RmaFlavor));
        assert_eq!(class(other.attached(list).map(drop)), Some(ErrorClass::RmaFlavor));
        let wrong = other.fence_epoch(|epoch| epoch.part(rank).at(list).put(0, &1));
        assert_eq!(class(wrong), Some(ErrorClass::RmaRange));
        Ok(())
    });
}

#[test]
fn requests_of_accesses_are_waited_for() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let next = (rank + 1) % size;
        for kind in [LockKind::Shared, LockKind::Exclusive] {
            let mut window = world.create_window(vec![rank as u64; 1000])?;
            let (sent, ones) = (vec![100 + rank as u64; 400], vec![1; 400]);
            let (mut got, mut before) = (vec![0; 1000], vec![0; 400]);
            window.lock_epoch(|epoch| {
                let lock = epoch.lock(next, kind)?;
                world.scope(|scope| {
                    let put = lock.rput(scope, 0, &sent)?;
                    put.wait()?;
                    let add = lock.raccumulate(scope, 0, &ones, &Op::sum())?;
                    add.wait()?;
                    let (values, _) = lock
                        .rget_accumulate(scope, 200, &ones, &mut before, &Op::sum())?
                        .wait()?;
                    assert_eq!(values[199], 101 + rank as u64);
                    assert_eq!(values[200], next as u64);
                    // Nobody waits for this one but the scope.
                    lock.rget(scope, 0, &mut got)?;
                    lock.flush_local()
                })?;
                lock.unlock()
            })?;
            let count = |value: u64| got.iter().filter(|found| **found == value).count();
            assert_eq!((count(101 + rank as u64), count(102 + rank as u64)), (200, 200));
            assert_eq!(count(1 + next as u64), 200);
        }
        Ok(())
    });
}

#[test]
fn requests_outside_of_locks_are_refused() {
    with_ranks(|world| {
        let mut window = world.allocate_window::<u8>(1)?;
        window.fence_epoch(|epoch| {
            let (part, value) = (epoch.part(0), 1);
            let refused = world.scope(|scope| part.rput(scope, 0, &value).map(drop));
            assert_eq!(class(refused), Some(ErrorClass::RmaSync));
            Ok(())
        })
    });
}

#[test]
fn flushes_complete_what_has_been_written() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut window = world.allocate_window::<u64>(size)?;
        window.lock_epoch(|epoch| {
            let locks = epoch.lock_all()?;
            for round in 1..4 {
                let mut before = [0; 1];
                for other in 0..size {
                    let part = locks.part(other);
                    part.get_accumulate(rank, &[1][..], &mut before[..], &Op::sum())?;
                    assert_eq!(before, [round - 1]);
                    locks.flush_local(other)?;
                }
                locks.flush_local_all()?;
                locks.flush_all()?;
                world.barrier()?;
                let mut all = vec![0; size];
                locks.part(rank).get(0, &mut all)?;
                assert_eq!(all, vec![round; size]);
                world.barrier()?;
            }
            let none = locks
                .part(0)
                .get_accumulate(0, &[1, 2][..], &mut [0; 1][..], &Op::sum());
            assert_eq!(class(none), Some(ErrorClass::Count));
            Ok(())
        })
    });
}
