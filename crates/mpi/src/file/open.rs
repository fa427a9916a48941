//! Opening, closing and deleting files.

use super::agree::{Close, everywhere, is_first_host};
use super::gathering::Gatherings;
use super::meter::Meter;
use super::open_file::{Atomicity, Deletion, OpenFile};
use super::pointer::Pointer;
use super::{Amode, File};
use crate::comm::{Comm, IdDemand};
use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::info::Info;
use crate::portable::portable;
use simurgh_core::sync::{Arc, AtomicI64, AtomicU64, SpinLock};
use simurgh_file::{FileSystem, Hints, Mode, View, path_fault, path_of};
use std::path::Path;

/// The arguments of a rank: the mode, or why it is wrong.
struct Open(Result<i32>);

/// A host opens the file that the host of rank 0 has opened, if it has.
struct OpenToo(Result<()>);

portable! {
    Open { 0 }
    OpenToo { 0 }
}

impl File {
    /// Opens a file of a file system (`MPI_File_open`). All ranks of the communicator call this, with the same mode
    /// and names of the same file. `handler` is the file's error handler.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::Amode`] for a wrong mode, [`ErrorClass::NotSame`] for different ones; what the
    /// system says. [`ErrorClass::Comm`] for an inter-communicator.
    pub fn open(
        comm: &Comm,
        system: &Arc<dyn FileSystem>,
        name: &[u8],
        amode: i32,
        info: &Info,
        handler: ErrorHandler,
    ) -> Result<Arc<Self>> {
        comm.check_intra()?;
        let comm = comm.dup()?;
        let hints = Hints::default().with(info);
        let opened = Opening {
            comm: &comm,
            system,
            name,
            permissions: hints.permissions,
        }
        .open(amode);
        let open = match opened {
            Ok(open) => open,
            Err(error) => {
                comm.free()?;
                return Err(error);
            }
        };
        if open.amode.has(Amode::DELETE_ON_CLOSE) && is_first_host(&comm) {
            open.deletion.demand();
        }
        let open_start = open.start;
        let file = Self {
            meter: Meter::new(comm.process(), &open.name),
            comm,
            open,
            view: SpinLock::new(Arc::new(View::default())),
            position: AtomicI64::new(open_start),
            hints: SpinLock::new((hints, info.text("access_style").map(str::to_owned))),
            errhandler: SpinLock::new(handler),
            accesses: AtomicU64::new(0),
            split: SpinLock::new(None),
        };
        Ok(Arc::new(file))
    }

    /// Closes the file (`MPI_File_close`). All ranks call this; their accesses have to be complete.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if a split collective access has not been ended. At all ranks, what the system says if the
    /// file is to be deleted and cannot be.
    pub fn close(&self) -> Result<()> {
        if self.split.lock().is_some() {
            return Err(Error::new(
                ErrorClass::Other,
                "a split collective access is under way: end it before the file is closed",
            ));
        }
        let open = &self.open;
        let deletes = open.amode.has(Amode::DELETE_ON_CLOSE);
        let closed = self.comm.exchange(Close(()), IdDemand::Nothing, |_, _| {
            if !open.deletion.take() {
                return Ok(());
            }
            let deleted = open.system.delete(&open.path);
            deleted.map_err(|reason| open.fault("deleting", &reason))
        })?;
        let outcome = (*closed).clone();
        let outcome = match deletes {
            true => everywhere(&self.comm, outcome),
            false => outcome,
        };
        Arc::clone(&self.comm).free()?;
        outcome
    }

    /// Deletes a file (`MPI_File_delete`).
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn delete(system: &dyn FileSystem, name: &[u8]) -> Result<()> {
        let path = checked_path(name)?;
        system
            .delete(&path)
            .map_err(|reason| path_fault(&path, "deleting", &reason))
    }
}

fn checked_path(name: &[u8]) -> Result<std::path::PathBuf> {
    let path = path_of(name);
    match path.as_os_str().is_empty() {
        true => Err(Error::new(ErrorClass::BadFile, "the name of the file is empty")),
        false => Ok(path),
    }
}

/// The opening of a file, as a rank sees it.
struct Opening<'a> {
    comm: &'a Comm,
    system: &'a Arc<dyn FileSystem>,
    name: &'a [u8],
    permissions: u32,
}

impl Opening<'_> {
    /// Opens the file: the host of rank 0 first, which may make it, and then all others.
    fn open(&self, amode: i32) -> Result<Arc<OpenFile>> {
        let comm = self.comm;
        let own = Amode::new(amode).and_then(|amode| checked_path(self.name).map(|_| amode.bits()));
        let opened = comm.exchange(Open(own), IdDemand::Nothing, |modes, _| {
            let amode = same_mode(modes)?;
            let first = is_first_host(comm);
            Ok((amode, first.then(|| self.open_here(amode, true)).transpose()?))
        })?;
        let opened: &Result<(Amode, Option<Arc<OpenFile>>)> = &opened;
        if !comm.spans_hosts() {
            let (_, open) = opened.clone()?;
            return open.ok_or_else(not_opened);
        }
        let outcome = opened.as_ref().map(drop).map_err(Error::clone);
        let opened_too = comm.exchange(OpenToo(outcome), IdDemand::Nothing, |outcomes, _| {
            outcomes.into_iter().try_for_each(|OpenToo(outcome)| outcome)?;
            match opened.clone()? {
                (_, Some(open)) => Ok(open),
                (amode, None) => self.open_here(amode, false),
            }
        })?;
        let opened_too: &Result<Arc<OpenFile>> = &opened_too;
        everywhere(comm, opened_too.as_ref().map(drop).map_err(Error::clone))?;
        opened_too.clone()
    }

    /// Opens the file for the ranks of this host. The host of rank 0 makes it, if it is to be made.
    fn open_here(&self, amode: Amode, makes: bool) -> Result<Arc<OpenFile>> {
        let path = checked_path(self.name)?;
        let mode = Mode {
            access: amode.access(),
            create: makes && amode.has(Amode::CREATE),
            exclusive: makes && amode.has(Amode::EXCL),
            permissions: self.permissions,
        };
        let storage = self
            .system
            .open(&path, mode)
            .map_err(|reason| self.refusal(&path, &reason))?;
        let start = match amode.has(Amode::APPEND) {
            true => storage.size().map_err(|reason| self.refusal(&path, &reason))?,
            false => 0,
        };
        let pointer = Pointer::new(self.comm);
        pointer.set(start.cast_signed());
        Ok(Arc::new(OpenFile {
            storage,
            system: Arc::clone(self.system),
            name: path.to_string_lossy().into_owned(),
            path,
            amode,
            start: start.cast_signed(),
            pointer,
            gatherings: Gatherings::new(self.comm.ranks_here()),
            atomicity: Atomicity::default(),
            deletion: Deletion::default(),
        }))
    }

    fn refusal(&self, path: &Path, reason: &std::io::Error) -> Error {
        path_fault(path, "opening", reason)
    }
}

/// The mode of all ranks.
fn same_mode(modes: Vec<Open>) -> Result<Amode> {
    let mut known = None;
    for Open(mode) in modes {
        let mode = mode?;
        if *known.get_or_insert(mode) != mode {
            let reason = "not all ranks of the communicator pass the same amode";
            return Err(Error::new(ErrorClass::NotSame, reason));
        }
    }
    Amode::new(known.unwrap_or(0))
}

#[cold]
fn not_opened() -> Error {
    Error::new(ErrorClass::Intern, "the file was not opened by its first host")
}
