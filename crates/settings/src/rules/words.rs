//! The words of rules.

use crate::Item;
use std::fmt;

/// Declares an enumeration whose members have names that a user may write.
macro_rules! words {
    (
        $(#[$about:meta])*
        $name:ident;
        $($(#[doc = $doc:literal])+ $member:ident = $word:literal,)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[doc = $doc])+ $member,)+
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$member),+];

            /// Their names and what they mean, in the same order.
            pub const ITEMS: &[Item] = &[$(Item { name: $word, doc: concat!($($doc),+) }),+];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                Self::ITEMS[self as usize].name
            }

            /// The one with this name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                let found = Self::ITEMS.iter().position(|item| item.name == name)?;
                Some(Self::ALL[found])
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

words! {
    /// A collective operation, with its forms for parts of different sizes and its nonblocking and persistent forms.
    Operation;
    /// `MPI_Barrier`
    Barrier = "barrier",
    /// `MPI_Bcast`
    Bcast = "bcast",
    /// `MPI_Gather`
    Gather = "gather",
    /// `MPI_Scatter`
    Scatter = "scatter",
    /// `MPI_Allgather`
    Allgather = "allgather",
    /// `MPI_Alltoall`
    Alltoall = "alltoall",
    /// `MPI_Reduce`
    Reduce = "reduce",
    /// `MPI_Allreduce`
    Allreduce = "allreduce",
    /// `MPI_Reduce_scatter`
    ReduceScatter = "reduce_scatter",
    /// `MPI_Scan`
    Scan = "scan",
    /// `MPI_Exscan`
    Exscan = "exscan",
    /// `MPI_Neighbor_allgather`
    NeighborAllgather = "neighbor_allgather",
    /// `MPI_Neighbor_alltoall`
    NeighborAlltoall = "neighbor_alltoall",
}

words! {
    /// The level of the domain tree that the virtual processors of a job share at most. The levels go from one core up.
    Level;
    /// one core: there is a single virtual processor
    Core = "core",
    /// a second-level cache
    L2 = "l2",
    /// a last-level cache
    L3 = "l3",
    /// the memory of a NUMA node
    Numa = "numa",
    /// a processor package
    Package = "package",
    /// the machine
    Machine = "machine",
    /// the memory of a node, as several processes: hosts among each other
    Hosts = "hosts",
    /// nothing but a network: hosts of several nodes, or that talk over one all the same
    Network = "network",
}

words! {
    /// How the work of a collective is done.
    Algorithm;
    /// the last rank to come does all work, before it releases the others
    Last = "last",
    /// when all ranks have come, each does a share of the work
    Shared = "shared",
    /// the root shows its data, and each rank takes it when it comes (blocking bcast in one group only)
    Lead = "lead",
    /// the last rank to come does it in pieces, which idle virtual processors take too (users' operations: shared)
    Striped = "striped",
    /// between hosts: each sends each other what the ranks there need (all operations but barrier)
    Parcels = "parcels",
    /// between hosts: after each round a host has heard of twice as many others (barrier)
    Dissemination = "dissemination",
    /// between hosts: the data goes from one to two, four, eight, or back (bcast, reduce)
    Binomial = "binomial",
    /// between hosts: pairs exchange all data at distances 1, 2, 4 and so on (allreduce, scan, exscan)
    Doubling = "doubling",
    /// between hosts: pairs exchange halves, quarters and so on, until each has a part of the result, and then the
    /// result, Rabenseifner's algorithm (reduce, allreduce)
    Halving = "halving",
    /// between hosts: parts go around a ring (bcast, allgather; allreduce by operations that commute)
    Ring = "ring",
    /// between hosts: the number of blocks that a host has doubles in each round (allgather)
    Bruck = "bruck",
    /// between hosts: each with each other in turn (reduce_scatter)
    Pairwise = "pairwise",
}

impl Algorithm {
    /// Whether hosts run it with each other, rather than the ranks of one host.
    #[must_use]
    pub const fn is_between_hosts(self) -> bool {
        self as u8 >= Self::Parcels as u8
    }

    /// Whether it can do an operation.
    #[must_use]
    pub const fn serves(self, operation: Operation) -> bool {
        match self {
            Self::Last => true,
            // A barrier has no work to share.
            Self::Shared | Self::Striped => !matches!(operation, Operation::Barrier),
            Self::Lead => matches!(operation, Operation::Bcast),
            Self::Parcels => !matches!(operation, Operation::Barrier),
            Self::Dissemination => matches!(operation, Operation::Barrier),
            Self::Binomial => matches!(operation, Operation::Bcast | Operation::Reduce),
            Self::Doubling => {
                matches!(
                    operation,
                    Operation::Allreduce | Operation::Scan | Operation::Exscan
                )
            }
            Self::Halving => matches!(operation, Operation::Reduce | Operation::Allreduce),
            Self::Ring => {
                matches!(
                    operation,
                    Operation::Bcast | Operation::Allgather | Operation::Allreduce
                )
            }
            Self::Bruck => matches!(operation, Operation::Allgather),
            Self::Pairwise => matches!(operation, Operation::ReduceScatter),
        }
    }

    /// Whether hosts can run it for an operation in several slices of the data at the same time.
    #[must_use]
    pub const fn serves_in_slices(self, operation: Operation) -> bool {
        let in_parts = matches!(
            operation,
            Operation::Bcast
                | Operation::Allgather
                | Operation::Alltoall
                | Operation::Reduce
                | Operation::Allreduce
                | Operation::ReduceScatter
        );
        let in_parcels = matches!(operation, Operation::Allgather | Operation::Alltoall);
        match self {
            Self::Parcels => in_parcels,
            _ => self.is_between_hosts() && in_parts && self.serves(operation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_one_thing_each() {
        for (place, &operation) in Operation::ALL.iter().enumerate() {
            assert_eq!(operation as usize, place);
            assert_eq!(Operation::named(operation.name()), Some(operation));
        }
        assert_eq!(Level::named("numa"), Some(Level::Numa));
        assert_eq!(Algorithm::named("Last"), None);
        assert!(Level::Core < Level::L2 && Level::Machine < Level::Hosts && Level::Hosts < Level::Network);
        assert_eq!(format!("{:>6}|", Level::L3), "    l3|");
    }
}
