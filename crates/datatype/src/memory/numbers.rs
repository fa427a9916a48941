//! Arrays of counts and displacements.

/// Counts or displacements: an array of the program's, which is read in place, or an array of our own.
#[derive(Clone, Debug)]
pub struct Numbers(Place);

#[derive(Clone, Debug)]
enum Place {
    Narrow(*const i32, usize),
    Wide(*const i64, usize),
    Own(Box<[i64]>),
}

// SAFETY:
// - numbers that nobody writes as long as this exists: the maker of one from a program's array promises it.
unsafe impl Send for Numbers {}
// SAFETY:
// - as above.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// An array of C's ints.
    ///
    /// # Safety
    ///
    /// There are `len` numbers at `address`, which stay as they are until the operations that this and its clones are
    /// given to are complete.
    #[inline]
    #[must_use]
    pub unsafe fn narrow(address: *const i32, len: usize) -> Self {
        Self(Place::Narrow(address, len))
    }

    /// An array of `MPI_Count` or `MPI_Aint`.
    ///
    /// # Safety
    ///
    /// As for [`Numbers::narrow`].
    #[inline]
    #[must_use]
    pub unsafe fn wide(address: *const i64, len: usize) -> Self {
        Self(Place::Wide(address, len))
    }

    /// How many numbers there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Narrow(_, len) | Place::Wide(_, len) => *len,
            Place::Own(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at `index`.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        if index >= self.len() {
            return None;
        }
        // SAFETY:
        // - the array has `len` numbers by the promise of the maker, and `index` is less.
        unsafe {
            match &self.0 {
                Place::Narrow(address, _) => Some(i64::from(address.add(index).read())),
                Place::Wide(address, _) => Some(address.add(index).read()),
                Place::Own(numbers) => numbers.get(index).copied(),
            }
        }
    }

    /// The number at `index` as a count: zero if there is no such number, or if it is negative.
    #[inline]
    #[must_use]
    pub fn count(&self, index: usize) -> usize {
        self.get(index)
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(0)
    }

    /// The numbers in order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The sum of the counts before `index`.
    #[inline]
    #[must_use]
    pub fn before(&self, index: usize) -> usize {
        (0..index).fold(0, |sum: usize, index| sum.saturating_add(self.count(index)))
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Self(Place::Own(Box::default()))
    }
}

impl FromIterator<i64> for Numbers {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        Self(Place::Own(numbers.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_wherever_they_are() {
        let (narrow, wide) = ([3_i32, -1, 7], [3_i64, -1, 7]);
        // SAFETY:
        // - the arrays have three numbers and outlive what looks at them.
        let borrowed = unsafe {
            [
                Numbers::narrow(narrow.as_ptr(), 3),
                Numbers::wide(wide.as_ptr(), 3),
            ]
        };
        for numbers in borrowed.into_iter().chain([wide.into_iter().collect()]) {
            assert_eq!(numbers.iter().collect::<Vec<_>>(), wide);
            assert_eq!((numbers.len(), numbers.get(3)), (3, None));
            assert_eq!(
                (numbers.count(1), numbers.count(2), numbers.before(3)),
                (0, 7, 10)
            );
        }
    }
}
