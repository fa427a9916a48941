//! Info objects by handle, and the content of `MPI_INFO_ENV`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use simurgh_mpi::{ErrorClass, Info, Process};

use super::Rank;
use super::lookup::not_an_object;
use crate::constants::{MPI_INFO_ENV, MPI_INFO_NULL};
use crate::error::{CallError, ResultOf};
use crate::types::MPI_Info;

impl Rank<'_> {
    /// Calls `read` with the info object behind a handle.
    pub(crate) fn read_info<R>(self, handle: MPI_Info, read: impl FnOnce(&Info) -> R) -> ResultOf<R> {
        if handle == MPI_INFO_ENV {
            let tables = self.tables;
            return Ok(read(
                tables.info_env.get_or_init(|| info_env(self.process, Vec::new())),
            ));
        }
        self.change_info(handle, |info| read(info))
    }

    /// Calls `change` with the info object behind a handle.
    pub(crate) fn change_info<R>(self, handle: MPI_Info, change: impl FnOnce(&mut Info) -> R) -> ResultOf<R> {
        if handle == MPI_INFO_ENV {
            let reason = "info is MPI_INFO_ENV, which cannot be changed or freed; pass a duplicate of it";
            return Err(CallError::new(ErrorClass::Info, reason));
        }
        // SAFETY:
        // - a program must not free an object in one thread while another uses it in a call.
        let info = unsafe { self.tables.infos.get(handle.0) };
        match info {
            Some(info) => Ok(change(&mut info.lock())),
            None => Err(not_an_object(ErrorClass::Info, "info", handle.0, MPI_INFO_NULL.0)),
        }
    }

    /// The hints in an info argument: none, if it is the null handle.
    pub(crate) fn hints(self, handle: MPI_Info) -> ResultOf<Info> {
        if handle == MPI_INFO_NULL {
            Ok(Info::new())
        } else {
            self.read_info(handle, Info::clone)
        }
    }
}

/// The facts about the program's start (section 10.2 of the standard's info chapter): from the launcher, and otherwise
/// from the arguments of `main` and the operating system.
pub(crate) fn info_env(process: &Process, arguments: Vec<Vec<u8>>) -> Info {
    let mut info = process
        .launch()
        .map_or_else(Info::new, |launch| launch.info.clone());
    if info.is_empty() {
        let arguments = if arguments.is_empty() {
            std::env::args_os().map(OsString::into_vec).collect()
        } else {
            arguments
        };
        if let Some((command, rest)) = arguments.split_first() {
            note(&mut info, "command", command);
            note(&mut info, "argv", &rest.join(&b' '));
        }
        note(&mut info, "maxprocs", process.job().size().to_string().as_bytes());
        if let Ok(wdir) = std::env::current_dir() {
            note(&mut info, "wdir", &wdir.into_os_string().into_vec());
        }
    }
    let machine = rustix::system::uname();
    note(&mut info, "host", machine.nodename().to_bytes());
    note(&mut info, "arch", machine.machine().to_bytes());
    info
}

/// Sets a key. A value that is too long for an info object is left out: part of a command line would be worse than
/// none.
fn note(info: &mut Info, key: &str, value: &[u8]) {
    let _ = info.set(key, value);
}
