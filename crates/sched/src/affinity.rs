//! CPU affinity: the processors on which a thread may run.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;

/// A set of processors on which a thread may run.
#[derive(Clone, Debug)]
pub struct Affinity(CpuSet);

impl Affinity {
    /// The affinity of the calling thread.
    ///
    /// # Errors
    ///
    /// Those of the system call.
    pub fn current() -> io::Result<Self> {
        Ok(Self(sched_getaffinity(None)?))
    }

    /// An affinity to these processors. Numbers that are larger than any that the system knows are left out.
    #[must_use]
    pub fn of(cpus: &[usize]) -> Self {
        let mut set = CpuSet::new();
        let known = cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU);
        known.for_each(|&cpu| set.set(cpu));
        Self(set)
    }

    /// The numbers of the processors, ascending.
    #[must_use]
    pub fn processors(&self) -> Vec<usize> {
        (0..CpuSet::MAX_CPU).filter(|&cpu| self.0.is_set(cpu)).collect()
    }

    /// Binds a thread to the processors: the calling thread if none is given.
    ///
    /// # Errors
    ///
    /// Those of the system call: there is no such thread, or it may use none of the processors.
    pub fn bind(&self, thread: Option<Pid>) -> io::Result<()> {
        Ok(sched_setaffinity(thread, &self.0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_bound_to_what_it_is_given() {
        let before = Affinity::current().unwrap();
        let first = before.processors()[0];
        Affinity::of(&[first]).bind(None).unwrap();
        assert_eq!(Affinity::current().unwrap().processors(), [first]);
        before.bind(None).unwrap();
        assert_eq!(Affinity::current().unwrap().processors(), before.processors());
    }

    #[test]
    fn numbers_that_no_processor_has_are_left_out() {
        assert_eq!(Affinity::of(&[3, CpuSet::MAX_CPU]).processors(), [3]);
        assert!(Affinity::of(&[CpuSet::MAX_CPU]).bind(None).is_err());
    }
}
