//! Words, on which the machine has atomic instructions.

use super::atomic::Action;
use crate::datatype::{Class, Datatype, Kind};
use simurgh_core::sync::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A word on which the machine has atomic instructions.
pub(super) trait Word: Copy {
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

/// Elements that follow each other, from the first one on, with what an update takes and gives, both packed.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Readable and writable.
    pub(super) element: *mut u8,
    /// Readable, unless the update ignores it.
    pub(super) input: *const u8,
    /// Room for the values before, or null.
    pub(super) result: *mut u8,
}

impl Row {
    /// The row from another element on, so many bytes of memory and of data away.
    #[inline(always)]
    pub(super) fn shifted(self, offset: isize, data: usize) -> Self {
        let room = if self.result.is_null() { 0 } else { data };
        Self {
            element: self.element.wrapping_offset(offset),
            input: self.input.wrapping_add(data),
            result: self.result.wrapping_add(room),
        }
    }

    /// Whether so many bytes of the elements and of the input have some in common.
    #[inline]
    pub(super) fn overlaps(self, bytes: usize) -> bool {
        self.element.addr().abs_diff(self.input.addr()) < bytes
    }

    /// [`Row::shifted`] of elements without gaps.
    #[inline(always)]
    pub(super) fn advanced(self, bytes: usize) -> Self {
        self.shifted(bytes as isize, bytes)
    }
}

/// Updates the first element of a row, an aligned word, by atomic instructions.
pub(super) type Direct = unsafe fn(Row);

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
pub(super) unsafe fn update<W: Word>(row: Row, change: impl Fn(W) -> W) {
    // SAFETY:
    // - as demanded of the caller.
    let place = unsafe { W::at(row.element) };
    let mut old = W::load(place);
    while let Err(now) = W::exchange(place, old, change(old)) {
        old = now;
    }
    // SAFETY:
    // - as demanded of the caller.
    unsafe { give(row.result, old) };
}

/// Replaces a word if it is as given.
///
/// # Safety
///
/// * The element is an aligned word, readable and writable. The values have the length of a word, and so has the room
///   for the value before.
unsafe fn exchange_equal<W: Word>(
    element: *mut u8,
    (compare, input): (*const u8, *const u8),
    before: *mut u8,
) {
    // SAFETY:
    // - as demanded of the caller.
    unsafe {
        let old = compare.cast::<W>().read_unaligned();
        let new = input.cast::<W>().read_unaligned();
        let (Ok(found) | Err(found)) = W::exchange(W::at(element), old, new);
        give(before, found);
    }
}

/// Replaces an element of so many bytes if it is as given, by an instruction, if the machine has one for it. Whether it
/// has.
///
/// # Safety
///
/// * The element is readable and writable. The values have its length, and so has the room for the value before.
#[inline(always)]
pub(super) unsafe fn exchange_bytes(
    (element, size): (*mut u8, usize),
    values: (*const u8, *const u8),
    before: *mut u8,
) -> bool {
    if element.addr() & size.wrapping_sub(1) != 0 {
        return false;
    }
    // SAFETY:
    // - as demanded of the caller; the element is aligned if its size is a power of two.
    unsafe {
        match size {
            1 => exchange_equal::<u8>(element, values, before),
            2 => exchange_equal::<u16>(element, values, before),
            4 => exchange_equal::<u32>(element, values, before),
            8 => exchange_equal::<u64>(element, values, before),
            _ => return false,
        }
    }
    true
}

/// The instruction for an update, if there is one.
pub(super) fn direct(action: Action, unit: &Datatype) -> Option<Direct> {
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
        |row: Row| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe {
                let value = row.input.cast::<$word>().read_unaligned();
                give(row.result, <$word>::$name(<$word>::at(row.element), value));
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
        Action::Add if kind == Kind::F64 => Some(|row: Row| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe {
                let more = row.input.cast::<f64>().read_unaligned();
                update::<u64>(row, |old| (f64::from_bits(old) + more).to_bits());
            }
        }),
        Action::Add if kind == Kind::F32 => Some(|row: Row| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe {
                let more = row.input.cast::<f32>().read_unaligned();
                update::<u32>(row, |old| (f32::from_bits(old) + more).to_bits());
            }
        }),
        _ => of_any::<W>(action),
    }
}

/// The updates that do not look at the value.
fn of_any<W: Word>(action: Action) -> Option<Direct> {
    match action {
        Action::Replace => Some(instruction!(W, swap)),
        Action::Keep => Some(|row: Row| {
            // SAFETY:
            // - as demanded of the caller of a `Direct` update.
            unsafe { give(row.result, W::load(W::at(row.element))) };
        }),
        _ => None,
    }
}
