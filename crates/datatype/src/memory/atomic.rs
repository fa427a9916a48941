//! Atomic updates of elements that several processes change at the same time.
//!
//! An element of 1, 2, 4 or 8 bytes without gaps at a multiple of its size is updated by atomic instructions, any other
//! one under a lock ([`Stripes`]). Size and address alone decide, so that all who update an element do it in the same
//! way, whatever the operation. A few elements that follow each other are besides updated together.

use super::buffer::{Source, Target};
use super::runs::{Run, Runs};
use super::stripes::{RANGE, Stripes};
use super::transfer::{pack, unpack};
use crate::datatype::{Class, Datatype, Kind};
use simurgh_core::sync::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// What is done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It is replaced.
    Replace,
    /// It stays as it is.
    Keep,
    /// Integers wrap around.
    Add,
    And,
    Or,
    Xor,
    /// It is combined in another way.
    Combine,
}

/// Combines one input with one element.
pub(crate) type Combine = fn([&Source; 1], &Target);

/// Updates an element by atomic instructions. The arguments are the element, the input and, unless it is null, the room
/// for the value before.
type Direct = unsafe fn(*mut u8, *const u8, *mut u8);

/// An atomic update of the elements of a predefined datatype.
#[derive(Clone, Debug)]
pub struct Update {
    action: Action,
    combine: Combine,
    unit: Datatype,
    size: usize,
    /// Whether the machine has atomic instructions for elements of this size.
    is_word: bool,
    /// The instruction, if there is one for this update.
    direct: Option<Direct>,
}

/// The longest element with its gaps.
const LONGEST: usize = 128;

/// Memory for one element.
#[repr(C, align(64))]
struct Room([u8; LONGEST]);

impl Update {
    /// An update of elements of this predefined datatype, which `combine` does if `action` says so.
    pub(crate) fn new(unit: Datatype, action: Action, combine: Combine) -> Self {
        let size = unit.size();
        assert!(
            unit.extent().unsigned_abs() <= LONGEST && size <= LONGEST,
            "no predefined datatype is longer"
        );
        let is_word = unit.is_contiguous() && matches!(size, 1 | 2 | 4 | 8);
        let direct = if is_word { direct(action, &unit) } else { None };
        Self {
            action,
            combine,
            size,
            is_word,
            direct,
            unit,
        }
    }

    /// The datatype of the elements.
    #[must_use]
    pub fn unit(&self) -> &Datatype {
        &self.unit
    }

    /// Bytes of data in an element.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether nothing is read of the input.
    #[must_use]
    pub fn ignores_input(&self) -> bool {
        self.action == Action::Keep
    }

    /// Updates the elements of `target`, one after the other, with those of `input`, as many as both have. If there is
    /// a `result`, it gets the values from before. An input of an update that ignores it may be missing.
    pub fn apply(&self, stripes: &Stripes, input: Option<&Source>, target: &Target, result: Option<&Target>) {
        let bytes = target.bytes().min(input.map_or(usize::MAX, Source::bytes));
        let packed_input;
        let from = match input {
            None => std::ptr::null(),
            Some(input) if input.is_contiguous() => input.address(),
            Some(input) => {
                packed_input = packed(input);
                packed_input.as_ptr()
            }
        };
        let mut held = Vec::new();
        let into = match result {
            None => std::ptr::null_mut(),
            Some(result) if result.is_contiguous() && result.bytes() >= bytes => result.address(),
            Some(_) => {
                held.resize(bytes, 0);
                held.as_mut_ptr()
            }
        };
        let mut done = 0;
        for Run { offset, count } in Runs::new(target.datatype(), target.count(), &self.unit) {
            let count = count.min((bytes - done) / self.size);
            let at = |start: *const u8| {
                if start.is_null() {
                    start
                } else {
                    start.wrapping_add(done)
                }
            };
            // SAFETY:
            // - the run lies within the target, whose memory is valid by the promise of its maker;
            // - `done` and the run's elements are within `bytes`, which input and result have.
            unsafe {
                let element = target.address().wrapping_offset(offset);
                self.run(stripes, (element, count), at(from), at(into).cast_mut());
            }
            done += count * self.size;
        }
        if let Some(result) = result
            && !held.is_empty()
        {
            unpack(&held, result);
        }
    }

    /// [`Update::apply`] to elements that follow each other, with packed data. As many are updated as the input has, or
    /// the result if the input is ignored.
    pub fn apply_packed(&self, stripes: &Stripes, input: &[u8], target: &Target, result: Option<&mut [u8]>) {
        let ignored = self.ignores_input();
        let room = result
            .as_ref()
            .map_or(usize::MAX, |result| result.len() / self.size);
        let given = if ignored {
            usize::MAX
        } else {
            input.len() / self.size
        };
        let count = target.count().min(room).min(given);
        let into = result.map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr);
        assert!(*target.datatype() == self.unit, "a run consists of units");
        // SAFETY:
        // - all three have `count` elements; those of the target are valid by the promise of its maker.
        unsafe { self.run(stripes, (target.address(), count), input.as_ptr(), into) };
    }

    /// Updates elements that follow each other.
    ///
    /// # Safety
    ///
    /// * The elements are readable and writable. The input has as many, packed, unless it is ignored. The result is
    ///   null or has room for as many, packed.
    #[inline]
    unsafe fn run(
        &self,
        stripes: &Stripes,
        (first, count): (*mut u8, usize),
        input: *const u8,
        result: *mut u8,
    ) {
        let extent = self.unit.extent();
        let is_aligned = self.is_word && first.addr().is_multiple_of(self.size);
        let bytes = count * extent.unsigned_abs();
        let _range = (count > 1 && bytes <= RANGE).then(|| stripes.lock_range(first, bytes));
        for index in 0..count {
            let element = first.wrapping_offset(index as isize * extent);
            let input = input.wrapping_add(index * self.size);
            let result = match result.is_null() {
                true => result,
                false => result.wrapping_add(index * self.size),
            };
            // SAFETY:
            // - as demanded of the caller; words are aligned, since the first one is and there are no gaps.
            unsafe {
                match self.direct {
                    Some(direct) if is_aligned => direct(element, input, result),
                    _ if is_aligned => self.exchange(element, input, result),
                    _ => self.locked(stripes, element, input, result),
                }
            }
        }
    }

    /// Updates a word by comparing and exchanging.
    ///
    /// # Safety
    ///
    /// * As for a [`Direct`] update of an aligned word.
    unsafe fn exchange(&self, element: *mut u8, input: *const u8, result: *mut u8) {
        // SAFETY:
        // - as demanded of the caller.
        unsafe {
            match self.size {
                1 => update::<u8>(element, result, |old| self.combined(old, input)),
                2 => update::<u16>(element, result, |old| self.combined(old, input)),
                4 => update::<u32>(element, result, |old| self.combined(old, input)),
                _ => update::<u64>(element, result, |old| self.combined(old, input)),
            }
        }
    }

    /// The value of a word after the update.
    fn combined<W: Word>(&self, old: W, input: *const u8) -> W {
        let mut value = old;
        // SAFETY:
        // - the value and the input are one element each, valid until the operation ends.
        let (input, target) = unsafe {
            (
                Source::new(input, 1, self.unit.clone()),
                Target::new((&raw mut value).cast(), 1, self.unit.clone()),
            )
        };
        (self.combine)([&input], &target);
        value
    }

    /// Updates an element under its lock.
    ///
    /// # Safety
    ///
    /// * As for a [`Direct`] update, at any address.
    #[cold]
    unsafe fn locked(&self, stripes: &Stripes, element: *mut u8, input: *const u8, result: *mut u8) {
        // SAFETY:
        // - as demanded of the caller.
        let target = unsafe { Target::new(element, 1, self.unit.clone()) };
        let _held = stripes.lock(element);
        if !result.is_null() {
            // SAFETY:
            // - as demanded of the caller.
            pack(&target.as_source(), unsafe {
                std::slice::from_raw_parts_mut(result, self.size)
            });
        }
        if self.action == Action::Keep {
            return;
        }
        // SAFETY:
        // - as demanded of the caller.
        let input = unsafe { std::slice::from_raw_parts(input, self.size) };
        if self.action == Action::Replace {
            unpack(input, &target);
            return;
        }
        let mut room = Room([0; LONGEST]);
        // SAFETY:
        // - an element with its gaps is no longer than the room.
        let place = unsafe { Target::new(room.0.as_mut_ptr(), 1, self.unit.clone()) };
        unpack(input, &place);
        (self.combine)([&place.as_source()], &target);
    }
}

/// Replaces the element of `target` by `input` if it is equal to `compare`; `result` gets its value from before. All
/// are one element of the same predefined datatype.
pub fn compare_and_swap(
    stripes: &Stripes,
    compare: &Source,
    input: &Source,
    target: &Target,
    result: &Target,
) {
    let size = target.datatype().size();
    let [mut before, mut old, mut new] = [const { Room([0; LONGEST]) }; 3];
    let (before, old, new) = (&mut before.0[..size], &mut old.0[..size], &mut new.0[..size]);
    pack(compare, old);
    pack(input, new);
    compare_and_swap_packed(stripes, (old, new), target, before);
    unpack(before, result);
}

/// [`compare_and_swap`] with packed data: the value to compare with, and the input.
pub fn compare_and_swap_packed(
    stripes: &Stripes,
    (compare, input): (&[u8], &[u8]),
    target: &Target,
    before: &mut [u8],
) {
    let size = target.datatype().size();
    assert!(
        compare.len() == size && input.len() == size && before.len() == size && target.count() == 1,
        "it takes one element each"
    );
    let element = target.address();
    let is_word = target.datatype().is_contiguous() && element.addr().is_multiple_of(size);
    // SAFETY:
    // - the element is valid by the promise of its maker, and aligned; the lengths of the others have been checked.
    unsafe {
        match size {
            1 if is_word => exchange_equal::<u8>(element, compare, input, before),
            2 if is_word => exchange_equal::<u16>(element, compare, input, before),
            4 if is_word => exchange_equal::<u32>(element, compare, input, before),
            8 if is_word => exchange_equal::<u64>(element, compare, input, before),
            _ => {
                let _held = stripes.lock(element);
                pack(&target.as_source(), before);
                if before == compare {
                    unpack(input, target);
                }
            }
        }
    }
}

fn packed(source: &Source) -> Vec<u8> {
    let mut bytes = vec![0; source.bytes()];
    pack(source, &mut bytes);
    bytes
}

/// A word on which the machine has atomic instructions.
trait Word: Copy {
    type Atomic: 'static;

    /// The atomic at an address.
    ///
    /// # Safety
    ///
    /// * It is aligned, readable and writable.
    unsafe fn at<'a>(address: *mut u8) -> &'a Self::Atomic;
    fn load(place: &Self::Atomic) -> Self;
    fn swap(place: &Self::Atomic, value: Self) -> Self;
    fn add(place: &Self::Atomic, value: Self) -> Self;
    fn and(place: &Self::Atomic, value: Self) -> Self;
    fn or(place: &Self::Atomic, value: Self) -> Self;
    fn xor(place: &Self::Atomic, value: Self) -> Self;
    fn exchange(place: &Self::Atomic, old: Self, new: Self) -> Result<Self, Self>;
}

macro_rules! words {
    ($($word:ty: $atomic:ty),*) => { $(
        impl Word for $word {
            type Atomic = $atomic;

            #[inline(always)]
            unsafe fn at<'a>(address: *mut u8) -> &'a $atomic {
                // SAFETY:
                // - as demanded of the caller.
                unsafe { <$atomic>::from_ptr(address.cast()) }
            }

            #[inline(always)]
            fn load(place: &$atomic) -> Self {
                place.load(Ordering::SeqCst)
            }

            #[inline(always)]
            fn swap(place: &$atomic, value: Self) -> Self {
                place.swap(value, Ordering::SeqCst)
            }

            #[inline(always)]
            fn add(place: &$atomic, value: Self) -> Self {
                place.fetch_add(value, Ordering::SeqCst)
            }

            #[inline(always)]
            fn and(place: &$atomic, value: Self) -> Self {
                place.fetch_and(value, Ordering::SeqCst)
            }

            #[inline(always)]
            fn or(place: &$atomic, value: Self) -> Self {
                place.fetch_or(value, Ordering::SeqCst)
            }

            #[inline(always)]
            fn xor(place: &$atomic, value: Self) -> Self {
                place.fetch_xor(value, Ordering::SeqCst)
            }

            #[inline(always)]
            fn exchange(place: &$atomic, old: Self, new: Self) -> Result<Self, Self> {
                place.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst)
            }
        }
    )* };
}

words!(u8: AtomicU8, u16: AtomicU16, u32: AtomicU32, u64: AtomicU64);

/// Stores the value from before, if there is room for it.
///
/// # Safety
///
/// * `result` is null or has room for a word.
#[inline(always)]
unsafe fn give<W: Word>(result: *mut u8, before: W) {
    if !result.is_null() {
        // SAFETY:
        // - as demanded of the caller.
        unsafe { result.cast::<W>().write_unaligned(before) };
    }
}

/// Updates a word by comparing and exchanging until nobody else has changed it meanwhile.
///
/// # Safety
///
/// * As for a [`Direct`] update of an aligned word.
#[inline(always)]
unsafe fn update<W: Word>(element: *mut u8, result: *mut u8, change: impl Fn(W) -> W) {
    // SAFETY:
    // - as demanded of the caller.
    let place = unsafe { W::at(element) };
    let mut old = W::load(place);
    while let Err(now) = W::exchange(place, old, change(old)) {
        old = now;
    }
    // SAFETY:
    // - as demanded of the caller.
    unsafe { give(result, old) };
}

/// Replaces a word if it is as given.
///
/// # Safety
///
/// * The element is an aligned word, readable and writable; the slices have the length of a word.
unsafe fn exchange_equal<W: Word>(element: *mut u8, compare: &[u8], input: &[u8], before: &mut [u8]) {
    // SAFETY:
    // - as demanded of the caller.
    unsafe {
        let old = compare.as_ptr().cast::<W>().read_unaligned();
        let new = input.as_ptr().cast::<W>().read_unaligned();
        let (Ok(found) | Err(found)) = W::exchange(W::at(element), old, new);
        give(before.as_mut_ptr(), found);
    }
}

/// The instruction for an update, if there is one.
fn direct(action: Action, unit: &Datatype) -> Option<Direct> {
    match unit.size() {
        1 => word_update::<u8>(action, unit),
        2 => word_update::<u16>(action, unit),
        4 => word_update::<u32>(action, unit),
        _ => word_update::<u64>(action, unit),
    }
}

/// The update of a word by one instruction.
macro_rules! instruction {
    ($word:ty, $name:ident) => {
        |element, input, result| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe {
                let value = input.cast::<$word>().read_unaligned();
                give(result, <$word>::$name(<$word>::at(element), value));
            }
        }
    };
}

fn word_update<W: Word>(action: Action, unit: &Datatype) -> Option<Direct> {
    let (basic, kind) = match unit.basic() {
        Some(basic) => (basic, basic.kind()),
        None => {
            return matches!(action, Action::Replace | Action::Keep)
                .then(|| of_any::<W>(action))
                .flatten();
        }
    };
    let is_integer = matches!(
        basic.class(),
        Class::CInteger | Class::FortranInteger | Class::MultiLanguage | Class::Byte | Class::Char
    );
    match action {
        Action::Add if is_integer => Some(instruction!(W, add)),
        Action::And if is_integer => Some(instruction!(W, and)),
        Action::Or if is_integer => Some(instruction!(W, or)),
        Action::Xor if is_integer => Some(instruction!(W, xor)),
        Action::Add if kind == Kind::F64 => Some(|element, input, result| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe {
                let more = input.cast::<f64>().read_unaligned();
                update::<u64>(element, result, |old| (f64::from_bits(old) + more).to_bits());
            }
        }),
        Action::Add if kind == Kind::F32 => Some(|element, input, result| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe {
                let more = input.cast::<f32>().read_unaligned();
                update::<u32>(element, result, |old| (f32::from_bits(old) + more).to_bits());
            }
        }),
        _ => of_any::<W>(action),
    }
}

/// The updates that do not look at the value.
fn of_any<W: Word>(action: Action) -> Option<Direct> {
    match action {
        Action::Replace => Some(instruction!(W, swap)),
        Action::Keep => Some(|element, _, result| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe { give(result, W::load(W::at(element))) };
        }),
        _ => None,
    }
}
