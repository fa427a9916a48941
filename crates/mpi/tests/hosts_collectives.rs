//! Collectives of ranks on several hosts: what differs from those on one.

use crate::common::{carry_out, into, out, recv_one, run_hosts, run_hosts_over, send_one};
use simurgh_mpi::constants::{PROC_NULL, ROOT};
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Parts, Source, Target, pack, unpack};
use simurgh_mpi::op::{BuiltinOp, Op, UserOp};
use simurgh_mpi::{Collective, Comm, ErrorClass, Result};
use simurgh_net::transport::{Access, Conditions, Loopback, Simulated};
use simurgh_settings::{Id, Values};
use std::ffi::OsStr;
use std::sync::Arc;

const SUM: Op = Op::Builtin(BuiltinOp::Sum);

/// Ranks on each host, of which there are two.
const RANKS: u32 = 2;

fn on_first_host(comm: &Comm) -> bool {
    comm.rank() < RANKS.cast_signed()
}

fn fault(outcome: Result<()>) -> ErrorClass {
    outcome.expect_err("it is a mistake").class()
}

fn total(comm: &Comm, mine: &[i32]) -> Result<Vec<i32>> {
    let mut sum = vec![0; mine.len()];
    comm.allreduce(Some(&out(mine)), &into(&mut sum), &SUM)
        .and_then(carry_out)?;
    Ok(sum)
}

#[test]
fn hosts_notice_that_they_are_in_different_calls() {
    run_hosts(2, RANKS, |comm| {
        for _ in 0..4 {
            let outcome = match on_first_host(comm) {
                true => carry_out(comm.barrier()),
                false => total(comm, &[1]).map(drop),
            };
            assert_eq!(fault(outcome), ErrorClass::Other);
            assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
        }
    });
}

#[test]
fn lengths_that_differ_between_hosts_are_told() {
    run_hosts(2, RANKS, |comm| {
        for len in [10, 3000] {
            let mine = vec![1; if on_first_host(comm) { len } else { len + 1 }];
            assert_eq!(fault(total(comm, &mine).map(drop)), ErrorClass::Truncate);
            assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
        }
    });
}

/// Long data goes in messages of its own, and short data does not.
#[test]
fn short_data_where_another_host_has_long_data_is_told() {
    run_hosts(2, RANKS, |comm| {
        for (short, long) in [(1, 3000), (0, 3000), (0, 1), (10, 100_000)] {
            for first_is_long in [false, true] {
                let len = if on_first_host(comm) == first_is_long {
                    long
                } else {
                    short
                };
                assert_eq!(fault(total(comm, &vec![1; len]).map(drop)), ErrorClass::Truncate);
                assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
            }
        }
    });
}

#[test]
fn nobody_waits_for_a_host_whose_ranks_disagree() {
    run_hosts(2, RANKS, |comm| {
        for _ in 0..4 {
            let outcome = match comm.rank() {
                0 => total(comm, &[1]).map(drop),
                _ => carry_out(comm.barrier()),
            };
            assert_eq!(fault(outcome), ErrorClass::Other);
            assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
        }
    });
}

#[test]
fn who_starts_a_collective_waits_for_no_other_host() {
    run_hosts(2, RANKS, |comm| {
        let (rank, size) = (comm.rank(), comm.size() as i32);
        let (mine, mut sum) = ([rank], [0]);
        if on_first_host(comm) {
            let all = comm
                .allreduce(Some(&out(&mine)), &into(&mut sum), &SUM)
                .and_then(Collective::start);
            send_one(comm, rank, rank + RANKS.cast_signed(), 0);
            all.unwrap().wait();
        } else {
            assert_eq!(
                recv_one(comm, rank - RANKS.cast_signed(), 0),
                rank - RANKS.cast_signed()
            );
            let all = comm
                .allreduce(Some(&out(&mine)), &into(&mut sum), &SUM)
                .and_then(Collective::start);
            all.unwrap().wait();
        }
        assert_eq!(sum, [size * (size - 1) / 2]);
    });
}

#[test]
fn many_collectives_are_under_way_between_hosts() {
    const MANY: usize = 40;
    run_hosts(3, RANKS, |comm| {
        let mine: Vec<[i32; 1]> = (0..MANY).map(|index| [comm.rank() + index as i32]).collect();
        let mut sums = vec![[0]; MANY];
        let started: Vec<_> = mine
            .iter()
            .zip(&mut sums)
            .map(|(mine, sum)| {
                comm.allreduce(Some(&out(mine)), &into(sum), &SUM)
                    .and_then(Collective::start)
                    .unwrap()
            })
            .collect();
        comm.barrier().run().unwrap();
        for request in started.iter().rev() {
            request.result(request.wait()).unwrap();
        }
        let size = comm.size() as i32;
        for (index, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, [size * (size - 1) / 2 + size * index as i32]);
        }
    });
}

/// An operation that does not commute: the composition of functions `x -> a x + b`, which lead from one number of a
/// sequence to the next.
fn chaining() -> (Op, Datatype) {
    let numbers = |source: &Source| {
        let mut bytes = vec![0; source.bytes()];
        pack(source, &mut bytes);
        let number = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().expect("four bytes"));
        bytes.chunks_exact(4).map(number).collect::<Vec<_>>()
    };
    let function = move |input: &Source, inout: &Target| {
        let (first, second) = (numbers(input), numbers(&inout.as_source()));
        let chained = first
            .chunks(2)
            .zip(second.chunks(2))
            .flat_map(|(one, two)| chain(one, two));
        let bytes: Vec<u8> = chained.flat_map(i32::to_le_bytes).collect();
        unpack(&bytes, inout);
    };
    let pair = Datatype::contiguous(2, &Datatype::Basic(Basic::Int32)).expect("a pair");
    pair.commit();
    (Op::User(Arc::new(UserOp::new(Box::new(function), false))), pair)
}

fn chain(one: &[i32], two: &[i32]) -> [i32; 2] {
    [
        one[0].wrapping_mul(two[0]),
        one[1].wrapping_mul(two[0]).wrapping_add(two[1]),
    ]
}

fn step_of(rank: usize) -> [i32; 2] {
    [2 * rank as i32 + 3, 7 - rank as i32]
}

fn chained(ranks: std::ops::Range<usize>) -> [i32; 2] {
    let steps = ranks.map(step_of);
    steps.reduce(|one, two| chain(&one, &two)).expect("at least one")
}

/// A communicator in which the ranks of different hosts take turns.
fn mixed(world: &Arc<Comm>) -> Arc<Comm> {
    let (rank, ranks) = (world.rank(), RANKS.cast_signed());
    let key = rank % ranks * 100 - rank / ranks;
    world.split(0, key).unwrap().expect("all are in it")
}

#[test]
fn operands_stay_in_order_however_ranks_sit() {
    run_hosts(3, RANKS, |world| {
        let (op, pair) = chaining();
        for comm in [Arc::clone(world), mixed(world)] {
            let (rank, size) = (comm.rank() as usize, comm.size());
            let mine = step_of(rank);
            let mut got = [0; 2];
            // SAFETY:
            // - both buffers outlive the calls.
            let (send, recv) = unsafe {
                (
                    Source::new(mine.as_ptr().cast(), 1, pair.clone()),
                    Target::new(got.as_mut_ptr().cast(), 1, pair.clone()),
                )
            };
            let all = chained(0..size);
            comm.allreduce(Some(&send), &recv, &op)
                .and_then(carry_out)
                .unwrap();
            assert_eq!(got, all);
            let root = size as i32 / 2;
            comm.reduce(Some(&send), Some(&recv), &op, root)
                .and_then(carry_out)
                .unwrap();
            assert_eq!(got, all);
            comm.scan(Some(&send), &recv, &op).and_then(carry_out).unwrap();
            assert_eq!(got, chained(0..rank + 1));
            comm.exscan(Some(&send), &recv, &op).and_then(carry_out).unwrap();
            assert_eq!(got, if rank == 0 { mine } else { chained(0..rank) });
            let everything = vec![mine; size];
            // SAFETY:
            // - as above.
            let send = unsafe { Source::new(everything.as_ptr().cast(), size, pair.clone()) };
            comm.reduce_scatter_block(Some(&send), &recv, 1, &op)
                .and_then(carry_out)
                .unwrap();
            assert_eq!(got, all);
        }
    });
}

#[test]
fn data_finds_its_rank_however_ranks_sit() {
    run_hosts(3, RANKS, |world| {
        let comm = mixed(world);
        let (rank, size) = (comm.rank(), comm.size());
        for len in [1, 5000] {
            let mine = vec![rank; len];
            let mut all = vec![-1; len * size];
            let parts = |all: &mut [i32]| Parts::Even(into(&mut all[..len]));
            comm.allgather(Some(&out(&mine)), parts(&mut all))
                .and_then(carry_out)
                .unwrap();
            assert!(
                (0..)
                    .zip(all.chunks(len))
                    .all(|(from, part)| part.iter().all(|number| *number == from))
            );
            let given: Vec<i32> = (0..size as i32)
                .flat_map(|to| vec![100 * rank + to; len])
                .collect();
            let send = Parts::Even(out(&given[..len]));
            comm.alltoall(Some(send), parts(&mut all))
                .and_then(carry_out)
                .unwrap();
            let right = |from: i32, part: &[i32]| part.iter().all(|number| *number == 100 * from + rank);
            assert!((0..).zip(all.chunks(len)).all(|(from, part)| right(from, part)));
            let mut there = given.clone();
            comm.alltoall(None, parts(&mut there))
                .and_then(carry_out)
                .unwrap();
            assert!((0..).zip(there.chunks(len)).all(|(from, part)| right(from, part)));
        }
    });
}

/// The even and the odd ranks of the world.
fn even_and_odd(world: &Arc<Comm>) -> Arc<Comm> {
    let half = world.split(world.rank() % 2, 0).unwrap().expect("all are in one");
    let leads = half.rank() == 0;
    half.create_inter(0, leads.then_some(&**world), 1 - world.rank() % 2, 3)
        .unwrap()
}

#[test]
fn two_groups_exchange_data_between_hosts() {
    run_hosts(3, RANKS + 1, |world| {
        let inter = even_and_odd(world);
        let (rank, size, peers) = (inter.rank(), inter.size(), inter.peers());
        let is_even = world.rank() % 2 == 0;
        carry_out(inter.barrier()).unwrap();
        for (len, even_gives) in [(1, true), (4000, false)] {
            let gives = is_even == even_gives;
            let (mine, mut all) = (vec![rank; len], vec![-1; len * peers]);
            let role = if !gives {
                1
            } else if rank == 1 {
                ROOT
            } else {
                PROC_NULL
            };
            let mut news = mine.clone();
            inter.bcast(&into(&mut news), role).and_then(carry_out).unwrap();
            assert!(gives || news == vec![1; len]);
            let from_all = |all: &[i32]| {
                (0..)
                    .zip(all.chunks(len))
                    .all(|(from, part)| part == vec![from; len])
            };
            let first = Parts::Even(into(&mut all[..len]));
            inter
                .gather(Some(&out(&mine)), Some(first.clone()), role)
                .and_then(carry_out)
                .unwrap();
            assert!(role != ROOT || from_all(&all));
            let mut part = vec![-1; len];
            inter
                .scatter(Some(first.as_source()), Some(&into(&mut part)), role)
                .and_then(carry_out)
                .unwrap();
            assert!(gives || part == vec![rank; len]);
            inter
                .allgather(Some(&out(&mine)), first.clone())
                .and_then(carry_out)
                .unwrap();
            assert!(from_all(&all));
            let given: Vec<i32> = (0..peers as i32)
                .flat_map(|to| vec![100 * rank + to; len])
                .collect();
            let send = Parts::Even(out(&given[..len]));
            inter.alltoall(Some(send), first).and_then(carry_out).unwrap();
            let right = |(from, part): (i32, &[i32])| part.iter().all(|number| *number == 100 * from + rank);
            assert!((0..).zip(all.chunks(len)).all(right));
            let sum = (0..peers as i32).sum::<i32>();
            let mut total = vec![-1; len];
            inter
                .reduce(Some(&out(&mine)), Some(&into(&mut total)), &SUM, role)
                .and_then(carry_out)
                .unwrap();
            assert!(role != ROOT || total == vec![sum; len]);
            inter
                .allreduce(Some(&out(&mine)), &into(&mut total), &SUM)
                .and_then(carry_out)
                .unwrap();
            assert_eq!(total, vec![sum; len]);
            // As many elements from each of one group as the other takes.
            let brought = vec![rank; size * peers];
            let mut share = vec![-1; peers];
            inter
                .reduce_scatter_block(Some(&out(&brought)), &into(&mut share), peers, &SUM)
                .and_then(carry_out)
                .unwrap();
            assert_eq!(share, vec![sum; peers]);
        }
    });
}

#[test]
fn all_checks_compare_what_ranks_of_all_hosts_bring() {
    let mut settings = Values::default();
    settings
        .read(Id::Check, "the test", OsStr::new("all"))
        .expect("a kind of check");
    run_hosts_over(Loopback::hosts(3, Access::default()), RANKS, &settings, |comm| {
        let (rank, mut sum, mut part) = (comm.rank(), [0], [0; 2]);
        let fault = |outcome: Result<()>| {
            let error = outcome.expect_err("it is a mistake");
            (error.class(), error.message().to_owned())
        };
        let op = Op::Builtin(if rank == 5 { BuiltinOp::Max } else { BuiltinOp::Sum });
        let (class, message) = fault(
            comm.allreduce(Some(&out(&[1])), &into(&mut sum), &op)
                .and_then(carry_out),
        );
        assert_eq!(class, ErrorClass::Op);
        assert!(
            message.contains("MPI_SUM") && message.contains("MPI_MAX"),
            "{message}"
        );
        let root = i32::from(rank > 3);
        let (class, message) = fault(comm.bcast(&into(&mut sum), root).and_then(carry_out));
        assert_eq!(class, ErrorClass::Root);
        assert!(
            message.contains("rank 4 calls MPI_Bcast with root 1"),
            "{message}"
        );
        let taken = if rank == 3 { 2 } else { 1 };
        let (class, message) = fault(comm.bcast(&into(&mut part[..taken]), 0).and_then(carry_out));
        assert_eq!(class, ErrorClass::Count);
        assert!(
            message.contains("rank 0 sends 1 ") && message.contains("but rank 3 takes 2 "),
            "{message}"
        );
        comm.allreduce(Some(&out(&[1])), &into(&mut sum), &SUM)
            .and_then(carry_out)
            .unwrap();
        assert_eq!(sum, [6]);
        let inter = even_and_odd(comm);
        let own = if inter.rank() == 2 { PROC_NULL } else { 0 };
        let role = if comm.rank() % 2 == 1 {
            own
        } else if inter.rank() == 0 {
            ROOT
        } else {
            PROC_NULL
        };
        let (class, message) = fault(inter.bcast(&into(&mut sum), role).and_then(carry_out));
        assert_eq!(class, ErrorClass::Root, "{message}");
    });
}

/// Rules by which every operation that can be done in slices is.
const SLICED: &str = "bcast:::hosts=binomial/3,allgather:::hosts=ring/2,alltoall:::hosts=parcels/3,\
                      reduce:::hosts=halving/2,allreduce:::hosts=ring/4,reduce_scatter:::hosts=pairwise/3";

fn with(id: Id, value: &str) -> Values {
    let mut settings = Values::default();
    settings
        .read(id, "the test", OsStr::new(value))
        .expect("a value of the setting");
    settings
}

#[test]
fn slices_go_their_own_ways() {
    let settings = with(Id::Collectives, SLICED);
    for (seed, hosts) in (1..).zip([2, 3, 4]) {
        let conditions = Conditions {
            seed,
            ..Conditions::default()
        };
        run_hosts_over(Simulated::hosts(hosts, conditions), 3, &settings, |comm| {
            let (rank, size) = (comm.rank() as usize, comm.size());
            for len in [0, 1, 5, 3000, 20_000] {
                let number = |rank: usize, index: usize| (rank * 31 + index) as i32;
                let of =
                    |rank: usize, len: usize| (0..len).map(|index| number(rank, index)).collect::<Vec<_>>();
                let sum_of = |index: usize| (0..size).map(|rank| number(rank, index)).sum::<i32>();
                let sums: Vec<i32> = (0..len).map(sum_of).collect();
                let mine = of(rank, len);
                assert_eq!(total(comm, &mine).unwrap(), sums);
                let mut there = mine.clone();
                let all = comm.allreduce(None, &into(&mut there), &SUM);
                let started = all.and_then(Collective::start).unwrap();
                started.result(started.wait()).unwrap();
                assert_eq!(there, sums);
                let root = size - 1;
                let mut there = mine.clone();
                comm.bcast(&into(&mut there), root as i32)
                    .and_then(carry_out)
                    .unwrap();
                assert_eq!(there, of(root, len));
                let mut sum = vec![0; len];
                comm.reduce(Some(&out(&mine)), Some(&into(&mut sum)), &SUM, root as i32)
                    .and_then(carry_out)
                    .unwrap();
                assert!(rank != root || sum == sums);
                let mut all = vec![0; len * size];
                comm.allgather(Some(&out(&mine)), Parts::Even(into(&mut all[..len])))
                    .and_then(carry_out)
                    .unwrap();
                assert!((0..size).all(|from| all[from * len..][..len] == of(from, len)));
                let given = of(rank, len * size);
                comm.alltoall(
                    Some(Parts::Even(out(&given[..len]))),
                    Parts::Even(into(&mut all[..len])),
                )
                .and_then(carry_out)
                .unwrap();
                assert!(
                    (0..size)
                        .all(|from| all[from * len..][..len] == of(from, len * size)[rank * len..][..len])
                );
                let mut part = vec![0; len];
                comm.reduce_scatter_block(Some(&out(&given)), &into(&mut part), len, &SUM)
                    .and_then(carry_out)
                    .unwrap();
                assert!((0..len).all(|index| part[index] == sum_of(rank * len + index)));
            }
        });
    }
}

/// Hosts that do it in slices and hosts that do not, because they bring more or less.
#[test]
fn nobody_waits_for_slices_that_another_host_does_not_make() {
    let rules = "bcast:1K::hosts=binomial/3,allreduce:1K::hosts=ring/4,allgather:1K::hosts=ring/2";
    run_hosts_over(
        Loopback::hosts(3, Access::default()),
        RANKS,
        &with(Id::Collectives, rules),
        |comm| {
            for (short, long) in [(10, 300), (10, 100_000)] {
                for odd in 0..3 {
                    let host = comm.rank() / RANKS.cast_signed();
                    let mine = vec![1; if host == odd { short } else { long }];
                    assert_eq!(fault(total(comm, &mine).map(drop)), ErrorClass::Truncate);
                    assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
                }
            }
        },
    );
}

/// One host sends what another never takes, because that has failed.
#[test]
fn nobody_waits_for_a_host_that_has_failed_to_receive() {
    run_hosts(3, RANKS, |comm| {
        let host = comm.rank() / RANKS.cast_signed();
        for len in [10, 100_000] {
            // In a call of its own, the host in the middle does not receive what the first one sends.
            for odd in 0..3 {
                let mut data = vec![comm.rank(); len];
                let outcome = match host == odd {
                    true => carry_out(comm.barrier()),
                    false => total(comm, &data).map(drop),
                };
                assert_eq!(fault(outcome), ErrorClass::Other);
                if host != 0 {
                    data.truncate(len - 1);
                }
                // The root may be done before it hears of it.
                let outcome = comm.bcast(&into(&mut data), 0).and_then(carry_out);
                assert!(host == 0 || fault(outcome) == ErrorClass::Truncate);
                assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
            }
        }
        let mine = [comm.rank()];
        let mut sum = [0];
        let send = out(if host == 1 { &mine[..0] } else { &mine[..] });
        let again = comm
            .allreduce(Some(&send), &into(&mut sum), &SUM)
            .unwrap()
            .persistent();
        for _ in 0..10 {
            again.start().unwrap();
            assert!(again.result(again.wait()).is_err());
        }
        assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
    });
}
