//! Opening, closing and deleting files.

use super::agree::{Close, everywhere, is_first_host};
use super::gathering::Gatherings;
use super::line::Line;
use super::meter::Meter;
use super::open_file::{Deletion, OpenFile};
use super::pointer::Pointer;
use super::{Amode, File};
use crate::comm::{Comm, IdDemand};
use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::info::Info;
use crate::portable::portable;
use simurgh_core::sync::{Arc, AtomicI64, AtomicU64, SpinLock};
use simurgh_core::{Purpose, PurposeGuard};
use simurgh_file::{Choice, FileSystem, Hints, Mode, SharedFile, View, path_fault, path_of};
use std::path::Path;

/// The arguments of a rank: the mode, or why it is wrong, and whether writes are to lock their bytes against other
/// hosts, so that gaps can be rewritten.
struct Open(Result<i32>, bool);

/// Whether the system of a rank's host has locks.
struct HasLocks(bool);

/// A host opens the file that the host of rank 0 has opened, if it has.
struct OpenToo(Result<()>);

portable! {
    Open { 0, 1 }
    HasLocks { 0 }
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
        let _purpose = PurposeGuard::begin(Purpose::Io);
        let comm = comm.dup()?;
        let hints = Hints::default().with(info);
        let opened = Opening {
            comm: &comm,
            system,
            name,
            hints: &hints,
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
        let view = View::default().with_sieving(hints.sieving);
        let file = Self {
            meter: Meter::new(comm.process(), &open.name),
            comm,
            open,
            view: SpinLock::new(Arc::new(view)),
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
        let _purpose = PurposeGuard::begin(Purpose::Io);
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
    hints: &'a Hints,
}

/// What a host has opened, if it is the first one, and whether all ranks want locks.
#[derive(Clone)]
struct Opened {
    amode: Amode,
    open: Option<Arc<OpenFile>>,
    wants_locks: bool,
}

impl Opening<'_> {
    /// Opens the file: the host of rank 0 first, which may make it, and then all others.
    fn open(&self, amode: i32) -> Result<Arc<OpenFile>> {
        let comm = self.comm;
        let own = Amode::new(amode).and_then(|amode| checked_path(self.name).map(|_| amode.bits()));
        let wants_locks = self.hints.sieving.writes == Choice::Always && !self.is_alone();
        let opened = comm.exchange(Open(own, wants_locks), IdDemand::Nothing, |all, _| {
            let wants_locks = all.iter().all(|rank| rank.1);
            let amode = same_mode(all)?;
            let first = is_first_host(comm);
            Ok(Opened {
                amode,
                open: first.then(|| self.open_here(amode, true)).transpose()?,
                wants_locks,
            })
        })?;
        let opened: &Result<Opened> = &opened;
        let open = match comm.spans_hosts() {
            true => self.open_everywhere(opened)?,
            false => opened.clone()?.open.ok_or_else(not_opened)?,
        };
        if opened.as_ref().is_ok_and(|opened| opened.wants_locks) {
            self.agree_to_lock(&open)?;
        }
        Ok(open)
    }

    /// Has the other hosts open what the first one has opened.
    fn open_everywhere(&self, opened: &Result<Opened>) -> Result<Arc<OpenFile>> {
        let comm = self.comm;
        let outcome = opened.as_ref().map(drop).map_err(Error::clone);
        let opened_too = comm.exchange(OpenToo(outcome), IdDemand::Nothing, |outcomes, _| {
            outcomes.into_iter().try_for_each(|OpenToo(outcome)| outcome)?;
            let Opened { amode, open, .. } = opened.clone()?;
            match open {
                Some(open) => Ok(open),
                None => self.open_here(amode, false),
            }
        })?;
        let opened_too: &Result<Arc<OpenFile>> = &opened_too;
        everywhere(comm, opened_too.as_ref().map(drop).map_err(Error::clone))?;
        opened_too.clone()
    }

    /// Has all hosts lock what they write, if all can.
    fn agree_to_lock(&self, open: &OpenFile) -> Result<()> {
        let own = HasLocks(open.file.has_locks());
        let agreed = self.comm.exchange(own, IdDemand::Nothing, |all, _| {
            if all.iter().all(|HasLocks(has_locks)| *has_locks) {
                open.file.agree_to_lock();
            }
        });
        agreed.map(drop)
    }

    /// Whether all ranks that may write to the file at the same time live on this host.
    fn is_alone(&self) -> bool {
        !self.comm.spans_hosts() && self.comm.process().job().layout().hosts().len() == 1
    }

    /// Opens the file for the ranks of this host. The host of rank 0 makes it, if it is to be made.
    fn open_here(&self, amode: Amode, makes: bool) -> Result<Arc<OpenFile>> {
        let path = checked_path(self.name)?;
        let mode = Mode {
            access: amode.access(),
            create: makes && amode.has(Amode::CREATE),
            exclusive: makes && amode.has(Amode::EXCL),
            permissions: self.hints.permissions,
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
            file: SharedFile::new(storage, mode.access, self.is_alone()),
            system: Arc::clone(self.system),
            name: path.to_string_lossy().into_owned(),
            path,
            amode,
            start: start.cast_signed(),
            pointer,
            gatherings: Gatherings::new(self.comm.ranks_here()),
            line: Line::default(),
            deletion: Deletion::default(),
        }))
    }

    fn refusal(&self, path: &Path, reason: &std::io::Error) -> Error {
        path_fault(path, "opening", reason)
    }
}

/// The mode of all ranks.
fn same_mode(all: Vec<Open>) -> Result<Amode> {
    let mut known = None;
    for Open(mode, _) in all {
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
