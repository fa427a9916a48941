//! Bytes to and from the pieces of a file, one after the other.

use std::io;

use crate::shared_file::SharedFile;
use crate::view::Pieces;

/// Writes bytes to the pieces of the file; returns the bytes written.
pub(crate) fn write_pieces(file: &SharedFile, pieces: Pieces<'_>, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut done = 0;
    for piece in pieces {
        let (more, outcome) = file.write(&bytes[done..done + piece.len], piece.offset);
        done += more;
        if outcome.is_err() {
            return (done, outcome);
        }
    }
    (done, Ok(()))
}

/// Reads the pieces of the file one after the other; returns the bytes read.
pub(crate) fn read_pieces(
    file: &SharedFile,
    pieces: Pieces<'_>,
    bytes: &mut [u8],
) -> (usize, io::Result<()>) {
    let mut done = 0;
    for piece in pieces {
        let (more, outcome) = file.read(&mut bytes[done..done + piece.len], piece.offset);
        done += more;
        if outcome.is_err() || more < piece.len {
            return (done, outcome);
        }
    }
    (done, Ok(()))
}
