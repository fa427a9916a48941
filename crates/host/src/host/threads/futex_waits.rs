//! Threads that wait in a futex until another thread of the process wakes them.
//!
//! Such a thread waits without a limit of time: for a lock, a condition, a semaphore, the end of another thread, or for
//! work as the threads of a thread pool do. If all threads wait so at the same time, none of them will ever go on.
//!
//! To find that out, each thread is looked at twice. A thread whose context switches have not changed in between has
//! slept all the time. If that holds for all threads, all of them slept at the moment when the first round of looks was
//! over.
//!
//! One file of the kernel says whether a thread sleeps and has the numbers of its context switches, another one says
//! where it sleeps. Either may be wrong for a moment. A thread that is about to go on, and waits for its processor to
//! notice that, is still said to sleep in its system call, but its state is that of a thread that runs. A thread that
//! is about to fall asleep has the state of one that sleeps, but its context switch is not counted yet; the kernel
//! waits for that before it says where the thread sleeps. So a look reads the state, then the system call, and then the
//! state again.
//!
//! Another process may wake a thread by a futex in shared memory, so such a thread is not counted as one that waits for
//! the others. A handler of a signal from outside might wake a thread, too, which POSIX allows for semaphores alone;
//! that is left out of account.
//!
//! Costs: three small files of the kernel for each thread and look.

use std::ops::Range;

use crate::host::mappings;
use simurgh_core::{kernel_threads, this_kernel_thread};

/// The bits of a futex operation that say which operation it is.
const OPERATION: u64 = 0x7f;
const PRIVATE: u64 = libc::FUTEX_PRIVATE_FLAG as u64;

/// A sleeping thread, with the numbers of its context switches.
#[derive(Debug, PartialEq, Eq)]
struct Sleeper {
    thread: u32,
    switches: [u64; 2],
    /// The address of the futex, if other processes might wake it.
    shared: Option<usize>,
}

/// Whether all threads of the process sleep until another one of them wakes them. The calling thread is left out, and
/// so are those that `are_left_out` by their numbers and names.
pub(super) fn all_wait_for_each_other(are_left_out: impl Fn(u32, &str) -> bool) -> bool {
    let Some(first) = sleepers(&are_left_out) else {
        return false;
    };
    if sleepers(&are_left_out).as_ref() != Some(&first) {
        return false;
    }
    let mut shared = first.iter().filter_map(|sleeper| sleeper.shared).peekable();
    shared.peek().is_none() || {
        let memory = shared_memory();
        shared.all(|futex| !memory.iter().any(|range| range.contains(&futex)))
    }
}

/// All those threads by number; `None` if one does not sleep so or has just ended, or if the list of threads is not
/// whole.
fn sleepers(are_left_out: impl Fn(u32, &str) -> bool) -> Option<Vec<Sleeper>> {
    let own = this_kernel_thread();
    let mut found = Vec::new();
    let threads: Vec<_> = super::all().collect();
    if kernel_threads() != Some(threads.len()) {
        return None;
    }
    for thread in threads.into_iter().filter(|thread| *thread != own) {
        // A thread that has just ended is counted in the place of one that the list lacks, if it lacks one.
        let status = read(thread, "status")?;
        let has_ended = field(&status, "State").is_some_and(|state| state.starts_with(['Z', 'X']));
        if !has_ended && !are_left_out(thread, field(&status, "Name")?) {
            found.push(sleeper(thread, &status)?);
        }
    }
    found.sort_unstable_by_key(|sleeper| sleeper.thread);
    Some(found)
}

/// A thread, if it sleeps and has not gone on since it had this status.
fn sleeper(thread: u32, status: &str) -> Option<Sleeper> {
    let switches = switches_if_asleep(status)?;
    let shared = futex(&read(thread, "syscall")?)?;
    let has_slept_on = switches_if_asleep(&read(thread, "status")?)? == switches;
    has_slept_on.then_some(Sleeper {
        thread,
        switches,
        shared,
    })
}

/// A file of the kernel about a thread.
fn read(thread: u32, file: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/self/task/{thread}/{file}")).ok()
}

/// The numbers of context switches in the status of a thread; `None` if it does not sleep.
fn switches_if_asleep(status: &str) -> Option<[u64; 2]> {
    let number = |name| field(status, name)?.parse().ok();
    let switches = [
        number("voluntary_ctxt_switches")?,
        number("nonvoluntary_ctxt_switches")?,
    ];
    field(status, "State")?.starts_with('S').then_some(switches)
}

/// The value of a field in such a file.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let rest = |line: &'a str| line.strip_prefix(name)?.strip_prefix(':');
    status.lines().find_map(rest).map(str::trim)
}

/// Parses the kernel's description of a system call. `None` unless the call waits in a futex without a time limit;
/// otherwise the address of the futex, or `None` if the futex is private to the process.
fn futex(call: &str) -> Option<Option<usize>> {
    let mut words = call.split_whitespace();
    if words.next()?.parse() != Ok(libc::SYS_futex) {
        return None;
    }
    let mut number = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let (address, operation, _value, limit) = (number()?, number()?, number()?, number()?);
    let waits = [
        libc::FUTEX_WAIT,
        libc::FUTEX_WAIT_BITSET,
        libc::FUTEX_LOCK_PI,
        libc::FUTEX_WAIT_REQUEUE_PI,
    ];
    // The kernel takes the operation as an integer of 32 bits.
    let is_wait = waits.contains(&((operation & OPERATION) as i32));
    let is_private = operation & PRIVATE != 0;
    (is_wait && limit == 0).then_some((!is_private).then_some(address as usize))
}

/// The ranges of memory that other processes may have mapped as well.
fn shared_memory() -> Vec<Range<usize>> {
    let maps = mappings::read().unwrap_or_default();
    let shared = mappings::all(&maps).filter(|mapping| mapping.is_shared);
    shared.map(|mapping| mapping.range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_core::sync::{AtomicU32, Ordering, futex_wait, futex_wake};
    use std::sync::mpsc::{self, Receiver, Sender};
    use std::thread::JoinHandle;

    #[test]
    fn waits_in_futexes_without_a_limit_are_recognised() {
        assert_eq!(
            futex("202 0x7f01 0x80 0x2 0x0 0x0 0xffffffff 0x7ffd 0x7f02\n"),
            Some(None)
        );
        assert_eq!(
            futex("202 0x7f01 0x109 0x5 0x0 0x0 0xffffffff 0x7ffd 0x7f02\n"),
            Some(Some(0x7f01))
        );
        assert_eq!(
            futex("202 0x7f01 0x189 0x5 0x7ffc 0x0 0xffffffff 0x7ffd 0x7f02\n"),
            None,
            "a limit"
        );
        assert_eq!(
            futex("202 0x7f01 0x81 0x1 0x0 0x0 0x0 0x7ffd 0x7f02\n"),
            None,
            "it wakes"
        );
        assert_eq!(futex("0 0x3 0x7f01 0x1 0x0 0x0 0x0 0x7ffd 0x7f02\n"), None);
        assert_eq!(futex("running\n"), None);
    }

    /// Tells whether all threads of these names wait. Other tests have threads, too.
    fn all_wait(names: [&str; 2]) -> bool {
        all_wait_for_each_other(|_, name| !names.contains(&name))
    }

    /// Starts a thread of this name, which does this with what it is told.
    fn begin(name: &str, act: impl FnOnce(&Receiver<()>) + Send + 'static) -> (Sender<()>, JoinHandle<()>) {
        let (tell, told) = mpsc::channel();
        let (begun, has_begun) = mpsc::channel();
        let life = move || {
            // A thread gives itself its name.
            begun.send(()).expect("it is waited for");
            act(&told);
        };
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(life).expect("a thread");
        has_begun.recv().expect("it begins");
        (tell, thread)
    }

    #[test]
    fn who_runs_or_waits_for_a_time_keeps_others_from_waiting_for_each_other() {
        const NAMES: [&str; 2] = ["asleep-1", "asleep-2"];
        let (first, one) = begin(NAMES[0], |told| {
            let _ended = told.recv();
        });
        let (second, two) = begin(NAMES[1], |told| {
            while told.try_recv() == Err(mpsc::TryRecvError::Empty) {
                std::thread::sleep(std::time::Duration::from_micros(100));
            }
            let _ended = told.recv();
        });
        (0..100).for_each(|_| assert!(!all_wait(NAMES)));
        second.send(()).expect("it listens");
        while !all_wait(NAMES) {
            std::thread::yield_now();
        }
        drop((first, second));
        one.join().and(two.join()).expect("no panic");
    }

    #[test]
    fn a_thread_that_has_been_woken_waits_no_more_though_its_processor_has_not_noticed() {
        const NAMES: [&str; 2] = ["woken", ""];
        const WAKEUPS: u32 = 2000;
        static GIVEN: AtomicU32 = AtomicU32::new(0);
        static TAKEN: AtomicU32 = AtomicU32::new(0);
        let (end, woken) = begin(NAMES[0], |_| {
            let taken = || TAKEN.load(Ordering::SeqCst);
            while taken() < WAKEUPS {
                futex_wait(&GIVEN, taken());
                TAKEN.store(GIVEN.load(Ordering::SeqCst), Ordering::SeqCst);
            }
        });
        for given in 1..=WAKEUPS {
            while given < WAKEUPS && !all_wait(NAMES) {
                std::thread::yield_now();
            }
            GIVEN.store(given, Ordering::SeqCst);
            futex_wake(&GIVEN, 1);
            let waits = all_wait(NAMES);
            assert!(!waits || TAKEN.load(Ordering::SeqCst) == given);
        }
        drop(end);
        woken.join().expect("no panic");
    }
}
