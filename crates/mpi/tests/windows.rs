//! Windows whose ranks live on several hosts, over networks that delay packets and networks that do not.

use crate::common::{into, on_threads, out, run_everywhere, run_hosts};
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Region, transfer};
use simurgh_mpi::op::BuiltinOp;
use simurgh_mpi::{Comm, Info, LockKind, Place, Window};
use std::sync::Arc;

const LONG: Datatype = Datatype::Basic(Basic::Int64);

fn place(rank: i32, displacement: isize, count: usize) -> Place<'static> {
    Place {
        rank,
        displacement,
        count,
        datatype: &LONG,
    }
}

/// A window whose memory other hosts cannot access directly.
fn window(world: &Arc<Comm>, memory: &mut [i64]) -> Arc<Window> {
    // SAFETY:
    // - the memory outlives the window, and is read when no epoch is open.
    let region = unsafe { Region::new(memory.as_mut_ptr().cast(), size_of_val(memory)) };
    world
        .win_create(region, 8, &Info::new())
        .expect("all make the same call")
}

/// The rank's own memory.
fn own(window: &Window) -> Vec<i64> {
    let region = window.region().expect("the window has memory");
    let mut values = vec![0_i64; region.bytes() / 8];
    let target = region.target(0, values.len(), &LONG).expect("it is so long");
    transfer(&target.as_source(), &into(&mut values));
    values
}

#[test]
fn data_goes_round_under_every_kind_of_synchronisation() {
    run_everywhere(6, |world| {
        const COUNT: usize = 3000;
        let (rank, size) = (world.rank(), world.size() as i32);
        let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut memory = vec![0; COUNT];
        let window = window(world, &mut memory);
        let group = world.group();
        for round in 0..4 {
            let data: Vec<i64> = (0..COUNT as i64)
                .map(|index| i64::from(rank * 100 + round) + index)
                .collect();
            match round {
                0 => {
                    window.fence(0).unwrap();
                    window.put(&out(&data), &place(next, 0, COUNT)).unwrap();
                    window.fence(0).unwrap();
                }
                1 => {
                    window.fence(simurgh_mpi::assertion::NOSUCCEED).unwrap();
                    window.post(group, 0).unwrap();
                    window.start(group, 0).unwrap();
                    window.put(&out(&data), &place(next, 0, COUNT)).unwrap();
                    window.complete().unwrap();
                    window.wait().unwrap();
                }
                2 => {
                    window.lock(LockKind::Exclusive, next, 0).unwrap();
                    window.put(&out(&data), &place(next, 0, COUNT)).unwrap();
                    window.unlock(next).unwrap();
                }
                _ => {
                    window.lock_all(0).unwrap();
                    window.rput(&out(&data), &place(next, 0, COUNT)).unwrap().wait();
                    window.flush(next).unwrap();
                    window.unlock_all().unwrap();
                }
            }
            world.barrier().run().unwrap();
            let expected: Vec<i64> = (0..COUNT as i64)
                .map(|index| i64::from(previous * 100 + round) + index)
                .collect();
            assert!(own(&window) == expected, "round {round}");
            let mut read = vec![0_i64; COUNT];
            window.lock(LockKind::Shared, previous, 0).unwrap();
            window.get(&into(&mut read), &place(previous, 0, COUNT)).unwrap();
            window.unlock(previous).unwrap();
            let before = (previous + size - 1) % size;
            assert!((0..COUNT).all(|index| read[index] == i64::from(before * 100 + round) + index as i64));
            world.barrier().run().unwrap();
        }
        window.free().unwrap();
    });
}

#[test]
fn updates_of_all_ranks_are_atomic_and_locks_exclude() {
    run_everywhere(5, |world| {
        const TIMES: i64 = 20;
        let size = world.size() as i64;
        let mut memory = [0; 4];
        let window = window(world, &mut memory);
        let mut seen = [0_i64];
        let mut sum = 0;
        window.lock_all(0).unwrap();
        for _ in 0..TIMES {
            let one = [1_i64];
            window
                .fetch_and_op(&out(&one), &into(&mut seen), &place(0, 0, 1), BuiltinOp::Sum)
                .unwrap();
            window.flush(0).unwrap();
            sum += seen[0];
        }
        window.unlock_all().unwrap();
        for _ in 0..TIMES {
            window.lock(LockKind::Exclusive, 0, 0).unwrap();
            window.get(&into(&mut seen), &place(0, 1, 1)).unwrap();
            window.flush(0).unwrap();
            let more = [seen[0] + 1];
            window.put(&out(&more), &place(0, 1, 1)).unwrap();
            window.unlock(0).unwrap();
        }
        let (mine, mut all) = ([sum], [0_i64]);
        world
            .allreduce(Some(&out(&mine)), &into(&mut all), &BuiltinOp::Sum.into())
            .unwrap()
            .run()
            .unwrap();
        let steps = TIMES * size;
        assert_eq!(all[0], steps * (steps - 1) / 2);
        if world.rank() == 0 {
            assert_eq!(own(&window)[..2], [steps, steps]);
        }
        window.free().unwrap();
    });
}

#[test]
fn a_flush_waits_for_operations_that_another_thread_flushes() {
    const THREADS: usize = 3;
    const ROUNDS: i64 = 24;
    run_hosts(2, 1, |world| {
        // Short data travels in packets, long data by transfers where hosts can access each other's memory.
        for count in [1, 1024] {
            let mut memory = vec![0; THREADS * count];
            let window = window(world, &mut memory);
            if world.rank() == 0 {
                window.lock_all(0).unwrap();
                let shared = Arc::clone(&window);
                on_threads(world, THREADS as i32, move |_, number| {
                    let part = place(1, number as isize * count as isize, count);
                    let mut read = vec![0_i64; count];
                    // Others flush between a thread's operation and its own flush, sooner or later.
                    let linger = |round| (0..round % 16).for_each(|_| std::thread::yield_now());
                    for round in 1..=ROUNDS {
                        let data = vec![round; count];
                        shared.put(&out(&data), &part).unwrap();
                        linger(round);
                        shared.flush(1).unwrap();
                        shared.get(&into(&mut read), &part).unwrap();
                        linger(round + number as i64);
                        match round % 2 {
                            0 => shared.flush(1).unwrap(),
                            _ => shared.flush_local_all().unwrap(),
                        }
                        assert_eq!(read, data);
                    }
                });
                window.unlock_all().unwrap();
            }
            window.free().unwrap();
        }
    });
}
