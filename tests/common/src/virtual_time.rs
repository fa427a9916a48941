//! Virtual time: time limits that can tell a hang from a busy machine.
//!
//! A limit in seconds supposes that the limited process gets a processor when it wants one. So limits count *virtual
//! time*, as fair queueing has it: while more threads want to run than there are processors, virtual time advances by
//! the share of a processor that each of them gets. Time that a hypervisor takes away does not count either. On an idle
//! machine virtual time is that of the clock, so a hang ends as soon as it can; on a busy machine it ends as much later
//! as the other processes make it.

use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The longest wait without a look at the load.
const SAMPLE: Duration = Duration::from_millis(50);

/// The least share of the clock's time by which virtual time advances, so that every wait ends.
const LEAST_SHARE: f64 = 1.0 / 16.0;

/// The virtual time since it was started. It has to be asked often, since it sees the load only when it is asked.
#[derive(Debug)]
pub struct Stopwatch {
    looked: Instant,
    load: Load,
    passed: Duration,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self {
            looked: Instant::now(),
            load: Load::now().unwrap_or_default(),
            passed: Duration::ZERO,
        }
    }

    /// The virtual time that has passed.
    pub fn passed(&mut self) -> Duration {
        let clock = self.looked.elapsed();
        if clock < SAMPLE / 2 {
            return self.passed + clock.mul_f64(LEAST_SHARE);
        }
        let load = Load::now().unwrap_or_default();
        self.passed += clock.mul_f64(load.share(&self.load, processors()));
        self.looked += clock;
        self.load = load;
        self.passed
    }
}

/// The end of a time limit, in virtual time.
#[derive(Debug)]
pub struct Deadline {
    watch: Stopwatch,
    limit: Duration,
}

impl Deadline {
    /// The deadline when this time has passed from now.
    pub fn after(limit: Duration) -> Self {
        Self {
            watch: Stopwatch::start(),
            limit,
        }
    }

    /// Whether the deadline has come.
    pub fn has_passed(&mut self) -> bool {
        self.watch.passed() >= self.limit
    }

    /// The virtual time that has passed since the deadline was set.
    pub fn passed(&mut self) -> Duration {
        self.watch.passed()
    }

    /// Calls `attempt` with a time limit for each call, until it returns something or the deadline has come (`None`).
    pub fn wait<T>(&mut self, mut attempt: impl FnMut(Duration) -> Option<T>) -> Option<T> {
        loop {
            let left = self.limit.saturating_sub(self.watch.passed());
            // The last attempt gets some time, too, so that a result that is already there is found.
            let found = attempt(left.clamp(Duration::from_millis(1), SAMPLE));
            if found.is_some() || left.is_zero() {
                return found;
            }
        }
    }
}

/// The kernel's counters of the load: `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Load {
    /// Threads that run or could run now.
    runnable: u32,
    /// Time in which processors have worked since the start of the machine.
    worked: u64,
    /// Time in which they would have worked if the hypervisor had let them.
    stolen: u64,
}

impl Load {
    fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(stat: &str) -> Option<Self> {
        let value = |name| stat.lines().find_map(|line: &str| line.strip_prefix(name));
        let times: Vec<u64> = value("cpu ")?
            .split_whitespace()
            .filter_map(|time| time.parse().ok())
            .collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        let [user, nice, system, _, _, irq, softirq, stolen, ..] = times[..] else {
            return None;
        };
        Some(Self {
            runnable: value("procs_running ")?.parse().ok()?,
            worked: user + nice + system + irq + softirq,
            stolen,
        })
    }

    /// The share of a processor that each thread gets that wants one, since the look `before`.
    fn share(&self, before: &Self, processors: usize) -> f64 {
        // The calling thread runs now, but it is not one that is waited for.
        let others = f64::from(self.runnable.saturating_sub(1)).max(1.0);
        let fair = (processors as f64 / others).min(1.0);
        let worked = self.worked.saturating_sub(before.worked) as f64;
        let stolen = self.stolen.saturating_sub(before.stolen) as f64;
        let given = worked.max(1.0) / (worked + stolen).max(1.0);
        (fair * given).max(LEAST_SHARE)
    }
}

/// The time for which the calling thread has had a processor. It is the cost of work, whatever else the machine does.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(runnable: u32, worked: u64, stolen: u64) -> Load {
        Load {
            runnable,
            worked,
            stolen,
        }
    }

    #[test]
    fn the_kernel_says_how_many_want_to_run() {
        let stat = "cpu  1 2 3 40 5 6 7 8 0 0\ncpu0 1 2 3 40 5 6 7 8 0 0\nintr 9\nprocs_running 11\nprocs_blocked 0\n";
        assert_eq!(Load::parse(stat), Some(load(11, 19, 8)));
        assert_eq!(Load::parse("cpu  1 2\n"), None);
        assert!(Load::now().is_some_and(|load| load.runnable > 0));
    }

    #[test]
    fn the_share_is_that_of_one_among_those_who_want_to_run() {
        let share = |now: Load| now.share(&load(0, 100, 100), 2);
        assert_eq!(share(load(1, 100, 100)), 1.0);
        assert_eq!(share(load(3, 100, 100)), 1.0);
        assert_eq!(share(load(9, 100, 100)), 0.25);
        assert_eq!(share(load(9, 200, 200)), 0.125);
        assert_eq!(share(load(1000, 100, 100)), LEAST_SHARE);
    }

    #[test]
    fn virtual_time_advances_but_not_faster_than_the_clock() {
        let clock = Instant::now();
        let mut deadline = Deadline::after(Duration::from_millis(80));
        assert_eq!(
            deadline.wait(|time| {
                std::thread::sleep(time);
                None::<()>
            }),
            None
        );
        assert!(deadline.has_passed());
        assert!(deadline.passed() <= clock.elapsed());
        assert!(clock.elapsed() >= Duration::from_millis(80));
    }

    #[test]
    fn a_thread_that_sleeps_takes_no_processor_time() {
        let before = processor_time();
        let start = Instant::now();
        std::thread::sleep(Duration::from_millis(20));
        let (slept, took) = (start.elapsed(), processor_time() - before);
        assert!(took < slept / 2, "{took:?} of {slept:?}");
        while processor_time() == before + took {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn what_has_come_is_found_after_the_limit_too() {
        assert_eq!(Deadline::after(Duration::ZERO).wait(|_| Some(1)), Some(1));
    }
}
