//! What ranks agree on when they meet.

use crate::error::{Error, ErrorClass};

/// A collective call: its name and its root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    name: &'static str,
    root: Option<u32>,
    topic: u64,
}

impl Call {
    pub(crate) const ALLGATHER: Self = Self::new("MPI_Allgather");
    pub(crate) const ALLREDUCE: Self = Self::new("MPI_Allreduce");
    pub(crate) const ALLTOALL: Self = Self::new("MPI_Alltoall");
    pub(crate) const ALLTOALL_IN_PLACE: Self = Self::new("MPI_Alltoall in place");
    pub(crate) const BARRIER: Self = Self::new("MPI_Barrier");
    pub(crate) const BCAST: Self = Self::new("MPI_Bcast");
    pub(crate) const EXSCAN: Self = Self::new("MPI_Exscan");
    pub(crate) const GATHER: Self = Self::new("MPI_Gather");
    pub(crate) const NEIGHBOR_ALLGATHER: Self = Self::new("MPI_Neighbor_allgather");
    pub(crate) const NEIGHBOR_ALLTOALL: Self = Self::new("MPI_Neighbor_alltoall");
    pub(crate) const REDUCE: Self = Self::new("MPI_Reduce");
    pub(crate) const REDUCE_SCATTER: Self = Self::new("MPI_Reduce_scatter");
    pub(crate) const SCAN: Self = Self::new("MPI_Scan");
    pub(crate) const SCATTER: Self = Self::new("MPI_Scatter");

    /// A call without a root.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            root: None,
            topic: hash(name),
        }
    }

    /// The name of the call.
    #[inline]
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// The same call with a root.
    pub(crate) const fn at(self, root: usize) -> Self {
        Self {
            name: self.name,
            root: Some(root as u32),
            topic: mix(self.topic, root as u64 + 1),
        }
    }

    /// A number that is the same for equal calls, and different for others as far as 63 bits can tell.
    #[inline]
    pub(crate) fn topic(self) -> u64 {
        // The meeting place keeps zero and the largest number for itself.
        (self.topic & (u64::MAX >> 1)) | 1
    }

    /// The error of ranks that make different calls, of which these are two.
    #[cold]
    pub(crate) fn disagreement(self, rank: usize, theirs: Self, other: usize) -> Error {
        let class = if self.name == theirs.name {
            ErrorClass::Root
        } else {
            ErrorClass::Other
        };
        Error::new(
            class,
            format!(
                "rank {rank} calls {self} while rank {other} calls {theirs}: all ranks must make the same call"
            ),
        )
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.root {
            Some(root) => write!(f, "{} with root {root}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// FNV-1a.
const fn hash(name: &str) -> u64 {
    let (bytes, mut index, mut hash) = (name.as_bytes(), 0, 0xcbf2_9ce4_8422_2325);
    while index < bytes.len() {
        hash = mix(hash, bytes[index] as u64);
        index += 1;
    }
    hash
}

const fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_differ_by_name_and_root() {
        let (reduce, gather) = (Call::new("MPI_Reduce"), Call::new("MPI_Gather"));
        let topics = [reduce, gather, reduce.at(0), reduce.at(1), gather.at(1)].map(Call::topic);
        for (index, topic) in topics.iter().enumerate() {
            assert!(!topics[..index].contains(topic));
        }
        assert_eq!(Call::new("MPI_Reduce").at(1).topic(), topics[3]);
    }

    #[test]
    fn a_disagreement_names_both_calls() {
        let error = Call::new("MPI_Bcast")
            .at(0)
            .disagreement(4, Call::new("MPI_Barrier"), 7);
        assert_eq!(error.class(), ErrorClass::Other);
        assert_eq!(
            error.message(),
            "rank 4 calls MPI_Bcast with root 0 while rank 7 calls MPI_Barrier: all ranks must make the same call"
        );
        let roots = Call::new("MPI_Bcast")
            .at(0)
            .disagreement(4, Call::new("MPI_Bcast").at(1), 7);
        assert_eq!(roots.class(), ErrorClass::Root);
    }
}
