//! File pointers.

use super::agree::{SeekShared, at_one_host};
use super::{Amode, File};
use crate::error::{Error, ErrorClass, Result};
use simurgh_core::sync::Ordering;

/// What a seek counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The beginning of the view.
    Set,
    /// The pointer.
    Current,
    /// The end of the file.
    End,
}

impl File {
    /// Moves the individual file pointer, by etypes (`MPI_File_seek`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if it would be negative; [`ErrorClass::UnsupportedOperation`] if the file is sequential.
    pub fn seek(&self, offset: i64, whence: Whence) -> Result<()> {
        self.check_random()?;
        let to = self.target_of_seek(offset, whence, self.position.load(Ordering::Relaxed))?;
        self.set_position(to);
        Ok(())
    }

    /// The individual file pointer, in etypes (`MPI_File_get_position`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::UnsupportedOperation`] if the file is sequential.
    pub fn position(&self) -> Result<i64> {
        self.check_random()?;
        Ok(self.position.load(Ordering::Relaxed))
    }

    /// Moves the shared file pointer, by etypes (`MPI_File_seek_shared`). All ranks call this with the same arguments.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::NotSame`] if the arguments differ; [`ErrorClass::Arg`] if it would be negative.
    pub fn seek_shared(&self, offset: i64, whence: Whence) -> Result<()> {
        let argument = offset.cast_unsigned().wrapping_mul(4) ^ whence as u64;
        at_one_host(self, SeekShared(Ok(argument)), |open, _| {
            let before = open.pointer.advance(self.comm.process().job(), 0)?;
            open.pointer.set(self.target_of_seek(offset, whence, before)?);
            Ok(())
        })
    }

    /// The shared file pointer, in etypes (`MPI_File_get_position_shared`).
    ///
    /// # Errors
    ///
    /// When the host that keeps it cannot be asked.
    pub fn position_shared(&self) -> Result<i64> {
        self.open.pointer.advance(self.comm.process().job(), 0)
    }

    /// The place in the file of an offset in the view, in bytes (`MPI_File_get_byte_offset`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the offset is negative; [`ErrorClass::UnsupportedOperation`] if the file is sequential.
    pub fn byte_offset(&self, offset: i64) -> Result<i64> {
        self.check_random()?;
        let view = self.current_view();
        let position = in_bytes(offset, view.etype().size())?;
        Ok(view.offset_of(position).cast_signed())
    }

    pub(super) fn set_position(&self, to: i64) {
        // Relaxed: the pointer is the rank's own; its threads take turns where they need it.
        self.position.store(to, Ordering::Relaxed);
    }

    /// Refuses what a sequential file does not have.
    pub(super) fn check_random(&self) -> Result<()> {
        match self.open.amode.has(Amode::SEQUENTIAL) {
            true => Err(Error::new(
                ErrorClass::UnsupportedOperation,
                "the file was opened with MPI_MODE_SEQUENTIAL: only the shared file pointer may be used",
            )),
            false => Ok(()),
        }
    }

    fn target_of_seek(&self, offset: i64, whence: Whence, pointer: i64) -> Result<i64> {
        let from = match whence {
            Whence::Set => 0,
            Whence::Current => pointer,
            Whence::End => self.end_of_view()?,
        };
        from.checked_add(offset).filter(|to| *to >= 0).ok_or_else(|| {
            let reason = format!("the file pointer would be {from} + {offset}: it must not be negative");
            Error::new(ErrorClass::Arg, reason)
        })
    }

    /// The first etype of the view that is not in the file, not even in part.
    fn end_of_view(&self) -> Result<i64> {
        let view = self.current_view();
        let position = view.position_at(self.size()?);
        Ok(position.div_ceil(view.etype().size()).cast_signed() as i64)
    }
}

/// A position in bytes of data, from one in etypes.
pub(super) fn in_bytes(offset: i64, etype: usize) -> Result<usize> {
    let position = usize::try_from(offset)
        .ok()
        .and_then(|offset| offset.checked_mul(etype))
        .filter(|position| isize::try_from(*position).is_ok());
    position.ok_or_else(|| {
        let reason = format!("offset is {offset}: it must not be negative, nor more than a file can have");
        Error::new(ErrorClass::Arg, reason)
    })
}
