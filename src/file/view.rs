//! Views: files as a rank sees them, as values of one type, some of which it skips (section 14.3 of the standard).

use std::fmt;
use std::marker::PhantomData;

use simurgh_mpi::{Info, Result, storage};
use simurgh_typed as typed;
use simurgh_typed::{Conversion, Filetype};

use super::File;
use crate::activity::Call;
use crate::scope::{ReceiveRequest, Scope, SendRequest};
use crate::{BufferMut, Equivalence, View, ViewMut};

/// What values look like in a file (section 14.5 of the standard).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Representation {
    /// As in memory (`native`).
    #[default]
    Native,
    /// As all hosts of the job can read them (`internal`). They are of one kind, so it is that in memory.
    Internal,
    /// As the standard says, which is the same for all MPI libraries and machines (`external32`, section 14.5.2):
    /// integers and IEEE floating-point numbers with the most significant byte first.
    External32,
}

impl Representation {
    /// The representation of the engine.
    fn engine(self) -> storage::Representation {
        match self {
            Self::Native => storage::Representation::Native,
            Self::Internal => storage::Representation::Internal,
            Self::External32 => storage::Representation::External32,
        }
    }
}

impl File {
    /// The file as values of `T` from byte `displacement` on, of which the rank sees those that `filetype` says
    /// (`MPI_File_set_view`). The file pointers are at the first of them. Collective; ranks name displacements and
    /// filetypes of their own, but values of the same size.
    ///
    /// The file is closed if that fails.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the ranks' values have different sizes;
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) for a filetype with a block outside of its tile, or without values;
    /// [`ErrorClass::Type`](crate::ErrorClass::Type) for values without bytes.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-view-{}", std::process::id()));
    /// # simurgh::Builder::new().ranks(4).run(move |world| {
    /// use simurgh::{FileOptions, Filetype};
    ///
    /// let (rank, size) = (world.rank(), world.size());
    /// let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
    /// // The ranks' pairs of numbers take turns.
    /// let pairs = Filetype::strided(2, 2 * size);
    /// let view = options.open(world, &path)?.view::<u32>(8 * rank as u64, &pairs)?;
    /// view.write_all(&[rank as u32; 6][..])?;
    /// let mut third = [9; 2];
    /// view.read_at(4, &mut third[..])?;
    /// assert_eq!((third, view.byte_offset(4)?), ([rank as u32; 2], 8 * (2 * size + rank) as u64));
    ///
    /// let file = view.into_file()?;
    /// let mut all = [9_u32; 9];
    /// file.read_at_all(0, &mut all[..])?;
    /// assert_eq!(all, [0, 0, 1, 1, 2, 2, 3, 3, 0]);
    /// file.close()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// The values of a view have its type:
    ///
    /// ```compile_fail,E0271
    /// # fn write(view: &simurgh::FileView<u32>) {
    /// view.write(&1.5);
    /// # }
    /// ```
    pub fn view<T: Equivalence>(self, displacement: u64, filetype: &Filetype) -> Result<FileView<T>> {
        self.view_as(displacement, filetype, Representation::Native)
    }

    /// As [`view`](Self::view), with values that are represented in this way. All ranks name the same representation.
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view); [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the ranks name different
    /// representations.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-external-{}", std::process::id()));
    /// # simurgh::Builder::new().ranks(2).run(move |world| {
    /// use simurgh::{FileOptions, Filetype, Representation};
    ///
    /// let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
    /// let file = options.open(world, &path)?;
    /// let view = file.view_as::<u32>(0, &Filetype::all(), Representation::External32)?;
    /// view.write_at_all(world.rank() as u64, &0x0a0b_0c0d)?;
    /// let file = view.into_file()?;
    /// let mut bytes = [0_u8; 4];
    /// file.read_at_all(4, &mut bytes[..])?;
    /// assert_eq!(bytes, [0x0a, 0x0b, 0x0c, 0x0d]);
    /// file.close()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn view_as<T: Equivalence>(
        self,
        displacement: u64,
        filetype: &Filetype,
        representation: Representation,
    ) -> Result<FileView<T>> {
        self.into_view(displacement, filetype, Ok(representation.engine()))
    }

    /// As [`view`](Self::view), with values that are represented as the program says (`MPI_Register_datarep`). All
    /// ranks name a representation of the same name.
    ///
    /// The functions of the representation are called by the ranks that read and write. A rank in which one panics
    /// leaves no other rank waiting.
    ///
    /// # Errors
    ///
    /// As [`view_as`](Self::view_as); [`ErrorClass::Arg`](crate::ErrorClass::Arg) for a name that is empty or longer
    /// than 127 bytes; [`ErrorClass::DupDatarep`](crate::ErrorClass::DupDatarep) for `native`, `internal` or
    /// `external32`; [`ErrorClass::UnsupportedDatarep`](crate::ErrorClass::UnsupportedDatarep) for values that have no
    /// bytes.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-conversion-{}", std::process::id()));
    /// # simurgh::Builder::new().ranks(2).run(move |world| {
    /// use simurgh::{Conversion, Error, ErrorClass, FileOptions, Filetype, Result};
    ///
    /// /// Temperatures in a file: hundredths of a degree, in two bytes.
    /// struct Hundredths;
    ///
    /// impl Conversion<f64> for Hundredths {
    ///     fn name(&self) -> &str {
    ///         "hundredths"
    ///     }
    ///
    ///     fn size(&self) -> usize {
    ///         2
    ///     }
    ///
    ///     fn encode(&self, value: f64, file: &mut [u8]) -> Result<()> {
    ///         let hundredths = (100.0 * value).round();
    ///         if hundredths.abs() > f64::from(i16::MAX) {
    ///             return Err(Error::new(ErrorClass::Conversion, format!("{value} does not fit")));
    ///         }
    ///         file.copy_from_slice(&(hundredths as i16).to_le_bytes());
    ///         Ok(())
    ///     }
    ///
    ///     fn decode(&self, file: &[u8]) -> Result<f64> {
    ///         Ok(f64::from(i16::from_le_bytes([file[0], file[1]])) / 100.0)
    ///     }
    /// }
    ///
    /// let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
    /// let file = options.open(world, &path)?;
    /// let view = file.view_with(0, &Filetype::all(), Hundredths)?;
    /// view.write_at_all(3 * world.rank() as u64, &[20.5, -273.15, 36.6][..])?;
    /// assert_eq!(view.write_at(0, &1e9).unwrap_err().class(), ErrorClass::Conversion);
    /// view.sync()?;
    /// world.barrier()?;
    /// let mut read = [0.0; 8];
    /// assert_eq!(view.read_at(1, &mut read[..])?, 5);
    /// assert_eq!(read[..3], [-273.15, 36.6, 20.5]);
    /// let file = view.into_file()?;
    /// assert_eq!(file.size()?, 2 * 6);
    /// file.close()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn view_with<T: Equivalence>(
        self,
        displacement: u64,
        filetype: &Filetype,
        conversion: impl Conversion<T>,
    ) -> Result<FileView<T>> {
        let representation = self.conversions.representation(conversion);
        self.into_view(displacement, filetype, representation)
    }

    fn into_view<T: Equivalence>(
        self,
        displacement: u64,
        filetype: &Filetype,
        representation: Result<storage::Representation>,
    ) -> Result<FileView<T>> {
        self.set_view::<T>(displacement, filetype, representation)?;
        Ok(FileView {
            file: self,
            values: PhantomData,
        })
    }

    /// What is wrong at one rank is an error at all, so all of them make the call.
    fn set_view<T: Equivalence>(
        &self,
        displacement: u64,
        filetype: &Filetype,
        representation: Result<storage::Representation>,
    ) -> Result<()> {
        let _inside = self.enter(Call::SetView);
        let types = typed::etype::<T>().and_then(|etype| Ok((filetype.datatype(&etype)?, etype)));
        let (types, representation) = match types {
            Ok(types) => (types, representation),
            Err(error) => {
                let byte = typed::etype::<u8>()?;
                ((byte.clone(), byte), Err(error))
            }
        };
        let (filetype, etype) = types;
        let displacement = i64::try_from(displacement).unwrap_or(i64::MIN);
        self.file
            .set_view(displacement, etype, filetype, representation, &Info::new())
    }
}

/// A file as values of `T`, some of which the rank skips; made by [`File::view`].
///
/// Offsets and pointers count the values that the rank sees. The rank's pointer, the common one, and collective
/// accesses work as those of a [`File`]. The common pointer counts values too; it is the same for all ranks, so their
/// filetypes should be.
pub struct FileView<T: Equivalence> {
    file: File,
    values: PhantomData<fn(T) -> T>,
}

impl<T: Equivalence> FileView<T> {
    /// Reads values from an offset on, and returns how many the file had (`MPI_File_read_at`).
    ///
    /// # Errors
    ///
    /// As [`File::read_at`].
    pub fn read_at<B: ViewMut<Item = T> + ?Sized>(&self, offset: u64, data: &mut B) -> Result<usize> {
        self.file.read_at(offset, data)
    }

    /// Writes values from an offset on (`MPI_File_write_at`).
    ///
    /// # Errors
    ///
    /// As [`File::write_at`].
    pub fn write_at<B: View<Item = T> + ?Sized>(&self, offset: u64, data: &B) -> Result<()> {
        self.file.write_at(offset, data)
    }

    /// As [`read_at`](Self::read_at), together with all other ranks (`MPI_File_read_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::read_at_all`].
    pub fn read_at_all<B: ViewMut<Item = T> + ?Sized>(&self, offset: u64, data: &mut B) -> Result<usize> {
        self.file.read_at_all(offset, data)
    }

    /// As [`write_at`](Self::write_at), together with all other ranks (`MPI_File_write_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::write_at_all`].
    pub fn write_at_all<B: View<Item = T> + ?Sized>(&self, offset: u64, data: &B) -> Result<()> {
        self.file.write_at_all(offset, data)
    }

    /// Starts to read values from an offset on, as [`Scope::iread_at`] (`MPI_File_iread_at`).
    ///
    /// # Errors
    ///
    /// As [`Scope::iread_at`].
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-view-scope-{}", std::process::id()));
    /// # simurgh::Builder::new().ranks(3).run(move |world| {
    /// # use simurgh::{FileOptions, Filetype};
    /// # let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
    /// let turns = Filetype::strided(1, world.size());
    /// let view = options.open(world, &path)?.view::<u64>(8 * world.rank() as u64, &turns)?;
    /// let (mine, mut read) = ([world.rank() as u64; 100], [0; 100]);
    /// world.scope(|scope| {
    ///     view.iwrite_at_all(scope, 0, &mine[..])?.wait()?;
    ///     view.iread_at(scope, 0, &mut read[..])?.wait().map(drop)
    /// })?;
    /// assert_eq!(read, mine);
    /// view.close()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// A view is not closed while it is accessed:
    ///
    /// ```compile_fail,E0505
    /// # fn read(world: &simurgh::Communicator, view: simurgh::FileView<u32>) -> simurgh::Result<()> {
    /// let mut value = 0;
    /// world.scope(|scope| {
    ///     let reading = view.iread_at(scope, 0, &mut value)?;
    ///     view.close()?;
    ///     reading.wait().map(drop)
    /// })
    /// # }
    /// ```
    pub fn iread_at<'scope, 'env, B: BufferMut<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        offset: u64,
        data: &'scope mut B,
    ) -> Result<ReceiveRequest<'scope, 'env, T>> {
        scope.iread_at(&self.file, offset, data)
    }

    /// Starts to write values from an offset on, as [`Scope::iwrite_at`] (`MPI_File_iwrite_at`).
    ///
    /// # Errors
    ///
    /// As [`Scope::iwrite_at`].
    pub fn iwrite_at<'scope, 'env, B: View<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        offset: u64,
        data: &'scope B,
    ) -> Result<SendRequest<'scope, 'env>> {
        scope.iwrite_at(&self.file, offset, data)
    }

    /// As [`iread_at`](Self::iread_at), together with all other ranks (`MPI_File_iread_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`Scope::iread_at_all`].
    pub fn iread_at_all<'scope, 'env, B: BufferMut<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        offset: u64,
        data: &'scope mut B,
    ) -> Result<ReceiveRequest<'scope, 'env, T>> {
        scope.iread_at_all(&self.file, offset, data)
    }

    /// As [`iwrite_at`](Self::iwrite_at), together with all other ranks (`MPI_File_iwrite_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`Scope::iwrite_at_all`].
    pub fn iwrite_at_all<'scope, 'env, B: View<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        offset: u64,
        data: &'scope B,
    ) -> Result<SendRequest<'scope, 'env>> {
        scope.iwrite_at_all(&self.file, offset, data)
    }

    /// Reads values at the rank's pointer (`MPI_File_read`).
    ///
    /// # Errors
    ///
    /// As [`File::read`].
    pub fn read<B: ViewMut<Item = T> + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.file.read(data)
    }

    /// Writes values at the rank's pointer (`MPI_File_write`).
    ///
    /// # Errors
    ///
    /// As [`File::write`].
    pub fn write<B: View<Item = T> + ?Sized>(&self, data: &B) -> Result<()> {
        self.file.write(data)
    }

    /// Reads values at the ranks' pointers, together with all other ranks (`MPI_File_read_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::read_all`].
    pub fn read_all<B: ViewMut<Item = T> + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.file.read_all(data)
    }

    /// Writes values at the ranks' pointers, together with all other ranks (`MPI_File_write_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::write_all`].
    pub fn write_all<B: View<Item = T> + ?Sized>(&self, data: &B) -> Result<()> {
        self.file.write_all(data)
    }

    /// Reads values at the common pointer (`MPI_File_read_shared`).
    ///
    /// # Errors
    ///
    /// As [`File::read_shared`].
    pub fn read_shared<B: ViewMut<Item = T> + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.file.read_shared(data)
    }

    /// Writes values at the common pointer (`MPI_File_write_shared`).
    ///
    /// # Errors
    ///
    /// As [`File::write_shared`].
    pub fn write_shared<B: View<Item = T> + ?Sized>(&self, data: &B) -> Result<()> {
        self.file.write_shared(data)
    }

    /// Reads values at the common pointer, in the order of the ranks (`MPI_File_read_ordered`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::read_ordered`].
    pub fn read_ordered<B: ViewMut<Item = T> + ?Sized>(&self, data: &mut B) -> Result<usize> {
        self.file.read_ordered(data)
    }

    /// Writes values at the common pointer, in the order of the ranks (`MPI_File_write_ordered`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::write_ordered`].
    pub fn write_ordered<B: View<Item = T> + ?Sized>(&self, data: &B) -> Result<()> {
        self.file.write_ordered(data)
    }

    /// The rank's pointer (`MPI_File_get_position`).
    ///
    /// # Errors
    ///
    /// As [`File::position`].
    pub fn position(&self) -> Result<u64> {
        self.file.position()
    }

    /// Moves the rank's pointer (`MPI_File_seek`).
    ///
    /// # Errors
    ///
    /// As [`File::seek`].
    pub fn seek(&self, offset: u64) -> Result<()> {
        self.file.seek(offset)
    }

    /// The common pointer (`MPI_File_get_position_shared`).
    ///
    /// # Errors
    ///
    /// As [`File::position_shared`].
    pub fn position_shared(&self) -> Result<u64> {
        self.file.position_shared()
    }

    /// Moves the common pointer (`MPI_File_seek_shared`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::seek_shared`].
    pub fn seek_shared(&self, offset: u64) -> Result<()> {
        self.file.seek_shared(offset)
    }

    /// The byte of the file at which the value at an offset begins (`MPI_File_get_byte_offset`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`](crate::ErrorClass::Arg) for an offset behind what a file can have.
    pub fn byte_offset(&self, offset: u64) -> Result<u64> {
        let bytes = self.file.file.byte_offset(super::pointer::signed(offset))?;
        Ok(bytes.unsigned_abs())
    }

    /// Waits until what the ranks have written is on the storage, and others see it (`MPI_File_sync`). Collective.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    /// The file as its bytes again. Collective.
    ///
    /// # Errors
    ///
    /// When the ranks make different calls.
    pub fn into_file(self) -> Result<File> {
        self.file
            .set_view::<u8>(0, &Filetype::all(), Ok(storage::Representation::Native))?;
        Ok(self.file)
    }

    /// Closes the file, as [`File::close`] (`MPI_File_close`). Collective.
    ///
    /// # Errors
    ///
    /// As [`File::close`].
    pub fn close(self) -> Result<()> {
        self.file.close()
    }
}

impl<T: Equivalence> fmt::Debug for FileView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileView").field(&self.file).finish()
    }
}
