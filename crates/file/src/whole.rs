//! Reads and writes that are not short.
//!
//! The system may move less than it was asked for, or be interrupted before it has moved anything.

use std::io;

use crate::storage::Storage;

/// Reads until the memory is full or the file ends; returns the bytes read, also where an error has ended it.
pub(crate) fn read_whole(file: &dyn Storage, into: &mut [u8], position: u64) -> (usize, io::Result<()>) {
    let mut done = 0;
    while done < into.len() {
        match file.read_at(&mut into[done..], position + done as u64) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(reason) if reason.kind() == io::ErrorKind::Interrupted => {}
            Err(reason) => return (done, Err(reason)),
        }
    }
    (done, Ok(()))
}

/// Writes all bytes; returns the bytes written, also where an error has ended it.
pub(crate) fn write_whole(file: &dyn Storage, from: &[u8], position: u64) -> (usize, io::Result<()>) {
    let mut done = 0;
    while done < from.len() {
        match file.write_at(&from[done..], position + done as u64) {
            Ok(0) => return (done, Err(io::ErrorKind::WriteZero.into())),
            Ok(more) => done += more,
            Err(reason) if reason.kind() == io::ErrorKind::Interrupted => {}
            Err(reason) => return (done, Err(reason)),
        }
    }
    (done, Ok(()))
}
