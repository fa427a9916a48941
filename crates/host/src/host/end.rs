//! The end of the process.
//!
//! The process ends by the bare system call. The ranks' programs have run their exit handlers already, and those of the
//! libraries would only unmap, one by one, thousands of mappings that the kernel drops at once.

use super::control;
use super::flush::flush;
use super::state::Host;

/// Ends the process.
pub(super) fn exit(status: u8) -> ! {
    // SAFETY:
    // - it may be called anywhere and does not return.
    unsafe { libc::_exit(status.into()) }
}

/// Ends the job before its ranks do: their output goes out, then the message.
pub(super) fn end_job(host: &Host, status: u8, message: &str) -> ! {
    conclude(host, status, message);
    exit(status)
}

/// As [`end_job`], but leaves it to the caller to end the process.
pub(super) fn conclude(host: &Host, status: u8, message: &str) {
    if !host.begin_end() {
        wait_for_the_end();
    }
    if host.is_program() {
        // The message goes first: another thread of the program may hold the lock of a stream, and keep this one from
        // flushing.
        control::give_up(status, message);
        flush(host);
    } else {
        flush(host);
        control::give_up(status, message);
    }
}

/// Stops the calling thread for good, until the process ends.
pub(super) fn wait_for_the_end() -> ! {
    loop {
        rustix::event::pause();
    }
}

/// The part of an exit status that a parent process sees: its lowest byte.
pub(super) fn exit_status(status: i32) -> u8 {
    status.to_le_bytes()[0]
}

/// The exit status for a code of `MPI_Abort`. It says failure even where the lowest byte of the code is zero.
pub(super) fn failure_status(code: i32) -> u8 {
    match exit_status(code) {
        0 if code != 0 => 1,
        status => status,
    }
}
