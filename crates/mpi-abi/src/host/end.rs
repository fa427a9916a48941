//! The end of the process.
//!
//! The process ends by the bare system call: the ranks' programs have run their own exit handlers, and those of the
//! libraries would only unmap, one by one, thousands of mappings that the kernel drops at once.

use super::control;
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

/// As [`end_job`], but the end of the process is the caller's affair.
pub(super) fn conclude(host: &Host, status: u8, message: &str) {
    if !host.begin_end() {
        wait_for_the_end();
    }
    if host.is_program() {
        // First the message: another thread of the program may be reading, and keep us from flushing.
        control::give_up(status, message);
        flush(host);
    } else {
        flush(host);
        control::give_up(status, message);
    }
}

/// Passes on what the ranks have written of incomplete lines.
pub(super) fn flush(host: &Host) {
    if host.is_program() {
        // SAFETY:
        // - it may be called by any thread, at any time.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        return;
    }
    for rank in host.ranks() {
        rank.flush();
    }
}

/// Keeps the calling thread from doing anything more.
pub(super) fn wait_for_the_end() -> ! {
    loop {
        rustix::event::pause();
    }
}

/// What a parent sees of an exit status: its lowest byte.
pub(super) fn exit_status(status: i32) -> u8 {
    status.to_le_bytes()[0]
}

/// The exit status for a code of `MPI_Abort`, which says failure even if the lowest byte of the code does not.
pub(super) fn failure_status(code: i32) -> u8 {
    match exit_status(code) {
        0 if code != 0 => 1,
        status => status,
    }
}
