//! Many communicators at once, made, used and freed in random order.

use crate::common::{recv_one, run, send_one};
use simurgh_mpi::{Comm, Comparison};
use std::sync::Arc;

/// Numbers that look random and are the same at all ranks.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// All ranks of `comm`, as an inter-communicator of two halves and merged again.
fn taken_apart(comm: &Arc<Comm>, turned: bool) -> Arc<Comm> {
    let side = i32::from(comm.rank() % 2 == 0);
    let half = comm.split(side, 0).unwrap().unwrap();
    let inter = half.create_inter(0, Some(comm), side, 0).unwrap();
    let copy = inter.dup().unwrap();
    inter.free().unwrap();
    half.free().unwrap();
    let merged = copy.merge((side == 1) == turned).unwrap();
    copy.free().unwrap();
    merged
}

/// All ranks of `comm` in reverse, by a split, by a group for all or by a group for its members.
fn reversed(comm: &Arc<Comm>, way: usize) -> Arc<Comm> {
    let ranks: Vec<i32> = (0..comm.size() as i32).rev().collect();
    let group = comm.group().include(&ranks).unwrap();
    let made = match way {
        0 => comm.split(0, -comm.rank()),
        1 => comm.create(&group),
        2 => comm.create_group(&group, 9),
        _ => Comm::create_from_group(comm.process(), &group, "reversed"),
    };
    made.unwrap().unwrap()
}

#[test]
fn communicators_are_made_used_and_freed_in_any_order() {
    for seed in [1, 2, 3] {
        run(5, move |world| {
            let mut random = Random(seed);
            let mut comms = vec![Arc::clone(world)];
            for step in 0..300 {
                let comm = Arc::clone(&comms[random.below(comms.len())]);
                match random.below(8) {
                    0 => comms.push(comm.dup().unwrap()),
                    1 => comms.push(comm.idup().unwrap().0),
                    2 => comms.push(taken_apart(&comm, random.below(2) == 0)),
                    3 => comms.push(reversed(&comm, random.below(4))),
                    4 if comms.len() > 1 => {
                        let place = 1 + random.below(comms.len() - 1);
                        comms.swap_remove(place).free().unwrap();
                    }
                    5 => comm.barrier().run().unwrap(),
                    _ => {
                        let (rank, size) = (comm.rank(), comm.size() as i32);
                        send_one(&comm, step * 10 + rank, (rank + 1) % size, 0);
                    }
                }
                assert_ne!(comm.compare(world), Comparison::Unequal);
            }
            // All messages that were sent on a live communicator arrive, in order. Messages on freed communicators
            // reach no receive.
            for comm in &comms {
                let left = (comm.rank() + comm.size() as i32 - 1) % comm.size() as i32;
                comm.barrier().run().unwrap();
                let mut last = -1;
                while comm.iprobe(left, 0).unwrap().is_some() {
                    let number = recv_one(comm, left, 0);
                    assert!(number % 10 == left && number / 10 > last);
                    last = number / 10;
                }
            }
        });
    }
}
