//! Meetings of ranks that wander, of ranks of different kinds, and of several communicators at a time.

use crate::common::{RUNNERS, Runner, into, out, run_with};
use simurgh_core::{migrate, yield_now};
use simurgh_mpi::limits::PACKET;
use simurgh_mpi::op::{BuiltinOp, Op};
use simurgh_mpi::{Comm, ErrorClass};

/// The runners of the other tests, and those whose ranks are of different kinds or have several processors to wander
/// between, more than ranks too.
fn runners() -> impl Iterator<Item = Runner> {
    RUNNERS.into_iter().chain([
        Runner::Contexts(3, None),
        Runner::Contexts(9, None),
        Runner::Contexts(2, Some(7)),
        Runner::Mixed(1),
        Runner::Mixed(2),
    ])
}

/// The sum of one number of each rank.
fn sum(comm: &Comm, mine: i32) -> i32 {
    let mut sum = [-1];
    comm.allreduce(Some(&out(&[mine])), &into(&mut sum), &Op::Builtin(BuiltinOp::Sum))
        .expect("the arguments are right")
        .run()
        .expect("all ranks do the same");
    sum[0]
}

/// A number that each rank draws for itself (xorshift).
fn draw(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

#[test]
fn ranks_meet_wherever_they_are_and_whatever_they_do_between() {
    const RANKS: i32 = 6;
    for runner in runners() {
        run_with(runner, RANKS as usize, |world| {
            let me = world.rank();
            let halves = world.split(me % 2, me).expect("a colour").expect("a half");
            let copy = world.dup().expect("a copy");
            let mut state = 77 + me.cast_unsigned();
            for round in 0..300 {
                match draw(&mut state) % 4 {
                    0 => migrate(draw(&mut state) as usize),
                    1 => yield_now(),
                    _ => {}
                }
                assert_eq!(sum(world, me * round), round * RANKS * (RANKS - 1) / 2);
                if round % 3 == me % 2 {
                    // The halves do not meet as often as each other.
                    assert_eq!(sum(&halves, 1), RANKS / 2);
                }
                copy.barrier().run().expect("all ranks do the same");
            }
        });
    }
}

#[test]
fn reductions_of_all_lengths_are_those_of_a_loop_over_the_ranks() {
    const RANKS: usize = 5;
    for runner in runners() {
        run_with(runner, RANKS, |comm| {
            let me = comm.rank() as usize;
            let max = Op::Builtin(BuiltinOp::Bor);
            let data = |rank: usize, len: usize| -> Vec<u8> {
                (0..len)
                    .map(|index| ((rank * 31 + index * 7) % 251) as u8)
                    .collect()
            };
            for len in 0..=PACKET + 4 {
                let expected: Vec<u8> = (0..len)
                    .map(|index| (0..RANKS).fold(0, |all, rank| all | data(rank, len)[index]))
                    .collect();
                let mine = data(me, len);
                let mut result = vec![0; len + 1];
                let call = comm.allreduce(Some(&out(&mine)), &into(&mut result[..len]), &max);
                call.and_then(simurgh_mpi::Collective::run).expect("right");
                assert_eq!((&result[..len], result[len]), (&expected[..], 0));
                let mut in_place = mine.clone();
                let call = comm.allreduce(None, &into(&mut in_place), &max);
                call.and_then(simurgh_mpi::Collective::run).expect("right");
                assert_eq!(in_place, expected);
                let root = len % RANKS;
                let mut at_root = mine.clone();
                let (send, recv) = (out(&mine), into(&mut at_root));
                let is_root = me == root;
                let call = comm.reduce((!is_root).then_some(&send), Some(&recv), &max, root as i32);
                call.and_then(simurgh_mpi::Collective::run).expect("right");
                assert_eq!(at_root, if is_root { &expected } else { &mine }.clone());
            }
        });
    }
}

#[test]
fn ranks_that_bring_different_lengths_are_told_and_can_go_on() {
    for runner in runners() {
        run_with(runner, 4, |comm| {
            for (usual, odd) in [(2, 1), (1, 100), (100, 1), (3, 0)] {
                let len = if comm.rank() == 2 { odd } else { usual };
                let (mine, mut result) = (vec![1; len], vec![-1; len + 1]);
                let error = comm
                    .allreduce(
                        Some(&out(&mine)),
                        &into(&mut result[..len]),
                        &Op::Builtin(BuiltinOp::Sum),
                    )
                    .and_then(simurgh_mpi::Collective::run)
                    .expect_err("they do not fit");
                assert_eq!(error.class(), ErrorClass::Truncate);
                assert_eq!(result, vec![-1; len + 1]);
            }
            assert_eq!(sum(comm, 1), 4);
        });
    }
}
