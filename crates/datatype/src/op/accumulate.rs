//! Predefined operations as atomic updates of elements, for one-sided communication.

use super::builtin::{self, BuiltinOp};
use super::table::find;
use crate::datatype::{Basic, Datatype};
use crate::memory::{Action, Update};
use simurgh_base::error::{Error, ErrorClass, Result};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The updates of predefined datatypes by one operation; none where it is not defined.
type Updates = Box<[Option<Update>; Basic::PAGE]>;

/// The updates by each operation, which every call of one-sided communication needs.
static UPDATES: [OnceLock<Updates>; builtin::PAGE] = [const { OnceLock::new() }; builtin::PAGE];

impl BuiltinOp {
    /// The operation as an atomic update of elements of a datatype, which is predefined, or consists of elements of one
    /// predefined datatype.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Type`] for a datatype with elements of several datatypes, [`ErrorClass::Op`] if the operation is
    /// not defined on the elements.
    #[inline]
    pub fn update(self, datatype: &Datatype) -> Result<Cow<'static, Update>> {
        let known = match datatype {
            Datatype::Basic(basic) => self.known_update(*basic),
            Datatype::Derived(_) => None,
        };
        match known {
            Some(update) => Ok(Cow::Borrowed(update)),
            None => self.make_update(datatype).map(Cow::Owned),
        }
    }

    /// [`BuiltinOp::update`] of a predefined datatype; none if the operation is not defined on it.
    #[inline]
    #[must_use]
    pub fn known_update(self, basic: Basic) -> Option<&'static Update> {
        self.updates()[basic.place()].as_ref()
    }

    /// The updates of predefined datatypes by this operation, which are made when they are first asked for.
    #[inline]
    fn updates(self) -> &'static [Option<Update>; Basic::PAGE] {
        UPDATES[self.place()].get_or_init(|| {
            let mut updates = Box::new([const { None }; Basic::PAGE]);
            for &basic in Basic::ALL.iter().chain(Basic::RESIZED) {
                updates[basic.place()] = self.make_update(&basic.into()).ok();
            }
            updates
        })
    }

    fn make_update(self, datatype: &Datatype) -> Result<Update> {
        let unit = datatype.unit().ok_or_else(|| mixed(self))?;
        let kernel = find(self, &unit)?;
        let action = match self {
            BuiltinOp::Replace => Action::Replace,
            BuiltinOp::NoOp => Action::Keep,
            BuiltinOp::Sum => Action::Add,
            BuiltinOp::Band => Action::And,
            BuiltinOp::Bor => Action::Or,
            BuiltinOp::Bxor => Action::Xor,
            _ => Action::Combine,
        };
        Ok(Update::new(unit, action, (kernel.one, kernel.dense)))
    }
}

impl Update {
    /// The update as numbers, by which another process makes the same: the operation and the datatype.
    #[must_use]
    pub fn numbers(op: BuiltinOp, unit: &Datatype) -> [u16; 3] {
        let [first, second] = numbers_of(unit);
        [op as u16, first, second]
    }

    /// The update of these numbers; none if there is none.
    #[must_use]
    pub fn of_numbers([op, first, second]: [u16; 3]) -> Option<Cow<'static, Self>> {
        let op = BuiltinOp::from_handle(op.into())?;
        op.update(&unit_of_numbers([first, second])?).ok()
    }
}

/// A predefined datatype as numbers: its own, or those of the value and the index of a pair that has no name.
#[inline]
#[must_use]
pub fn numbers_of(unit: &Datatype) -> [u16; 2] {
    match (unit.basic(), unit.pair()) {
        (Some(basic), _) => [basic as u16, 0],
        (None, Some((value, index))) => [value as u16, index as u16],
        (None, None) => [0, 0],
    }
}

/// The predefined datatype of these numbers; none if there is none.
#[must_use]
pub fn unit_of_numbers([first, second]: [u16; 2]) -> Option<Datatype> {
    let value = Basic::of_number(first.into())?;
    match second {
        0 => Some(Datatype::Basic(value)),
        _ => Datatype::value_index(value, Basic::of_number(second.into())?).ok()?,
    }
}

#[cold]
fn mixed(op: BuiltinOp) -> Error {
    Error::new(
        ErrorClass::Type,
        format!(
            "{} is done element by element, but the datatype has elements of several predefined datatypes",
            op.name()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Block, ElementBuffer, Source, Stripes, compare_and_swap, pack, unpack};
    use crate::op::Op;
    use simurgh_core::sync::Arc;
    use std::sync::Barrier;

    const ROOM: usize = 16 << 10;

    /// What an update does, compared with the reduction of the same operation.
    fn check(stripes: &Stripes, op: BuiltinOp, basic: Basic, shift: i64, count: usize) {
        let unit = Datatype::Basic(basic);
        let Ok(update) = op.update(&unit) else { return };
        let size = unit.size() * count;
        let pattern = |seed: usize| -> Vec<u8> {
            let byte = |index: usize| match basic.kind() {
                // Small numbers, which are also right for floating point of all sizes.
                _ if index.is_multiple_of(unit.size()) => ((index / unit.size() + seed) % 3) as u8,
                _ => 0,
            };
            (0..size).map(byte).collect()
        };
        let (input, before) = (pattern(1), pattern(2));
        let [source, expected] = [&input, &before].map(|data| {
            let elements = ElementBuffer::new(&unit, count);
            unpack(data, &elements.target());
            elements
        });
        match op {
            BuiltinOp::Replace => drop(unpack(&input, &expected.target())),
            BuiltinOp::NoOp => {}
            _ => Op::Builtin(op)
                .reduce(&source.source(), &expected.target())
                .unwrap(),
        }
        // At any address.
        let room = Arc::new(Block::new(ROOM, 64).expect("memory"));
        let region = room.region(0, ROOM).expect("it has so many bytes");
        let target = region.target(shift, count, &unit).expect("it is within");
        let result = ElementBuffer::new(&unit, count);
        unpack(&before, &target);
        update.apply(stripes, Some(&source.source()), &target, Some(&result.target()));
        let read = |source: &Source| {
            let mut bytes = vec![0; size];
            pack(source, &mut bytes);
            bytes
        };
        let (found, wanted) = (read(&target.as_source()), read(&expected.source()));
        assert_eq!(found, wanted, "{op:?} of {basic:?} displaced by {shift}");
        assert_eq!(read(&result.source()), before, "{op:?} of {basic:?}");
        let [op_number, first, second] = Update::numbers(op, &unit);
        let again = Update::of_numbers([op_number, first, second]).expect("it is known");
        let mut fetched = vec![0; size];
        unpack(&before, &target);
        if unit.is_contiguous() {
            again.apply_packed(stripes, &input, &target, Some(&mut fetched));
            assert_eq!((read(&target.as_source()), fetched), (wanted, before));
        }
    }

    #[test]
    fn updates_do_what_reductions_do() {
        for &op in BuiltinOp::ALL {
            for &basic in Basic::ALL.iter().chain(Basic::RESIZED) {
                // A few elements, and so many that they are updated by words and blocks of words, which begin and end
                // within words.
                check(&Stripes::own(), op, basic, 0, 5);
                check(&Stripes::own(), op, basic, 1, 5);
                check(&Stripes::own(), op, basic, basic.size() as i64, 333);
            }
        }
    }

    /// Updates have brought so much that from now on long ones are alone.
    fn excluding() -> Stripes {
        let stripes = Stripes::own();
        let byte = Datatype::Basic(Basic::Byte);
        let update = BuiltinOp::Replace.update(&byte).expect("it is defined");
        let [from, to] = [(); 2].map(|()| ElementBuffer::new(&byte, 1 << 16));
        // Other tests may keep it from being alone for a moment.
        for _ in 0..100 {
            update.apply(&stripes, Some(&from.source()), &to.target(), None);
        }
        stripes
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes very long")]
    fn long_updates_that_are_alone_do_what_reductions_do() {
        let stripes = excluding();
        for &op in BuiltinOp::ALL {
            for &basic in Basic::ALL.iter().chain(Basic::RESIZED) {
                let count = 4096 / basic.size() + 5;
                // Words, and elements at addresses that are no multiples of their size.
                check(&stripes, op, basic, basic.size() as i64, count);
                check(&stripes, op, basic, 1, count);
            }
        }
    }

    /// What is added is in the memory that it is added to.
    #[test]
    #[cfg_attr(miri, ignore = "takes very long")]
    fn a_long_update_takes_its_input_from_where_it_is_added() {
        const COUNT: usize = 1000;
        let stripes = excluding();
        let unit = Datatype::Basic(Basic::Double);
        let update = BuiltinOp::Sum.update(&unit).expect("it is defined");
        let values = ElementBuffer::new(&unit, COUNT);
        unpack(&1.5_f64.to_ne_bytes().repeat(COUNT), &values.target());
        update.apply(&stripes, Some(&values.source()), &values.target(), None);
        let mut found = vec![0; COUNT * 8];
        pack(&values.source(), &mut found);
        assert_eq!(found, 3.0_f64.to_ne_bytes().repeat(COUNT));
    }

    #[test]
    fn a_value_is_swapped_if_it_is_the_expected_one() {
        for basic in [
            Basic::Byte,
            Basic::Short,
            Basic::Int,
            Basic::Long,
            Basic::Integer16,
        ] {
            let unit = Datatype::Basic(basic);
            let new = |value: u8| {
                let element = ElementBuffer::new(&unit, 1);
                unpack(&vec![value; unit.size()], &element.target());
                element
            };
            let [place, other, same, result] = [5, 4, 5, 0].map(new);
            let input = new(9);
            let value = |element: &ElementBuffer| {
                let mut bytes = vec![0; unit.size()];
                pack(&element.source(), &mut bytes);
                bytes[0]
            };
            let stripes = Stripes::own();
            let swap = |compare: &ElementBuffer| {
                compare_and_swap(
                    &stripes,
                    &compare.source(),
                    &input.source(),
                    &place.target(),
                    &result.target(),
                );
                (value(&place), value(&result))
            };
            assert_eq!(swap(&other), (5, 5));
            assert_eq!(swap(&same), (9, 5));
        }
    }

    /// Threads add `one` to each element, 240 times altogether: to many at a time, and to some by themselves.
    fn add_at_once(basic: Basic, one: &[u8]) -> Vec<u8> {
        const THREADS: usize = 4;
        const ROUNDS: usize = 60;
        const COUNT: usize = 600;
        let unit = Datatype::Basic(basic);
        let update = BuiltinOp::Sum.update(&unit).expect("it is defined");
        let room = Arc::new(Block::new(ROOM, 64).expect("memory"));
        let region = room.region(0, ROOM).expect("it has so many bytes");
        let all = region.target(0, COUNT, &unit).expect("it is within");
        let stripes = Stripes::own();
        let ones = ElementBuffer::new(&unit, COUNT);
        unpack(&one.repeat(COUNT), &ones.target());
        let add = |first: usize, count: usize| {
            let input = ones.source().slice(0, count);
            update.apply(&stripes, Some(&input), &all.slice(first, count), None);
        };
        let add_to_all = |thread: usize, round: usize| {
            let (first, second) = (3 * thread + round, COUNT - 1 - 7 * thread - round);
            add(0, first);
            add(first, second - first);
            (second..COUNT).for_each(|element| add(element, 1));
        };
        let start = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (add_to_all, start) = (&add_to_all, &start);
                scope.spawn(move || {
                    start.wait();
                    (0..ROUNDS).for_each(|round| add_to_all(thread, round));
                });
            }
        });
        let mut found = vec![0; COUNT * unit.size()];
        pack(&all.as_source(), &mut found);
        found
    }

    /// Words are updated by wider instructions than elements that share a word with others.
    #[test]
    fn updates_of_elements_and_of_whole_words_are_atomic_to_each_other() {
        let repeated = |value: &[u8]| value.repeat(600);
        assert_eq!(add_at_once(Basic::UnsignedChar, &[1]), repeated(&[240]));
        let [one, all] = [1_u16, 240].map(u16::to_ne_bytes);
        assert_eq!(add_at_once(Basic::UnsignedShort, &one), repeated(&all));
        let [one, all] = [1_i32, 240].map(i32::to_ne_bytes);
        assert_eq!(add_at_once(Basic::Int, &one), repeated(&all));
        let [one, all] = [1_f64, 240.0].map(f64::to_ne_bytes);
        assert_eq!(add_at_once(Basic::Double, &one), repeated(&all));
        let [one, all] = [1_f32, 240.0].map(f32::to_ne_bytes);
        assert_eq!(add_at_once(Basic::Float, &one), repeated(&all));
        // A pair of words without an instruction of its own.
        let [one, all] = [1_f32, 240.0].map(|value| value.to_ne_bytes().repeat(2));
        assert_eq!(add_at_once(Basic::CFloatComplex, &one), repeated(&all));
    }
}
