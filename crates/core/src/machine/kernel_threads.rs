//! The kernel threads of the process.
//!
//! The starvation guard looks at them again and again, so these functions allocate nothing.

use std::fs::File;
use std::io::{Read, Write};
use std::time::Duration;

/// Bytes of a file about a thread that are read: the fields that are wanted are among the first ones.
const STAT_MAX: usize = 512;
/// Bytes of the longest name of such a file.
const PATH_MAX: usize = 64;

/// The number of threads of the process, as the kernel counts them at one moment; `None` if it does not tell.
///
/// The length of a list of the folder `/proc/self/task` would not do. The kernel looks for the place at which to go on
/// with the list: if the thread there has ended meanwhile, the list may lack threads that have just begun.
#[must_use]
pub fn kernel_threads() -> Option<usize> {
    with_stat("/proc/self/stat", |stat| number(field(stat, 20)?))
}

/// The number of the calling thread.
#[must_use]
pub fn this_kernel_thread() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// Whether the thread of the process with this number sleeps in the kernel.
#[must_use]
pub fn kernel_thread_sleeps(thread: u32) -> bool {
    let mut path = [0; PATH_MAX];
    let mut rest = &mut path[..];
    let written = write!(rest, "/proc/self/task/{thread}/stat").map(|()| PATH_MAX - rest.len());
    let path = written
        .ok()
        .and_then(|length| str::from_utf8(&path[..length]).ok());
    let state = |path| {
        with_stat(path, |stat| {
            field(stat, 3).map(|state| state == b"S" || state == b"D")
        })
    };
    path.and_then(state).unwrap_or(false)
}

/// The processor time that the thread of the process with this number has used; `None` if there is no such thread.
#[must_use]
pub fn kernel_thread_time(thread: u32) -> Option<Duration> {
    /// In the number of a clock: it is that of a thread, and counts the time on a processor (posix-timers.h).
    const THREAD_CLOCK: i32 = 4 | 2;
    // The numbers of threads have 22 bits.
    let clock = !thread.cast_signed() << 3 | THREAD_CLOCK;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY:
    // - the structure may be written; a number that is no clock is an error.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    (result == 0).then(|| Duration::new(seconds, nanoseconds))
}

/// What `f` makes of the beginning of such a file; `None` if it cannot be read.
fn with_stat<R>(path: &str, f: impl FnOnce(&[u8]) -> Option<R>) -> Option<R> {
    let mut stat = [0; STAT_MAX];
    // The kernel writes it at once.
    let length = File::open(path).and_then(|mut file| file.read(&mut stat)).ok()?;
    f(&stat[..length])
}

/// A field in such a file, by its number from the third one on. The second one is the name, in parentheses, and may
/// hold anything.
fn field(stat: &[u8], number: usize) -> Option<&[u8]> {
    let end_of_name = stat.iter().rposition(|&byte| byte == b')')?;
    let from_third = stat[end_of_name + 1..].split(u8::is_ascii_whitespace);
    from_third.filter(|field| !field.is_empty()).nth(number - 3)
}

fn number(field: &[u8]) -> Option<usize> {
    str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_found_behind_any_name() {
        let stat = b"7 (a) \xff (c) S 1 7 7 0 -1 4194304 442 28 18 0 1 0 0 0 20 0 5 0 3217802 883027968\n";
        assert_eq!(field(stat, 3), Some(&b"S"[..]));
        assert_eq!(field(stat, 20).and_then(number), Some(5));
        assert_eq!(field(b"7 (a) S 1", 20), None);
    }

    #[test]
    fn threads_that_sleep_are_told_from_those_that_run() {
        assert!(!kernel_thread_sleeps(this_kernel_thread()));
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let waiting = std::thread::spawn(move || {
            tell.send(this_kernel_thread()).expect("somebody listens");
            ends.recv()
        });
        let thread = told.recv().expect("a number");
        while !kernel_thread_sleeps(thread) {
            std::thread::yield_now();
        }
        drop(end);
        assert!(waiting.join().unwrap().is_err());
    }

    #[test]
    fn a_thread_that_computes_uses_time() {
        let before = kernel_thread_time(this_kernel_thread()).expect("this thread");
        while kernel_thread_time(this_kernel_thread()) == Some(before) {
            crate::sync::relax();
        }
        assert!(kernel_thread_time(this_kernel_thread()) > Some(before));
        assert_eq!(kernel_thread_time(1 << 26), None);
    }

    #[test]
    fn threads_are_counted() {
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let waiting = std::thread::spawn(move || ends.recv());
        // Other tests have threads, too.
        assert!(kernel_threads().unwrap() >= 2);
        drop(end);
        assert!(waiting.join().unwrap().is_err());
    }
}
