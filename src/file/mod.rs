//! Files (chapter 14 of the standard).

mod nonblocking;
mod pointer;
mod view;

pub use view::{FileView, Representation};

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::storage::{FileSystem, Posix};
use simurgh_mpi::{Amode, ErrorHandler, Info, Result};
use simurgh_typed::{self as typed, Conversions};

use crate::activity::{Call, Inside};
use crate::hints;
use crate::{Communicator, View, ViewMut};

/// What a file is opened for, and how. Nothing is chosen at first, so one of [`read`](Self::read) and
/// [`write`](Self::write) is needed. All ranks choose the same.
#[derive(Clone, Debug, Default)]
#[must_use = "options do nothing until a file is opened"]
pub struct FileOptions {
    read: bool,
    write: bool,
    bits: i32,
    info: Info,
}

impl FileOptions {
    /// Options of which none is chosen.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file is to be read.
    pub fn read(mut self, read: bool) -> Self {
        self.read = read;
        self
    }

    /// The file is to be written.
    pub fn write(mut self, write: bool) -> Self {
        self.write = write;
        self
    }

    /// The file is made if it is not there (`MPI_MODE_CREATE`).
    pub fn create(self, create: bool) -> Self {
        self.with(Amode::CREATE, create)
    }

    /// The file is made, and must not be there (`MPI_MODE_CREATE` and `MPI_MODE_EXCL`).
    pub fn create_new(self, create_new: bool) -> Self {
        self.with(Amode::CREATE | Amode::EXCL, create_new)
    }

    /// The file is deleted when it is closed (`MPI_MODE_DELETE_ON_CLOSE`).
    pub fn delete_on_close(self, delete: bool) -> Self {
        self.with(Amode::DELETE_ON_CLOSE, delete)
    }

    /// The file pointers are at the end of the file at first (`MPI_MODE_APPEND`).
    pub fn append(self, append: bool) -> Self {
        self.with(Amode::APPEND, append)
    }

    /// Gives a hint, as the user guide lists them (`MPI_Info_set`). Hints that are not known mean nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::InfoKey`](crate::ErrorClass::InfoKey) and [`ErrorClass::InfoValue`](crate::ErrorClass::InfoValue)
    /// if the key or the value is longer than the standard allows.
    pub fn hint(mut self, key: &str, value: &str) -> Result<Self> {
        self.info.set(key, value)?;
        Ok(self)
    }

    /// Opens a file (`MPI_File_open`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Amode`](crate::ErrorClass::Amode) for options that do not go together,
    /// [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the ranks have different ones; what the system says, as
    /// [`ErrorClass::NoSuchFile`](crate::ErrorClass::NoSuchFile).
    pub fn open(&self, communicator: &Communicator, path: impl AsRef<Path>) -> Result<File> {
        let way = match (self.read, self.write) {
            (true, true) => Amode::RDWR,
            (true, false) => Amode::RDONLY,
            (false, true) => Amode::WRONLY,
            (false, false) => 0,
        };
        let system: Arc<dyn FileSystem> = Arc::new(Posix);
        let name = path.as_ref().as_os_str().as_bytes();
        let _inside = communicator.enter(Call::OpenFile, UNDEFINED, UNDEFINED);
        let file = simurgh_mpi::File::open(
            communicator.engine(),
            &system,
            name,
            way | self.bits,
            &self.info,
            ErrorHandler::Return,
        )?;
        Ok(File {
            file,
            communicator: communicator.twin(),
            conversions: Conversions::default(),
        })
    }

    fn with(mut self, bits: i32, chosen: bool) -> Self {
        self.bits = if chosen {
            self.bits | bits
        } else {
            self.bits & !bits
        };
        self
    }
}

/// A file that the ranks of a communicator have opened together; made by [`FileOptions::open`].
///
/// Values are in the file one after the other, as they are in memory but without the padding of structs. Offsets count
/// bytes from the beginning of the file. Ranks that access the same bytes at the same time, one of them to write, do so
/// in any order, or [`sync`](Self::sync) between them.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("simurgh-doc-{}", std::process::id()));
/// # simurgh::Builder::new().ranks(4).run(move |world| {
/// use simurgh::FileOptions;
///
/// let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
/// let file = options.open(world, &path)?;
/// file.write_at_all(8 * world.rank() as u64, &(world.rank() as u64))?;
/// file.sync()?;
/// let mut all = [9_u64; 5];
/// assert_eq!(file.read_at(0, &mut all[..])?, 4);
/// assert_eq!(all, [0, 1, 2, 3, 9]);
/// file.close()
/// # })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// What is read into must be able to hold any bytes:
///
/// ```compile_fail,E0277
/// # fn read(file: &simurgh::File) {
/// let mut flag = false;
/// file.read_at(0, &mut flag);
/// # }
/// ```
pub struct File {
    pub(crate) file: Arc<simurgh_mpi::File>,
    pub(crate) communicator: Communicator,
    /// The representations of the program.
    conversions: Conversions,
}

impl File {
    /// Deletes a file that nobody has open (`MPI_File_delete`). One rank does so, or none need be there.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NoSuchFile`](crate::ErrorClass::NoSuchFile) if there is none; what else the system says, as
    /// [`ErrorClass::Access`](crate::ErrorClass::Access).
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-delete-{}", std::process::id()));
    /// std::fs::write(&path, "old results")?;
    /// simurgh::File::delete(&path)?;
    /// assert_eq!(simurgh::File::delete(&path).unwrap_err().class(), simurgh::ErrorClass::NoSuchFile);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn delete(path: impl AsRef<Path>) -> Result<()> {
        simurgh_mpi::File::delete(&Posix, path.as_ref().as_os_str().as_bytes())
    }

    /// Reads values from an offset on (`MPI_File_read_at`), and returns how many the file had. At the end of the file a
    /// value may be read in part; it is not counted.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Access`](crate::ErrorClass::Access) if the file was not opened to be read,
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) for an offset behind what a file can have; what the system says.
    pub fn read_at<B: ViewMut + ?Sized>(&self, offset: u64, data: &mut B) -> Result<usize> {
        self.access(|| typed::read_at(&self.file, offset, data))
    }

    /// Writes values from an offset on (`MPI_File_write_at`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::ReadOnly`](crate::ErrorClass::ReadOnly) if the file was not opened to be written; as
    /// [`read_at`](Self::read_at).
    pub fn write_at<B: View + ?Sized>(&self, offset: u64, data: &B) -> Result<()> {
        self.access(|| typed::write_at(&self.file, offset, data))
    }

    /// As [`read_at`](Self::read_at), together with all other ranks, each with an offset and values of its own
    /// (`MPI_File_read_at_all`): small pieces of many ranks become a few large accesses. Collective.
    ///
    /// # Errors
    ///
    /// As [`read_at`](Self::read_at); what the system says to one rank is an error at all.
    pub fn read_at_all<B: ViewMut + ?Sized>(&self, offset: u64, data: &mut B) -> Result<usize> {
        self.access(|| typed::read_at_all(&self.file, offset, data))
    }

    /// As [`write_at`](Self::write_at), together with all other ranks (`MPI_File_write_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at); what the system says to one rank is an error at all.
    pub fn write_at_all<B: View + ?Sized>(&self, offset: u64, data: &B) -> Result<()> {
        self.access(|| typed::write_at_all(&self.file, offset, data))
    }

    /// The size in bytes (`MPI_File_get_size`).
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn size(&self) -> Result<u64> {
        self.file.size()
    }

    /// Cuts or extends the file to a size in bytes (`MPI_File_set_size`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the ranks name different sizes; what the system says.
    pub fn set_size(&self, bytes: u64) -> Result<()> {
        let _inside = self.enter(Call::FileAccess);
        // A size that is too large for the engine is too large for the system.
        self.file.set_size(i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Waits until what the ranks have written is on the storage, and others see it (`MPI_File_sync`). Collective.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn sync(&self) -> Result<()> {
        let _inside = self.enter(Call::FileAccess);
        self.file.sync()
    }

    /// Makes sure that there is storage for so many bytes, to which the file is extended if it is shorter
    /// (`MPI_File_preallocate`). Collective.
    ///
    /// # Errors
    ///
    /// As [`set_size`](Self::set_size).
    pub fn preallocate(&self, bytes: u64) -> Result<()> {
        let _inside = self.enter(Call::FileAccess);
        self.file.preallocate(i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Sets whether accesses of different ranks to the same bytes are atomic: none sees a part of another one
    /// (`MPI_File_set_atomicity`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the ranks want different things.
    pub fn set_atomic(&self, atomic: bool) -> Result<()> {
        let _inside = self.enter(Call::FileAccess);
        self.file.set_atomicity(atomic)
    }

    /// Whether accesses of different ranks are atomic (`MPI_File_get_atomicity`).
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        self.file.is_atomic()
    }

    /// Gives a hint, as [`FileOptions::hint`] (`MPI_File_set_info`). Some have an effect when a file is opened only.
    ///
    /// # Errors
    ///
    /// As [`FileOptions::hint`].
    pub fn set_hint(&self, key: &str, value: &str) -> Result<()> {
        self.file.set_info(&hints::one(key, value)?);
        Ok(())
    }

    /// The hints that are in use, with their values (`MPI_File_get_info`).
    #[must_use]
    pub fn hints(&self) -> Vec<(String, String)> {
        hints::texts(&self.file.info())
    }

    /// Closes the file (`MPI_File_close`). Collective. A file that is dropped instead is closed, too; if it is to be
    /// deleted, that is done when the last rank on the host of rank 0 has dropped it, and a failure goes unnoticed.
    ///
    /// # Errors
    ///
    /// What the system says if the file is to be deleted.
    pub fn close(self) -> Result<()> {
        let _inside = self.enter(Call::CloseFile);
        self.file.close()
    }

    /// Accesses the file, for which the program's representation may be needed. A panic of that goes on here.
    fn access<R>(&self, access: impl FnOnce() -> R) -> R {
        let _inside = self.enter(Call::FileAccess);
        let outcome = access();
        self.conversions.rethrow();
        outcome
    }

    fn enter(&self, call: Call) -> Inside<'_> {
        self.communicator.enter(call, UNDEFINED, UNDEFINED)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("name", &self.file.name())
            .finish_non_exhaustive()
    }
}
