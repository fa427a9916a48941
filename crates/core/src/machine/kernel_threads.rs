//! The kernel threads of the process.

/// The number of threads of the process, as the kernel counts them at one moment; `None` if it does not tell.
///
/// The length of a list of the folder `/proc/self/task` would not do. The kernel looks for the place at which to go on
/// with the list: if the thread there has ended meanwhile, the list may lack threads that have just begun.
#[must_use]
pub fn kernel_threads() -> Option<usize> {
    count(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The number of the calling thread.
#[must_use]
pub fn this_kernel_thread() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// Whether the thread of the process with this number sleeps in the kernel.
#[must_use]
pub fn kernel_thread_sleeps(thread: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat"));
    stat.is_ok_and(|stat| matches!(field(&stat, 3), Some("S" | "D")))
}

fn count(stat: &str) -> Option<usize> {
    field(stat, 20)?.parse().ok()
}

/// A field in such a file, by its number from the third one on. The second one is the name, in parentheses, and may
/// hold anything.
fn field(stat: &str, number: usize) -> Option<&str> {
    let (_, from_third) = stat.rsplit_once(')')?;
    from_third.split_whitespace().nth(number - 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194304 442 28 18 0 1 0 0 0 20 0 5 0 3217802 883027968\n";
        assert_eq!(count(stat), Some(5));
        assert_eq!(count("7 (a) S 1"), None);
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
    fn threads_are_counted() {
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let waiting = std::thread::spawn(move || ends.recv());
        // Other tests have threads, too.
        assert!(kernel_threads().unwrap() >= 2);
        drop(end);
        assert!(waiting.join().unwrap().is_err());
    }
}
