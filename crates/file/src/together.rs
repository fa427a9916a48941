//! The data of several ranks of a host, in long pieces.
//!
//! The file is cut into windows, which begin at multiples of their length. The data of all ranks in a window goes
//! through one buffer. So the file sees a few long reads and writes in order, however the ranks' pieces interleave. The
//! bytes that a write has in a window are marked in a bitmap, and only those are written, in runs: nobody else's bytes
//! in the gaps are touched. Many short gaps are rewritten, as in data sieving by one rank. Windows are independent, so
//! that several threads work on them.
//!
//! A read of pieces that are not short goes from the file to their places, window by window. So the file is read in
//! order all the same, and the data is copied once.
//!
//! Where the ranks' parts are long and do not interleave, or have long pieces, each part is moved by itself.

use std::io;
use std::ops::Range;

use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_datatype::memory::{Source, Target, pack_from, part_of_mut, unpack_at};

use crate::hints::Choice;
use crate::limits::{LONG_PIECE, SAMPLE, SCATTERED, SIEVED_GAP, TOGETHER};
use crate::part::{Moved, Part};
use crate::pattern::Pattern;
use crate::piece_list::PieceList;
use crate::piecewise::read_pieces;
use crate::shared_file::SharedFile;
use crate::transfer::{read, write};
use crate::view::Pieces;
use crate::window::{Share, Window};

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

impl<M> Together<M> {
    /// An access of these parts. `window` is the number of bytes of a window, and whether there are windows also where
    /// it is better to move each part by itself; none if each part is to be moved by itself.
    pub fn new(parts: Vec<Part<M>>, window: Option<(usize, bool)>) -> Self {
        let windows = window.and_then(|(len, always)| Windows::of(&parts, len, always));
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

    /// Whether the data of all parts goes through windows.
    pub fn has_windows(&self) -> bool {
        self.windows.is_some()
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

    /// What hosts have to know of the parts.
    pub fn pattern(&self) -> Pattern {
        Pattern::of(&self.parts)
    }

    /// The pieces of all parts in a window.
    pub fn list(&self, window: &Range<u64>) -> PieceList {
        let (shares, _) = self.shares(window);
        let pieces = shares
            .into_iter()
            .flat_map(|(part, positions)| part.view.pieces(positions.start, positions.len()));
        PieceList::of(pieces, window.start)
    }

    /// What was moved of each part, once all units are done: the bytes, in the order of the parts, and why not all
    /// were.
    pub fn results(&self) -> (Vec<usize>, io::Result<()>) {
        let fault = self.fault.lock().take();
        // Relaxed: whoever has done the last unit has synchronised with all others.
        let by_itself = |moved: &AtomicU64| moved.load(Ordering::Relaxed) as usize;
        let moved = match (&self.windows, &fault) {
            (None, _) => self.moved.iter().map(by_itself).collect(),
            (Some(_), Some(_)) => vec![0; self.parts.len()],
            (Some(_), None) => self.up_to_end(),
        };
        (moved, fault.map_or(Ok(()), Err))
    }

    /// What the file has of each part, once all windows of an access have been moved.
    pub fn up_to_end(&self) -> Vec<usize> {
        // Relaxed: as in `results`.
        let end = self.end.load(Ordering::Relaxed);
        let up_to_end = |part: &Part<M>| match end {
            u64::MAX => part.bytes,
            _ if part.bytes == 0 => 0,
            _ => {
                let reached = part.view.position_at(end);
                reached.clamp(part.position, part.position + part.bytes) - part.position
            }
        };
        self.parts.iter().map(up_to_end).collect()
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
    fn of<M>(parts: &[Part<M>], len: usize, always: bool) -> Option<Self> {
        let parts: Vec<_> = parts.iter().filter(|part| part.bytes > 0).collect();
        let few = parts.len() < 2 && !always;
        if few || parts.iter().any(|part| !part.view.is_plain()) {
            return None;
        }
        let mut spans: Vec<_> = parts.iter().map(|part| part.span()).collect();
        spans.sort_unstable_by_key(|span| span.start);
        let interleave = spans.windows(2).any(|pair| pair[1].start < pair[0].end);
        let bytes: usize = parts.iter().map(|part| part.bytes).sum();
        let span = spans.first()?.start..spans.iter().map(|span| span.end).max()?;
        let sparse = (span.end - span.start) / 64 > bytes as u64;
        let long = parts.iter().all(|part| mean_piece(part) >= LONG_PIECE.min(len));
        // Short ones that follow each other become long ones, too.
        let short = bytes / parts.len() < TOGETHER;
        (!sparse && (always || (interleave || short) && !long)).then_some(Self {
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
    let pieces = part.view.pieces(part.position, part.bytes);
    mean_of(pieces)
}

fn mean_of(pieces: Pieces<'_>) -> usize {
    let pieces = pieces.take(SAMPLE);
    let (count, bytes) = pieces.fold((0, 0), |(count, bytes), piece| (count + 1, bytes + piece.len));
    bytes / count.max(1)
}

/// Whether the memory of a part lies in one piece.
fn is_in_one_piece(part: &Part<Target>) -> bool {
    part.memory.is_contiguous()
}

/// About so many pieces has a share.
fn pieces_in<M>((part, positions): &Share<'_, M>) -> usize {
    let mean = mean_of(part.view.pieces(positions.start, positions.len()));
    positions.len().div_ceil(mean.max(1))
}

impl Together<Source> {
    /// Does a unit of a write.
    pub fn write_unit(&self, file: &SharedFile, unit: usize) {
        let Some(windows) = &self.windows else {
            return self.note_part(unit, write(file, &self.parts[unit]));
        };
        let (shares, span) = self.shares(&windows.get(unit));
        if shares.is_empty() {
            return;
        }
        let mut window = Window::new(span);
        window.store_shares(&shares);
        let may_sieve = shares
            .iter()
            .all(|(part, _)| part.view.sieving().writes != Choice::Never);
        self.note(match may_sieve {
            true => window.sieve(file),
            false => window.write(file),
        });
    }

    /// Puts the data of all parts into a window.
    pub fn store(&self, into: &mut Window) {
        let (shares, _) = self.shares(into.range());
        into.store_shares(&shares);
    }

    /// Copies the data of all parts in a window to `into`, in the order of [`Together::list`].
    pub fn pack(&self, window: &Range<u64>, mut into: &mut [u8]) {
        for (part, positions) in self.shares(window).0 {
            let (own, rest) = into.split_at_mut(positions.len());
            pack_from(&part.memory, positions.start - part.position, own);
            into = rest;
        }
    }
}

impl Together<Target> {
    /// Does a unit of a read.
    pub fn read_unit(&self, file: &SharedFile, unit: usize) {
        let Some(windows) = &self.windows else {
            return self.note_part(unit, read(file, &mut self.parts[unit].clone()));
        };
        let (shares, span) = self.shares(&windows.get(unit));
        if shares.is_empty() {
            return;
        }
        let gaps =
            (span.end - span.start).saturating_sub(shares.iter().map(|share| share.1.len() as u64).sum());
        let pieces: usize = shares.iter().map(pieces_in).sum();
        let bytes: usize = shares.iter().map(|share| share.1.len()).sum();
        if bytes / pieces.max(1) >= SCATTERED && shares.iter().all(|(part, _)| is_in_one_piece(part)) {
            return shares.iter().for_each(|share| self.scatter(file, share));
        }
        let window = if gaps <= (pieces * SIEVED_GAP) as u64 {
            let mut window = Window::unmarked(span);
            self.note(window.read_all(file));
            window
        } else {
            let mut window = Window::new(span);
            window.mark_shares(&shares);
            self.note(window.read(file));
            window
        };
        self.note_end(window.end());
        window.load_shares(&shares);
    }

    /// Reads a share, whose memory lies in one piece, without a buffer between.
    fn scatter(&self, file: &SharedFile, (part, positions): &Share<'_, Target>) {
        let bytes = positions.start - part.position..positions.end - part.position;
        let mut memory = part.memory.clone();
        let Some(into) = part_of_mut(&mut memory, bytes) else {
            return;
        };
        let pieces = part.view.pieces(positions.start, positions.len());
        let (done, outcome) = read_pieces(file, pieces, into);
        if done < positions.len() && outcome.is_ok() {
            // The file ends here, or before: nobody has a piece between.
            self.note_end(part.view.offset_of(positions.start + done));
        }
        self.note(outcome);
    }

    /// Marks in a window what all parts want of it.
    pub fn mark(&self, window: &mut Window) {
        let (shares, _) = self.shares(window.range());
        window.mark_shares(&shares);
    }

    /// Gives all parts their data of a window that has been read.
    pub fn load(&self, from: &Window) {
        let (shares, _) = self.shares(from.range());
        self.note_end(from.end());
        from.load_shares(&shares);
    }

    /// Gives all parts their data of a window, which comes in the order of [`Together::list`]. The file ends at `end`.
    pub fn unpack(&self, window: &Range<u64>, mut data: &[u8], end: u64) {
        self.note_end(end);
        for (part, positions) in self.shares(window).0 {
            let (own, rest) = data.split_at(positions.len());
            let reached = match end {
                u64::MAX => positions.end,
                end => part.view.position_at(end).clamp(positions.start, positions.end),
            };
            let own = &own[..reached - positions.start];
            unpack_at(own, &part.memory, positions.start - part.position);
            data = rest;
        }
    }

    fn note_end(&self, end: u64) {
        // Relaxed: as in `results`.
        self.end.fetch_min(end, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_at_multiples() {
        let windows = Windows { span: 5..25, len: 10 };
        let all: Vec<_> = (0..windows.count()).map(|index| windows.get(index)).collect();
        assert_eq!(all, [5..10, 10..20, 20..25]);
    }
}
