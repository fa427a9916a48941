//! Memory that a program exposes to others: a part of a window.

use super::atomic::Update;
use super::buffer::{Source, Target};
use super::copy::{copy_bytes, copy_word_or_bytes, is_copied_alone};
use super::stripes::Stripes;
use super::word::exchange_bytes;
use crate::datatype::{Basic, Datatype};
use std::ops::Range;

/// Contiguous memory of which other processes name parts by their displacements. What lies outside of it is never
/// touched.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    address: *mut u8,
    bytes: usize,
}

/// Elements of a predefined datatype without gaps, in the memory of a program: `P` is `*const u8` where they are read,
/// and `*mut u8` where they are written.
#[derive(Clone, Copy, Debug)]
pub struct Dense<P> {
    address: P,
    bytes: usize,
    basic: Basic,
}

impl<P> Dense<P> {
    /// `count` elements at an address. None if the datatype has gaps, or for more bytes than there are addresses.
    ///
    /// # Safety
    ///
    /// * Their bytes are readable, or writable if `P` says so, until nobody uses this and its copies any more.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(address: P, count: usize, basic: Basic) -> Option<Self> {
        let bytes = count.checked_mul(basic.size()).filter(|_| basic.is_dense())?;
        Some(Self {
            address,
            bytes,
            basic,
        })
    }

    /// Number of bytes.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The datatype.
    #[inline]
    #[must_use]
    pub fn basic(&self) -> Basic {
        self.basic
    }
}

/// What an atomic operation on one element of a predefined datatype without gaps takes and gives, in the memory of a
/// program.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    basic: Basic,
    input: *const u8,
    /// What the element is compared with; null if it is not.
    compare: *const u8,
    result: *mut u8,
}

impl Operands {
    /// An input and a place for the value from before. None if the datatype has gaps.
    ///
    /// # Safety
    ///
    /// * Both have room for an element. The input is readable and the result writable until nobody uses this and its
    ///   copies any more.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(basic: Basic, input: *const u8, result: *mut u8) -> Option<Self> {
        basic.is_dense().then_some(Self {
            basic,
            input,
            compare: std::ptr::null(),
            result,
        })
    }

    /// The same with a value with which the element is compared.
    ///
    /// # Safety
    ///
    /// * As for [`Operands::new`]; there is an element to compare with, which is readable for as long.
    #[inline(always)]
    #[must_use]
    pub unsafe fn compared_with(self, compare: *const u8) -> Self {
        Self { compare, ..self }
    }

    /// The datatype of the element.
    #[inline]
    #[must_use]
    pub fn basic(&self) -> Basic {
        self.basic
    }

    /// The input.
    #[must_use]
    pub fn input(&self) -> Dense<*const u8> {
        self.dense(self.input)
    }

    /// What the element is compared with, if it is.
    #[must_use]
    pub fn compare(&self) -> Option<Dense<*const u8>> {
        (!self.compare.is_null()).then(|| self.dense(self.compare))
    }

    /// The place for the value from before.
    #[must_use]
    pub fn result(&self) -> Dense<*mut u8> {
        self.dense(self.result)
    }

    fn dense<P>(&self, address: P) -> Dense<P> {
        Dense {
            address,
            bytes: self.basic.size(),
            basic: self.basic,
        }
    }
}

impl Dense<*const u8> {
    /// Their bytes.
    #[must_use]
    pub fn source(&self) -> Source {
        // SAFETY:
        // - so many bytes are readable by the promise of the maker, which holds for copies.
        unsafe { Source::new(self.address, self.bytes, Datatype::Basic(Basic::Byte)) }
    }

    /// Copies them to as many bytes.
    ///
    /// # Panics
    ///
    /// When there are fewer or more.
    pub fn copy_to(&self, room: &mut [u8]) {
        assert!(room.len() == self.bytes, "there is room for the bytes");
        // SAFETY:
        // - so many bytes are readable by the promise of the maker.
        unsafe { copy_bytes(self.address, room.as_mut_ptr(), self.bytes) };
    }
}

impl Dense<*mut u8> {
    /// Their bytes.
    #[must_use]
    pub fn target(&self) -> Target {
        // SAFETY:
        // - so many bytes are writable by the promise of the maker, which holds for copies.
        unsafe { Target::new(self.address, self.bytes, Datatype::Basic(Basic::Byte)) }
    }
}

impl<P: Copy> Dense<P> {
    /// The first byte.
    #[inline]
    #[must_use]
    pub fn address(&self) -> P {
        self.address
    }
}

// SAFETY:
// - plain data; the maker promises that the memory may be used from any thread.
unsafe impl Send for Region {}
// SAFETY:
// - as above.
unsafe impl Sync for Region {}

impl Region {
    /// The bytes from an address on.
    ///
    /// # Safety
    ///
    /// * They are readable and writable until nobody uses this, its copies and the targets made of them any more.
    #[must_use]
    pub unsafe fn new(address: *mut u8, bytes: usize) -> Self {
        Self { address, bytes }
    }

    /// The first byte.
    #[inline]
    #[must_use]
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Number of bytes.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// `count` elements of a datatype at a displacement in bytes; none if they do not lie within the region.
    #[inline(always)]
    #[must_use]
    pub fn target(&self, displacement: i64, count: usize, datatype: &Datatype) -> Option<Target> {
        let inside = match datatype {
            Datatype::Basic(basic) if basic.is_dense() => {
                let length = count.checked_mul(basic.size())?;
                usize::try_from(displacement)
                    .ok()?
                    .checked_add(length)
                    .is_some_and(|end| end <= self.bytes)
            }
            _ => is_within(&span(displacement, count, datatype), self.bytes),
        };
        let address = self.address.wrapping_offset(displacement as isize);
        // SAFETY:
        // - all bytes of the elements lie within the region, for which the promise of the maker holds.
        inside.then(|| unsafe { Target::new(address, count, datatype.clone()) })
    }

    /// Where so many bytes at a displacement begin; none if they do not lie within the region.
    #[inline(always)]
    fn place(&self, displacement: isize, bytes: usize) -> Option<*mut u8> {
        // A negative displacement is a number that is too large.
        let start = displacement.cast_unsigned();
        let inside = start <= self.bytes && bytes <= self.bytes - start;
        inside.then(|| self.address.wrapping_add(start))
    }

    /// Copies data to the bytes at a displacement. False, with nothing done, if the bytes do not lie within the region.
    #[inline(always)]
    #[must_use]
    pub fn write(&self, displacement: isize, from: Dense<*const u8>) -> bool {
        let Some(place) = self.place(displacement, from.bytes) else {
            return false;
        };
        // SAFETY:
        // - all bytes lie within the region, for which the promise of the maker holds, as that of the data does.
        unsafe { copy_word_or_bytes(from.address, place, from.bytes) };
        true
    }

    /// Copies the bytes at a displacement to where data is wanted; false as for [`Region::write`].
    #[inline(always)]
    #[must_use]
    pub fn read(&self, displacement: isize, into: Dense<*mut u8>) -> bool {
        let Some(place) = self.place(displacement, into.bytes) else {
            return false;
        };
        // SAFETY:
        // - as in `write`.
        unsafe { copy_word_or_bytes(place, into.address, into.bytes) };
        true
    }

    /// [`Region::write`] that calls nothing which suspends or locks; false also where idle virtual processors would
    /// take part.
    #[inline(always)]
    #[must_use]
    pub fn write_alone(&self, displacement: isize, from: Dense<*const u8>) -> bool {
        is_copied_alone(from.bytes) && self.write(displacement, from)
    }

    /// [`Region::read`], as [`Region::write_alone`].
    #[inline(always)]
    #[must_use]
    pub fn read_alone(&self, displacement: isize, into: Dense<*mut u8>) -> bool {
        is_copied_alone(into.bytes) && self.read(displacement, into)
    }

    /// Updates the element at a displacement, and reads its value from before. False, with nothing done, if the machine
    /// has no instruction for that, if the element does not lie within the region, or if the operands are not of the
    /// update's datatype.
    #[inline(always)]
    #[must_use]
    pub fn update(
        &self,
        stripes: &Stripes,
        displacement: isize,
        update: &Update,
        operands: Operands,
    ) -> bool {
        let Operands {
            basic, input, result, ..
        } = operands;
        if !update.is_of(basic) {
            return false;
        }
        let Some(place) = self.place(displacement, update.size()) else {
            return false;
        };
        // SAFETY:
        // - all bytes lie within the region, for which the promise of the maker holds; input and result have an element
        //   each by the promises of theirs.
        stripes.share_while(|| unsafe { update.at_once(place, input, result) })
    }

    /// Updates the elements at a displacement, as many as the input has. False, with nothing done, if they do not lie
    /// within the region, or if the input does not consist of elements of the update's datatype.
    #[inline(always)]
    #[must_use]
    pub fn accumulate(
        &self,
        stripes: &Stripes,
        displacement: isize,
        update: &Update,
        input: Dense<*const u8>,
    ) -> bool {
        let Dense { address, bytes, .. } = input;
        if bytes == 0 || !update.is_of(input.basic) {
            return false;
        }
        let Some(place) = self.place(displacement, bytes) else {
            return false;
        };
        let at_once = || {
            // SAFETY:
            // - all bytes lie within the region, for which the promise of the maker holds, as that of the input does;
            //   they are one element.
            stripes.share_while(|| unsafe { update.at_once(place, address, std::ptr::null_mut()) })
        };
        // SAFETY:
        // - as above, save that there may be several elements.
        bytes == update.size() && at_once() || unsafe { update.apply_at(stripes, place, address, bytes) }
    }

    /// Replaces the element at a displacement by the input if it is equal to what it is compared with, and reads its
    /// value from before. False, with nothing done, if the machine has no instruction for that, if the element does not
    /// lie within the region, or if there is nothing to compare with.
    #[inline(always)]
    #[must_use]
    pub fn swap(&self, stripes: &Stripes, displacement: isize, operands: Operands) -> bool {
        let Operands {
            basic,
            input,
            compare,
            result,
        } = operands;
        let size = basic.size();
        let Some(place) = self.place(displacement, size).filter(|_| !compare.is_null()) else {
            return false;
        };
        // SAFETY:
        // - all bytes lie within the region, for which the promise of the maker holds; the operands have an element
        //   each without gaps, by the promise of theirs.
        stripes.share_while(|| unsafe { exchange_bytes((place, size), (compare, input), result) })
    }

    /// Both regions as one, if `other` begins where this ends.
    #[must_use]
    pub fn followed_by(&self, other: &Self) -> Option<Self> {
        let is_next = self.address.addr() + self.bytes == other.address.addr();
        is_next.then_some(Self {
            address: self.address,
            bytes: self.bytes + other.bytes,
        })
    }

    /// Whether both have bytes in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let (first, second) = (self.address.addr(), other.address.addr());
        self.bytes > 0 && other.bytes > 0 && first < second + other.bytes && second < first + self.bytes
    }
}

/// The bytes that `count` elements of a datatype occupy at a displacement; an empty range if they have no data.
#[must_use]
pub fn span(displacement: i64, count: usize, datatype: &Datatype) -> Range<i128> {
    let at = i128::from(displacement);
    if count == 0 || datatype.size() == 0 {
        return at..at;
    }
    let reach = datatype.extent() as i128 * (count as i128 - 1);
    let start = at + datatype.true_lb() as i128;
    start + reach.min(0)..start + datatype.true_extent() as i128 + reach.max(0)
}

/// Whether a range lies within so many bytes. One without data does if its beginning does.
#[must_use]
pub fn is_within(range: &Range<i128>, bytes: usize) -> bool {
    0 <= range.start && range.end <= bytes as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_given_out() {
        let mut memory = [0_u8; 64];
        // SAFETY:
        // - the array lives until the end of the test.
        let region = unsafe { Region::new(memory.as_mut_ptr(), memory.len()) };
        let int = Datatype::Basic(Basic::Int);
        let fits =
            |displacement, count, datatype: &Datatype| region.target(displacement, count, datatype).is_some();
        assert!(fits(0, 16, &int) && fits(60, 1, &int) && fits(64, 0, &int));
        assert!(!fits(0, 17, &int) && !fits(61, 1, &int) && !fits(-1, 1, &int) && !fits(65, 0, &int));
        assert!(!fits(i64::MAX, 1, &int) && !fits(0, usize::MAX, &int) && !fits(8, usize::MAX / 2, &int));
        let mut value = [7_u8; 4];
        let address = value.as_mut_ptr();
        // SAFETY:
        // - the array lives until the end of the test.
        let (from, into) = unsafe {
            (
                Dense::new(address.cast_const(), 1, Basic::Int),
                Dense::new(address, 1, Basic::Int),
            )
        };
        let (from, into) = (from.unwrap(), into.unwrap());
        for displacement in [61, 64, 65, -1, isize::MIN, isize::MAX] {
            assert!(!region.write(displacement, from) && !region.read(displacement, into));
        }
        assert!(region.write(60, from) && region.read(56, into));
        assert_eq!((value, memory[59..].to_vec()), ([0; 4], vec![0, 7, 7, 7, 7]));
        // SAFETY:
        // - as above; nothing is made.
        let made = unsafe {
            [
                Dense::new(address, usize::MAX, Basic::Int),
                Dense::new(address, 1, Basic::DoubleInt),
            ]
        };
        assert!(made.iter().all(Option::is_none));
        let backwards = Datatype::vector(3, 1, -2, &int).unwrap();
        assert!(fits(16, 1, &backwards) && !fits(15, 1, &backwards) && !fits(61, 1, &backwards));
        let sparse = Datatype::vector(3, 1, 5, &int).unwrap();
        assert!(fits(20, 1, &sparse) && !fits(21, 1, &sparse) && !fits(0, 2, &sparse));
    }
}
