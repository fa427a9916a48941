//! The data of several ranks of a host, in long pieces.
//!
//! The file is cut into windows, which begin at multiples of their length. The data of all ranks in a window goes
//! through one buffer. So the file sees a few long reads and writes in order, however the ranks' pieces interleave. The
//! bytes that a write has in a window are marked in a bitmap, and only those are written, in runs: nobody else's bytes
//! in the gaps are touched. Windows are independent, so that several threads work on them.
//!
//! Where the ranks' parts are long and do not interleave, or have long pieces, each part is moved by itself.

use std::io;
use std::ops::Range;

use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_datatype::memory::{Source, Target};

use crate::buffer::with_buffer;
use crate::limits::{SAMPLE, SIEVED_GAP, TOGETHER};
use crate::storage::Storage;
use crate::transfer::{Moved, Part, read, write};
use crate::whole::{read_whole, write_whole};

/// The parts of several ranks in one access, and how their work is divided.
pub struct Together<M> {
    parts: Vec<Part<M>>,
    /// The bytes of the file that are cut into windows; `None` if each part is moved by itself.
    windows: Option<Windows>,
    /// What was moved of each part that is moved by itself.
    moved: Vec<AtomicU64>,
    /// The end of the file, where a read has met it.
    end: AtomicU64,
    fault: SpinLock<Option<io::Error>>,
}

#[derive(Clone, Debug)]
struct Windows {
    span: Range<u64>,
    len: u64,
}

/// The positions of a part in a window.
type Share<'a, M> = (&'a Part<M>, Range<usize>);

impl<M> Together<M> {
    /// An access of these parts with windows of so many bytes; none if each part is to be moved by itself.
    pub fn new(parts: Vec<Part<M>>, window: Option<usize>) -> Self {
        let windows = window.and_then(|len| Windows::of(&parts, len));
        Self {
            moved: parts.iter().map(|_| AtomicU64::new(0)).collect(),
            parts,
            windows,
            end: AtomicU64::new(u64::MAX),
            fault: SpinLock::new(None),
        }
    }

    /// The number of units of work, which are independent.
    pub fn units(&self) -> usize {
        match &self.windows {
            Some(windows) => windows.count(),
            None => self.parts.len(),
        }
    }

    /// All bytes of the parts.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// The lowest and the highest byte of the file that are touched.
    pub fn reach(&self) -> Range<u64> {
        let parts = self.parts.iter().filter(|part| part.bytes > 0).map(Part::reach);
        let all = parts.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
        all.unwrap_or(0..0)
    }

    /// What was moved of each part, once all units are done: the bytes, in the order of the parts, and why not all
    /// were.
    pub fn results(&self) -> (Vec<usize>, io::Result<()>) {
        let fault = self.fault.lock().take();
        let outcome = fault.map_or(Ok(()), Err);
        // Relaxed: whoever has done the last unit has synchronised with all others.
        let end = self.end.load(Ordering::Relaxed);
        let moved = |(part, moved): (&Part<M>, &AtomicU64)| match self.windows {
            None => moved.load(Ordering::Relaxed) as usize,
            Some(_) if outcome.is_err() => 0,
            Some(_) if end == u64::MAX => part.bytes,
            Some(_) => part
                .view
                .position_at(end)
                .clamp(part.position, part.position + part.bytes)
                .saturating_sub(part.position),
        };
        (self.parts.iter().zip(&self.moved).map(moved).collect(), outcome)
    }

    fn note(&self, outcome: io::Result<()>) {
        if let Err(fault) = outcome {
            self.fault.lock().get_or_insert(fault);
        }
    }

    fn note_part(&self, index: usize, moved: Moved) {
        // Relaxed: as in `results`.
        self.moved[index].store(moved.bytes as u64, Ordering::Relaxed);
        self.note(moved.outcome);
    }

    /// The shares of the parts in a window, and the bytes from the first to the last one of them.
    fn shares(&self, window: &Range<u64>) -> (Vec<Share<'_, M>>, Range<u64>) {
        let mut shares = Vec::with_capacity(self.parts.len());
        let (mut first, mut end) = (u64::MAX, 0);
        for part in &self.parts {
            let clip = |at| {
                part.view
                    .position_at(at)
                    .clamp(part.position, part.position + part.bytes)
            };
            let positions = clip(window.start)..clip(window.end);
            if positions.is_empty() {
                continue;
            }
            first = first.min(part.view.offset_of(positions.start));
            end = end.max(part.view.offset_of(positions.end - 1) + 1);
            shares.push((part, positions));
        }
        (shares, first..end)
    }
}

impl Windows {
    /// Windows for these parts; `None` if it is better to move each by itself.
    fn of<M>(parts: &[Part<M>], len: usize) -> Option<Self> {
        let parts: Vec<_> = parts.iter().filter(|part| part.bytes > 0).collect();
        if parts.len() < 2 || parts.iter().any(|part| !part.view.is_plain()) {
            return None;
        }
        let mut spans: Vec<_> = parts.iter().map(|part| part.span()).collect();
        spans.sort_unstable_by_key(|span| span.start);
        let interleave = spans.windows(2).any(|pair| pair[1].start < pair[0].end);
        let bytes: usize = parts.iter().map(|part| part.bytes).sum();
        let span = spans.first()?.start..spans.iter().map(|span| span.end).max()?;
        let sparse = (span.end - span.start) / 64 > bytes as u64;
        let long = parts.iter().all(|part| mean_piece(part) >= len / 8);
        // Short ones that follow each other become long ones, too.
        let short = bytes / parts.len() < TOGETHER;
        ((interleave || short) && !sparse && !long).then_some(Self {
            span,
            len: len as u64,
        })
    }

    fn count(&self) -> usize {
        ((self.span.end - 1) / self.len - self.span.start / self.len + 1) as usize
    }

    fn get(&self, index: usize) -> Range<u64> {
        let first = (self.span.start / self.len + index as u64) * self.len;
        first.max(self.span.start)..(first + self.len).min(self.span.end)
    }
}

/// The mean length of the first pieces of a part.
fn mean_piece<M>(part: &Part<M>) -> usize {
    let pieces = part.view.pieces(part.position, part.bytes).take(SAMPLE);
    let (count, bytes) = pieces.fold((0, 0), |(count, bytes), piece| (count + 1, bytes + piece.len));
    bytes / count.max(1)
}

impl Together<Source> {
    /// Does a unit of a write.
    pub fn write_unit(&self, file: &dyn Storage, unit: usize) {
        let Some(windows) = &self.windows else {
            return self.note_part(unit, write(file, &self.parts[unit]));
        };
        let (shares, span) = self.shares(&windows.get(unit));
        if shares.is_empty() {
            return;
        }
        let mut marks = Marks::new((span.end - span.start) as usize);
        for (part, positions) in &shares {
            for piece in part.view.pieces(positions.start, positions.len()) {
                marks.set((piece.offset - span.start) as usize, piece.len);
            }
        }
        with_buffer((span.end - span.start) as usize, |buffer| {
            for (part, positions) in &shares {
                let origin = span.start.cast_signed() - part.view.displacement().cast_signed();
                let skip = positions.start - part.position;
                part.view
                    .tiling()
                    .store((&part.memory, skip), positions.clone(), buffer, origin as isize);
            }
            marks.runs(|run| {
                let (_, outcome) = write_whole(file, &buffer[run.clone()], span.start + run.start as u64);
                let goes_on = outcome.is_ok();
                self.note(outcome);
                goes_on
            });
        });
    }
}

impl Together<Target> {
    /// Does a unit of a read.
    pub fn read_unit(&self, file: &dyn Storage, unit: usize) {
        let Some(windows) = &self.windows else {
            return self.note_part(unit, read(file, &mut self.parts[unit].clone()));
        };
        let (shares, span) = self.shares(&windows.get(unit));
        if shares.is_empty() {
            return;
        }
        let len = (span.end - span.start) as usize;
        let bytes: usize = shares.iter().map(|(_, positions)| positions.len()).sum();
        if len.saturating_sub(bytes) > bytes && len - bytes.min(len) > SIEVED_GAP * SAMPLE {
            return shares.into_iter().for_each(|share| self.read_share(file, share));
        }
        with_buffer(len, |buffer| {
            let (got, outcome) = read_whole(file, buffer, span.start);
            self.note(outcome);
            if got < len {
                self.note_end(span.start + got as u64);
            }
            for (part, positions) in shares {
                let reached = part.view.position_at(span.start + got as u64);
                let positions = positions.start..reached.clamp(positions.start, positions.end);
                let origin = span.start.cast_signed() - part.view.displacement().cast_signed();
                let skip = positions.start - part.position;
                part.view
                    .tiling()
                    .load(&buffer[..got], origin as isize, positions, (&part.memory, skip));
            }
        });
    }

    /// Reads the pieces of one part in a window, between which lies much that nobody wants.
    fn read_share(&self, file: &dyn Storage, (part, positions): Share<'_, Target>) {
        for piece in with_positions(part, positions) {
            let (offset, len, position) = piece;
            with_buffer(len, |buffer| {
                let (got, outcome) = read_whole(file, buffer, offset);
                simurgh_datatype::memory::unpack_at(&buffer[..got], &part.memory, position - part.position);
                self.note(outcome);
                if got < len {
                    self.note_end(offset + got as u64);
                }
            });
        }
    }

    fn note_end(&self, end: u64) {
        // Relaxed: as in `results`.
        self.end.fetch_min(end, Ordering::Relaxed);
    }
}

/// The pieces at some positions of a part: offset, length and position.
fn with_positions<M>(
    part: &Part<M>,
    positions: Range<usize>,
) -> impl Iterator<Item = (u64, usize, usize)> + '_ {
    let mut position = positions.start;
    part.view
        .pieces(positions.start, positions.len())
        .map(move |piece| {
            let first = position;
            position += piece.len;
            (piece.offset, piece.len, first)
        })
}

/// The bytes of a window that are to be written.
struct Marks {
    words: Vec<u64>,
    len: usize,
}

impl Marks {
    fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Marks `len` bytes, of which there is at least one.
    #[inline]
    fn set(&mut self, start: usize, len: usize) {
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
    fn runs(&self, mut visit: impl FnMut(Range<usize>) -> bool) {
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

    #[test]
    fn windows_begin_at_multiples() {
        let windows = Windows { span: 5..25, len: 10 };
        let all: Vec<_> = (0..windows.count()).map(|index| windows.get(index)).collect();
        assert_eq!(all, [5..10, 10..20, 20..25]);
    }
}
