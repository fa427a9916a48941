//! Atomic updates of elements that several processes change at the same time.
//!
//! A long update may exclude all others of its window ([`Stripes`]). Then it has no need of anything atomic: the loops
//! of reductions work on the elements in place.
//!
//! An element of 1, 2, 4 or 8 bytes without gaps at a multiple of its size is updated by atomic instructions, any other
//! one under a lock ([`Stripes`]). Size and address alone decide, so that all who update an element do it in the same
//! way, whatever the operation. A few elements that follow each other are besides updated together.
//!
//! Where many small elements follow each other, one instruction updates all those of a word of 8 bytes: the words are
//! read, combined by the loops of reductions, and each is exchanged if it is still as it was read. An instruction of
//! x86-64 with the lock prefix is atomic to all other accesses of the memory, also to those of other widths (Intel's
//! manual, volume 3, 9.1.2.2); the word lies within a cache line. So others may update one of the elements meanwhile.

use super::buffer::{Source, Target};
use super::runs::{Run, Runs};
use super::stripes::{RANGE, Stripes};
use super::transfer::{pack, unpack};
use super::word::{Direct, Row, Word, direct, update};
use crate::datatype::{Basic, Datatype};

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

/// Combines so many bytes of elements without gaps with an input.
pub(crate) type CombineBytes = unsafe fn(*const u8, *mut u8, usize);

/// An atomic update of the elements of a predefined datatype.
#[derive(Clone, Debug)]
pub struct Update {
    action: Action,
    combine: Combine,
    combine_bytes: Option<CombineBytes>,
    unit: Datatype,
    size: usize,
    /// Whether the machine has atomic instructions for elements of this size.
    is_word: bool,
    /// The instruction, if there is one for this update.
    direct: Option<Direct>,
}

/// The longest element with its gaps.
pub(super) const LONGEST: usize = 128;

/// Bytes of the longest word.
const WIDEST: usize = size_of::<u64>();

/// Words that are combined at a time.
const BLOCK: usize = 32;

/// So many elements are updated by whole words: fewer take less time one by one.
const MANY: usize = 8;

/// Memory for one element.
#[repr(C, align(64))]
pub(super) struct Room(pub(super) [u8; LONGEST]);

impl Update {
    /// An update of elements of this predefined datatype, which `combine` does if `action` says so.
    pub(crate) fn new(
        unit: Datatype,
        action: Action,
        (combine, combine_bytes): (Combine, Option<CombineBytes>),
    ) -> Self {
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
            combine_bytes,
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

    /// Whether a predefined datatype is that of the elements.
    #[inline(always)]
    pub(super) fn is_of(&self, basic: Basic) -> bool {
        matches!(&self.unit, Datatype::Basic(unit) if *unit == basic)
    }

    /// Whether the elements are words, aligned if the first one is at this address.
    #[inline(always)]
    fn are_aligned_words(&self, element: *const u8) -> bool {
        self.is_word && element.addr() & (self.size - 1) == 0
    }

    /// Updates an element by one instruction, and stores its value from before at `result`, unless that is null; false,
    /// with nothing done, if that cannot be.
    ///
    /// # Safety
    ///
    /// * `element` and `input` have an element of this datatype each, and so has `result`, if it is not null.
    #[inline(always)]
    pub(super) unsafe fn at_once(&self, element: *mut u8, input: *const u8, result: *mut u8) -> bool {
        let Some(direct) = self.direct.filter(|_| element.addr() & (self.size - 1) == 0) else {
            return false;
        };
        // SAFETY:
        // - as demanded of the caller; the element is an aligned word.
        unsafe {
            direct(Row {
                element,
                input,
                result,
            })
        };
        true
    }

    /// Updates the elements in so many bytes at an address, if they are aligned words. Whether they are.
    ///
    /// # Safety
    ///
    /// * The bytes hold whole elements of this datatype, as those of the input do.
    #[inline(always)]
    pub(super) unsafe fn apply_at(
        &self,
        stripes: &Stripes,
        element: *mut u8,
        input: *const u8,
        bytes: usize,
    ) -> bool {
        if !self.are_aligned_words(element) {
            return false;
        }
        let row = Row {
            element,
            input,
            result: std::ptr::null_mut(),
        };
        let access = stripes.access(bytes);
        // The size of a word is a power of two.
        let count = bytes >> self.size.trailing_zeros();
        // SAFETY:
        // - as demanded of the caller.
        unsafe { self.run(stripes, row, count, access.is_alone()) };
        true
    }

    /// Whether nothing is read of the input.
    #[must_use]
    pub fn ignores_input(&self) -> bool {
        self.action == Action::Keep
    }

    /// Updates the elements of `target`, one after the other, with those of `input`, as many as both have. If there is
    /// a `result`, it gets the values from before. An input of an update that ignores it may be missing.
    #[inline]
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
        let row = Row {
            element: target.address(),
            input: from,
            result: into,
        };
        let access = stripes.access(bytes);
        if self.is_word && target.is_contiguous() {
            // The size of a word is a power of two.
            let count = bytes >> self.size.trailing_zeros();
            let is_alone = access.is_alone();
            // SAFETY:
            // - the elements are the first `bytes` bytes of the target, whose memory is valid by the promise of its
            //   maker; input and result have as many.
            unsafe { self.run(stripes, row, count, is_alone) };
        } else {
            // SAFETY:
            // - input and result have so many bytes.
            unsafe { self.runs(stripes, row, (target, bytes), access.is_alone()) };
        }
        drop(access);
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
        assert!(*target.datatype() == self.unit, "a run consists of units");
        let row = Row {
            element: target.address(),
            input: input.as_ptr(),
            result: result.map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr),
        };
        let access = stripes.access(count * self.size);
        // SAFETY:
        // - all three have `count` elements; those of the target are valid by the promise of its maker.
        unsafe { self.run(stripes, row, count, access.is_alone()) };
    }

    /// Updates the first `bytes` bytes of the elements of a target, run by run.
    ///
    /// # Safety
    ///
    /// * The row begins at the address of the target. Input and result have so many bytes, as [`Update::run`] demands.
    unsafe fn runs(&self, stripes: &Stripes, row: Row, (target, bytes): (&Target, usize), is_alone: bool) {
        let mut done = 0;
        for Run { offset, count } in Runs::new(target.datatype(), target.count(), &self.unit) {
            let count = count.min((bytes - done) / self.size);
            // SAFETY:
            // - the run lies within the target, whose memory is valid by the promise of its maker;
            // - `done` and the run's elements are within `bytes`, which input and result have.
            unsafe { self.run(stripes, row.shifted(offset, done), count, is_alone) };
            done += count * self.size;
        }
    }

    /// Updates `count` elements that follow each other, perhaps while nobody else updates any of the window.
    ///
    /// # Safety
    ///
    /// * The row has so many elements.
    #[inline(always)]
    unsafe fn run(&self, stripes: &Stripes, row: Row, count: usize, is_alone: bool) {
        let is_aligned = self.are_aligned_words(row.element);
        // Words have no gaps.
        let bytes = count * self.size;
        if is_alone && is_aligned && !row.overlaps(bytes) {
            // SAFETY:
            // - as demanded of the caller; words fill their bytes.
            return unsafe { self.in_place(row, bytes) };
        }
        // SAFETY:
        // - as demanded of the caller.
        unsafe { self.run_among(stripes, row, count) };
    }

    /// [`Update::run`] beside other updates.
    ///
    /// # Safety
    ///
    /// * As for [`Update::run`].
    unsafe fn run_among(&self, stripes: &Stripes, row: Row, count: usize) {
        let bytes = count * self.unit.extent().unsigned_abs();
        let _range = (count > 1 && bytes <= RANGE).then(|| stripes.lock_range(row.element, bytes));
        let is_aligned = self.are_aligned_words(row.element);
        // SAFETY:
        // - as demanded of the caller; all words are aligned if the first one is, since there are no gaps.
        unsafe {
            match self.direct {
                Some(direct) if is_aligned && count == 1 => direct(row),
                _ if is_aligned => self.words(row, count),
                _ => self.each(row, count, |row| self.locked(stripes, row)),
            }
        }
    }

    /// Updates elements without gaps that nobody else updates meanwhile.
    ///
    /// # Safety
    ///
    /// * The row has so many bytes of elements, which the input does not overlap.
    #[inline(always)]
    unsafe fn in_place(&self, row: Row, bytes: usize) {
        // SAFETY:
        // - as demanded of the caller.
        unsafe {
            if !row.result.is_null() {
                row.result.copy_from(row.element, bytes);
            }
            if self.action != Action::Keep {
                self.fold(row.input, row.element, bytes);
            }
        }
    }

    /// Updates words that follow each other.
    ///
    /// # Safety
    ///
    /// * The row has so many elements, which are aligned words.
    unsafe fn words(&self, row: Row, count: usize) {
        let one = |row| match self.direct {
            // SAFETY:
            // - as demanded of the caller.
            Some(direct) => unsafe { direct(row) },
            // SAFETY:
            // - as above.
            None => unsafe { self.exchange(row) },
        };
        let bytes = count * self.size;
        let head = (row.element.addr().wrapping_neg() % WIDEST).min(bytes);
        let blocks = (bytes - head) / WIDEST * WIDEST;
        let is_wide = self.size < WIDEST || self.direct.is_none();
        // SAFETY:
        // - as demanded of the caller; elements fill the bytes before and behind whole words of the widest kind.
        unsafe {
            if !is_wide || count < MANY {
                self.each(row, count, one);
                return;
            }
            self.each(row, head / self.size, one);
            self.blocks(row.advanced(head), blocks / WIDEST);
            self.each(
                row.advanced(head + blocks),
                (bytes - head - blocks) / self.size,
                one,
            );
        }
    }

    /// Updates elements that follow each other one by one.
    ///
    /// # Safety
    ///
    /// * The row has so many elements.
    #[inline]
    unsafe fn each(&self, row: Row, count: usize, update: impl Fn(Row)) {
        let extent = self.unit.extent();
        for index in 0..count {
            update(row.shifted(index as isize * extent, index * self.size));
        }
    }

    /// Updates the elements in so many words of the widest kind, a block of them at a time.
    ///
    /// # Safety
    ///
    /// * The row has the elements that fill these words, which are aligned.
    unsafe fn blocks(&self, row: Row, words: usize) {
        for start in (0..words).step_by(BLOCK) {
            // SAFETY:
            // - as demanded of the caller.
            unsafe { self.block(row.advanced(start * WIDEST), BLOCK.min(words - start)) };
        }
    }

    /// Updates the elements in at most [`BLOCK`] words.
    ///
    /// # Safety
    ///
    /// * As for [`Update::blocks`].
    unsafe fn block(&self, row: Row, words: usize) {
        let mut before = [0_u64; BLOCK];
        let before = &mut before[..words];
        for (index, value) in before.iter_mut().enumerate() {
            // SAFETY:
            // - as demanded of the caller.
            *value = u64::load(unsafe { u64::at(row.advanced(index * WIDEST).element) });
        }
        let mut after = [0_u64; BLOCK];
        let after = &mut after[..words];
        after.copy_from_slice(before);
        // SAFETY:
        // - the words are filled by elements, for which there is an input.
        unsafe { self.fold(row.input, after.as_mut_ptr().cast(), words * WIDEST) };
        for (index, (before, after)) in before.iter_mut().zip(after).enumerate() {
            let row = row.advanced(index * WIDEST);
            // SAFETY:
            // - as demanded of the caller.
            let place = unsafe { u64::at(row.element) };
            // A word that the update does not change need not be written: it was as it should be when it was read.
            while before != after
                && let Err(now) = u64::exchange(place, *before, *after)
            {
                *before = now;
                // SAFETY:
                // - elements fill the word, for which there is an input.
                *after = unsafe { self.combined(now, row.input) };
            }
        }
        if !row.result.is_null() {
            // SAFETY:
            // - as demanded of the caller: there is room for the values of the elements.
            unsafe {
                row.result
                    .copy_from_nonoverlapping(before.as_ptr().cast(), words * WIDEST)
            };
        }
    }

    /// Updates a word by comparing and exchanging.
    ///
    /// # Safety
    ///
    /// * As for a [`Direct`] update.
    unsafe fn exchange(&self, row: Row) {
        // SAFETY:
        // - as demanded of the caller.
        unsafe {
            match self.size {
                1 => update::<u8>(row, |old| self.combined(old, row.input)),
                2 => update::<u16>(row, |old| self.combined(old, row.input)),
                4 => update::<u32>(row, |old| self.combined(old, row.input)),
                _ => update::<u64>(row, |old| self.combined(old, row.input)),
            }
        }
    }

    /// The value of a word after the update.
    ///
    /// # Safety
    ///
    /// * Elements fill the word, for which there is an input.
    unsafe fn combined<W: Word>(&self, old: W, input: *const u8) -> W {
        let mut value = old;
        // SAFETY:
        // - as demanded of the caller.
        unsafe { self.fold(input, (&raw mut value).cast(), size_of::<W>()) };
        value
    }

    /// Combines elements that nobody else changes with an input.
    ///
    /// # Safety
    ///
    /// * Elements without gaps fill the bytes, and there are as many bytes of input, which do not overlap with them,
    ///   unless it is ignored.
    #[inline]
    unsafe fn fold(&self, input: *const u8, values: *mut u8, bytes: usize) {
        if let Some(combine_bytes) = self.combine_bytes {
            // SAFETY:
            // - as demanded of the caller.
            return unsafe { combine_bytes(input, values, bytes) };
        }
        let count = bytes / self.size;
        // SAFETY:
        // - as demanded of the caller.
        let (input, values) = unsafe {
            (
                Source::new(input, count, self.unit.clone()),
                Target::new(values, count, self.unit.clone()),
            )
        };
        (self.combine)([&input], &values);
    }

    /// Updates an element under its lock.
    ///
    /// # Safety
    ///
    /// * As for a [`Direct`] update, at any address.
    #[cold]
    unsafe fn locked(&self, stripes: &Stripes, row: Row) {
        let Row {
            element,
            input,
            result,
        } = row;
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

fn packed(source: &Source) -> Vec<u8> {
    let mut bytes = vec![0; source.bytes()];
    pack(source, &mut bytes);
    bytes
}
