//! The bytes of a window that somebody has or wants.

use std::ops::Range;

/// A bit for each byte of a window.
pub(crate) struct Marks {
    words: Vec<u64>,
    len: usize,
}

impl Marks {
    /// No byte of so many.
    pub(crate) fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Marks `len` bytes, of which there is at least one.
    #[inline]
    pub(crate) fn set(&mut self, start: usize, len: usize) {
        let (first, last) = (start / 64, (start + len - 1) / 64);
        let from_start = u64::MAX << (start % 64);
        let to_end = u64::MAX >> (63 - (start + len - 1) % 64);
        if first == last {
            self.words[first] |= from_start & to_end;
            return;
        }
        self.words[first] |= from_start;
        self.words[first + 1..last].fill(u64::MAX);
        self.words[last] |= to_end;
    }

    /// The first byte from `start` on that is marked, or is not.
    fn next(&self, start: usize, marked: bool) -> usize {
        let flip = if marked { 0 } else { u64::MAX };
        let mut word = start / 64;
        let mut rest = match self.words.get(word) {
            Some(bits) => (bits ^ flip) & (u64::MAX << (start % 64)),
            None => return self.len,
        };
        while rest == 0 {
            word += 1;
            match self.words.get(word) {
                Some(bits) => rest = bits ^ flip,
                None => return self.len,
            }
        }
        (word * 64 + rest.trailing_zeros() as usize).min(self.len)
    }

    /// Calls `visit` with each run of marked bytes, until it returns false.
    pub(crate) fn runs(&self, mut visit: impl FnMut(Range<usize>) -> bool) {
        let mut start = self.next(0, true);
        while start < self.len {
            let end = self.next(start, false);
            if !visit(start..end) {
                return;
            }
            start = self.next(end, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_runs() {
        let mut marks = Marks::new(300);
        for (start, len) in [(0, 1), (3, 2), (5, 60), (128, 64), (190, 110)] {
            marks.set(start, len);
        }
        let mut runs = Vec::new();
        marks.runs(|run| {
            runs.push((run.start, run.end));
            true
        });
        assert_eq!(runs, [(0, 1), (3, 65), (128, 300)]);
    }
}
