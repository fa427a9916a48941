//! Accesses to files that go on while the rank does something else (section 14.4 of the standard).

use simurgh_mpi::Result;

use super::File;
use crate::scope::{ReceiveRequest, Scope, SendRequest};
use crate::{BufferMut, View};

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts to read values from an offset on (`MPI_File_iread_at`). The status of the request says how many there
    /// were ([`Status::count`](crate::Status::count)). It cannot be cancelled.
    ///
    /// # Errors
    ///
    /// As [`File::read_at`]; what the system says is told by the wait.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("simurgh-doc-nonblocking-{}", std::process::id()));
    /// # simurgh::Builder::new().ranks(3).run(move |world| {
    /// # use simurgh::FileOptions;
    /// # let options = FileOptions::new().read(true).write(true).create_new(true).delete_on_close(true);
    /// let file = options.open(world, &path)?;
    /// let (mine, mut read) = ([world.rank() as u32; 100], [0_u32; 100]);
    /// let place = 400 * world.rank() as u64;
    /// world.scope(|scope| {
    ///     let writing = scope.iwrite_at(&file, place, &mine[..])?;
    ///     // Other work goes here.
    ///     writing.wait()?;
    ///     let (values, status) = scope.iread_at(&file, place, &mut read[..])?.wait()?;
    ///     assert_eq!((status.count::<u32>(), values[99]), (Some(100), world.rank() as u32));
    ///     Ok(())
    /// })?;
    /// file.close()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// A file is not closed while it is accessed:
    ///
    /// ```compile_fail,E0505
    /// # fn read(world: &simurgh::Communicator, file: simurgh::File) -> simurgh::Result<()> {
    /// let mut value = 0;
    /// world.scope(|scope| {
    ///     let reading = scope.iread_at(&file, 0, &mut value)?;
    ///     file.close()?;
    ///     reading.wait().map(drop)
    /// })
    /// # }
    /// ```
    pub fn iread_at<B: BufferMut + ?Sized>(
        &self,
        file: &'scope File,
        offset: u64,
        data: &'scope mut B,
    ) -> Result<ReceiveRequest<'scope, 'env, B::Item>> {
        let values = data.values_mut();
        let flight = file.access(|| self.flights().read_at(&file.file, offset, values))?;
        Ok(self.incoming(flight))
    }

    /// Starts to write values from an offset on (`MPI_File_iwrite_at`). It cannot be cancelled.
    ///
    /// # Errors
    ///
    /// As [`File::write_at`]; what the system says is told by the wait.
    pub fn iwrite_at<B: View + ?Sized>(
        &self,
        file: &'scope File,
        offset: u64,
        data: &'scope B,
    ) -> Result<SendRequest<'scope, 'env>> {
        let flight = file.access(|| self.flights().write_at(&file.file, offset, data))?;
        Ok(self.outgoing(flight))
    }

    /// As [`iread_at`](Self::iread_at), together with all other ranks (`MPI_File_iread_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`iread_at`](Self::iread_at).
    pub fn iread_at_all<B: BufferMut + ?Sized>(
        &self,
        file: &'scope File,
        offset: u64,
        data: &'scope mut B,
    ) -> Result<ReceiveRequest<'scope, 'env, B::Item>> {
        let values = data.values_mut();
        let flight = file.access(|| self.flights().read_at_all(&file.file, offset, values))?;
        Ok(self.incoming(flight))
    }

    /// As [`iwrite_at`](Self::iwrite_at), together with all other ranks (`MPI_File_iwrite_at_all`). Collective.
    ///
    /// # Errors
    ///
    /// As [`iwrite_at`](Self::iwrite_at).
    pub fn iwrite_at_all<B: View + ?Sized>(
        &self,
        file: &'scope File,
        offset: u64,
        data: &'scope B,
    ) -> Result<SendRequest<'scope, 'env>> {
        let flight = file.access(|| self.flights().write_at_all(&file.file, offset, data))?;
        Ok(self.outgoing(flight))
    }
}
