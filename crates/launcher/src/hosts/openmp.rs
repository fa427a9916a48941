//! What OpenMP's libraries are told where the user has not said it: how the threads of ranks wait for each other.
//!
//! The libraries of gcc and LLVM have waiting threads spin for a while. That is quickest where each thread has a
//! processor. Where threads outnumber processors, a spinning thread takes the processor from the one that it waits for,
//! and microseconds become milliseconds. Then threads are told to sleep at once.

use std::ffi::{OsStr, OsString};

/// Variables by which users say how threads wait.
const SAID_BY: [&str; 4] = [
    "OMP_WAIT_POLICY",
    "GOMP_SPINCOUNT",
    "KMP_BLOCKTIME",
    "KMP_LIBRARY",
];

/// The variables that make threads sleep at once. The library of LLVM needs the second one besides.
const PASSIVE: [(&str, &str); 2] = [("OMP_WAIT_POLICY", "passive"), ("KMP_BLOCKTIME", "0")];

/// The processors for the ranks of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processors {
    /// The number of ranks that share them.
    pub(crate) ranks: usize,
    /// The number of processors.
    pub(crate) number: usize,
    /// How many of them a rank sees, and so how many threads it starts unless told otherwise.
    pub(crate) of_rank: usize,
}

/// The variables that ranks are to be given. `values` returns the values of a variable in the programs of the job.
pub(crate) fn variables(
    processors: Processors,
    values: impl Fn(&str) -> Vec<OsString>,
) -> &'static [(&'static str, &'static str)] {
    let threads = values("OMP_NUM_THREADS");
    let threads = threads.iter().filter_map(|value| number(value)).max();
    let threads = processors
        .ranks
        .saturating_mul(threads.unwrap_or(processors.of_rank));
    let is_said = SAID_BY.iter().any(|name| !values(name).is_empty());
    if threads > processors.number && !is_said {
        &PASSIVE
    } else {
        &[]
    }
}

/// The number of threads that a value of `OMP_NUM_THREADS` stands for: the product over the levels of nesting.
fn number(value: &OsStr) -> Option<usize> {
    let levels = value.to_str()?.split(',');
    levels
        .map(|level| level.trim().parse::<usize>().ok())
        .try_fold(1, |all, level| Some(level?.saturating_mul(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(ranks: usize, of_rank: usize, set: &[(&str, &str)]) -> usize {
        let processors = Processors {
            ranks,
            number: 4,
            of_rank,
        };
        let values = |name: &str| {
            let of_name = set.iter().filter(|(set, _)| *set == name);
            of_name.map(|(_, value)| (*value).into()).collect()
        };
        variables(processors, values).len()
    }

    #[test]
    fn threads_sleep_where_they_outnumber_processors() {
        assert_eq!((given(4, 1, &[]), given(5, 1, &[])), (0, 2));
        assert_eq!((given(1, 4, &[]), given(2, 4, &[])), (0, 2));
        let threads = |value| [("OMP_NUM_THREADS", value)];
        assert_eq!((given(2, 4, &threads("2")), given(2, 4, &threads("3"))), (0, 2));
        assert_eq!(
            (given(1, 4, &threads("2, 2")), given(1, 4, &threads("4,2"))),
            (0, 2)
        );
        // The greater one of two programs.
        let both = [("OMP_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "3")];
        assert_eq!(given(2, 4, &both), 2);
        assert_eq!(given(2, 4, &threads("many")), 2);
    }

    #[test]
    fn what_the_user_says_counts() {
        for name in SAID_BY {
            assert_eq!(given(9, 4, &[(name, "whatever")]), 0, "{name}");
        }
    }
}
