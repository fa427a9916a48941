//! The index of a long queue: one list for each pattern.

use super::pattern::Pattern;
use super::slab::{Ends, NIL, Slab};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Lists of entries by pattern; a bin without entries does not exist.
#[derive(Default)]
pub(super) struct Bins(HashMap<Pattern, Ends, BuildHasherDefault<Folded>>);

/// Takes the number a [`Pattern`] folds itself into as its hash.
#[derive(Default)]
pub(super) struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl Bins {
    /// The oldest entry in the bin of `pattern`.
    #[inline]
    pub(super) fn head(&self, pattern: Pattern) -> u32 {
        self.0.get(&pattern).map_or(NIL, |ends| ends.head)
    }

    /// Appends a node to the bin of `pattern` through its link number `list`.
    pub(super) fn append<T, const LISTS: usize>(
        &mut self,
        slab: &mut Slab<T, LISTS>,
        pattern: Pattern,
        list: usize,
        index: u32,
    ) {
        slab.append(self.0.entry(pattern).or_insert(Ends::EMPTY), list, index);
    }

    /// Takes a node out of the bin of `pattern`.
    pub(super) fn unlink<T, const LISTS: usize>(
        &mut self,
        slab: &mut Slab<T, LISTS>,
        pattern: Pattern,
        list: usize,
        index: u32,
    ) {
        if let Entry::Occupied(mut bin) = self.0.entry(pattern) {
            slab.unlink(bin.get_mut(), list, index);
            if bin.get().head == NIL {
                bin.remove();
            }
        }
    }
}
