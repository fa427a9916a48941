//! The call that a rank makes: what all ranks of a collective have to agree on.

use super::reduce::Counts;
use super::task::Task;
use crate::error::{Error, ErrorClass, Result};
use crate::limits::PACKET;
use crate::op::{BuiltinOp, Op};
use crate::portable::portable;

/// A collective call: its name and its root, and its operation if everything is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    name: &'static str,
    root: Root,
    operation: Option<Operation>,
    /// Number of bytes of a collective that is done by value.
    length: Option<u32>,
    fingerprint: u64,
}

/// The root of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    None,
    /// The root's rank, which all ranks pass.
    Rank(u32),
    /// On an inter-communicator, what the caller passes as root: it differs from rank to rank.
    Passed(i32),
}

/// A reduction operation, as far as ranks can compare it: the address of a user's function is different in each rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Builtin(BuiltinOp),
    User { commutes: bool },
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
    pub(crate) const WIN_ALLOCATE: Self = Self::new("MPI_Win_allocate");
    pub(crate) const WIN_ALLOCATE_SHARED: Self = Self::new("MPI_Win_allocate_shared");
    pub(crate) const WIN_CREATE: Self = Self::new("MPI_Win_create");
    pub(crate) const WIN_CREATE_DYNAMIC: Self = Self::new("MPI_Win_create_dynamic");
    pub(crate) const WIN_FENCE: Self = Self::new("MPI_Win_fence");
    pub(crate) const WIN_FREE: Self = Self::new("MPI_Win_free");

    /// All calls of programs.
    const KNOWN: [Self; 20] = [
        Self::ALLGATHER,
        Self::ALLREDUCE,
        Self::ALLTOALL,
        Self::ALLTOALL_IN_PLACE,
        Self::BARRIER,
        Self::BCAST,
        Self::EXSCAN,
        Self::GATHER,
        Self::NEIGHBOR_ALLGATHER,
        Self::NEIGHBOR_ALLTOALL,
        Self::REDUCE,
        Self::REDUCE_SCATTER,
        Self::SCAN,
        Self::SCATTER,
        Self::WIN_ALLOCATE,
        Self::WIN_ALLOCATE_SHARED,
        Self::WIN_CREATE,
        Self::WIN_CREATE_DYNAMIC,
        Self::WIN_FENCE,
        Self::WIN_FREE,
    ];

    /// The call with this fingerprint, among those that programs can make with so many ranks. It tries all of them, for
    /// messages of errors and deadlocks.
    pub(crate) fn from_fingerprint(fingerprint: u64, ranks: usize) -> Option<Self> {
        let rooted = |call: &Self| {
            let call = *call;
            std::iter::once(call).chain((0..ranks).map(move |root| call.at(root)))
        };
        let mut calls = Self::KNOWN.iter().flat_map(rooted);
        let fits = |call: Self| call.fingerprint() == fingerprint;
        calls.find(|&call| fits(call) || (1..=PACKET).any(|bytes| fits(call.of_length(bytes))))
    }

    /// A call without a root.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            root: Root::None,
            operation: None,
            length: None,
            fingerprint: hash(name),
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
            root: Root::Rank(root as u32),
            fingerprint: mix(self.fingerprint, root as u64 + 1),
            ..self
        }
    }

    /// The same call by value, in which every rank brings so many bytes.
    #[inline]
    pub(crate) const fn of_length(self, bytes: usize) -> Self {
        Self {
            length: Some(bytes as u32),
            fingerprint: mix(self.fingerprint, !(bytes as u64)),
            ..self
        }
    }

    /// The same call on an inter-communicator, with what the caller passes as root.
    pub(crate) const fn between_groups(self, passed: i32) -> Self {
        Self {
            root: Root::Passed(passed),
            ..self
        }
    }

    /// The root as the caller passes it, on an inter-communicator.
    pub(crate) fn passed_root(self) -> Option<i32> {
        match self.root {
            Root::Passed(passed) => Some(passed),
            Root::None | Root::Rank(_) => None,
        }
    }

    /// The root that all ranks name.
    pub(crate) fn root_rank(self) -> Option<u32> {
        match self.root {
            Root::Rank(rank) => Some(rank),
            Root::None | Root::Passed(_) => None,
        }
    }

    /// Whether two calls are known to combine data by different operations.
    pub(crate) fn combines_unlike(self, other: Self) -> bool {
        matches!((self.operation, other.operation), (Some(one), Some(other)) if one != other)
    }

    /// The same call with a fingerprint that depends on the operation, too, and, on an intra-communicator, on the
    /// number of elements for each rank. It is used when everything is checked.
    #[cold]
    pub(crate) fn with_arguments(self, task: &Task) -> Self {
        let Some(op) = task.op() else { return self };
        let operation = Operation::of(op);
        // On an inter-communicator, a rank that passes `MPI_PROC_NULL` does not know the operation.
        let fingerprint = match self.root {
            Root::Passed(_) => self.fingerprint,
            Root::None | Root::Rank(_) => mix(self.fingerprint, operation.number()),
        };
        let call = Self {
            operation: Some(operation),
            fingerprint,
            ..self
        };
        match task {
            Task::ReduceScatter { counts, .. } => call.with_counts(counts),
            _ => call,
        }
    }

    fn with_counts(self, counts: &Counts) -> Self {
        let fingerprint = match counts {
            // The buffers show how many there are.
            Counts::Even(_) | Counts::Room => self.fingerprint,
            Counts::Each(counts) => counts.iter().fold(self.fingerprint, |fingerprint, count| {
                mix(fingerprint, count.cast_unsigned())
            }),
        };
        Self { fingerprint, ..self }
    }

    /// A number that is the same for equal calls, and different for others as far as 63 bits can tell.
    #[inline]
    pub(crate) fn fingerprint(self) -> u64 {
        // The barrier keeps zero and the largest numbers for itself.
        (self.fingerprint & (u64::MAX >> 1)) | 1
    }

    /// The error of ranks that make different calls: this one by the rank named `rank`, the other by the rank named
    /// `other`.
    #[cold]
    pub(crate) fn disagreement(self, rank: &str, theirs: Self, other: &str) -> Error {
        let class = if self.name != theirs.name {
            ErrorClass::Other
        } else if self.root != theirs.root && self.passed_root().is_none() {
            ErrorClass::Root
        } else if self.operation != theirs.operation {
            ErrorClass::Op
        } else if self.length != theirs.length {
            return self.disagreement_of_lengths(rank, theirs, other);
        } else {
            return Error::new(
                ErrorClass::Count,
                format!("{rank} and {other} call {self} with different counts: all ranks must give the same"),
            );
        };
        Error::new(
            class,
            format!("{rank} calls {self} while {other} calls {theirs}: all ranks must make the same call"),
        )
    }

    #[cold]
    fn disagreement_of_lengths(self, rank: &str, theirs: Self, other: &str) -> Error {
        let bytes = |call: Self| match call.length {
            Some(bytes) => format!("{bytes} bytes"),
            None => format!("more than {PACKET} bytes, none, or some with gaps"),
        };
        Error::new(
            ErrorClass::Truncate,
            format!(
                "{rank} brings {} to {self}, {other} brings {}: all ranks must give the same count and datatype",
                bytes(self),
                bytes(theirs)
            ),
        )
    }
}

/// A call as hosts describe it to each other.
#[derive(Clone, Debug)]
pub(crate) struct CallDescription {
    name: String,
    root: Option<u32>,
    operation: Option<String>,
    fingerprint: u64,
}

portable! {
    CallDescription { name, root, operation, fingerprint }
}

impl CallDescription {
    pub(crate) fn of(call: Call) -> Self {
        Self {
            name: call.name.to_owned(),
            root: call.root_rank(),
            operation: call.operation.map(|operation| operation.to_string()),
            fingerprint: call.fingerprint(),
        }
    }

    /// Refuses a different call of another rank, with the same error as [`Call::disagreement`].
    pub(crate) fn agree(&self, rank: &str, theirs: &Self, other: &str) -> Result<()> {
        if self.fingerprint == theirs.fingerprint {
            return Ok(());
        }
        let class = if self.name != theirs.name {
            ErrorClass::Other
        } else if self.root != theirs.root {
            ErrorClass::Root
        } else if self.operation != theirs.operation {
            ErrorClass::Op
        } else {
            let message =
                format!("{rank} and {other} call {self} with different counts: all ranks must give the same");
            return Err(Error::new(ErrorClass::Count, message));
        };
        let message =
            format!("{rank} calls {self} while {other} calls {theirs}: all ranks must make the same call");
        Err(Error::new(class, message))
    }
}

impl std::fmt::Display for CallDescription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        let and = match self.root {
            Some(root) => {
                write!(f, " with root {root}")?;
                "and"
            }
            None => "with",
        };
        self.operation
            .as_ref()
            .map_or(Ok(()), |operation| write!(f, " {and} {operation}"))
    }
}

impl Default for Call {
    fn default() -> Self {
        Self::BARRIER
    }
}

impl Operation {
    fn of(op: &Op) -> Self {
        match op {
            Op::Builtin(op) => Self::Builtin(*op),
            Op::User(op) => Self::User {
                commutes: op.is_commutative(),
            },
        }
    }

    /// A number that tells operations apart.
    fn number(self) -> u64 {
        match self {
            Self::Builtin(op) => op.handle() as u64,
            Self::User { commutes } => u64::from(commutes),
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Builtin(op) => op.name(),
            Self::User { commutes: true } => "a commutative operation of the program",
            Self::User { commutes: false } => "an operation of the program that does not commute",
        })
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.root, self.operation) {
            (Root::Rank(root), None) => write!(f, "{} with root {root}", self.name),
            (Root::Rank(root), Some(operation)) => {
                write!(f, "{} with root {root} and {operation}", self.name)
            }
            (_, Some(operation)) => write!(f, "{} with {operation}", self.name),
            (_, None) => f.write_str(self.name),
        }
    }
}

/// The hash function FNV-1a.
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
    fn calls_are_recognised() {
        let call = Call::REDUCE.at(6);
        for fingerprint in [call.fingerprint(), call.of_length(PACKET).fingerprint()] {
            let found = Call::from_fingerprint(fingerprint, 7).map(|call| call.to_string());
            assert_eq!(found.as_deref(), Some("MPI_Reduce with root 6"));
        }
        assert!(Call::from_fingerprint(Call::new("another").fingerprint(), 7).is_none());
    }

    #[test]
    fn calls_differ_by_name_and_root() {
        let (reduce, gather) = (Call::new("MPI_Reduce"), Call::new("MPI_Gather"));
        let fingerprints = [reduce, gather, reduce.at(0), reduce.at(1), gather.at(1)].map(Call::fingerprint);
        for (index, fingerprint) in fingerprints.iter().enumerate() {
            assert!(!fingerprints[..index].contains(fingerprint));
        }
        assert_eq!(Call::new("MPI_Reduce").at(1).fingerprint(), fingerprints[3]);
    }

    #[test]
    fn different_lengths_are_different_calls() {
        let short = Call::ALLREDUCE.of_length(8);
        assert_ne!(short.fingerprint(), Call::ALLREDUCE.fingerprint());
        let error = short.disagreement("rank 0", Call::ALLREDUCE.of_length(16), "rank 3");
        assert_eq!(error.class(), ErrorClass::Truncate);
        assert_eq!(
            error.message(),
            "rank 0 brings 8 bytes to MPI_Allreduce, rank 3 brings 16 bytes: all ranks must give the same count and \
             datatype"
        );
        let long = Call::ALLREDUCE.disagreement("rank 0", short, "rank 3");
        assert!(long.message().contains("brings more than"), "{}", long.message());
    }

    #[test]
    fn a_disagreement_names_both_calls() {
        let bcast = Call::new("MPI_Bcast").at(0);
        let error = bcast.disagreement("rank 4", Call::new("MPI_Barrier"), "rank 7");
        assert_eq!(error.class(), ErrorClass::Other);
        assert_eq!(
            error.message(),
            "rank 4 calls MPI_Bcast with root 0 while rank 7 calls MPI_Barrier: all ranks must make the same call"
        );
        let roots = bcast.disagreement("rank 4", Call::new("MPI_Bcast").at(1), "rank 7");
        assert_eq!(roots.class(), ErrorClass::Root);
    }

    #[test]
    fn described_calls_disagree_as_calls_do() {
        let detailed = |op: BuiltinOp| {
            Call::REDUCE
                .at(1)
                .with_arguments(&Task::Allreduce { op: op.into() })
        };
        let calls = [
            Call::BARRIER,
            Call::REDUCE.at(0),
            Call::REDUCE.at(1),
            detailed(BuiltinOp::Sum),
            detailed(BuiltinOp::Max),
        ];
        for one in calls {
            for other in calls
                .into_iter()
                .filter(|other| other.fingerprint() != one.fingerprint())
            {
                let error = one.disagreement("rank 0", other, "rank 1");
                let spoken = CallDescription::of(one)
                    .agree("rank 0", &CallDescription::of(other), "rank 1")
                    .unwrap_err();
                assert_eq!(
                    (spoken.class(), spoken.message()),
                    (error.class(), error.message())
                );
            }
            assert!(
                CallDescription::of(one)
                    .agree("rank 0", &CallDescription::of(one), "rank 1")
                    .is_ok()
            );
        }
    }

    #[test]
    fn calls_with_arguments_differ_by_operation_and_counts() {
        let detailed = |op: BuiltinOp| Call::ALLREDUCE.with_arguments(&Task::Allreduce { op: op.into() });
        let (sum, max) = (detailed(BuiltinOp::Sum), detailed(BuiltinOp::Max));
        assert_ne!(sum.fingerprint(), max.fingerprint());
        assert_eq!(sum.fingerprint(), detailed(BuiltinOp::Sum).fingerprint());
        let error = sum.disagreement("rank 0", max, "rank 1");
        assert_eq!(error.class(), ErrorClass::Op);
        assert!(
            error.message().starts_with(
                "rank 0 calls MPI_Allreduce with MPI_SUM while rank 1 calls MPI_Allreduce with MPI_MAX"
            ),
            "{}",
            error.message()
        );
        let scattered = |counts: [i64; 2]| {
            let (op, counts) = (BuiltinOp::Sum.into(), Counts::Each(counts.into_iter().collect()));
            Call::REDUCE_SCATTER.with_arguments(&Task::ReduceScatter { op, counts })
        };
        let (one, other) = (scattered([1, 2]), scattered([2, 1]));
        assert_ne!(one.fingerprint(), other.fingerprint());
        assert_eq!(
            one.disagreement("rank 0", other, "rank 1").class(),
            ErrorClass::Count
        );
    }
}
