//! Algorithms between hosts against naive references, for all numbers of hosts that are special in some way.

use super::accumulator::{Accumulator, Piece};
use super::blocks::Blocks;
use super::channel::Channel;
use super::cost::{Cost, Size};
use super::mock::{CONVERSATIONS, Mock, on_hosts, sent};
use super::parcel::{Key, pack as pack_parcel};
use super::slices::in_slices;
use super::transport::Pending;
use super::{binomial, bruck, dissemination, doubling, halving, pairwise, ring};
use crate::datatype::{Basic, Datatype};
use crate::error::{Error, ErrorClass, Result};
use crate::limits::RING_SEGMENT;
use crate::memory::{ElementBuffer, Source, StagingBuffer, Target, bytes_of, pack, transfer, unpack};
use crate::op::{BuiltinOp, Op, UserOp};
use crate::selection::SelectionTable;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_settings::rules::{Algorithm, Operation};

const HOSTS: std::ops::RangeInclusive<usize> = 1..=17;

/// Numbers of elements, with fewer than there are hosts.
const COUNTS: [usize; 4] = [0, 1, 7, 300];

/// The step from one number of a sequence to the next: `x -> a x + b`.
type Step = [u32; 2];

/// The composition of two steps, which does not commute.
fn chain(first: Step, second: Step) -> Step {
    let [a, b] = first;
    let [c, d] = second;
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

fn steps_of(source: &Source) -> Vec<Step> {
    let mut bytes = vec![0; source.bytes()];
    pack(source, &mut bytes);
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    bytes
        .chunks_exact(8)
        .map(|step| [number(&step[..4]), number(&step[4..])])
        .collect()
}

fn put(steps: &[Step], target: &Target) {
    let bytes: Vec<u8> = steps
        .iter()
        .flatten()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    unpack(&bytes, target);
}

/// Chaining as an operation of the program.
fn chaining() -> Op {
    let function = |input: &Source, inout: &Target| {
        let chained: Vec<_> = steps_of(input)
            .into_iter()
            .zip(steps_of(&inout.as_source()))
            .map(|(first, second)| chain(first, second))
            .collect();
        put(&chained, inout);
    };
    Op::User(Arc::new(UserOp::new(Box::new(function), false)))
}

fn step_type() -> Datatype {
    Datatype::contiguous(2, &Datatype::Basic(Basic::Int)).unwrap()
}

/// The operand of a host.
fn brought(host: usize, count: usize) -> Vec<Step> {
    let number =
        |index: usize, salt: usize| ((host * 7919 + index * 31 + salt) as u32).wrapping_mul(0x9e37_79b9);
    (0..count)
        .map(|index| [number(index, 1) | 1, number(index, 2)])
        .collect()
}

/// The operands of some hosts, composed in their order.
fn chained(hosts: std::ops::Range<usize>, count: usize) -> Vec<Step> {
    let mut hosts = hosts.map(|host| brought(host, count));
    let first = hosts.next().unwrap();
    hosts.fold(first, |so_far, next| {
        so_far.into_iter().zip(next).map(|(a, b)| chain(a, b)).collect()
    })
}

fn accumulator<'a>(op: &'a Op, host: usize, count: usize) -> Accumulator<'a> {
    let accumulator = Accumulator::new(op, &ElementBuffer::new(&step_type(), count).source()).unwrap();
    put(&brought(host, count), &accumulator.value(accumulator.all()));
    accumulator
}

/// The value of each host after an algorithm.
fn after(
    hosts: usize,
    count: usize,
    algorithm: impl Fn(&Channel<'_, Mock>, &Accumulator<'_>) -> Result<()> + Sync,
) -> Vec<Vec<Step>> {
    let op = chaining();
    on_hosts(hosts, |channel| {
        let accumulator = accumulator(&op, channel.own(), count);
        algorithm(channel, &accumulator).unwrap();
        steps_of(&accumulator.value(accumulator.all()).as_source())
    })
}

#[test]
fn operands_are_combined_in_order_at_all_hosts() {
    for hosts in HOSTS {
        for count in COUNTS {
            let expected = vec![chained(0..hosts, count); hosts];
            assert_eq!(
                after(hosts, count, doubling::allreduce),
                expected,
                "{hosts} hosts, {count} elements"
            );
            assert_eq!(
                after(hosts, count, halving::allreduce),
                expected,
                "{hosts} hosts, {count} elements"
            );
        }
    }
}

#[test]
fn operands_are_combined_in_order_at_one_host() {
    for hosts in HOSTS {
        for (count, root) in COUNTS.into_iter().zip([0, hosts - 1, hosts / 2, 1 % hosts]) {
            let expected = chained(0..hosts, count);
            let up_a_tree = after(hosts, count, |channel, accumulator| {
                binomial::reduce(channel, accumulator, root, false)
            });
            assert_eq!(up_a_tree[root], expected, "{hosts} hosts, root {root}");
            let by_halves = after(hosts, count, |channel, accumulator| {
                halving::reduce(channel, accumulator, root)
            });
            assert_eq!(by_halves[root], expected, "{hosts} hosts, root {root}");
        }
    }
}

#[test]
fn prefixes_are_those_of_the_hosts_before() {
    let op = chaining();
    for hosts in HOSTS {
        let before = on_hosts(hosts, |channel| {
            let accumulator = accumulator(&op, channel.own(), 5);
            let before = doubling::exscan(channel, &accumulator).unwrap();
            before.map(|before| steps_of(&before.source()))
        });
        for (host, before) in before.into_iter().enumerate() {
            assert_eq!(
                before,
                (host > 0).then(|| chained(0..host, 5)),
                "host {host} of {hosts}"
            );
        }
    }
}

#[test]
fn each_host_gets_its_pieces_combined_in_order() {
    let op = chaining();
    for hosts in HOSTS {
        // Two pieces for each host, the second ones behind all first ones and as long as the host's number.
        let before = |host: usize| 3 * hosts + (0..host).sum::<usize>();
        let pieces = |host: usize| -> Vec<Piece> { vec![(3 * host, 3), (before(host), host)] };
        let count = 3 * hosts + hosts * (hosts - 1) / 2;
        let expected = chained(0..hosts, count);
        let got = on_hosts(hosts, |channel| {
            let accumulator = accumulator(&op, channel.own(), count);
            let mut got = Vec::new();
            pairwise::reduce_scatter(channel, &accumulator, pieces, |index, combined| {
                let (_, len) = pieces(channel.own())[index];
                let result = ElementBuffer::new(&step_type(), len);
                combined(&result.target());
                got.push(steps_of(&result.source()));
            })
            .unwrap();
            got
        });
        for (host, got) in got.into_iter().enumerate() {
            let wanted = pieces(host)
                .into_iter()
                .map(|(start, len)| expected[start..start + len].to_vec());
            assert_eq!(got, wanted.collect::<Vec<_>>(), "host {host} of {hosts}");
        }
    }
}

#[test]
fn operations_that_commute_go_around_a_ring_and_up_a_tree_to_any_host() {
    let op: Op = BuiltinOp::Sum.into();
    let like = ElementBuffer::new(&Datatype::Basic(Basic::Int), 100);
    let filled = |host: usize| {
        let accumulator = Accumulator::new(&op, &like.source()).unwrap();
        unpack(&[host as u8 + 1; 400], &accumulator.value(accumulator.all()));
        accumulator
    };
    let seen = |accumulator: &Accumulator<'_>| {
        let mut bytes = vec![0; 400];
        pack(&accumulator.value(accumulator.all()).as_source(), &mut bytes);
        bytes
    };
    for hosts in HOSTS {
        let sum = vec![(hosts * (hosts + 1) / 2) as u8; 400];
        let around = on_hosts(hosts, |channel| {
            let accumulator = filled(channel.own());
            ring::allreduce(channel, &accumulator).unwrap();
            seen(&accumulator)
        });
        assert_eq!(around, vec![sum.clone(); hosts]);
        let root = hosts / 3;
        let up = on_hosts(hosts, |channel| {
            let accumulator = filled(channel.own());
            binomial::reduce(channel, &accumulator, root, true).unwrap();
            seen(&accumulator)
        });
        assert_eq!(up[root], sum);
    }
}

#[test]
fn blocks_reach_all_hosts() {
    let length = |host: usize| host * 13 % 5 * 1000;
    for hosts in HOSTS {
        let expected: Vec<u8> = (0..hosts)
            .flat_map(|host| vec![host as u8; length(host)])
            .collect();
        for spread in [ring::allgather::<Mock>, bruck::allgather::<Mock>] {
            let got = on_hosts(hosts, |channel| {
                let (own, blocks) = (channel.own(), Blocks::new((0..hosts).map(length)));
                let mine = vec![own as u8; length(own)];
                transfer(&bytes_of(&mine), &blocks.of(own..own + 1));
                spread(channel, &blocks).unwrap();
                let mut got = vec![0; expected.len()];
                pack(&blocks.of(0..hosts).as_source(), &mut got);
                got
            });
            assert_eq!(got, vec![expected.clone(); hosts]);
        }
    }
}

#[test]
fn the_roots_data_reaches_all_hosts() {
    for hosts in HOSTS {
        for (length, root) in [(0, 0), (5, hosts - 1), (2 * RING_SEGMENT + 3, hosts / 2)] {
            let data: Vec<u8> = (0..length).map(|index| (index * 7 % 251) as u8).collect();
            let reach = |along_a_ring: bool| {
                on_hosts(hosts, |channel| {
                    let store = StagingBuffer::new(length);
                    let (own, room) = (store.source(0, length), store.target(0, length));
                    let is_root = channel.own() == root;
                    let (source, target) = if is_root {
                        (bytes_of(&data), None)
                    } else {
                        (own.clone(), Some(&room))
                    };
                    match along_a_ring {
                        true => ring::broadcast(channel, &source, target, root),
                        false => binomial::broadcast(channel, &source, target, root),
                    }
                    .unwrap();
                    let mut got = vec![0; length];
                    pack(&source, &mut got);
                    got == data
                })
            };
            assert_eq!(
                reach(false),
                vec![true; hosts],
                "{hosts} hosts, {length} bytes from {root}"
            );
            assert_eq!(
                reach(true),
                vec![true; hosts],
                "{hosts} hosts, {length} bytes from {root}"
            );
        }
    }
}

#[test]
fn slices_of_operands_are_combined_by_themselves() {
    let op = chaining();
    for (hosts, slices) in HOSTS.zip((1..=CONVERSATIONS).cycle()) {
        for (count, halves) in [(0, true), (7, false), (3000, true), (2000, false)] {
            let got = on_hosts(hosts, |channel| {
                let mine = brought(channel.own(), count);
                let got = SpinLock::new(vec![[0; 2]; count]);
                in_slices(channel, slices, |channel, share| {
                    let (start, len) = share.slice(count, 8);
                    let accumulator =
                        Accumulator::new(&op, &ElementBuffer::new(&step_type(), len).source())?.from(start);
                    put(&mine[start..start + len], &accumulator.value(accumulator.all()));
                    match halves {
                        true => halving::allreduce(channel, &accumulator),
                        false => doubling::allreduce(channel, &accumulator),
                    }?;
                    let (start, len) = accumulator.range();
                    let steps = steps_of(&accumulator.value(accumulator.all()).as_source());
                    got.lock()[start..start + len].copy_from_slice(&steps);
                    Ok(())
                })
                .unwrap();
                got.lock().clone()
            });
            assert_eq!(
                got,
                vec![chained(0..hosts, count); hosts],
                "{hosts} hosts, {slices} slices"
            );
        }
    }
}

/// A host whose slice fails says so in all of them, so that nobody waits for another.
#[test]
fn all_hosts_hear_of_a_slice_that_fails() {
    for hosts in [2, 3, 8] {
        let outcomes = on_hosts(hosts, |channel| {
            in_slices(channel, CONVERSATIONS, |channel, share| {
                if channel.own() == 1 && share.is_of(2) {
                    return Err(Error::new(ErrorClass::Buffer, "a buffer that does not fit"));
                }
                dissemination::barrier(channel)
            })
        });
        for outcome in outcomes {
            assert_eq!(outcome.unwrap_err().message(), "a buffer that does not fit");
        }
    }
}

/// The costs of an operation for which the given algorithm is chosen.
fn cost(operation: Operation, algorithm: Algorithm, size: Size) -> Cost {
    let rule = format!("{operation}:0:0:network={algorithm}");
    let table = SelectionTable::new(&simurgh_settings::rules::parse(&rule).unwrap());
    let (chosen, cost) = table.cost(operation, size).unwrap();
    assert_eq!(chosen, algorithm);
    cost
}

#[test]
fn costs_are_those_of_what_is_sent() {
    let all = HOSTS.flat_map(|hosts| [8, 16 << 10, 768 << 10].map(|bytes| (hosts, bytes)));
    for (hosts, bytes) in all.filter(|(hosts, _)| *hosts > 1) {
        let size = Size {
            hosts,
            ranks: 1,
            bytes,
        };
        let expect = |operation, algorithm, seen: (usize, usize)| {
            let cost = cost(operation, algorithm, size);
            assert_eq!(
                (cost.messages, cost.bytes),
                seen,
                "{operation} {algorithm} {size:?}"
            );
        };
        let allreduce = |run: fn(&Channel<'_, Mock>, &Accumulator<'_>) -> Result<()>| {
            let op: Op = BuiltinOp::Sum.into();
            let operand = ElementBuffer::new(&Datatype::Basic(Basic::Int), bytes / 4);
            sent(hosts, |channel| {
                run(channel, &Accumulator::new(&op, &operand.source()).unwrap()).unwrap();
            })
        };
        expect(
            Operation::Allreduce,
            Algorithm::Doubling,
            allreduce(doubling::allreduce),
        );
        if hosts.is_power_of_two() && bytes >= 4 * hosts {
            // The parts are even.
            expect(
                Operation::Allreduce,
                Algorithm::Halving,
                allreduce(halving::allreduce),
            );
            expect(Operation::Allreduce, Algorithm::Ring, allreduce(ring::allreduce));
        }
        let broadcast = |run: fn(&Channel<'_, Mock>, &Source, Option<&Target>, usize) -> Result<()>| {
            sent(hosts, |channel| {
                let data = StagingBuffer::new(bytes);
                let target = data.target(0, bytes);
                let root = channel.own() == 1;
                run(channel, &target.as_source(), (!root).then_some(&target), 1).unwrap();
            })
        };
        expect(
            Operation::Bcast,
            Algorithm::Binomial,
            broadcast(binomial::broadcast),
        );
        expect(Operation::Bcast, Algorithm::Ring, broadcast(ring::broadcast));
        let allgather = |run: fn(&Channel<'_, Mock>, &Blocks) -> Result<()>| {
            sent(hosts, |channel| {
                run(channel, &Blocks::new((0..hosts).map(|_| bytes))).unwrap();
            })
        };
        expect(
            Operation::Allgather,
            Algorithm::Bruck,
            allgather(bruck::allgather),
        );
        expect(Operation::Allgather, Algorithm::Ring, allgather(ring::allgather));
        let parts = || (0..4).map(|part| (Key::new(0, part), StagingBuffer::new(bytes)));
        let exchange = sent(hosts, |channel| {
            let held: Vec<_> = parts().collect();
            let parts = held.iter().map(|(key, buffer)| (*key, buffer.source(0, bytes)));
            let (store, length, following) = pack_parcel(parts.collect(), true);
            let mut sent = Vec::new();
            for host in channel.others() {
                sent.push(channel.start_send_unsized(host, &store.source(0, length)));
                sent.extend(
                    following
                        .iter()
                        .map(|source| channel.start_send_raw(host, source)),
                );
            }
            for host in channel.others() {
                channel.recv_unsized(host).unwrap();
                for _ in &following {
                    let target = StagingBuffer::new(bytes);
                    channel
                        .start_recv_raw(host, &target.target(0, bytes))
                        .wait()
                        .unwrap();
                }
            }
            channel.finish(sent).unwrap();
        });
        let size = Size { ranks: 2, ..size };
        let cost = cost(Operation::Alltoall, Algorithm::Parcels, size);
        assert_eq!((cost.messages, cost.bytes), exchange, "{size:?}");
    }
}

#[test]
fn a_barrier_costs_a_short_message_for_each_host_and_doubling() {
    let table = SelectionTable::new(&[]);
    for hosts in 2..=17 {
        let size = Size {
            hosts,
            ranks: 3,
            bytes: 0,
        };
        let (_, cost) = table.cost(Operation::Barrier, size).unwrap();
        let seen = sent(hosts, |channel| dissemination::barrier(channel).unwrap());
        assert_eq!((cost.messages, cost.bytes), seen, "{hosts}");
        assert_eq!(cost.steps * hosts, cost.messages);
    }
}

/// Seconds on a network with this latency and this number of bytes a second.
fn seconds(cost: &Cost, (latency, bandwidth): (f64, f64)) -> f64 {
    cost.steps as f64 * latency + cost.path as f64 / bandwidth + cost.combined as f64 / 5e9
}

#[test]
fn what_is_chosen_for_many_hosts_is_near_the_best_by_its_costs() {
    use Algorithm::{Binomial, Bruck, Doubling, Halving, Ring};
    let table = SelectionTable::new(&[]);
    for (operation, algorithms) in [
        (Operation::Bcast, &[Binomial, Ring][..]),
        (Operation::Allreduce, &[Doubling, Halving, Ring]),
        (Operation::Allgather, &[Bruck, Ring]),
    ] {
        for hosts in [
            9, 16, 31, 32, 33, 64, 65, 100, 128, 129, 256, 257, 512, 1000, 1024, 1025, 3000, 10_000,
        ] {
            for bytes in (3..30).step_by(2).map(|power| 1 << power) {
                // An allgather's hosts have that much together.
                let bytes = if operation == Operation::Allgather {
                    bytes / hosts
                } else {
                    bytes
                };
                let size = Size {
                    hosts,
                    ranks: 1,
                    bytes,
                };
                let (algorithm, chosen) = table.cost(operation, size).unwrap();
                let costs = algorithms
                    .iter()
                    .map(|&algorithm| cost(operation, algorithm, size));
                for network in [(2e-6, 10e9), (15e-6, 1.2e9)] {
                    let best = costs
                        .clone()
                        .map(|cost| seconds(&cost, network))
                        .fold(f64::MAX, f64::min);
                    let ratio = seconds(&chosen, network) / best;
                    assert!(
                        ratio < 2.0,
                        "{operation} {algorithm} {size:?} {network:?}: {ratio} times the best"
                    );
                }
            }
        }
    }
}
