//! The data of one rank, between its buffer and the file.
//!
//! Data that lies in one piece in memory goes without a copy. Other data goes through a staging buffer. Where the
//! pieces of the file are short and near each other, a read reads the gaps along (data sieving), and the bytes of the
//! pieces go straight from what was read to their places.

use std::io;
use std::ops::Range;

use simurgh_core::sync::Arc;
use simurgh_datatype::external32;
use simurgh_datatype::memory::{
    Source, Target, bytes_of, collect, pack_from, slice_of, slice_of_mut, unpack_at,
};

use crate::buffer::with_buffer;
use crate::limits::{SAMPLE, SIEVED_GAP, STAGING};
use crate::representation::Representation;
use crate::storage::Storage;
use crate::view::{Pieces, View};
use crate::whole::{read_whole, write_whole};

/// A rank's part in an access: a buffer, and where its data is in the file. The buffer of data in a representation of
/// the program holds the content of the file, which the caller converts.
#[derive(Clone, Debug)]
pub struct Part<M> {
    /// The rank's view.
    pub view: Arc<View>,
    /// The position of the first byte.
    pub position: usize,
    /// The number of positions.
    pub bytes: usize,
    /// The buffer.
    pub memory: M,
}

/// The result of an access.
#[derive(Debug)]
pub struct Moved {
    /// The positions whose data was moved.
    pub bytes: usize,
    /// Why no more was moved, if that is not the end of the file.
    pub outcome: io::Result<()>,
}

impl<M> Part<M> {
    /// The bytes of the file from the first to the last one, if the view is plain and there are any.
    pub(crate) fn span(&self) -> Range<u64> {
        let first = self.view.offset_of(self.position);
        match self.bytes {
            0 => first..first,
            bytes => first..self.view.offset_of(self.position + bytes - 1) + 1,
        }
    }

    /// The lowest and the highest byte of the file, whatever the view. A superset may be returned.
    #[must_use]
    pub fn reach(&self) -> Range<u64> {
        if self.view.is_plain() || self.bytes == 0 {
            return self.span();
        }
        let pieces = self.view.pieces(self.position, self.bytes);
        let ends = pieces.map(|piece| (piece.offset, piece.offset + piece.len as u64));
        let all = ends.reduce(|(low, high), (first, end)| (low.min(first), high.max(end)));
        all.map_or(0..0, |(low, high)| low..high)
    }
}

/// Writes the data of a part.
pub fn write(file: &dyn Storage, part: &Part<Source>) -> Moved {
    if let Representation::External32 = part.view.representation() {
        return write_external(file, part);
    }
    let pieces = |done, bytes| {
        part.view.pieces(
            part.position + part.view.in_memory(done),
            part.view.in_memory(bytes),
        )
    };
    let all = part.view.in_file(part.bytes);
    let (done, outcome) = match slice_of(&part.memory) {
        Some(bytes) => write_pieces(file, pieces(0, all), &bytes[..all.min(bytes.len())]),
        None => with_buffer(STAGING.min(all), |buffer| {
            let mut done = 0;
            while done < all {
                let len = pack_from(&part.memory, done, buffer);
                let (more, outcome) = write_pieces(file, pieces(done, len), &buffer[..len]);
                done += more;
                if outcome.is_err() || more < len {
                    return (done, outcome);
                }
            }
            (done, Ok(()))
        }),
    };
    Moved {
        bytes: part.view.in_memory(done),
        outcome,
    }
}

fn write_external(file: &dyn Storage, part: &Part<Source>) -> Moved {
    let all = part.view.in_file(part.bytes);
    let converted = collect(all, |target| {
        external32::pack(&part.memory, target);
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(converted) = converted;
    let (done, outcome) = write_pieces(file, part.view.pieces(part.position, part.bytes), &converted);
    Moved {
        bytes: part.view.in_memory(done),
        outcome,
    }
}

/// Writes bytes to the pieces of the file; returns the bytes written.
fn write_pieces(file: &dyn Storage, pieces: Pieces<'_>, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut done = 0;
    for piece in pieces {
        let (more, outcome) = write_whole(file, &bytes[done..done + piece.len], piece.offset);
        done += more;
        if outcome.is_err() {
            return (done, outcome);
        }
    }
    (done, Ok(()))
}

/// Reads the data of a part.
pub fn read(file: &dyn Storage, part: &mut Part<Target>) -> Moved {
    if let Representation::External32 = part.view.representation() {
        return read_external(file, part);
    }
    if part.view.is_plain() && wants_sieve(part.view.pieces(part.position, part.bytes)) {
        return sieve(file, part);
    }
    let (view, position) = (Arc::clone(&part.view), part.position);
    let pieces = |done, bytes| view.pieces(position + view.in_memory(done), view.in_memory(bytes));
    let all = view.in_file(part.bytes);
    let (done, outcome) = match slice_of_mut(&mut part.memory) {
        Some(bytes) => {
            let len = all.min(bytes.len());
            read_pieces(file, pieces(0, all), &mut bytes[..len])
        }
        None => with_buffer(STAGING.min(all), |buffer| {
            let mut done = 0;
            while done < all {
                let len = buffer.len().min(all - done);
                let (more, outcome) = read_pieces(file, pieces(done, len), &mut buffer[..len]);
                unpack_at(&buffer[..more], &part.memory, done);
                done += more;
                if outcome.is_err() || more < len {
                    return (done, outcome);
                }
            }
            (done, Ok(()))
        }),
    };
    Moved {
        bytes: view.in_memory(done),
        outcome,
    }
}

/// Reads data in external32. Only whole elements of the buffer are delivered.
fn read_external(file: &dyn Storage, part: &Part<Target>) -> Moved {
    let mut content = vec![0; part.view.in_file(part.bytes)];
    let (done, outcome) = read_pieces(file, part.view.pieces(part.position, part.bytes), &mut content);
    let each = external32::size(1, part.memory.datatype()).unwrap_or(0);
    let whole = done.checked_div(each).unwrap_or(0);
    external32::unpack_into(&bytes_of(&content[..whole * each]), &part.memory.slice(0, whole));
    Moved {
        bytes: whole * part.memory.datatype().size(),
        outcome,
    }
}

/// Reads the pieces of the file one after the other; returns the bytes read.
pub(crate) fn read_pieces(
    file: &dyn Storage,
    pieces: Pieces<'_>,
    bytes: &mut [u8],
) -> (usize, io::Result<()>) {
    let mut done = 0;
    for piece in pieces {
        let (more, outcome) = read_whole(file, &mut bytes[done..done + piece.len], piece.offset);
        done += more;
        if outcome.is_err() || more < piece.len {
            return (done, outcome);
        }
    }
    (done, Ok(()))
}

/// Whether there are gaps, and they are so short that they are read along.
fn wants_sieve(pieces: Pieces<'_>) -> bool {
    let mut last: Option<u64> = None;
    let (mut gaps, mut count) = (0, 0);
    for piece in pieces.take(SAMPLE) {
        gaps += last.map_or(0, |end| piece.offset.saturating_sub(end));
        count += 1;
        last = Some(piece.offset + piece.len as u64);
    }
    count > 1 && gaps <= (count - 1) * SIEVED_GAP as u64
}

/// Reads the data of a plain view with the gaps in it.
fn sieve(file: &dyn Storage, part: &Part<Target>) -> Moved {
    let tiling = part.view.tiling();
    let displacement = part.view.displacement();
    let end = part.position + part.bytes;
    let span = part.span();
    let room = STAGING.min(usize::try_from(span.end - span.start).unwrap_or(STAGING));
    with_buffer(room, |buffer| {
        let mut position = part.position;
        while position < end {
            let first = tiling.offset_of(position);
            let upto = tiling.position_at(first + buffer.len() as isize).min(end);
            let len = (tiling.offset_of(upto - 1) + 1 - first) as usize;
            let (got, outcome) = read_whole(file, &mut buffer[..len], displacement + first as u64);
            let reached = if got < len {
                tiling.position_at(first + got as isize).clamp(position, upto)
            } else {
                upto
            };
            tiling.load(
                &buffer[..got],
                first,
                position..reached,
                (&part.memory, position - part.position),
            );
            position = reached;
            if got < len {
                let bytes = position - part.position;
                return Moved { bytes, outcome };
            }
        }
        Moved {
            bytes: part.bytes,
            outcome: Ok(()),
        }
    })
}
