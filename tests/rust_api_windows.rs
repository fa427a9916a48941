//! One-sided communication through the Rust interface.

use simurgh::{Builder, Communicator, Equivalence, ErrorClass, LockKind, Op, Result};

/// Runs `f` with 1, 2, 7 and 64 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    [1, 2, 7, 64].into_iter().for_each(|ranks| with(ranks, f.clone()));
}

fn with(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
    let ended = builder.run(f).expect("the run succeeds");
    assert_eq!(ended.len(), ranks);
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}

fn class<R: std::fmt::Debug>(result: Result<R>) -> ErrorClass {
    result.expect_err("the call is wrong").class()
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Padded {
    small: u8,
    large: f64,
}

#[test]
fn all_ranks_write_to_all_between_fences() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut window = world.allocate_window::<u64>(3 * size)?;
        assert!(window.local().iter().all(|value| *value == 0));
        for round in 0..5 {
            window.local_mut().fill(u64::MAX);
            window.fence_epoch(|epoch| {
                let values = [rank, round, size].map(|value| value as u64);
                (0..size).try_for_each(|target| epoch.part(target).put(3 * rank, &values[..]))
            })?;
            for (origin, values) in window.local().chunks(3).enumerate() {
                assert_eq!(values, [origin as u64, round as u64, size as u64]);
            }
        }
        Ok(())
    });
}

#[test]
fn a_rank_reads_what_the_others_have_stored() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        // Parts of different lengths, one of them empty.
        let mut window = world.allocate_window::<[f32; 2]>(rank % 3)?;
        assert_eq!(window.local().len(), rank % 3);
        window.local_mut().fill([rank as f32, 0.5]);
        window.fence_epoch(|epoch| {
            for target in 0..size {
                let mut values = vec![[-1.0; 2]; target % 3];
                epoch.part(target).get(0, &mut values)?;
                assert_eq!(values, vec![[target as f32, 0.5]; target % 3]);
            }
            Ok(())
        })
    });
}

#[test]
fn updates_of_all_ranks_add_up() {
    with_ranks(|world| {
        const ROUNDS: usize = 20;
        let (rank, size) = (world.rank(), world.size());
        let mut window = world.allocate_window::<i64>(4)?;
        let update = |part: &simurgh::Part<'_, i64>| {
            part.accumulate(0, &[1, -1][..], &Op::sum())?;
            part.accumulate(2, &(rank as i64), &Op::max())?;
            part.accumulate(3, &(1 << (rank % 60)), &Op::bit_or())
        };
        window.fence_epoch(|epoch| {
            (0..ROUNDS).try_for_each(|round| update(&epoch.part((rank + round) % size)))
        })?;
        window.lock_epoch(|epoch| {
            let locks = epoch.lock_all()?;
            (0..ROUNDS).try_for_each(|round| update(&locks.part((rank + round) % size)))
        })?;
        let mut totals = [0; 2];
        world.all_reduce(&window.local()[..2], &mut totals[..], &Op::sum())?;
        let updates = (2 * ROUNDS * size) as i64;
        assert_eq!(totals, [updates, -updates]);
        if size <= ROUNDS {
            let bits = (0..size).fold(0, |bits, rank| bits | 1 << (rank % 60));
            assert_eq!(window.local()[2..], [size as i64 - 1, bits]);
        }
        Ok(())
    });
}

#[test]
fn every_ticket_is_drawn_once() {
    with_ranks(|world| {
        const EACH: usize = 30;
        let size = world.size();
        let mut window = world.allocate_window::<u32>(1)?;
        let mut tickets = Vec::new();
        window.lock_epoch(|epoch| {
            for round in 0..EACH {
                let kind = if round % 4 == 0 {
                    LockKind::Exclusive
                } else {
                    LockKind::Shared
                };
                let counter = epoch.lock(size - 1, kind)?;
                tickets.push(counter.fetch_and_op(0, 1, &Op::sum())?);
            }
            Ok(())
        })?;
        assert!(tickets.is_sorted());
        let mut all = vec![0; EACH * size];
        world.all_gather(&tickets, &mut all)?;
        all.sort_unstable();
        assert!(all.into_iter().eq(0..(EACH * size) as u32));
        Ok(())
    });
}

#[test]
fn nobody_comes_between_under_an_exclusive_lock() {
    with_ranks(|world| {
        let mut window = world.allocate_window::<Padded>(2)?;
        window.lock_epoch(|epoch| {
            for round in 0..20 {
                let lock = epoch.lock(round % world.size(), LockKind::Exclusive)?;
                let mut values = [Padded { small: 9, large: 9.0 }; 2];
                lock.get(0, &mut values[..])?;
                // Both values change together.
                assert_eq!(values[0], values[1]);
                for (position, value) in values.iter_mut().enumerate() {
                    value.small = value.small.wrapping_add(1);
                    value.large += 1.0;
                    lock.put(position, value)?;
                }
                lock.unlock()?;
            }
            Ok(())
        })?;
        let mut total = 0.0;
        world.all_reduce(&window.local()[1].large, &mut total, &Op::sum())?;
        assert_eq!(total, 20.0 * world.size() as f64);
        Ok(())
    });
}

#[test]
fn one_rank_wins_each_comparison() {
    with_ranks(|world| {
        let (mine, size) = (world.rank() as i32 + 1, world.size());
        let mut window = world.allocate_window::<i32>(1)?;
        let mut won = 0;
        window.fence_epoch(|epoch| {
            for target in 0..size {
                won += i32::from(epoch.part(target).compare_and_swap(0, 0, mine)? == 0);
            }
            Ok(())
        })?;
        assert!((1..=size as i32).contains(&window.local()[0]));
        let mut all = 0;
        world.all_reduce(&won, &mut all, &Op::sum())?;
        assert_eq!(all, size as i32);
        // Every value that is put in comes out once; the last one stays.
        window.local_mut()[0] = 0;
        let before = window.fence_epoch(|epoch| epoch.part(0).swap(0, mine))?;
        let (mut out, mut left) = (0, window.local()[0]);
        world.broadcast(&mut left, 0)?;
        world.all_reduce(&before, &mut out, &Op::sum())?;
        assert_eq!(out + left, (1..=size as i32).sum::<i32>());
        Ok(())
    });
}

#[test]
fn a_flag_is_seen_after_the_data() {
    with(2, |world| {
        let mut window = world.allocate_window::<u64>(1001)?;
        let (other, mut received) = (1 - world.rank(), vec![0; 1000]);
        window.lock_epoch(|epoch| {
            let locks = epoch.lock_all()?;
            locks.part(other).put(0, &vec![5; 1000])?;
            locks.flush(other)?;
            locks.part(other).put(1000, &1)?;
            let (own, mut flag) = (locks.part(world.rank()), 0);
            while flag == 0 {
                own.get(1000, &mut flag)?;
                // Lets the other one run.
                world.iprobe(other, 0)?;
            }
            own.get(0, &mut received)?;
            locks.unlock_all()
        })?;
        assert_eq!(received, vec![5; 1000]);
        Ok(())
    });
}

#[test]
fn wrong_arguments_are_errors_of_their_class() {
    with_ranks(|world| {
        let size = world.size();
        let mut window = world.allocate_window::<u16>(3)?;
        window.local_mut().fill(8);
        window.fence_epoch(|epoch| {
            let (part, nobody) = (epoch.part(0), epoch.part(size));
            assert_eq!(class(part.put(3, &1)), ErrorClass::RmaRange);
            assert_eq!(class(part.put(1, &[1; 3][..])), ErrorClass::RmaRange);
            assert_eq!(class(part.put(usize::MAX, &1)), ErrorClass::RmaRange);
            assert_eq!(class(part.get(2, &mut [0; 2][..])), ErrorClass::RmaRange);
            assert_eq!(class(part.swap(usize::MAX / 2, 1)), ErrorClass::RmaRange);
            assert_eq!(class(part.compare_and_swap(3, 8, 1)), ErrorClass::RmaRange);
            assert_eq!(class(nobody.put(0, &1)), ErrorClass::Rank);
            assert_eq!(class(nobody.fetch_and_op(0, 1, &Op::sum())), ErrorClass::Rank);
            assert_eq!(class(epoch.part(usize::MAX).put(0, &1)), ErrorClass::Rank);
            let latest = Op::ordered(|_, right| right);
            assert_eq!(class(part.accumulate(0, &1, &latest)), ErrorClass::Op);
            part.put(3, &[][..])
        })?;
        assert_eq!(window.local(), [8; 3]);
        window.lock_epoch(|epoch| {
            assert_eq!(class(epoch.lock(size, LockKind::Shared)), ErrorClass::Rank);
            let lock = epoch.lock(0, LockKind::Shared)?;
            assert_eq!(class(epoch.lock(0, LockKind::Exclusive)), ErrorClass::RmaSync);
            assert_eq!(class(epoch.lock_all()), ErrorClass::RmaSync);
            assert_eq!(class(lock.get(0, &mut [0; 4][..])), ErrorClass::RmaRange);
            lock.unlock()?;
            let locks = epoch.lock_all()?;
            assert_eq!(class(locks.flush(size)), ErrorClass::Rank);
            Ok(())
        })
    });
}

#[test]
fn an_error_ends_the_epoch_and_the_window_goes_on() {
    with_ranks(|world| {
        let mut window = world.allocate_window::<u8>(1)?;
        let failed: Result<()> = window.fence_epoch(|epoch| epoch.part(0).put(7, &1));
        assert_eq!(class(failed), ErrorClass::RmaRange);
        let failed = window.lock_epoch(|epoch| epoch.lock(0, LockKind::Exclusive)?.put(7, &1));
        assert_eq!(class(failed), ErrorClass::RmaRange);
        window.fence_epoch(|epoch| epoch.part(world.rank()).put(0, &3))?;
        assert_eq!(window.local(), [3]);
        Ok(())
    });
}

#[test]
fn structs_of_several_types_need_an_exclusive_lock() {
    with(2, |world| {
        let value = Padded { small: 1, large: 2.0 };
        let mut window = world.allocate_window::<Padded>(1)?;
        let refused = window.fence_epoch(|epoch| epoch.part(0).put(0, &value));
        assert_eq!(class(refused), ErrorClass::Type);
        window.lock_epoch(|epoch| {
            assert_eq!(
                class(epoch.lock(0, LockKind::Shared)?.put(0, &value)),
                ErrorClass::Type
            );
            epoch.lock(0, LockKind::Exclusive)?.put(0, &value)
        })
    });
}

#[test]
fn all_ranks_have_values_of_one_layout() {
    with_ranks(|world| {
        let allocated = match world.rank() {
            0 => world.allocate_window::<u64>(1).map(drop),
            _ => world.allocate_window::<[u32; 2]>(1).map(drop),
        };
        match world.size() {
            1 => allocated,
            _ => {
                assert_eq!(class(allocated), ErrorClass::NotSame);
                Ok(())
            }
        }
    });
    with(1, |world| {
        assert_eq!(class(world.allocate_window::<[u64; 0]>(1)), ErrorClass::Type);
        assert_eq!(class(world.allocate_window::<u64>(usize::MAX)), ErrorClass::Size);
        Ok(())
    });
}

#[test]
fn windows_come_and_go() {
    with(7, |world| {
        for round in 0..200 {
            let mut windows = [
                world.allocate_window::<u64>(1)?,
                world.allocate_window(round + 1)?,
            ];
            let [first, second] = &mut windows;
            // Two windows may be in epochs at the same time.
            first.fence_epoch(|one| {
                second.lock_epoch(|other| {
                    let place = other.lock(world.rank(), LockKind::Exclusive)?;
                    place.put(round, &(round as u64))?;
                    one.part((world.rank() + 1) % 7).put(0, &(world.rank() as u64))
                })
            })?;
            assert_eq!(first.local(), [(world.rank() as u64 + 6) % 7]);
            assert_eq!(second.local()[round], round as u64);
        }
        Ok(())
    });
}

#[test]
fn neighbours_expose_their_parts_to_each_other() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let next = (rank + 1) % size;
        let before = (rank + size - 1) % size;
        let mut neighbours = vec![before, next];
        neighbours.sort_unstable();
        neighbours.dedup();
        let mut window = world.allocate_window::<u64>(3)?;
        for round in 0..5 {
            window.local_mut()[2] = 100 * round + rank as u64;
            let mut exposure = window.post(&neighbours)?;
            let access = exposure.start(&neighbours)?;
            access.part(next).put(0, &(rank as u64 + round))?;
            access.part(before).put(1, &(rank as u64 + round))?;
            let mut theirs = 0;
            access.part(next).get(2, &mut theirs)?;
            assert_eq!(theirs, 100 * round + next as u64);
            access.complete()?;
            if round % 2 == 0 {
                exposure.wait()?;
            } else {
                while !exposure.is_complete()? {}
                assert!(exposure.is_complete()?);
                drop(exposure);
            }
            assert_eq!(window.local()[..2], [before as u64 + round, next as u64 + round]);
        }
        // Then all of them together.
        window.fence_epoch(|epoch| epoch.part(next).put(0, &7))?;
        assert_eq!(window.local()[0], 7);
        Ok(())
    });
}

#[test]
fn one_rank_serves_the_others() {
    with_ranks(|world| {
        let others: Vec<_> = (1..world.size()).collect();
        let mut window = world.allocate_window::<u32>(1)?;
        if world.rank() == 0 {
            // The drop waits.
            drop(window.post(&others)?);
            assert_eq!(window.local(), [others.len() as u32]);
        } else {
            let access = window.start(&[0])?;
            access.part(0).accumulate(0, &1, &Op::sum())?;
            let refused = access.part(world.rank()).put(0, &1);
            assert_eq!(class(refused), ErrorClass::RmaSync);
            drop(access);
            assert_eq!(window.local(), [0]);
        }
        assert_eq!(class(window.post(&[world.size()])), ErrorClass::Rank);
        assert_eq!(class(window.start(&[0, 0])), ErrorClass::Rank);
        // Refused calls change nothing.
        window.local_mut()[0] = 1;
        window.lock_epoch(|_| Ok(()))
    });
}

#[test]
fn ranks_of_a_node_read_each_others_slices() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        // Parts of different lengths, one of them empty.
        let mut window = world.allocate_shared_window::<[f32; 3]>(rank % 4)?;
        assert_eq!(window.local(), vec![[0.0; 3]; rank % 4]);
        for round in 0..3 {
            window.local_mut().fill([rank as f32, round as f32, 0.5]);
            window.read_epoch(|epoch| {
                for other in 0..size {
                    assert_eq!(
                        epoch.part(other)?,
                        vec![[other as f32, round as f32, 0.5]; other % 4]
                    );
                }
                assert_eq!(class(epoch.part(size)), ErrorClass::Rank);
                Ok(())
            })?;
        }
        Ok(())
    });
}

#[test]
fn ranks_of_a_node_change_each_others_slices_in_turns() {
    with_ranks(|world| {
        const ROUNDS: usize = 20;
        let size = world.size();
        let mut window = world.allocate_shared_window::<Padded>(2)?;
        window.lock_epoch(|epoch| {
            for target in (0..ROUNDS).map(|round| (world.rank() + round) % size) {
                let mut part = epoch.write(target)?;
                assert_eq!(part[0], part[1]);
                for value in &mut *part {
                    value.small = value.small.wrapping_add(1);
                    value.large += 1.0;
                }
                assert_eq!(class(epoch.read(target).map(drop)), ErrorClass::RmaSync);
                drop(part);
                let part = epoch.read(target)?;
                assert_eq!(part[0], part[1]);
            }
            Ok(())
        })?;
        let mut total = 0.0;
        world.all_reduce(&window.local()[1].large, &mut total, &Op::sum())?;
        assert_eq!(total, (ROUNDS * size) as f64);
        Ok(())
    });
}

#[test]
fn ranks_are_split_by_where_they_live() {
    with_ranks(|world| {
        let node = world.split_shared(-(world.rank() as i32))?;
        assert_eq!(
            (node.size(), node.rank()),
            (world.size(), world.size() - 1 - world.rank())
        );
        let set = world
            .split_process_set("mpi://SELF", 0)?
            .expect("a rank is in its own set");
        assert_eq!(set.size(), 1);
        assert!(world.split_process_set("mpi://NOWHERE", 0)?.is_none());
        assert!(world.split_hardware("hwloc://Toaster", 0)?.is_none());
        let machine = world
            .split_hardware("hwloc://Machine", 0)?
            .expect("all are on one machine");
        assert_eq!(machine.size(), world.size());
        if let Some((part, kind)) = world.split_largest_hardware(0)? {
            assert!(part.size() < world.size() && !kind.is_empty());
        }
        Ok(())
    });
}
