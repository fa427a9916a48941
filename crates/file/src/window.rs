//! A window of a file: some of its bytes in memory, on their way between the file and several ranks.

use std::io;
use std::ops::Range;

use simurgh_datatype::memory::{Source, Target};

use crate::buffer::Buffer;
use crate::limits::{SIEVED_GAP, SIEVED_STRIDE};
use crate::marks::Marks;
use crate::part::Part;
use crate::piece_list::PieceList;
use crate::shared_file::SharedFile;
use crate::view::Piece;

/// The positions of a part in a window.
pub(crate) type Share<'a, M> = (&'a Part<M>, Range<usize>);

/// A window.
pub struct Window {
    range: Range<u64>,
    content: Buffer,
    /// The bytes that are to be written or read.
    marks: Marks,
    /// The end of the file, if it lies within.
    end: u64,
}

impl Window {
    /// The window of these bytes of a file, of which none is marked.
    #[must_use]
    pub fn new(range: Range<u64>) -> Self {
        let len = (range.end - range.start) as usize;
        Self {
            marks: Marks::new(len),
            ..Self::unmarked(range)
        }
    }

    /// A window whose bytes are read all at once.
    pub(crate) fn unmarked(range: Range<u64>) -> Self {
        let content = Buffer::new(range.start, (range.end - range.start) as usize);
        Self {
            range,
            content,
            marks: Marks::new(0),
            end: u64::MAX,
        }
    }

    /// The bytes of the file.
    #[must_use]
    pub fn range(&self) -> &Range<u64> {
        &self.range
    }

    /// The end of the file, if a read has met it.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Marks the pieces of a list.
    pub fn mark(&mut self, list: &PieceList) {
        let start = self.range.start;
        list.pieces(start).for_each(|piece| self.mark_piece(piece));
    }

    fn mark_piece(&mut self, piece: Piece) {
        self.marks
            .set((piece.offset - self.range.start) as usize, piece.len);
    }

    pub(crate) fn mark_shares<M>(&mut self, shares: &[Share<'_, M>]) {
        for (part, positions) in shares {
            let pieces = part.view.pieces(positions.start, positions.len());
            pieces.for_each(|piece| self.mark_piece(piece));
        }
    }

    /// Marks the pieces of a list, and takes their data. The list was read for this window.
    pub fn store(&mut self, list: &PieceList, data: &[u8]) {
        let (start, mut rest) = (self.range.start, data);
        for piece in list.pieces(start) {
            let (own, others) = rest.split_at(piece.len);
            let at = (piece.offset - start) as usize;
            self.content[at..at + piece.len].copy_from_slice(own);
            self.marks.set(at, piece.len);
            rest = others;
        }
    }

    /// Copies the pieces of a list to `into`, one after the other.
    pub fn load(&self, list: &PieceList, into: &mut [u8]) {
        let (start, mut done) = (self.range.start, 0);
        for piece in list.pieces(start) {
            let at = (piece.offset - start) as usize;
            into[done..done + piece.len].copy_from_slice(&self.content[at..at + piece.len]);
            done += piece.len;
        }
    }

    /// Marks what shares have, and takes their data.
    pub(crate) fn store_shares(&mut self, shares: &[Share<'_, Source>]) {
        self.mark_shares(shares);
        for (part, positions) in shares {
            let skip = positions.start - part.position;
            let origin = self.origin(part);
            part.view
                .tiling()
                .store((&part.memory, skip), positions.clone(), &mut self.content, origin);
        }
    }

    /// Gives shares their data, as far as the file has it.
    pub(crate) fn load_shares(&self, shares: &[Share<'_, Target>]) {
        for (part, positions) in shares {
            let end = match self.end {
                u64::MAX => positions.end,
                end => part.view.position_at(end).clamp(positions.start, positions.end),
            };
            let skip = positions.start - part.position;
            let origin = self.origin(part);
            part.view
                .tiling()
                .load(&self.content, origin, positions.start..end, (&part.memory, skip));
        }
    }

    /// Where the window begins, counted from the first tile of a view.
    fn origin<M>(&self, part: &Part<M>) -> isize {
        (self.range.start.cast_signed() - part.view.displacement().cast_signed()) as isize
    }

    /// Writes what is marked: with the gaps, if they are short and the file can be rewritten, and otherwise in runs.
    pub(crate) fn sieve(&self, file: &SharedFile) -> io::Result<()> {
        let mut runs = 0;
        self.marks.runs(|_| {
            runs += 1;
            true
        });
        let is_cheaper = runs > 1 && self.content.len() <= runs * SIEVED_STRIDE;
        match is_cheaper.then(|| self.rewrite(file)).flatten() {
            Some(outcome) => outcome,
            None => self.write(file),
        }
    }

    /// Rewrites the bytes of the file, if that can be.
    fn rewrite(&self, file: &SharedFile) -> Option<io::Result<()>> {
        let change = |content: &mut [u8]| {
            self.marks.runs(|run| {
                content[run.clone()].copy_from_slice(&self.content[run]);
                true
            });
        };
        let mut content = Buffer::new(self.range.start, self.content.len());
        let rewritten = file.rewrite(self.range.start, &mut content, change);
        rewritten.map(|(_, outcome)| outcome)
    }

    /// Writes what is marked, in runs: nobody else's bytes between them are touched.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn write(&self, file: &SharedFile) -> io::Result<()> {
        let mut outcome = Ok(());
        self.marks.runs(|run| {
            let position = self.range.start + run.start as u64;
            outcome = file.write(&self.content[run], position).1;
            outcome.is_ok()
        });
        outcome
    }

    /// Reads what is marked: with the gaps, if they are short, and otherwise in runs.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn read(&mut self, file: &SharedFile) -> io::Result<()> {
        let mut runs = Vec::new();
        let (mut gaps, mut last) = (0, None);
        self.marks.runs(|run| {
            gaps += last.map_or(0, |end| run.start - end);
            last = Some(run.end);
            runs.push(run);
            true
        });
        match (runs.first(), runs.last()) {
            (Some(first), Some(last)) if gaps <= (runs.len() - 1) * SIEVED_GAP => {
                self.read_run(file, first.start..last.end)
            }
            _ => runs.into_iter().try_for_each(|run| self.read_run(file, run)),
        }
    }

    /// Reads all bytes.
    pub(crate) fn read_all(&mut self, file: &SharedFile) -> io::Result<()> {
        self.read_run(file, 0..self.content.len())
    }

    fn read_run(&mut self, file: &SharedFile, run: Range<usize>) -> io::Result<()> {
        let position = self.range.start + run.start as u64;
        let room = &mut self.content[run];
        let (got, outcome) = file.read(room, position);
        if got < room.len() {
            // What was in the buffer before is nobody's business.
            room[got..].fill(0);
            self.end = self.end.min(position + got as u64);
        }
        outcome
    }
}
