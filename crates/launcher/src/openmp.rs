//! How the OpenMP threads of ranks wait for each other, unless the user says it.
//!
//! The libraries of gcc and LLVM have threads look for a while whether what they wait for has come, which is quicker
//! where each has a processor. Where threads outnumber processors, who looks keeps the one from running that it waits
//! for, and what takes microseconds takes milliseconds.

use std::ffi::{OsStr, OsString};

/// Variables by which users say how threads wait.
const SAID_BY: [&str; 4] = [
    "OMP_WAIT_POLICY",
    "GOMP_SPINCOUNT",
    "KMP_BLOCKTIME",
    "KMP_LIBRARY",
];

/// What has threads sleep at once: LLVM's library wants the second besides.
const PASSIVE: [(&str, &str); 2] = [("OMP_WAIT_POLICY", "passive"), ("KMP_BLOCKTIME", "0")];

/// The processors for the ranks of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Ranks that share them.
    pub(crate) ranks: usize,
    /// Their number.
    pub(crate) processors: usize,
    /// How many a rank finds, which is the number of threads that it starts by itself.
    pub(crate) of_rank: usize,
}

/// Variables that ranks are to be given. `values` has what the programs of the job are given for a name.
pub(crate) fn variables(
    room: Room,
    values: impl Fn(&str) -> Vec<OsString>,
) -> &'static [(&'static str, &'static str)] {
    let threads = values("OMP_NUM_THREADS");
    let threads = threads.iter().filter_map(|value| number(value)).max();
    let threads = room.ranks.saturating_mul(threads.unwrap_or(room.of_rank));
    let is_said = SAID_BY.iter().any(|name| !values(name).is_empty());
    if threads > room.processors && !is_said {
        &PASSIVE
    } else {
        &[]
    }
}

/// The number of threads, which may be told for each level of nesting.
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
        let room = Room {
            ranks,
            processors: 4,
            of_rank,
        };
        let values = |name: &str| {
            let of_name = set.iter().filter(|(set, _)| *set == name);
            of_name.map(|(_, value)| (*value).into()).collect()
        };
        variables(room, values).len()
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
