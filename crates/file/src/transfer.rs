//! The data of one rank, between its buffer and the file.
//!
//! Data that lies in one piece in memory goes without a copy. Other data goes through a staging buffer. Where the
//! pieces of the file are short and near each other, the gaps are read and written along ([`sieve`](crate::sieve)).

use std::io;

use simurgh_core::sync::Arc;
use simurgh_datatype::external32;
use simurgh_datatype::memory::{
    Source, Target, bytes_of, collect, pack_from, slice_of, slice_of_mut, unpack_at,
};

use crate::buffer::Buffer;
use crate::limits::STAGING;
use crate::part::{Moved, Part};
use crate::piecewise::{read_pieces, write_pieces};
use crate::representation::Representation;
use crate::shared_file::SharedFile;
use crate::sieve::{sieve_read, sieve_write, wants_sieved_read, wants_sieved_write};

/// Writes the data of a part.
pub fn write(file: &SharedFile, part: &Part<Source>) -> Moved {
    if let Representation::External32 = part.view.representation() {
        return write_external(file, part);
    }
    if file.expects_rewrites() && wants_sieved_write(part) {
        return sieve_write(file, part);
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
        None => in_parts(part, all, |buffer, done| {
            let len = pack_from(&part.memory, done, buffer);
            write_pieces(file, pieces(done, len), &buffer[..len])
        }),
    };
    Moved {
        bytes: part.view.in_memory(done),
        outcome,
    }
}

fn write_external(file: &SharedFile, part: &Part<Source>) -> Moved {
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

/// Reads the data of a part.
pub fn read(file: &SharedFile, part: &mut Part<Target>) -> Moved {
    if let Representation::External32 = part.view.representation() {
        return read_external(file, part);
    }
    if wants_sieved_read(part) {
        return sieve_read(file, part);
    }
    let (view, position) = (Arc::clone(&part.view), part.position);
    let pieces = |done, bytes| view.pieces(position + view.in_memory(done), view.in_memory(bytes));
    let all = view.in_file(part.bytes);
    let (done, outcome) = match slice_of_mut(&mut part.memory) {
        Some(bytes) => {
            let len = all.min(bytes.len());
            read_pieces(file, pieces(0, all), &mut bytes[..len])
        }
        None => in_parts(part, all, |buffer, done| {
            let (more, outcome) = read_pieces(file, pieces(done, buffer.len()), buffer);
            unpack_at(&buffer[..more], &part.memory, done);
            (more, outcome)
        }),
    };
    Moved {
        bytes: view.in_memory(done),
        outcome,
    }
}

/// Moves so many bytes of the file through buffers. `move_some` moves what fits into one, behind what has been moved;
/// less if there is no more.
fn in_parts<M>(
    part: &Part<M>,
    all: usize,
    mut move_some: impl FnMut(&mut [u8], usize) -> (usize, io::Result<()>),
) -> (usize, io::Result<()>) {
    let start = part.reach().start;
    let mut done = 0;
    while done < all {
        let len = STAGING.min(all - done);
        let mut buffer = Buffer::new(start + done as u64, len);
        let (more, outcome) = move_some(&mut buffer, done);
        done += more;
        if outcome.is_err() || more < len {
            return (done, outcome);
        }
    }
    (done, Ok(()))
}

/// Reads data in external32. Only whole elements of the buffer are delivered.
fn read_external(file: &SharedFile, part: &Part<Target>) -> Moved {
    let mut content = Buffer::new(part.reach().start, part.view.in_file(part.bytes));
    let (done, outcome) = read_pieces(file, part.view.pieces(part.position, part.bytes), &mut content);
    let each = external32::size(1, part.memory.datatype()).unwrap_or(0);
    let whole = done.checked_div(each).unwrap_or(0);
    external32::unpack_into(&bytes_of(&content[..whole * each]), &part.memory.slice(0, whole));
    Moved {
        bytes: whole * part.memory.datatype().size(),
        outcome,
    }
}
