//! Collectives against naive references: random sizes, roots, operations and lengths, with every way of running ranks
//! and of carrying out a collective.

use crate::common;
use crate::common::{Runner, carry_out, into, out, run, run_hosts, run_hosts_over, run_with};
use simurgh_core::sync::{Arc, AtomicUsize, Ordering};
use simurgh_mpi::Comm;
use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Numbers, Parts, Source, Target};
use simurgh_mpi::op::{BuiltinOp, Op, UserOp};
use simurgh_net::transport::{Access, Loopback};
use simurgh_settings::{Id, Values};
use std::ffi::OsStr;
use std::ops::Range;

/// Sizes of communicators; the largest ones on the scheduler only.
const SIZES: [usize; 4] = [1, 2, 5, 16];

/// Numbers of hosts, of ranks on each, and rules that make them use every algorithm that hosts have for each other.
const HOSTS: [(u32, u32, &str); 4] = [
    (2, 3, "any=parcels"),
    (3, 2, "bcast=ring,reduce=halving,allreduce=ring,allgather=ring"),
    (5, 1, "allreduce=halving,allgather=bruck"),
    (
        4,
        2,
        "reduce=binomial,bcast=binomial,allreduce=doubling,scan=doubling,exscan=doubling",
    ),
];

/// Lengths between hosts: in one message with others, and alone.
fn lengths_between_hosts(size: usize) -> [usize; 4] {
    [0, 1, 100, 33_000 / size]
}

/// Lengths that are done by the last rank, and a length that is shared.
fn lengths(size: usize) -> [usize; 5] {
    [0, 1, 2, 100, 33_000 / size]
}

/// The datum of `rank` in `round` at `index`. It is the same for every caller.
fn datum(rank: usize, round: usize, index: usize) -> i32 {
    let mixed = (rank * 7919 + round * 104_729 + index * 31) as u64;
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i32 - (1 << 23)
}

fn data(rank: usize, round: usize, len: usize) -> Vec<i32> {
    (0..len).map(|index| datum(rank, round, index)).collect()
}

fn on_all_sizes(check: impl Fn(&Comm, usize, usize) + Send + Sync + Copy + 'static) {
    for size in SIZES {
        run(size, move |comm| {
            for (round, len) in lengths(size).into_iter().enumerate() {
                check(comm, round, len);
            }
        });
    }
    run_with(Runner::Contexts(2, None), 130, move |comm| {
        for (round, len) in [1, 200].into_iter().enumerate() {
            check(comm, round, len);
        }
    });
    on_several_hosts(check);
}

fn on_several_hosts(check: impl Fn(&Comm, usize, usize) + Send + Sync + Copy + 'static) {
    let on_each = move |comm: &Arc<Comm>| {
        for (round, len) in lengths_between_hosts(comm.size()).into_iter().enumerate() {
            check(comm, round, len);
        }
    };
    for (hosts, ranks, rules) in HOSTS {
        let mut settings = Values::default();
        settings
            .read(Id::Collectives, "the test", OsStr::new(rules))
            .unwrap();
        run_hosts_over(
            Loopback::hosts(hosts, Access::default()),
            ranks,
            &settings,
            on_each,
        );
    }
    run_hosts(2, 2, on_each);
}

fn numbers(counts: &[usize]) -> Numbers {
    counts.iter().map(|&count| count as i64).collect()
}

fn me(comm: &Comm) -> usize {
    comm.rank() as usize
}

/// A part for each rank, of which `len(rank)` elements are used, `gap` elements apart.
fn parts(buffer: &mut [i32], comm: &Comm, gap: usize, len: impl Fn(usize) -> usize) -> Parts<Target> {
    let mut rest = buffer;
    let mut parts = Vec::new();
    for rank in 0..comm.size() {
        let (part, others) = rest.split_at_mut(len(rank) + gap);
        parts.push(into(&mut part[..len(rank)]));
        rest = others;
    }
    Parts::Each(parts.into())
}

#[test]
fn a_barrier_waits_for_everybody() {
    let arrived = Arc::new(AtomicUsize::new(0));
    for size in SIZES {
        let counter = Arc::clone(&arrived);
        for runner in common::RUNNERS {
            counter.store(0, Ordering::SeqCst);
            let counter = Arc::clone(&counter);
            run_with(runner, size, move |comm| {
                for round in 1..50 {
                    counter.fetch_add(1, Ordering::SeqCst);
                    comm.barrier().run().unwrap();
                    assert!(counter.load(Ordering::SeqCst) >= round * size);
                }
            });
        }
    }
}

#[test]
fn bcast_gives_all_what_the_root_has() {
    on_all_sizes(|comm, round, len| {
        let root = round * 3 % comm.size();
        let mut buffer = if me(comm) == root {
            data(root, round, len)
        } else {
            vec![-1; len]
        };
        comm.bcast(&into(&mut buffer), root as i32)
            .and_then(carry_out)
            .unwrap();
        assert_eq!(buffer, data(root, round, len));
    });
}

#[test]
fn gather_and_scatter_are_inverse() {
    on_all_sizes(|comm, round, len| {
        let (rank, size, root) = (me(comm), comm.size(), (round * 5 + 1) % comm.size());
        let mine = data(rank, round, len);
        let mut all = vec![-1; len * size];
        let first = Parts::Even(into(&mut all[..len]));
        comm.gather(Some(&out(&mine)), Some(first.clone()), root as i32)
            .and_then(carry_out)
            .unwrap();
        let expected: Vec<i32> = (0..size).flat_map(|rank| data(rank, round, len)).collect();
        assert!(rank != root || all == expected);
        let mut back = vec![-1; len];
        comm.scatter(Some(first.as_source()), Some(&into(&mut back)), root as i32)
            .and_then(carry_out)
            .unwrap();
        assert_eq!(back, mine);
    });
}

#[test]
fn the_root_of_a_gather_may_work_in_place() {
    on_all_sizes(|comm, round, len| {
        let (rank, size, root) = (me(comm), comm.size(), round % comm.size());
        let mut all = vec![-1; len * size];
        all[rank * len..][..len].copy_from_slice(&data(rank, round, len));
        let mine = data(rank, round, len);
        let send = (rank != root).then(|| out(&mine));
        let first = Parts::Even(into(&mut all[..len]));
        comm.gather(send.as_ref(), (rank == root).then(|| first.clone()), root as i32)
            .and_then(carry_out)
            .unwrap();
        if rank == root {
            assert_eq!(
                all,
                (0..size)
                    .flat_map(|rank| data(rank, round, len))
                    .collect::<Vec<_>>()
            );
        }
        let mut back = vec![-1; len];
        let target = into(&mut back);
        let recv = (rank != root).then_some(&target);
        comm.scatter((rank == root).then(|| first.as_source()), recv, root as i32)
            .and_then(carry_out)
            .unwrap();
        assert!(rank == root || back == mine);
    });
}

#[test]
fn parts_of_different_lengths_go_where_they_belong() {
    on_all_sizes(|comm, round, len| {
        let (rank, size, root) = (me(comm), comm.size(), round % comm.size());
        let length = |rank: usize| (len / 8 + rank) % 700;
        let total: usize = (0..size).map(|rank| length(rank) + 2).sum();
        let mine = data(rank, round, length(rank));
        let expected: Vec<i32> = (0..size)
            .flat_map(|rank| data(rank, round, length(rank)).into_iter().chain([-1, -1]))
            .collect();
        let mut all = vec![-1; total];
        let recv = parts(&mut all, comm, 2, length);
        comm.gather(Some(&out(&mine)), Some(recv.clone()), root as i32)
            .and_then(carry_out)
            .unwrap();
        assert!(rank != root || all == expected);
        let mut back = vec![-1; mine.len()];
        comm.scatter(Some(recv.as_source()), Some(&into(&mut back)), root as i32)
            .and_then(carry_out)
            .unwrap();
        assert_eq!(back, mine);
        let mut everywhere = vec![-1; total];
        comm.allgather(Some(&out(&mine)), parts(&mut everywhere, comm, 2, length))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(everywhere, expected);
    });
}

#[test]
fn allgather_collects_everywhere() {
    on_all_sizes(|comm, round, len| {
        let (rank, size) = (me(comm), comm.size());
        let expected: Vec<i32> = (0..size).flat_map(|rank| data(rank, round, len)).collect();
        let mut all = vec![-1; len * size];
        let mine = data(rank, round, len);
        comm.allgather(Some(&out(&mine)), Parts::Even(into(&mut all[..len])))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(all, expected);
        let mut all = vec![-1; len * size];
        all[rank * len..][..len].copy_from_slice(&mine);
        comm.allgather(None, Parts::Even(into(&mut all[..len])))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(all, expected);
    });
}

#[test]
fn alltoall_transposes() {
    on_all_sizes(|comm, round, len| {
        let (rank, size, len) = (me(comm), comm.size(), len / 10);
        let part = |from: usize, to: usize| data(from * 1000 + to, round, len);
        let sent: Vec<i32> = (0..size).flat_map(|to| part(rank, to)).collect();
        let expected: Vec<i32> = (0..size).flat_map(|from| part(from, rank)).collect();
        let mut received = vec![-1; len * size];
        let send = Some(Parts::Even(out(&sent[..len])));
        comm.alltoall(send, Parts::Even(into(&mut received[..len])))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(received, expected);
        let mut replaced = sent.clone();
        comm.alltoall(None, Parts::Even(into(&mut replaced[..len])))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(replaced, expected);
    });
}

#[test]
fn alltoall_moves_parts_of_different_types_and_lengths() {
    on_all_sizes(|comm, round, _| {
        let (rank, size) = (me(comm), comm.size());
        let length = |from: usize, to: usize| (from * 3 + to * 5 + round) % 11;
        let part = |from: usize, to: usize| data(from * 1000 + to, round, length(from, to));
        let sent: Vec<Vec<i32>> = (0..size).map(|to| part(rank, to)).collect();
        // Received every second element, so the datatypes of the two sides differ.
        let int = Datatype::Basic(Basic::Int);
        let mut received: Vec<Vec<i32>> = (0..size).map(|from| vec![-1; 2 * length(from, rank)]).collect();
        let targets = received.iter_mut().enumerate().map(|(from, buffer)| {
            let spread = Datatype::vector(length(from, rank), 1, 2, &int).unwrap();
            // SAFETY:
            // - the vector's elements lie in the buffer, which lives longer than the call.
            unsafe { Target::new(buffer.as_mut_ptr().cast(), 1, spread) }
        });
        let recv = Parts::Each(targets.collect());
        let send = Parts::Each(sent.iter().map(|part| out(part)).collect());
        comm.alltoall(Some(send), recv).and_then(carry_out).unwrap();
        for (from, buffer) in received.iter().enumerate() {
            let expected: Vec<i32> = part(from, rank)
                .into_iter()
                .flat_map(|value| [value, -1])
                .collect();
            assert_eq!(*buffer, expected);
        }
    });
}

/// The result of a predefined operation on two numbers.
fn apply(op: BuiltinOp, left: i32, right: i32) -> i32 {
    match op {
        BuiltinOp::Sum => left.wrapping_add(right),
        BuiltinOp::Prod => left.wrapping_mul(right),
        BuiltinOp::Min => left.min(right),
        BuiltinOp::Max => left.max(right),
        BuiltinOp::Bxor => left ^ right,
        _ => i32::from((left != 0) && (right != 0)),
    }
}

const OPS: [BuiltinOp; 6] = [
    BuiltinOp::Sum,
    BuiltinOp::Prod,
    BuiltinOp::Min,
    BuiltinOp::Max,
    BuiltinOp::Bxor,
    BuiltinOp::Land,
];

/// The combination of the first `ranks` ranks' data.
fn combined(op: BuiltinOp, ranks: usize, round: usize, len: usize) -> Vec<i32> {
    combined_part(op, ranks, round, 0..len)
}

/// The elements of that with these numbers.
fn combined_part(op: BuiltinOp, ranks: usize, round: usize, part: Range<usize>) -> Vec<i32> {
    part.map(|index| {
        let values = (0..ranks).map(|rank| datum(rank, round, index));
        values.reduce(|left, right| apply(op, left, right)).unwrap_or(-1)
    })
    .collect()
}

#[test]
fn reductions_combine_all_ranks() {
    on_all_sizes(|comm, round, len| {
        let (rank, size, root) = (me(comm), comm.size(), round % comm.size());
        let op = OPS[round % OPS.len()];
        let expected = combined(op, size, round, len);
        let mine = data(rank, round, len);
        let mut result = vec![-1; len];
        comm.allreduce(Some(&out(&mine)), &into(&mut result), &Op::Builtin(op))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(result, expected);
        let mut in_place = mine.clone();
        comm.allreduce(None, &into(&mut in_place), &Op::Builtin(op))
            .and_then(carry_out)
            .unwrap();
        assert_eq!(in_place, expected);

        let mut at_root = mine.clone();
        let target = into(&mut at_root);
        let recv = (rank == root).then_some(&target);
        let source = out(&mine);
        comm.reduce(
            (rank != root).then_some(&source),
            recv,
            &Op::Builtin(op),
            root as i32,
        )
        .and_then(carry_out)
        .unwrap();
        assert_eq!(at_root, if rank == root { expected } else { mine });
    });
}

#[test]
fn prefixes_combine_the_ranks_before() {
    on_all_sizes(|comm, round, len| {
        let rank = me(comm);
        let op = OPS[(round + 2) % OPS.len()];
        let mine = data(rank, round, len);
        for in_place in [false, true] {
            let mut result = if in_place { mine.clone() } else { vec![-1; len] };
            let source = out(&mine);
            let send = (!in_place).then_some(&source);
            comm.scan(send, &into(&mut result), &Op::Builtin(op))
                .and_then(carry_out)
                .unwrap();
            assert_eq!(result, combined(op, rank + 1, round, len));
            let mut result = if in_place { mine.clone() } else { vec![-1; len] };
            comm.exscan(send, &into(&mut result), &Op::Builtin(op))
                .and_then(carry_out)
                .unwrap();
            assert!(rank == 0 || result == combined(op, rank, round, len));
        }
    });
}

#[test]
fn reduce_scatter_leaves_each_rank_its_part() {
    on_all_sizes(|comm, round, len| {
        let (rank, size) = (me(comm), comm.size());
        let counts: Vec<usize> = (0..size).map(|rank| (rank * 3 + len / 16) % 900).collect();
        let total = counts.iter().sum();
        let before: usize = counts[..rank].iter().sum();
        let own = before..before + counts[rank];
        let expected = combined_part(BuiltinOp::Sum, size, round, own);
        let mine = data(rank, round, total);
        let mut part = vec![-1; counts[rank]];
        comm.reduce_scatter(
            Some(&out(&mine)),
            &into(&mut part),
            numbers(&counts),
            &Op::Builtin(BuiltinOp::Sum),
        )
        .and_then(carry_out)
        .unwrap();
        assert_eq!(part, expected);
        let mut in_place = mine.clone();
        comm.reduce_scatter(
            None,
            &into(&mut in_place),
            numbers(&counts),
            &Op::Builtin(BuiltinOp::Sum),
        )
        .and_then(carry_out)
        .unwrap();
        assert_eq!(in_place[..counts[rank]], expected);
    });
}

/// Composition of the maps x -> a x + b, kept as pairs (a, b): associative, not commutative.
fn composition() -> Op {
    let compose = |input: &Source, inout: &Target| {
        let count = inout.count() * 2;
        // SAFETY:
        // - the tests use this operation on vectors of pairs of ints only, which are contiguous.
        let (left, right) = unsafe {
            (
                std::slice::from_raw_parts(input.address().cast::<i32>(), count),
                std::slice::from_raw_parts_mut(inout.address().cast::<i32>(), count),
            )
        };
        for (left, right) in left.chunks(2).zip(right.chunks_mut(2)) {
            let shift = left[0].wrapping_mul(right[1]).wrapping_add(left[1]);
            (right[0], right[1]) = (left[0].wrapping_mul(right[0]), shift);
        }
    };
    Op::User(Arc::new(UserOp::new(Box::new(compose), false)))
}

fn composed(ranks: usize, round: usize, len: usize) -> Vec<i32> {
    let compose = |left: [i32; 2], right: [i32; 2]| {
        [
            left[0].wrapping_mul(right[0]),
            left[0].wrapping_mul(right[1]).wrapping_add(left[1]),
        ]
    };
    let pair = |rank, index| [datum(rank, round, 2 * index), datum(rank, round, 2 * index + 1)];
    (0..len)
        .flat_map(|index| {
            (0..ranks)
                .map(|rank| pair(rank, index))
                .reduce(compose)
                .unwrap_or([-1; 2])
        })
        .collect()
}

fn pairs_out(data: &[i32], pair: &Datatype) -> Source {
    // SAFETY:
    // - the tests keep their buffers until the operations on them are complete.
    unsafe { Source::new(data.as_ptr().cast(), data.len() / 2, pair.clone()) }
}

fn pairs_into(data: &mut [i32], pair: &Datatype) -> Target {
    // SAFETY:
    // - the tests keep their buffers until the operations on them are complete.
    unsafe { Target::new(data.as_mut_ptr().cast(), data.len() / 2, pair.clone()) }
}

#[test]
fn operations_that_do_not_commute_keep_the_order_of_ranks() {
    on_all_sizes(|comm, round, len| {
        let (rank, size, op) = (me(comm), comm.size(), composition());
        let pair = Datatype::contiguous(2, &Datatype::Basic(Basic::Int)).unwrap();
        let mine = data(rank, round, 2 * len);
        let source = pairs_out(&mine, &pair);
        let mut result = vec![-1; 2 * len];
        comm.allreduce(Some(&source), &pairs_into(&mut result, &pair), &op)
            .and_then(carry_out)
            .unwrap();
        assert_eq!(result, composed(size, round, len));
        comm.scan(Some(&source), &pairs_into(&mut result, &pair), &op)
            .and_then(carry_out)
            .unwrap();
        assert_eq!(result, composed(rank + 1, round, len));
        let mut result = mine.clone();
        comm.exscan(None, &pairs_into(&mut result, &pair), &op)
            .and_then(carry_out)
            .unwrap();
        assert!(rank == 0 || result == composed(rank, round, len));
        let counts: Vec<usize> = (0..size)
            .map(|rank| len / size + usize::from(rank < len % size))
            .collect();
        let before: usize = counts[..rank].iter().sum();
        let mut part = vec![-1; 2 * counts[rank]];
        comm.reduce_scatter(
            Some(&source),
            &pairs_into(&mut part, &pair),
            numbers(&counts),
            &op,
        )
        .and_then(carry_out)
        .unwrap();
        assert_eq!(part, composed(size, round, len)[2 * before..][..2 * counts[rank]]);
    });
}

#[test]
fn sums_of_floats_are_those_of_a_loop_over_the_ranks() {
    run(13, |comm| {
        for len in [1, 30_000] {
            let value = |rank: usize, index: usize| 1.0 / (1.0 + rank as f64 * 3.7 + index as f64);
            let mine: Vec<f64> = (0..len).map(|index| value(me(comm), index)).collect();
            let mut sum = vec![0.0_f64; len];
            let double = Datatype::Basic(Basic::Double);
            // SAFETY:
            // - both buffers live longer than the call.
            let (source, target) = unsafe {
                (
                    Source::new(mine.as_ptr().cast(), len, double.clone()),
                    Target::new(sum.as_mut_ptr().cast(), len, double),
                )
            };
            comm.allreduce(Some(&source), &target, &Op::Builtin(BuiltinOp::Sum))
                .and_then(carry_out)
                .unwrap();
            for (index, sum) in sum.iter().enumerate() {
                let expected = (1..13).fold(value(0, index), |sum, rank| sum + value(rank, index));
                assert_eq!(sum.to_bits(), expected.to_bits());
            }
        }
    });
}

#[test]
fn disagreements_are_errors_and_write_nothing_outside() {
    run(4, |comm| {
        let rank = me(comm);
        let fail = |result: simurgh_mpi::Result<()>| result.map_err(|error| error.class()).unwrap_err();
        // Rank 2 has room for less than the root gives.
        for len in [8, 100_000] {
            let mut buffer = vec![rank as i32; len + 1];
            let room = if rank == 2 { len / 2 } else { len };
            let result = comm.bcast(&into(&mut buffer[..room]), 0).and_then(carry_out);
            assert!(rank != 2 || fail(result) == ErrorClass::Truncate);
            assert_eq!(buffer[room], rank as i32);
            // Different numbers of elements in a reduction.
            let mine = vec![1; room];
            let mut sum = vec![-1; len + 1];
            let result = comm
                .allreduce(
                    Some(&out(&mine)),
                    &into(&mut sum[..room]),
                    &Op::Builtin(BuiltinOp::Sum),
                )
                .and_then(carry_out);
            assert_eq!(fail(result), ErrorClass::Truncate);
            assert_eq!(sum[len], -1);
        }
        // Different roots, different calls, and agreement again.
        let mut one = [1];
        let scatter = |root: i32, one: &mut [i32]| {
            let all = [0; 4];
            let send = (root == comm.rank()).then(|| Parts::Even(out(&all[..1])));
            comm.scatter(send, Some(&into(one)), root).and_then(carry_out)
        };
        assert_eq!(fail(scatter(i32::from(rank == 3), &mut one)), ErrorClass::Root);
        let different = if rank == 1 {
            carry_out(comm.barrier())
        } else {
            scatter(0, &mut one)
        };
        assert_eq!(fail(different), ErrorClass::Other);
        comm.barrier().run().unwrap();
        // Two roots of a broadcast: one leads, and the other, at least, hears of it.
        let result = comm
            .bcast(&into(&mut one), i32::from(rank > 0))
            .and_then(simurgh_mpi::Collective::run);
        assert!(rank > 1 || result.is_ok() || fail(result) == ErrorClass::Root);
        comm.barrier().run().unwrap();
        // Wrong arguments.
        assert_eq!(
            fail(comm.bcast(&into(&mut one), 4).and_then(carry_out)),
            ErrorClass::Root
        );
        let double = Datatype::Basic(Basic::Double);
        // SAFETY:
        // - no elements.
        let none = unsafe { Target::new(std::ptr::null_mut(), 0, double) };
        assert_eq!(
            fail(
                comm.allreduce(None, &none, &Op::Builtin(BuiltinOp::Band))
                    .and_then(carry_out)
            ),
            ErrorClass::Op
        );
    });
}
