//! The results of a run.

use std::fmt;
use std::ops::{Deref, Range};

/// The results of the ranks that lived in this process, in the order of their ranks.
///
/// Without a launcher these are all ranks of the world. In a process that a launcher has started they are the
/// [`ranks`](Self::ranks) of this process: the other processes of the job have the results of the other ranks. As a
/// slice, the results are counted from the first rank of this process.
///
/// ```
/// let results = simurgh::Builder::new().ranks(3).run(|world| world.rank() * 10)?;
/// assert_eq!((results.ranks(), results.world_size()), (0..3, 3));
/// assert_eq!(results.of_rank(2), Some(&20));
/// assert_eq!(results, [0, 10, 20]);
/// # Ok::<(), simurgh::RunError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Results<T> {
    first: usize,
    world: usize,
    values: Vec<T>,
}

impl<T> Results<T> {
    /// The results of the ranks from `first` on, in a world of `world` ranks.
    pub(crate) fn new(first: usize, world: usize, values: Vec<T>) -> Self {
        Self { first, world, values }
    }

    /// The ranks that lived in this process.
    #[must_use]
    pub fn ranks(&self) -> Range<usize> {
        self.first..self.first + self.values.len()
    }

    /// The number of ranks of the world, those of other processes included.
    #[must_use]
    pub fn world_size(&self) -> usize {
        self.world
    }

    /// The result of a rank of the world; none if it lived in another process.
    #[must_use]
    pub fn of_rank(&self, rank: usize) -> Option<&T> {
        self.values.get(rank.checked_sub(self.first)?)
    }

    /// The results as a vector.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.values
    }
}

impl<T> Deref for Results<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> IntoIterator for Results<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Results<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<T: PartialEq<U>, U, const N: usize> PartialEq<[U; N]> for Results<T> {
    fn eq(&self, other: &[U; N]) -> bool {
        self.values == other[..]
    }
}

impl<T: PartialEq<U>, U> PartialEq<Vec<U>> for Results<T> {
    fn eq(&self, other: &Vec<U>) -> bool {
        self.values == *other
    }
}

impl<T: fmt::Debug> fmt::Debug for Results<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.ranks().zip(&self.values)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_world() {
        let results = Results::new(4, 9, vec!['a', 'b']);
        assert_eq!((results.ranks(), results.world_size()), (4..6, 9));
        assert_eq!((results[1], results.of_rank(5)), ('b', Some(&'b')));
        assert_eq!((results.of_rank(3), results.of_rank(6)), (None, None));
        assert_eq!(format!("{results:?}"), "{4: 'a', 5: 'b'}");
    }
}
