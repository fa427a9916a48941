//! Collectives of the Rust interface whose ranks have what they bring where they get the result: they do as those with
//! two buffers.

use simurgh::{Builder, Communicator, ErrorClass, Op, Result};

/// Runs `f` with 1, 2, 6 and 30 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 6, 30] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(f.clone()).expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

/// The length of a part.
const LEN: usize = 50;

/// The values of a rank, as many as asked for.
fn values(rank: usize, len: usize) -> Vec<u64> {
    (0..len).map(|index| (rank * 1000 + index * 7) as u64).collect()
}

/// What an operation that is neither commutative nor idempotent makes of two numbers.
fn append() -> Op<u64> {
    Op::ordered(|left: u64, right: u64| left.wrapping_mul(31).wrapping_add(right))
}

/// What a call with two buffers receives, and what the same call in place makes of its buffer, blocking and not.
struct Results {
    expected: Vec<u64>,
    blocking: Vec<u64>,
    nonblocking: Vec<u64>,
}

impl Results {
    /// Checks so many of the first values.
    fn check(&self, len: usize, call: &str) {
        assert_eq!(self.blocking[..len], self.expected[..len], "{call}");
        assert_eq!(self.nonblocking[..len], self.expected[..len], "i{call}");
    }
}

#[test]
fn parts_are_moved_as_from_a_buffer_of_their_own() {
    with_ranks(|world| {
        let (rank, size, root) = (world.rank(), world.size(), world.size() / 2);
        let is_root = rank == root;
        let each = values(rank, LEN * size);
        let own = rank * LEN..(rank + 1) * LEN;
        let one = each[own.clone()].to_vec();
        let start = |in_place: Vec<u64>, len| Results {
            expected: vec![0; len],
            blocking: in_place.clone(),
            nonblocking: in_place,
        };

        let mut placed = vec![0; LEN * size];
        placed[own.clone()].copy_from_slice(&one);
        let mut gather = start(if is_root { placed.clone() } else { one.clone() }, LEN * size);
        world.gather(&one, &mut gather.expected, root)?;
        world.gather_in_place(&mut gather.blocking, root)?;
        world.scope(|scope| {
            scope
                .igather_in_place(&mut gather.nonblocking, root)?
                .wait()
                .map(drop)
        })?;
        if is_root {
            gather.check(LEN * size, "gather_in_place");
        }

        let mut all = start(placed, LEN * size);
        world.all_gather(&one, &mut all.expected)?;
        world.all_gather_in_place(&mut all.blocking)?;
        world.scope(|scope| scope.iall_gather_in_place(&mut all.nonblocking)?.wait().map(drop))?;
        all.check(LEN * size, "all_gather_in_place");

        let mut scatter = start(if is_root { each.clone() } else { vec![0; LEN] }, LEN);
        world.scatter(&each, &mut scatter.expected, root)?;
        world.scatter_in_place(&mut scatter.blocking, root)?;
        world.scope(|scope| {
            scope
                .iscatter_in_place(&mut scatter.nonblocking, root)?
                .wait()
                .map(drop)
        })?;
        if is_root {
            assert_eq!(scatter.blocking, each);
            assert_eq!(scatter.nonblocking, each);
        } else {
            scatter.check(LEN, "scatter_in_place");
        }

        let mut exchange = start(each.clone(), LEN * size);
        world.all_to_all(&each, &mut exchange.expected)?;
        world.all_to_all_in_place(&mut exchange.blocking)?;
        world.scope(|scope| {
            scope
                .iall_to_all_in_place(&mut exchange.nonblocking)?
                .wait()
                .map(drop)
        })?;
        exchange.check(LEN * size, "all_to_all_in_place");
        Ok(())
    });
}

#[test]
fn uneven_parts_are_moved_as_from_a_buffer_of_their_own() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let counts: Vec<usize> = (0..size).map(|rank| rank % 3 * 20).collect();
        let total: usize = counts.iter().sum();
        let before: usize = counts[..rank].iter().sum();
        let mine = values(rank, counts[rank]);
        let mut placed = vec![0; total];
        placed[before..before + mine.len()].copy_from_slice(&mine);
        let mut all = Results {
            expected: vec![0; total],
            blocking: placed.clone(),
            nonblocking: placed,
        };
        world.all_gatherv(&mine, &mut all.expected, &counts)?;
        world.all_gatherv_in_place(&mut all.blocking, &counts)?;
        world.scope(|scope| {
            scope
                .iall_gatherv_in_place(&mut all.nonblocking, &counts)?
                .wait()
                .map(drop)
        })?;
        all.check(total, "all_gatherv_in_place");

        // Two ranks exchange as much as the numbers of both say.
        let counts: Vec<usize> = (0..size).map(|other| (rank + other) % 4 * 10).collect();
        let total = counts.iter().sum();
        let each = values(rank, total);
        let mut exchange = Results {
            expected: vec![0; total],
            blocking: each.clone(),
            nonblocking: each.clone(),
        };
        world.all_to_allv(&each, &counts, &mut exchange.expected, &counts)?;
        world.all_to_allv_in_place(&mut exchange.blocking, &counts)?;
        world.scope(|scope| {
            scope
                .iall_to_allv_in_place(&mut exchange.nonblocking, &counts)?
                .wait()
                .map(drop)
        })?;
        exchange.check(total, "all_to_allv_in_place");
        Ok(())
    });
}

/// A reduction with two buffers, and the same in place, blocking and not.
macro_rules! reduces {
    ($world:expr, $mine:expr, $len:expr, [$call:ident, $in_place:ident, $nonblocking:ident],
     ($($counts:expr)?), ($($root:expr)?)) => {{
        for op in [Op::sum(), append()] {
            let mut results = Results {
                // What is not received stays as it is.
                expected: $mine[..$len].to_vec(),
                blocking: $mine.clone(),
                nonblocking: $mine.clone(),
            };
            $world.$call(&$mine[..], &mut results.expected[..], $($counts,)? &op $(, $root)?)?;
            $world.$in_place(&mut results.blocking[..], $($counts,)? &op $(, $root)?)?;
            $world.scope(|scope| {
                let values = &mut results.nonblocking[..];
                scope.$nonblocking(values, $($counts,)? &op $(, $root)?)?.wait().map(drop)
            })?;
            results.check($len, stringify!($in_place));
        }
    }};
}

#[test]
fn values_are_combined_as_from_a_buffer_of_their_own() {
    with_ranks(|world| {
        let (rank, size, root) = (world.rank(), world.size(), world.size() / 2);
        let mine = values(rank, LEN * size);
        let all = mine.len();
        let counts: Vec<usize> = (0..size)
            .map(|rank| if rank % 2 == 0 { 0 } else { 2 * LEN })
            .collect();
        let some = mine[..counts.iter().sum()].to_vec();
        reduces!(
            world,
            mine,
            all,
            [reduce, reduce_in_place, ireduce_in_place],
            (),
            (root)
        );
        reduces!(world, mine, all, [scan, scan_in_place, iscan_in_place], (), ());
        reduces!(
            world,
            mine,
            all,
            [exscan, exscan_in_place, iexscan_in_place],
            (),
            ()
        );
        reduces!(
            world,
            mine,
            LEN,
            [
                reduce_scatter_block,
                reduce_scatter_block_in_place,
                ireduce_scatter_block_in_place
            ],
            (),
            ()
        );
        reduces!(
            world,
            some,
            counts[rank],
            [reduce_scatter, reduce_scatter_in_place, ireduce_scatter_in_place],
            (&counts),
            ()
        );
        Ok(())
    });
}

#[test]
fn buffers_that_cannot_be_cut_are_refused() {
    let ended = Builder::new().ranks(3).run(|world| {
        let class = |result: Result<()>| result.map_err(|error| error.class());
        assert_eq!(
            class(world.all_gather_in_place(&mut [0; 4])),
            Err(ErrorClass::Count)
        );
        assert_eq!(
            class(world.all_to_all_in_place(&mut [0; 2])),
            Err(ErrorClass::Count)
        );
        let wrong = class(world.all_gatherv_in_place(&mut [0; 3], &[1, 1, 2]));
        assert_eq!(wrong, Err(ErrorClass::Count));
        let wrong = class(world.reduce_scatter_block_in_place(&mut [0; 4], &Op::sum()));
        assert_eq!(wrong, Err(ErrorClass::Count));
        let wrong = class(world.reduce_scatter_in_place(&mut [0; 3], &[1, 1], &Op::sum()));
        assert_eq!(wrong, Err(ErrorClass::Count));
        assert_eq!(
            class(world.gather_in_place(&mut [0; 3], 3)),
            Err(ErrorClass::Root)
        );
        world.barrier()
    });
    let ended = ended.expect("the run succeeds");
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}
