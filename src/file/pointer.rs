//! Accesses at file pointers (sections 14.4.3 and 14.4.4 of the standard).

use simurgh_mpi::{Result, Whence};
use simurgh_typed::{self as typed, Positioning};

use super::File;
use crate::activity::Call;
use crate::{View, ViewMut};

/// Each rank has a file pointer of its own, and all of them have one in common. They count bytes, and an access moves
/// its pointer on.
impl File {
    /// Reads values at the rank's pointer (`MPI_File_read`), and returns how many the file had.
    ///
    /// # Errors
    ///
    /// As [`read_at`](Self::read_at).
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-pointer-{}", std::process::id()));
    /// # simurgh::Builder::new().ranks(4).run(move |world| {
    /// # use simurgh::FileOptions;
    /// # let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
    /// let file = options.open(world, &path)?;
    /// // The ranks' lines follow each other in the order of the ranks.
    /// file.write_ordered(&format!("rank {}\n", world.rank()))?;
    /// let mut line = [0_u8; 7];
    /// file.seek(7)?;
    /// file.read(&mut line[..])?;
    /// assert_eq!((&line, file.position()?), (b"rank 1\n", 14));
    /// file.close()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn read<B: ViewMut + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.access(|| typed::read_next(&self.file, Positioning::Individual, data, false))
    }

    /// Writes values at the rank's pointer (`MPI_File_write`).
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    pub fn write<B: View + ?Sized>(&self, data: &B) -> Result<()> {
        self.access(|| typed::write_next(&self.file, Positioning::Individual, data, false))
    }

    /// As [`read`](Self::read), together with all other ranks (`MPI_File_read_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`read_at_all`](Self::read_at_all).
    pub fn read_all<B: ViewMut + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.access(|| typed::read_next(&self.file, Positioning::Individual, data, true))
    }

    /// As [`write`](Self::write), together with all other ranks (`MPI_File_write_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`write_at_all`](Self::write_at_all).
    pub fn write_all<B: View + ?Sized>(&self, data: &B) -> Result<()> {
        self.access(|| typed::write_next(&self.file, Positioning::Individual, data, true))
    }

    /// Reads values at the common pointer, in any order of the ranks (`MPI_File_read_shared`).
    ///
    /// # Errors
    ///
    /// As [`read_at`](Self::read_at).
    pub fn read_shared<B: ViewMut + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.access(|| typed::read_next(&self.file, Positioning::Shared, data, false))
    }

    /// Writes values at the common pointer, in any order of the ranks (`MPI_File_write_shared`).
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    pub fn write_shared<B: View + ?Sized>(&self, data: &B) -> Result<()> {
        self.access(|| typed::write_next(&self.file, Positioning::Shared, data, false))
    }

    /// Reads values at the common pointer, in the order of the ranks (`MPI_File_read_ordered`). Collective.
    ///
    /// # Errors
    ///
    /// As [`read_at_all`](Self::read_at_all).
    pub fn read_ordered<B: ViewMut + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.access(|| typed::read_next(&self.file, Positioning::Shared, data, true))
    }

    /// Writes values at the common pointer, in the order of the ranks (`MPI_File_write_ordered`). Collective.
    ///
    /// # Errors
    ///
    /// As [`write_at_all`](Self::write_at_all).
    pub fn write_ordered<B: View + ?Sized>(&self, data: &B) -> Result<()> {
        self.access(|| typed::write_next(&self.file, Positioning::Shared, data, true))
    }

    /// The rank's pointer (`MPI_File_get_position`).
    ///
    /// # Errors
    ///
    /// None for files that are opened here.
    pub fn position(&self) -> Result<u64> {
        self.file.position().map(i64::unsigned_abs)
    }

    /// Moves the rank's pointer to an offset (`MPI_File_seek`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) for an offset behind what a file can have.
    pub fn seek(&self, offset: u64) -> Result<()> {
        self.file.seek(signed(offset), Whence::Set)
    }

    /// The common pointer (`MPI_File_get_position_shared`).
    ///
    /// # Errors
    ///
    /// When the process that keeps it cannot be asked.
    pub fn position_shared(&self) -> Result<u64> {
        let _inside = self.enter(Call::FileAccess);
        self.file.position_shared().map(i64::unsigned_abs)
    }

    /// Moves the common pointer to an offset (`MPI_File_seek_shared`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the ranks name different offsets; as
    /// [`seek`](Self::seek).
    pub fn seek_shared(&self, offset: u64) -> Result<()> {
        let _inside = self.enter(Call::FileAccess);
        self.file.seek_shared(signed(offset), Whence::Set)
    }
}

/// An offset as the engine counts. One that is too large is refused as one that is negative.
pub(super) fn signed(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(-1)
}
