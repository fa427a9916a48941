//! Files by handle, the error handler of the null file, and the data representations that the program has registered.

use std::collections::BTreeMap;
use std::sync::Arc;

use simurgh_core::sync::SpinLock;
use simurgh_mpi::storage::{Conversion, FileSystem, Posix, Representation};
use simurgh_mpi::{ErrorClass, ErrorHandler, File};

use super::lookup::not_an_object;
use super::{Rank, Slab};
use crate::constants::MPI_FILE_NULL;
use crate::error::{CallError, Outcome, RaisedOn, ResultOf};
use crate::types::MPI_File;

/// The files of a rank.
pub(crate) struct Files {
    pub(crate) open: Slab<Arc<File>>,
    /// Where files are.
    pub(crate) system: Arc<dyn FileSystem>,
    /// The error handler of the null file, which is that of files that are opened. The program is told of errors,
    /// unless it asks for something else.
    default_errhandler: SpinLock<ErrorHandler>,
    representations: SpinLock<BTreeMap<String, Representation>>,
}

impl Files {
    pub(super) fn new() -> Self {
        Self {
            open: Slab::new(11),
            system: Arc::new(Posix),
            default_errhandler: SpinLock::new(ErrorHandler::Return),
            representations: SpinLock::default(),
        }
    }

    /// The error handler of the null file.
    pub(crate) fn default_errhandler(&self) -> ErrorHandler {
        self.default_errhandler.lock().clone()
    }

    /// Sets the error handler of the null file.
    pub(crate) fn set_default_errhandler(&self, handler: ErrorHandler) {
        let old = std::mem::replace(&mut *self.default_errhandler.lock(), handler);
        drop(old);
    }

    /// Registers a data representation.
    pub(crate) fn register(&self, conversion: Arc<dyn Conversion>) -> Outcome {
        let name = conversion.name().to_owned();
        let representation = Representation::user(conversion)?;
        let mut known = self.representations.lock();
        if known.contains_key(&name) {
            return Err(Representation::known(&name).into());
        }
        known.insert(name, representation);
        Ok(())
    }

    /// The data representation of this name.
    pub(crate) fn representation(&self, name: &str) -> ResultOf<Representation> {
        if let Some(predefined) = Representation::predefined(name) {
            return Ok(predefined);
        }
        let registered = self.representations.lock().get(name).cloned();
        registered.ok_or_else(|| {
            let reason = format!(
                "there is no data representation \"{name}\": native, internal and external32 are known, and what \
                 MPI_Register_datarep has been told"
            );
            CallError::new(ErrorClass::UnsupportedDatarep, reason)
        })
    }
}

impl<'a> Rank<'a> {
    /// The file behind a handle.
    pub(crate) fn file(self, handle: MPI_File) -> ResultOf<&'a Arc<File>> {
        // SAFETY:
        // - a program must not close a file in one thread while another uses it in a call.
        unsafe { self.tables.files.open.get(handle.0) }
            .ok_or_else(|| not_an_object(ErrorClass::File, "fh", handle.0, MPI_FILE_NULL.0))
    }

    /// The error handler of a file, and the object that it is told of: the null file if the handle is not valid.
    pub(crate) fn file_errhandler(self, handle: MPI_File) -> (ErrorHandler, RaisedOn) {
        match self.file(handle) {
            Ok(file) => (file.errhandler(), RaisedOn::File(handle)),
            Err(_) => (
                self.tables.files.default_errhandler(),
                RaisedOn::File(MPI_FILE_NULL),
            ),
        }
    }
}
