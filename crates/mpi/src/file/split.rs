//! Split collective accesses: a collective access whose beginning and end are two calls.

use super::File;
use super::access::Positioning;
use crate::error::{Error, ErrorClass, Result, Status};
use crate::memory::{Source, Target};
use crate::request::Request;
use simurgh_core::sync::Arc;

/// The kind of a split collective access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// `MPI_File_read_all_begin` and `MPI_File_read_all_end`.
    ReadAll,
    /// `MPI_File_read_at_all_begin` and `MPI_File_read_at_all_end`.
    ReadAtAll,
    /// `MPI_File_read_ordered_begin` and `MPI_File_read_ordered_end`.
    ReadOrdered,
    /// `MPI_File_write_all_begin` and `MPI_File_write_all_end`.
    WriteAll,
    /// `MPI_File_write_at_all_begin` and `MPI_File_write_at_all_end`.
    WriteAtAll,
    /// `MPI_File_write_ordered_begin` and `MPI_File_write_ordered_end`.
    WriteOrdered,
}

impl File {
    /// Begins a read.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if a split access is under way; otherwise as [`File::start_read_all`].
    pub fn begin_split_read(&self, kind: Split, place: Positioning, target: &Target) -> Result<()> {
        self.begin_split(kind, || self.start_read_all(place, target))
    }

    /// Begins a write.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if a split access is under way; otherwise as [`File::start_write_all`].
    pub fn begin_split_write(&self, kind: Split, place: Positioning, source: &Source) -> Result<()> {
        self.begin_split(kind, || self.start_write_all(place, source))
    }

    fn begin_split(&self, kind: Split, start: impl FnOnce() -> Result<Arc<Request>>) -> Result<()> {
        if self.split.lock().is_some() {
            let reason = "a split collective access of this file is under way: end it first";
            return Err(Error::new(ErrorClass::Other, reason));
        }
        let request = start()?;
        *self.split.lock() = Some((kind, request));
        Ok(())
    }

    /// Ends a split access of this kind.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if none of this kind is under way; the error of the access, at all ranks.
    pub fn end_split(&self, kind: Split) -> Result<Status> {
        let begun = self.split.lock().take_if(|(begun, _)| *begun == kind);
        match begun {
            Some((_, request)) => {
                let status = request.wait();
                request.result(status)
            }
            None => Err(Error::new(
                ErrorClass::Other,
                format!("no split collective access of the kind {kind:?} has begun"),
            )),
        }
    }
}
