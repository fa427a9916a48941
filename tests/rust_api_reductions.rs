//! The operations of reductions in the Rust interface.

use std::panic::{AssertUnwindSafe, catch_unwind};

use simurgh::{Builder, Coded, Communicator, ErrorClass, Locatable, Located, LockKind, Logical, Op, Result};
use simurgh_testing::panic_quietly;

/// Runs `f` with 1, 2, 6 and 30 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 6, 30] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(f.clone()).expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

/// The places of the smallest and of the largest of some values, where several of each are equal.
fn extremes<T: Locatable + std::fmt::Debug + PartialEq>(
    world: &Communicator,
    value: fn(u8) -> T,
) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    // 0 1 2 3 0 1 2 3 …; two vectors of them, of which the second one is turned.
    let of = |rank: usize| [(rank % 4) as u8, ((rank + 2) % 4) as u8];
    let mine = of(rank).map(|number| Located::new(value(number), rank));
    let [mut least, mut most] = [[Located::new(value(9), 0); 2]; 2];
    world.all_reduce(&mine[..], &mut least[..], &Op::min_located())?;
    world.reduce(&mine[..], &mut most[..], &Op::max_located(), size - 1)?;
    for place in 0..2 {
        let find = |wanted: u8| (0..size).find(|rank| of(*rank)[place] == wanted);
        let smallest = (0..4)
            .find_map(|number| Some((number, find(number)?)))
            .expect("there is a rank");
        assert_eq!(least[place], Located::new(value(smallest.0), smallest.1));
        if rank == size - 1 {
            let largest = (0..4).rev().find_map(|number| Some((number, find(number)?)));
            let (number, index) = largest.expect("there is a rank");
            assert_eq!((most[place].value(), most[place].index()), (value(number), index));
        }
    }
    Ok(())
}

#[test]
fn extreme_values_are_found_with_their_places() {
    with_ranks(|world| {
        extremes::<i8>(world, |number| number as i8 - 2)?;
        extremes::<u8>(world, |number| number + 240)?;
        extremes::<i16>(world, |number| i16::from(number) - 2)?;
        extremes::<u16>(world, u16::from)?;
        extremes::<i32>(world, |number| i32::from(number) - 2)?;
        extremes::<u32>(world, |number| u32::MAX - 9 + u32::from(number))?;
        extremes::<i64>(world, |number| i64::from(number) - 2)?;
        extremes::<u64>(world, |number| u64::MAX - 9 + u64::from(number))?;
        extremes::<isize>(world, |number| isize::from(number) - 2)?;
        extremes::<usize>(world, usize::from)?;
        extremes::<f32>(world, |number| f32::from(number) - 1.5)?;
        extremes::<f64>(world, |number| f64::from(number) - 1.5)
    });
}

#[test]
fn located_values_are_sent_and_stored_as_others() {
    with_ranks(|world| {
        let mine = Located::new(world.rank() as f32, world.rank());
        let mut all = vec![Located::default(); world.size()];
        world.all_gather(&[mine], &mut all)?;
        let expected = (0..world.size()).map(|rank| Located::new(rank as f32, rank));
        assert!(all.into_iter().eq(expected));
        let mut window = world.allocate_window::<Located<f32>>(1)?;
        window.lock_epoch(|epoch| {
            if world.rank() > 0 {
                return Ok(());
            }
            let lock = epoch.lock(world.size() - 1, LockKind::Exclusive)?;
            lock.put(0, &Located::new(2.5, 7))
        })?;
        assert!(world.rank() + 1 < world.size() || window.local() == [Located::new(2.5, 7)]);
        Ok(())
    });
}

#[test]
fn located_values_are_combined_in_windows() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut window = world.allocate_window::<Located<f64>>(1)?;
        window.local_mut().fill(Located::new(99.5, 99));
        let mine = Located::new((rank as f64 - 3.2).abs(), rank);
        window.fence_epoch(|epoch| {
            (0..size).try_for_each(|target| epoch.part(target).accumulate(0, &mine, &Op::min_located()))
        })?;
        let nearest = 3.min(size - 1);
        assert_eq!(window.local()[0].index(), nearest);
        Ok(())
    });
}

/// All combinations of truth values by the three operations.
fn truths<T: Logical + std::fmt::Debug + PartialEq>(
    world: &Communicator,
    yes: T,
    no: T,
    is_true: fn(T) -> bool,
) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let truth = |rank: usize, column: usize| match column {
        0 => true,
        1 => false,
        2 => rank == 0,
        _ => rank + 1 == size,
    };
    let columns = |truth: &dyn Fn(usize) -> bool| [0, 1, 2, 3].map(truth);
    let mine = columns(&|column| truth(rank, column)).map(|truth| if truth { yes } else { no });
    let ops = [Op::logical_and(), Op::logical_or(), Op::logical_xor()];
    let expected: [fn(usize, usize) -> bool; 3] = [
        |trues, all| trues == all,
        |trues, _| trues > 0,
        |trues, _| trues % 2 == 1,
    ];
    for (op, expected) in ops.into_iter().zip(expected) {
        let mut found = [no; 4];
        world.all_reduce(&mine[..], &mut found[..], &op)?;
        let trues = |column| (0..size).filter(|rank| truth(*rank, column)).count();
        assert_eq!(
            found.map(is_true),
            columns(&|column| expected(trues(column), size))
        );
    }
    Ok(())
}

#[test]
fn truth_values_are_combined() {
    with_ranks(|world| {
        truths(world, 7_u8, 0, |value| value != 0)?;
        truths(world, -1_i32, 0, |value| value != 0)?;
        truths(world, 1_u64 << 40, 0, |value| value != 0)?;
        truths(world, [3_u16, 3], [0, 0], |value| value[0] != 0 && value[1] != 0)?;
        let is_true = |value: Coded<bool>| value.get().expect("the result is a truth value");
        truths(world, true.into(), false.into(), is_true)
    });
}

#[test]
fn values_of_one_rank_are_combined() {
    let mut values = [1.5, 2.0];
    Op::sum().reduce_local(&[2.5, 3.0], &mut values).unwrap();
    assert_eq!(values, [4.0, 5.0]);
    let minus = Op::ordered(|left: i32, right| left - right);
    let mut values = [10, 20, 30];
    minus.reduce_local(&[1, 2, 3][..], &mut values[..]).unwrap();
    assert_eq!(values, [-9, -18, -27]);
    let mut nearest = Located::new(3, 9);
    Op::min_located()
        .reduce_local(&Located::new(3, 4), &mut nearest)
        .unwrap();
    assert_eq!(nearest.index(), 4);
    let refused = Op::sum().reduce_local(&[1, 2][..], &mut values[..]).unwrap_err();
    assert_eq!((refused.class(), values), (ErrorClass::Count, [-9, -18, -27]));
}

#[test]
fn a_function_that_panics_does_so_for_its_caller() {
    let fails = Op::commutative(|_: u8, _| -> u8 { panic_quietly("cannot add") });
    let ended = catch_unwind(AssertUnwindSafe(|| fails.reduce_local(&1, &mut 2)));
    let payload = ended.expect_err("the function panics");
    assert_eq!(payload.downcast_ref(), Some(&"cannot add"));
}
