//! Accesses of one rank: blocking and nonblocking, at explicit offsets and at file pointers.

use super::position::in_bytes;
use super::transfer::{Transfer, converts, read_converted, write_converted};
use super::{Amode, File};
use crate::error::{Error, ErrorClass, Result, Status};
use crate::instrument::FileAccess;
use crate::memory::{Source, Target};
use crate::request::Request;
use simurgh_core::sync::{Arc, Ordering};
use simurgh_file::{Access, Representation, View};

/// Where an access begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positioning {
    /// At an offset, in etypes of the view.
    At(i64),
    /// At the individual file pointer, which moves on.
    Individual,
    /// At the shared file pointer, which moves on. In a collective access the data of the ranks follows each other in
    /// the order of ranks.
    Shared,
}

/// A place that has been looked up.
pub(super) struct Located {
    pub(super) view: Arc<View>,
    /// In bytes of data.
    pub(super) position: usize,
}

impl File {
    /// Reads into a buffer (`MPI_File_read`, `MPI_File_read_at`, `MPI_File_read_shared`). The status tells how much was
    /// read, which is less than asked for at the end of the file.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Access`] if the file was opened to be written; [`ErrorClass::Arg`] for a wrong offset, or part of
    /// an etype; [`ErrorClass::UnsupportedOperation`] if the file is sequential; what the system says.
    pub fn read(&self, place: Positioning, target: &Target) -> Result<Status> {
        let at = self.locate(Access::Read, place, target.bytes())?;
        let metered = self.meter.begin(FileAccess::Read);
        let done = match converts(&at.view).0 {
            true => read_converted(&self.open, &at.view, at.position, target, metered),
            false => Transfer::read(Arc::clone(&at.view), at.position, target).run(&self.open, metered),
        };
        self.advance_by(place, &at, &done);
        done
    }

    /// Writes the data of a buffer (`MPI_File_write`, `MPI_File_write_at`, `MPI_File_write_shared`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::ReadOnly`] if the file was opened to be read; otherwise as [`File::read`].
    pub fn write(&self, place: Positioning, source: &Source) -> Result<Status> {
        let at = self.locate(Access::Write, place, source.bytes())?;
        let metered = self.meter.begin(FileAccess::Write);
        let done = match converts(&at.view).1 {
            true => write_converted(&self.open, &at.view, at.position, source, metered),
            false => Transfer::write(Arc::clone(&at.view), at.position, source).run(&self.open, metered),
        };
        self.advance_by(place, &at, &done);
        done
    }

    /// Starts to read (`MPI_File_iread` and so on). A file pointer moves on by what is asked for.
    ///
    /// # Errors
    ///
    /// As [`File::read`]; what the system says is an error of the request.
    pub fn start_read(&self, place: Positioning, target: &Target) -> Result<Arc<Request>> {
        let at = self.locate(Access::Read, place, target.bytes())?;
        self.advance_fully(place, &at, target.bytes());
        let metered = self.meter.begin(FileAccess::Read);
        if converts(&at.view).0 {
            let done = read_converted(&self.open, &at.view, at.position, target, metered);
            return Ok(ended(done));
        }
        Ok(Transfer::read(at.view, at.position, target).start(&self.open, metered))
    }

    /// Starts to write (`MPI_File_iwrite` and so on). A file pointer moves on by what is to be written.
    ///
    /// # Errors
    ///
    /// As [`File::write`]; what the system says is an error of the request.
    pub fn start_write(&self, place: Positioning, source: &Source) -> Result<Arc<Request>> {
        let at = self.locate(Access::Write, place, source.bytes())?;
        self.advance_fully(place, &at, source.bytes());
        let metered = self.meter.begin(FileAccess::Write);
        if converts(&at.view).1 {
            let done = write_converted(&self.open, &at.view, at.position, source, metered);
            return Ok(ended(done));
        }
        Ok(Transfer::write(at.view, at.position, source).start(&self.open, metered))
    }

    /// Checks an access, and finds where it begins. The shared file pointer moves on.
    fn locate(&self, access: Access, place: Positioning, bytes: usize) -> Result<Located> {
        let view = self.check_access(access, bytes)?;
        let etype = view.etype().size();
        let offset = match place {
            Positioning::Shared => {
                let etypes = (bytes / etype).cast_signed() as i64;
                self.open.pointer.advance(self.comm.process().job(), etypes)?
            }
            _ => self.own_offset(place)?,
        };
        let position = checked_position(&view, offset, bytes)?;
        Ok(Located { view, position })
    }

    /// The offset of a place that is not shared.
    pub(super) fn own_offset(&self, place: Positioning) -> Result<i64> {
        self.check_random()?;
        match place {
            Positioning::At(offset) => Ok(offset),
            Positioning::Individual | Positioning::Shared => Ok(self.position.load(Ordering::Relaxed)),
        }
    }

    /// Checks what does not depend on the place. The view in use.
    pub(super) fn check_access(&self, access: Access, bytes: usize) -> Result<Arc<View>> {
        let (other, class, does) = match access {
            Access::Write => (Amode::RDONLY, ErrorClass::ReadOnly, "read"),
            Access::Read | Access::Both => (Amode::WRONLY, ErrorClass::Access, "written"),
        };
        if self.open.amode.has(other) {
            let name = &self.open.name;
            let reason = format!("\"{name}\" was opened to be {does} only");
            return Err(Error::new(class, reason));
        }
        let view = self.current_view();
        let etype = view.etype().size();
        if !bytes.is_multiple_of(etype) {
            let reason =
                format!("the buffer has {bytes} bytes of data, which are no whole etypes of {etype} bytes");
            return Err(Error::new(ErrorClass::Arg, reason));
        }
        if view.is_empty() && bytes > 0 {
            let reason = "the filetype of the view has no data, so there is no place for that of the buffer";
            return Err(Error::new(ErrorClass::Arg, reason));
        }
        if let Representation::User(conversion) = view.representation()
            && conversion.converts() != (true, true)
            && view.in_file(bytes) != bytes
        {
            let reason = "the representation has other extents than memory has, but does not convert";
            return Err(Error::new(ErrorClass::UnsupportedDatarep, reason));
        }
        Ok(view)
    }

    /// Moves the individual file pointer behind what was moved.
    fn advance_by(&self, place: Positioning, at: &Located, done: &Result<Status>) {
        let status = match done {
            Ok(status) => Some(status),
            Err(error) => error.status(),
        };
        let bytes = status.map_or(0, |status| status.bytes as usize);
        self.advance_fully(place, at, bytes);
    }

    /// Moves the individual file pointer behind so many bytes.
    pub(super) fn advance_fully(&self, place: Positioning, at: &Located, bytes: usize) {
        if place == Positioning::Individual {
            let etype = at.view.etype().size();
            self.set_position(((at.position + bytes) / etype).cast_signed() as i64);
        }
    }
}

/// The position of an offset, from which on the bytes fit into a file.
pub(super) fn checked_position(view: &View, offset: i64, bytes: usize) -> Result<usize> {
    let position = in_bytes(offset, view.etype().size())?;
    if position
        .checked_add(bytes)
        .is_none_or(|end| isize::try_from(end).is_err())
    {
        let reason = format!("offset is {offset}: the data would end behind what a file can have");
        return Err(Error::new(ErrorClass::Arg, reason));
    }
    Ok(position)
}

/// The request of an access that is over.
pub(super) fn ended(outcome: Result<Status>) -> Arc<Request> {
    let request = Request::file_task();
    request.finish_task(outcome);
    request
}
