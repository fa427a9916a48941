//! Files (chapter 14 of the standard).
//!
//! The ranks of a host that have opened a file together share one open file ([`OpenFile`]). Each rank has an object of
//! its own ([`File`]) with its view, its individual file pointer and its error handler, and a duplicate of the
//! communicator for what the ranks have to agree on. What needs no communicator is in `simurgh-file`.
//!
//! An access is a [`Part`](simurgh_file::Part): a buffer, and positions in the rank's view. One rank's own access is
//! made at once if it is short, and otherwise by an I/O thread, which completes a request; a blocking call waits for
//! that (`transfer`); writes that have to wait for others are made together (`line`). In a collective access the ranks
//! of a host leave their parts at a gathering; the last one has all parts moved together, in long pieces (`gathering`,
//! `work`). So no rank waits in a nonblocking collective access.
//! Where there are several hosts, a leader on each decides with the others by the pattern of all parts whether hosts
//! exchange pieces, and in the end they tell each other whether the access has failed anywhere (`among_hosts`,
//! `exchange`).
//!
//! The shared file pointer is kept in the memory of the host of rank 0. Other hosts change it by active messages, which
//! are served whatever the ranks of that host do (`pointer`).

mod access;
mod agree;
mod amode;
mod among_hosts;
mod collective;
mod exchange;
mod gathering;
mod line;
mod meter;
mod open;
mod open_file;
mod parts;
mod pointer;
mod position;
mod split;
mod statistics;
mod task;
mod transfer;
mod view;
mod work;

pub use access::Positioning;
pub use amode::Amode;
pub use position::Whence;
pub use split::Split;
pub use statistics::{AccessStatistics, FileStatistics, file_statistics};

use crate::comm::Comm;
use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::info::Info;
use crate::instrument::FileTraffic;
use crate::request::Request;
use meter::Meter;
use open_file::OpenFile;
use simurgh_core::sync::{Arc, AtomicI64, AtomicU64, SpinLock};
use simurgh_file::{Hints, Sieving, View};
use std::fmt;

/// A file, as one of the ranks that have opened it sees it.
pub struct File {
    comm: Arc<Comm>,
    open: Arc<OpenFile>,
    meter: Arc<Meter>,
    view: SpinLock<Arc<View>>,
    /// The individual file pointer, in etypes.
    position: AtomicI64,
    hints: SpinLock<(Hints, Option<String>)>,
    errhandler: SpinLock<ErrorHandler>,
    /// The collective accesses that the rank has made or started.
    accesses: AtomicU64,
    /// The split collective access under way.
    split: SpinLock<Option<(Split, Arc<Request>)>>,
}

impl File {
    /// The processes that have opened the file.
    #[must_use]
    pub fn group(&self) -> &Group {
        self.comm.group()
    }

    /// The name under which it was opened.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.open.name
    }

    /// The mode in which it was opened.
    #[must_use]
    pub fn amode(&self) -> Amode {
        self.open.amode
    }

    /// The accesses of the rank to the file that have been counted, which happens while a tool watches.
    #[must_use]
    pub fn traffic(&self) -> &FileTraffic {
        self.meter.traffic()
    }

    /// The error handler for calls on this file.
    #[must_use]
    pub fn errhandler(&self) -> ErrorHandler {
        self.errhandler.lock().clone()
    }

    /// Sets the error handler for calls on this file.
    pub fn set_errhandler(&self, handler: ErrorHandler) {
        let old = std::mem::replace(&mut *self.errhandler.lock(), handler);
        drop(old);
    }

    /// The size in bytes (`MPI_File_get_size`).
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn size(&self) -> Result<u64> {
        self.open
            .file
            .storage()
            .size()
            .map_err(|reason| self.open.fault("asking for the size of", &reason))
    }

    /// Cuts or extends the file to a size in bytes (`MPI_File_set_size`). All ranks call this.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::NotSame`] if they name different sizes; what the system says.
    pub fn set_size(&self, size: i64) -> Result<()> {
        let size = check_size(size);
        agree::at_one_host(self, agree::SetSize(size), |open, size| {
            let done = open.file.storage().set_size(size);
            done.map_err(|reason| open.fault("setting the size of", &reason))
        })
    }

    /// Sees to it that there is room for the first bytes of the file (`MPI_File_preallocate`). All ranks call this.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::NotSame`] if they name different sizes; what the system says.
    pub fn preallocate(&self, size: i64) -> Result<()> {
        let size = check_size(size);
        agree::at_one_host(self, agree::Preallocate(size), |open, size| match size {
            0 => Ok(()),
            _ => {
                let done = open.file.storage().reserve(size);
                done.map_err(|reason| open.fault("reserving room for", &reason))
            }
        })
    }

    /// Waits until what was written is on the device, and seen by all (`MPI_File_sync`). All ranks call this.
    ///
    /// # Errors
    ///
    /// At all ranks, what the system says.
    pub fn sync(&self) -> Result<()> {
        agree::at_each_host(self, agree::Sync(()), |open| {
            let done = open.file.storage().sync();
            done.map_err(|reason| open.fault("synchronising", &reason))
        })
    }

    /// Sets whether accesses of different ranks are atomic (`MPI_File_set_atomicity`). All ranks call this.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NotSame`] if ranks want different things.
    pub fn set_atomicity(&self, atomic: bool) -> Result<()> {
        let wanted = Ok(u64::from(atomic));
        agree::at_all_hosts(self, agree::SetAtomicity(wanted), |open, atomic| {
            open.file.set_atomic(atomic != 0);
            Ok(())
        })
    }

    /// Whether accesses of different ranks are atomic.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        self.open.file.is_atomic()
    }

    /// Sets the hints that are known (`MPI_File_set_info`).
    pub fn set_info(&self, info: &Info) {
        let mut hints = self.hints.lock();
        let style = info.text("access_style").map(str::to_owned);
        let changed = hints.0.with(info);
        let style = style.or_else(|| hints.1.take());
        let sieving = changed.sieving;
        *hints = (changed, style);
        drop(hints);
        self.set_sieving(sieving);
    }

    /// The hints in use (`MPI_File_get_info`).
    #[must_use]
    pub fn info(&self) -> Info {
        let (hints, style) = self.hints.lock().clone();
        let hosts = self.comm.host_map().map_or(1, |host_map| host_map.hosts());
        let mut info = hints.report(&self.open.name, hosts, self.open.file.can_rewrite());
        if let Some(style) = style {
            // It was in an info object before.
            let _ = info.set("access_style", style);
        }
        info
    }

    fn set_sieving(&self, sieving: Sieving) {
        let view = self.current_view();
        if *view.sieving() != sieving {
            let changed = Arc::new(View::clone(&view).with_sieving(sieving));
            let old = std::mem::replace(&mut *self.view.lock(), changed);
            drop(old);
        }
    }

    fn current_view(&self) -> Arc<View> {
        Arc::clone(&self.view.lock())
    }
}

/// A size in bytes.
fn check_size(size: i64) -> Result<u64> {
    u64::try_from(size).map_err(|_| {
        let reason = format!("size is {size}: it must not be negative");
        Error::new(ErrorClass::Arg, reason)
    })
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("name", &self.open.name)
            .finish_non_exhaustive()
    }
}
