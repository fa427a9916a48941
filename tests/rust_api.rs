//! The Rust interface, with different numbers of ranks on two virtual processors.

use std::cell::Cell;
use std::rc::Rc;

use proptest::prelude::*;
use simurgh::{
    Attribute, Builder, Code, Coded, Communicator, Destination, Equivalence, ErrorClass, Op, Result, Source,
    Tag,
};

/// Runs `f` with 1, 2, 7 and 64 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    [1, 2, 7, 64].into_iter().for_each(|ranks| with(ranks, f.clone()));
}

fn with(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let ended = Builder::new()
        .ranks(ranks)
        .vps(2)
        .stack_size(256 << 10)
        .run(f)
        .expect("the run succeeds");
    assert_eq!(ended.len(), ranks);
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Padded {
    small: u8,
    large: f64,
    pair: [u16; 3],
}

fn padded(seed: usize) -> Padded {
    Padded {
        small: seed as u8,
        large: seed as f64 / 3.0,
        pair: [seed as u16; 3],
    }
}

#[test]
fn messages_go_round_a_ring() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        for len in [1, 7, 1000, 100_000] {
            let (sent, mut received) = (vec![rank as u32; len], vec![0; len + 1]);
            let status = world.send_receive(&sent, next, 3, &mut received, before, 3)?;
            assert_eq!(
                (status.source(), status.tag(), status.count::<u32>()),
                (Some(before), Some(3), Some(len))
            );
            assert!(received[..len].iter().all(|&value| value == before as u32));
            // The message comes back to the rank that has sent it.
            let block = &mut received[..len];
            let status = world.send_receive_in_place(block, before, 4, next, Tag::Any)?;
            assert_eq!((status.source(), status.tag()), (Some(next), Some(4)));
            assert_eq!(block, sent);
        }
        Ok(())
    });
}

#[test]
fn structs_travel_without_their_padding() {
    with_ranks(|world| {
        let root = world.size() - 1;
        let mut all = vec![padded(0); world.size() * 2];
        world.all_gather(&[padded(world.rank()), padded(world.rank() + 1)], &mut all)?;
        for (rank, two) in all.chunks(2).enumerate() {
            assert_eq!(two, [padded(rank), padded(rank + 1)]);
        }
        let latest = Op::ordered(|_, right: Padded| right);
        let mut last = padded(0);
        world.reduce(&padded(world.rank()), &mut last, &latest, root)?;
        assert!(world.rank() != root || last == padded(root));
        Ok(())
    });
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Tagged<T, const N: usize> {
    tag: u8,
    values: [T; N],
    nested: Pair<T, u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Pair<A, B>(A, B);

#[derive(Clone, Copy, Debug, PartialEq, Code)]
#[repr(i16)]
enum Sign {
    Minus = -1,
    None,
    Plus,
}

#[test]
fn structs_with_parameters_have_a_datatype_each() {
    with_ranks(|world| {
        let root = world.size() - 1;
        let mut long = Tagged {
            tag: world.rank() as u8,
            values: [world.rank() as f64; 3],
            nested: Pair(0.5, world.rank() as u16),
        };
        let mut short = Tagged {
            tag: 1,
            values: [Pair(world.rank() as u8, 2_u64); 1],
            nested: Pair(Pair(3, 4), 5),
        };
        world.broadcast(&mut long, root)?;
        world.broadcast(&mut short, root)?;
        assert_eq!((long.tag, long.values), (root as u8, [root as f64; 3]));
        assert_eq!(long.nested, Pair(0.5, root as u16));
        assert_eq!(
            (short.values, short.nested),
            ([Pair(root as u8, 2); 1], Pair(Pair(3, 4), 5))
        );
        Ok(())
    });
}

#[test]
fn values_of_enums_travel_as_numbers() {
    with_ranks(|world| {
        let sign = [Sign::Minus, Sign::None, Sign::Plus][world.rank() % 3];
        let mut all = vec![Coded::from(Sign::None); world.size()];
        world.all_gather(&[Coded::from(sign)], &mut all)?;
        for (rank, sign) in all.into_iter().enumerate() {
            assert_eq!(sign.get()? as i16, (rank % 3) as i16 - 1);
        }
        let mut wrong = Coded::from(Sign::Plus);
        world.send_receive(&2_i16, world.rank(), 0, &mut wrong, world.rank(), 0)?;
        assert_eq!(wrong.get().map_err(|error| error.class()), Err(ErrorClass::Type));
        Ok(())
    });
}

/// An attribute that counts the values that are alive.
struct Counted(Rc<Cell<i32>>, i32);

impl Counted {
    fn new(alive: &Rc<Cell<i32>>, number: i32) -> Self {
        alive.set(alive.get() + 1);
        Self(Rc::clone(alive), number)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Attribute for Counted {
    fn copy(&self) -> Option<Self> {
        Some(Self::new(&self.0, self.1 + 1))
    }
}

struct Uncopied;

impl Attribute for Uncopied {}

#[test]
fn attributes_are_copied_and_dropped_with_their_communicators() {
    with(2, |world| {
        let alive = Rc::new(Cell::new(0));
        let first = world.dup()?;
        assert!(first.attribute::<Counted>().is_none());
        assert!(first.set_attribute(Counted::new(&alive, 1)).is_none());
        first.set_attribute(Uncopied);
        let second = first.dup()?;
        assert_eq!(second.attribute::<Counted>().map(|counted| counted.1), Some(2));
        assert!(second.attribute::<Uncopied>().is_none());
        assert!(
            first
                .split(Some(0), 0)?
                .is_some_and(|split| split.attribute::<Counted>().is_none())
        );
        let before = first.set_attribute(Counted::new(&alive, 7));
        assert_eq!((before.map(|counted| counted.1), alive.get()), (Some(1), 2));
        drop(second);
        assert_eq!(alive.get(), 1);
        let taken = first.remove_attribute::<Counted>();
        assert!(first.attribute::<Counted>().is_none());
        drop((first, taken));
        assert_eq!(alive.get(), 0);
        Ok(())
    });
}

#[test]
fn probes_take_messages_of_unknown_length() {
    with_ranks(|world| {
        let mine = vec![world.rank() as i64; world.rank() * 1000];
        world.scope(|scope| {
            scope.issend(&mine, 0, world.rank() as i32)?;
            if world.rank() == 0 {
                for _ in 0..world.size() {
                    let message = world.mprobe(Source::Any, Tag::Any)?;
                    let from = message.status().source().expect("a rank sends");
                    let values: Vec<i64> = message.recv_vec()?;
                    assert_eq!(values, vec![from as i64; from * 1000]);
                }
            }
            Ok(())
        })
    });
}

#[test]
fn vectors_and_texts_travel_without_a_length() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let text = |rank: usize| "ä".repeat(rank * 100);
        let (mine, words) = (vec![padded(rank); rank], text(rank));
        world.scope(|scope| {
            scope.isend(&mine, next, 0)?;
            scope.isend(&words, next, 1)?;
            let (values, status) = world.recv_vec::<Padded>(before, Tag::Any)?;
            assert_eq!((values, status.tag()), (vec![padded(before); before], Some(0)));
            assert_eq!(world.recv_string(before, 1)?.0, text(before));
            Ok(())
        })?;
        let mut shared = if rank == 0 { text(7) } else { "other".to_owned() };
        world.broadcast_string(&mut shared, 0)?;
        assert_eq!(shared, text(7));
        let all = world.all_gather_vec(&vec![rank; rank % 3])?;
        assert!(
            all.into_iter()
                .enumerate()
                .all(|(rank, part)| part == vec![rank; rank % 3])
        );
        let gathered = world.gather_vec(&[rank as u8], size - 1)?;
        assert_eq!(
            gathered,
            (rank == size - 1).then(|| (0..size as u8).map(|rank| vec![rank]).collect())
        );
        let sent: Vec<_> = (0..size).map(|to| vec![rank; to]).collect();
        assert_eq!(
            world.all_to_all_vec(&sent)?,
            (0..size).map(|from| vec![from; rank]).collect::<Vec<_>>()
        );
        Ok(())
    });
}

#[test]
fn bytes_that_are_no_text_or_no_value_are_errors() {
    with(1, |world| {
        let class = |result: Result<()>| result.map_err(|error| error.class());
        world.send(&[0xff_u8, 0xfe], 0, 0)?;
        assert_eq!(class(world.recv_string(0, 0).map(drop)), Err(ErrorClass::Type));
        world.send(&[1_u8, 2, 3], 0, 0)?;
        assert_eq!(
            class(world.recv_vec::<u16>(0, 0).map(drop)),
            Err(ErrorClass::Type)
        );
        for wrong in [&[][..], &[1], &[0, 5], &[1, 5, 5]] {
            world.send(wrong, 0, 0)?;
            assert_eq!(
                class(world.recv_value::<u8>(0, 0).map(drop)),
                Err(ErrorClass::Type)
            );
        }
        assert!(world.recv_vec::<u16>(Source::Null, 0)?.0.is_empty());
        Ok(())
    });
}

#[test]
fn values_of_any_type_travel() {
    type Value = (String, Option<Vec<f32>>);
    let value = |rank: usize| -> Value { (format!("rank {rank}"), (rank > 0).then(|| vec![0.5; rank])) };
    with_ranks(move |world| {
        let (rank, size) = (world.rank(), world.size());
        // Short messages do not wait for their receivers.
        world.send_value(&value(rank), (rank + 1) % size, 4)?;
        let before = (rank + size - 1) % size;
        let (received, status) = world.recv_value::<Value>(Source::Any, 4)?;
        assert_eq!((received, status.source()), (value(before), Some(before)));
        let mut shared = value(rank);
        world.broadcast_value(&mut shared, size - 1)?;
        assert_eq!(shared, value(size - 1));
        let all: Vec<_> = (0..size).map(value).collect();
        assert_eq!(world.all_gather_value(&value(rank))?, all);
        assert_eq!(world.gather_value(&value(rank), 0)?, (rank == 0).then_some(all));
        Ok(())
    });
}

/// A value that one rank cannot write.
struct Unwritable(bool);

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if self.0 {
            return Err(serde::ser::Error::custom("refused"));
        }
        serializer.serialize_u8(0)
    }
}

impl<'de> serde::Deserialize<'de> for Unwritable {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        u8::deserialize(deserializer).map(|_| Self(false))
    }
}

#[test]
fn a_value_that_cannot_be_written_is_an_error_at_all_ranks() {
    with(3, |world| {
        let mut value = Unwritable(world.rank() == 1);
        let class = |result: Result<()>| result.map_err(|error| error.class());
        assert_eq!(class(world.broadcast_value(&mut value, 1)), Err(ErrorClass::Type));
        assert_eq!(
            class(world.all_gather_value(&value).map(drop)),
            Err(ErrorClass::Type)
        );
        world.barrier()
    });
}

#[test]
fn a_dropped_message_lets_its_sender_go_on() {
    with(2, |world| {
        if world.rank() == 0 {
            return world.ssend(&[1.0; 5], 1, 0);
        }
        drop(world.mprobe(0, 0)?);
        assert!(world.iprobe(Source::Any, Tag::Any)?.is_none());
        Ok(())
    });
}

#[test]
fn nobody_is_a_partner_too() {
    with(2, |world| {
        let mut value = 5;
        world.send(&value, Destination::Null, 0)?;
        let status = world.recv(&mut value, Source::Null, 0)?;
        assert_eq!((value, status.source(), status.bytes()), (5, None, 0));
        Ok(())
    });
}

#[test]
fn a_leaked_request_is_complete_when_its_scope_ends() {
    with(2, |world| {
        let other = 1 - world.rank();
        let (sent, mut received) = (vec![world.rank(); 50_000], vec![9; 50_000]);
        world.scope(|scope| {
            Box::leak(Box::new(scope.irecv(&mut received, other, 0)?));
            Box::leak(Box::new(scope.isend(&sent, other, 0)?));
            Ok(())
        })?;
        assert_eq!(received, vec![other; 50_000]);
        Ok(())
    });
}

#[test]
fn an_error_or_a_panic_in_a_scope_cancels_what_nobody_matched() {
    with(2, |world| {
        let mut value = 1;
        let error = world.scope(|scope| {
            scope.irecv(&mut value, Source::Any, 77)?;
            scope.isend(&0, 99, 0)?;
            Ok(())
        });
        assert_eq!(error.map_err(|error| error.class()), Err(ErrorClass::Rank));
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            world.scope(|scope| {
                scope.irecv(&mut value, Source::Any, 77)?;
                std::panic::resume_unwind(Box::new(()));
                #[expect(unreachable_code, reason = "gives the closure its type")]
                Ok(())
            })
        }));
        assert!(panic.is_err());
        world.barrier()
    });
}

#[test]
fn collectives_move_the_right_parts() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3).collect();
        let expected: Vec<usize> = (0..size).flat_map(|rank| vec![rank; rank % 3]).collect();
        let mut gathered = vec![0; expected.len()];
        world.gatherv(&vec![rank; rank % 3], &mut gathered, &counts, 0)?;
        assert!(rank != 0 || gathered == expected);
        let mut part = vec![0; rank % 3];
        world.scatterv(&gathered, &counts, &mut part, 0)?;
        assert_eq!(part, vec![rank; rank % 3]);
        world.all_gatherv(&part, &mut gathered, &counts)?;
        assert_eq!(gathered, expected);

        let sent: Vec<_> = (0..size).map(|to| (rank * size + to) as u32).collect();
        let mut received = vec![0; size];
        world.all_to_all(&sent, &mut received)?;
        assert!(
            received
                .iter()
                .enumerate()
                .all(|(from, &value)| value == (from * size + rank) as u32)
        );
        let mut again = vec![0; size];
        world.all_to_allv(&sent, &vec![1; size], &mut again, &vec![1; size])?;
        assert_eq!(again, received);

        let mut own = [0];
        world.scatter(&(0..size).collect::<Vec<_>>(), &mut own, size / 2)?;
        assert_eq!(own, [rank]);
        let mut all = vec![0; if rank == 0 { size } else { 0 }];
        world.gather(&own, &mut all, 0)?;
        assert!(all.iter().copied().eq(0..all.len()));
        Ok(())
    });
}

#[test]
fn reductions_agree_with_a_loop() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut sums = [0_u64; 2];
        world.all_reduce(&[rank as u64, 1][..], &mut sums[..], &Op::sum())?;
        assert_eq!(sums, [(size * (size - 1) / 2) as u64, size as u64]);
        let mut array = [rank as i32, -(rank as i32)];
        world.all_reduce_in_place(&mut array, &Op::max())?;
        assert_eq!(array, [size as i32 - 1, 0]);

        // Composition of maps x -> a x + b does not commute.
        let compose = || {
            Op::ordered(|f: [u64; 2], g: [u64; 2]| {
                [
                    g[0].wrapping_mul(f[0]),
                    g[0].wrapping_mul(f[1]).wrapping_add(g[1]),
                ]
            })
        };
        let map = |rank: usize| [2 * rank as u64 + 1, rank as u64];
        let fold = |ranks: std::ops::Range<usize>| {
            ranks.map(map).reduce(|f, g| {
                [
                    g[0].wrapping_mul(f[0]),
                    g[0].wrapping_mul(f[1]).wrapping_add(g[1]),
                ]
            })
        };
        let mut result = [0; 2];
        world.all_reduce(&map(rank), &mut result, &compose())?;
        assert_eq!(Some(result), fold(0..size));
        world.scan(&map(rank), &mut result, &compose())?;
        assert_eq!(Some(result), fold(0..rank + 1));
        result = [7; 2];
        world.exscan(&map(rank), &mut result, &compose())?;
        assert_eq!(result, fold(0..rank).unwrap_or([7; 2]));

        let mut bits = [0_u8];
        world.reduce_scatter_block(&vec![1 << (rank % 8); size], &mut bits, &Op::bit_or())?;
        assert_eq!(bits, [(0..size).fold(0, |bits, rank| bits | 1 << (rank % 8))]);
        Ok(())
    });
}

#[test]
fn communicators_keep_their_messages_apart() {
    with_ranks(|world| {
        let twin = world.dup()?;
        let own = world.rank();
        let mut values = [9; 2];
        let (first, second) = values.split_at_mut(1);
        let numbers = [1, 2];
        twin.scope(|twin_scope| {
            world.scope(|scope| {
                twin_scope.isend(&numbers[1], own, 0)?;
                scope.isend(&numbers[0], own, 0)?;
                scope.irecv(&mut first[0], own, 0)?.wait()?;
                twin_scope.irecv(&mut second[0], own, 0)?.wait()?;
                Ok(())
            })
        })?;
        assert_eq!(values, [1, 2]);
        let half = world.split((own % 2 == 0).then_some(0), -(own as i32))?;
        assert_eq!(half.is_some(), own % 2 == 0);
        half.map_or(Ok(()), |half| {
            assert_eq!(half.size() - 1 - half.rank(), own / 2);
            half.barrier()
        })
    });
}

#[test]
fn wrong_arguments_are_errors_of_their_class() {
    with(2, |world| {
        let class = |result: Result<()>| result.expect_err("the argument is wrong").class();
        assert_eq!(class(world.send(&1, 2, 0)), ErrorClass::Rank);
        assert_eq!(class(world.send(&1, 0, -2)), ErrorClass::Tag);
        assert_eq!(class(world.recv(&mut 1, 0, -2).map(|_| ())), ErrorClass::Tag);
        assert_eq!(class(world.broadcast(&mut 1, 5)), ErrorClass::Root);
        assert_eq!(class(world.all_gather(&[1], &mut [0; 3])), ErrorClass::Count);
        assert_eq!(
            class(world.all_gatherv(&[1], &mut [0; 3], &[1, 3])),
            ErrorClass::Count
        );
        assert_eq!(
            class(world.all_gatherv(&[1], &mut [0; 3], &[1])),
            ErrorClass::Count
        );
        assert_eq!(
            class(world.all_reduce(&vec![1; world.rank()], &mut vec![0; 2], &Op::sum())),
            ErrorClass::Truncate
        );
        world.barrier()?;
        if world.rank() == 0 {
            return world.send(&[1, 2, 3][..], 1, 0);
        }
        let mut short = [0; 2];
        assert_eq!(
            class(world.recv(&mut short[..], 0, 0).map(|_| ())),
            ErrorClass::Truncate
        );
        assert_eq!(short, [1, 2]);
        Ok(())
    });
}

#[test]
fn ranks_that_disagree_about_types_get_errors_not_memory() {
    with(2, |world| {
        let result = if world.rank() == 0 {
            world.all_reduce(&[1_u8; 9][..], &mut [0; 9][..], &Op::sum())
        } else {
            world.all_reduce(&[1.0_f64; 9][..], &mut [0.0; 9][..], &Op::sum())
        };
        assert!(result.is_err());
        Ok(())
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Whatever the lengths and the order of tags, each receive gets its message.
    #[test]
    fn receives_get_the_messages_of_their_tags(
        lengths in proptest::collection::vec(0_usize..20_000, 1..12),
        seed in any::<u64>(),
    ) {
        let ended = Builder::new().ranks(2).vps(1).seed(seed).run(move |world| {
            let data: Vec<Vec<u16>> = lengths.iter().enumerate().map(|(tag, &len)| vec![tag as u16; len]).collect();
            let mut got: Vec<Vec<u16>> = lengths.iter().map(|&len| vec![u16::MAX; len]).collect();
            world.scope(|scope| {
                if world.rank() == 0 {
                    for (tag, values) in data.iter().enumerate().rev() {
                        scope.isend(values, 1, tag as i32)?;
                    }
                } else {
                    for (tag, values) in got.iter_mut().enumerate() {
                        scope.irecv(values, Source::Any, tag as i32)?;
                    }
                }
                Ok(())
            })?;
            assert!(world.rank() == 0 || got == data);
            Ok::<_, simurgh::Error>(())
        });
        prop_assert!(ended.is_ok_and(|ended| ended.iter().all(|end| end.is_ok())));
    }
}
