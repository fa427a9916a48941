//! Locks of byte ranges against other processes.
//!
//! They are the system's locks of open file descriptions: those of one process do not depend on what else the process
//! does with the file, and a process that ends has none.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_short};
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};

/// Locks bytes, and waits for it.
pub(super) fn lock(file: &OwnedFd, bytes: &Range<u64>, exclusive: bool) -> io::Result<()> {
    let kind = if exclusive { libc::F_WRLCK } else { libc::F_RDLCK };
    set(file, bytes, kind, libc::F_OFD_SETLKW)
}

/// Unlocks bytes.
pub(super) fn unlock(file: &OwnedFd, bytes: &Range<u64>) -> io::Result<()> {
    set(file, bytes, libc::F_UNLCK, libc::F_OFD_SETLK)
}

fn set(file: &OwnedFd, bytes: &Range<u64>, kind: c_int, command: c_int) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let offset = |at: u64| libc::off_t::try_from(at).unwrap_or(libc::off_t::MAX);
    let range = libc::flock {
        l_type: kind as c_short,
        l_whence: libc::SEEK_SET as c_short,
        l_start: offset(bytes.start),
        // A length of 0 reaches to the end of the file.
        l_len: offset(bytes.end - bytes.start),
        l_pid: 0,
    };
    loop {
        // SAFETY:
        // - the descriptor is open; the command takes the address of such a structure, which is valid for the call.
        let done = unsafe { libc::fcntl(file.as_raw_fd(), command, &raw const range) };
        let reason = io::Error::last_os_error();
        if done == 0 {
            return Ok(());
        }
        if reason.kind() != io::ErrorKind::Interrupted {
            return Err(reason);
        }
    }
}
