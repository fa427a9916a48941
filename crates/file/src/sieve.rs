//! Data sieving: the data of one rank whose pieces of the file are short and near each other.
//!
//! A read reads a block of the file with the gaps in it, and the pieces go straight from there to their places. A write
//! reads a block, puts the pieces into it, and writes it back, alone with the file
//! ([`SharedFile::rewrite`](crate::shared_file::SharedFile::rewrite)).
//!
//! Costs: two system calls for a block, and four more for the lock in a write, instead of one for each piece; the gaps
//! are moved along, twice in a write.

use std::io;
use std::ops::Range;

use simurgh_datatype::memory::{Source, Target, pack_from};

use crate::buffer::Buffer;
use crate::hints::Choice;
use crate::limits::{SAMPLE, SIEVED_GAP, SIEVED_STRIDE};
use crate::part::{Moved, Part};
use crate::piecewise::write_pieces;
use crate::shared_file::SharedFile;

/// What the first pieces of a part are like.
struct Sample {
    pieces: usize,
    /// Bytes from the first to the last one.
    span: u64,
    /// Bytes between them.
    gaps: u64,
}

/// The positions of a block, and the bytes of the file that it has, counted from the beginning of the first tile.
struct Block {
    positions: Range<usize>,
    first: isize,
    len: usize,
}

impl Sample {
    fn of<M>(part: &Part<M>) -> Self {
        let (mut pieces, mut gaps, mut ends) = (0, 0, None);
        for piece in part.view.pieces(part.position, part.bytes).take(SAMPLE) {
            let end = piece.offset + piece.len as u64;
            let (first, last) = ends.unwrap_or((piece.offset, piece.offset));
            gaps += piece.offset.saturating_sub(last);
            ends = Some((first, end));
            pieces += 1;
        }
        Self {
            pieces,
            span: ends.map_or(0, |(first, end)| end - first),
            gaps,
        }
    }

    /// Whether there are gaps.
    fn is_sparse(&self) -> bool {
        self.gaps > 0
    }
}

/// Whether the gaps of a part are read along: by its hint, or because that is cheaper.
pub(crate) fn wants_sieved_read(part: &Part<Target>) -> bool {
    wants(part, part.view.sieving().reads, |sample| {
        sample.gaps <= (sample.pieces as u64 - 1) * SIEVED_GAP as u64
    })
}

/// Whether the gaps of a part are written along.
pub(crate) fn wants_sieved_write(part: &Part<Source>) -> bool {
    wants(part, part.view.sieving().writes, |sample| {
        sample.span <= sample.pieces as u64 * SIEVED_STRIDE as u64
    })
}

fn wants<M>(part: &Part<M>, choice: Choice, is_cheaper: impl FnOnce(&Sample) -> bool) -> bool {
    if choice == Choice::Never || !part.view.is_plain() {
        return false;
    }
    let sample = Sample::of(part);
    sample.is_sparse() && (choice == Choice::Always || is_cheaper(&sample))
}

/// The block of a part that begins at a position, of at most so many bytes.
fn block<M>(part: &Part<M>, position: usize, room: usize) -> Block {
    let tiling = part.view.tiling();
    let first = tiling.offset_of(position);
    let end = tiling
        .position_at(first + room as isize)
        .min(part.position + part.bytes);
    Block {
        positions: position..end,
        first,
        len: (tiling.offset_of(end - 1) + 1 - first) as usize,
    }
}

/// The bytes of a buffer for a part, if a buffer has at most so many.
fn room<M>(part: &Part<M>, most: usize) -> usize {
    let span = part.span();
    most.min(usize::try_from(span.end - span.start).unwrap_or(most))
}

/// Moves the data of a part block by block, each through a buffer, of at most so many bytes. `move_block` returns the
/// position that was reached, and the outcome if nothing more is to be moved.
fn in_blocks<M>(
    part: &Part<M>,
    most: usize,
    mut move_block: impl FnMut(&Block, &mut [u8]) -> (usize, Option<io::Result<()>>),
) -> Moved {
    let end = part.position + part.bytes;
    let room = room(part, most);
    let mut position = part.position;
    while position < end {
        let block = block(part, position, room);
        let mut buffer = Buffer::new(block.offset(part), block.len);
        let (reached, ended) = move_block(&block, &mut buffer);
        position = reached;
        if let Some(outcome) = ended {
            let bytes = position - part.position;
            return Moved { bytes, outcome };
        }
    }
    Moved {
        bytes: part.bytes,
        outcome: Ok(()),
    }
}

/// Reads the data of a part with the gaps in it.
pub(crate) fn sieve_read(file: &SharedFile, part: &Part<Target>) -> Moved {
    let view = &part.view;
    in_blocks(part, view.sieving().read_buffer, |block, buffer| {
        let (got, outcome) = file.read(buffer, block.offset(part));
        let (start, reached) = (block.positions.start, block.reached(part, got));
        let memory = (&part.memory, start - part.position);
        view.tiling()
            .load(&buffer[..got], block.first, start..reached, memory);
        (reached, (got < block.len).then_some(outcome))
    })
}

/// Writes the data of a part with the gaps in it.
pub(crate) fn sieve_write(file: &SharedFile, part: &Part<Source>) -> Moved {
    in_blocks(part, part.view.sieving().write_buffer, |block, buffer| {
        let (reached, outcome) = write_block(file, part, block, buffer);
        (reached, outcome.is_err().then_some(outcome))
    })
}

/// Writes a block; returns the position that was reached.
fn write_block(
    file: &SharedFile,
    part: &Part<Source>,
    block: &Block,
    buffer: &mut [u8],
) -> (usize, io::Result<()>) {
    let (view, positions) = (&part.view, block.positions.clone());
    let skip = positions.start - part.position;
    if block.has_gaps() {
        let rewritten = file.rewrite(block.offset(part), buffer, |content| {
            view.tiling()
                .store((&part.memory, skip), positions.clone(), content, block.first);
        });
        if let Some((written, outcome)) = rewritten {
            return (block.reached(part, written), outcome);
        }
    }
    let bytes = &mut buffer[..positions.len()];
    pack_from(&part.memory, skip, bytes);
    let pieces = view.pieces(positions.start, positions.len());
    let (written, outcome) = write_pieces(file, pieces, bytes);
    (positions.start + written, outcome)
}

impl Block {
    /// Where it begins in the file.
    fn offset<M>(&self, part: &Part<M>) -> u64 {
        part.view.displacement() + self.first as u64
    }

    fn has_gaps(&self) -> bool {
        self.positions.len() < self.len
    }

    /// The position up to which the data is there if so many bytes of the block are.
    fn reached<M>(&self, part: &Part<M>, bytes: usize) -> usize {
        if bytes == self.len {
            return self.positions.end;
        }
        let reached = part.view.tiling().position_at(self.first + bytes as isize);
        reached.clamp(self.positions.start, self.positions.end)
    }
}
