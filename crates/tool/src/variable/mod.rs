//! Performance variables.

mod table;

use super::{Representation, enumeration};
use simurgh_heap::{NodeShare, RankHeaps, Statistics};
use simurgh_instrument::{Counters, FileTraffic, WindowTotals, WindowTraffic};
use simurgh_mpi::{Comm, File, Network, Process};
use simurgh_sched::{DomainKind, VpStats};
use simurgh_settings::{Category, Verbosity};
use std::sync::{Arc, LazyLock};

/// The class of a performance variable (`MPI_T_PVAR_CLASS_…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One of several states.
    State,
    /// The current amount of a resource.
    Level,
    /// A share of a resource, from 0 to 1.
    Percentage,
    /// The largest amount of a resource so far.
    HighWatermark,
    /// The number of times that something has happened.
    Counter,
    /// A sum over all events of a kind.
    Aggregate,
    /// The time that something has taken.
    Timer,
}

/// A performance variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The description of the variable, for users of the tool.
    pub doc: String,
    /// The class of the variable.
    pub class: Class,
    /// The part of the library it belongs to.
    pub category: Category,
    /// The kind of user for whom the variable is meant, and how much detail it gives.
    pub verbosity: Verbosity,
    /// What objects the variable belongs to.
    pub bound: Bound,
    /// The source of its values.
    source: Source,
}

/// What a variable belongs to (`MPI_T_BIND_…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The rank.
    NoObject,
    /// A communicator.
    Comm,
    /// A file.
    File,
    /// A window.
    Window,
}

/// An object that a variable belongs to.
#[derive(Clone, Debug)]
pub enum Object {
    /// The rank itself.
    None,
    /// A communicator.
    Comm(Arc<Comm>),
    /// A file.
    File(Arc<File>),
    /// What a rank does in a window.
    Window(Arc<WindowTraffic>),
}

impl Object {
    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Bound {
        match self {
            Self::None => Bound::NoObject,
            Self::Comm(_) => Bound::Comm,
            Self::File(_) => Bound::File,
            Self::Window(_) => Bound::Window,
        }
    }

    fn comm(&self) -> Option<&Comm> {
        match self {
            Self::Comm(comm) => Some(comm),
            _ => None,
        }
    }
}

/// Reads a value out of the statistics of virtual processors.
type ReadStats = fn(&VpStats) -> u64;

/// The source of the values of a variable.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The counters of the rank, which count only while somebody watches.
    Counted(fn(&Counters, usize) -> Vec<u64>, usize),
    /// The accesses of the rank to all files, or to the one that the variable belongs to; counted in the same way.
    Files(fn(&FileTraffic) -> Vec<u64>),
    /// The use of all windows by the rank, or of the one that the variable belongs to; counted in the same way.
    Windows(fn(&WindowTotals) -> Vec<u64>),
    /// The queues of the rank.
    Queues(fn(&Process, Option<&Comm>) -> u64),
    /// The counters of the host's traffic with other hosts.
    Network(fn(&Network) -> u64),
    /// The statistics of each virtual processor.
    Processors(ReadStats),
    /// The same, summed up for each domain of a kind.
    Domains(DomainKind, ReadStats),
    /// The number of ranks of the host with each purpose.
    Purposes,
    /// The statistics of the heaps of the calling rank; zeros for ranks that have none.
    Heaps(fn(&Statistics) -> Vec<u64>),
    /// Where the memory of the rank's heaps is.
    Nodes(fn(&NodeShare) -> u64),
}

/// All performance variables, by index.
#[must_use]
pub fn all() -> &'static [Variable] {
    static ALL: LazyLock<Vec<Variable>> = LazyLock::new(table::variables);
    &ALL
}

impl Variable {
    /// The representation of a value in memory.
    #[must_use]
    pub fn representation(&self) -> Representation {
        match self.class {
            Class::State => Representation::Int,
            Class::Percentage => Representation::Double,
            _ => Representation::Unsigned,
        }
    }

    /// The index of the enumeration that names the values, if there is one.
    #[must_use]
    pub fn enumeration(&self) -> Option<usize> {
        match self.class {
            Class::State => enumeration::of_phase(),
            _ => None,
        }
    }

    /// Whether the variable is always on and can only be read. Such a variable tells the present state, the same to
    /// every reader. The other variables tell what has happened while their handle was started.
    #[must_use]
    pub fn is_continuous(&self) -> bool {
        !matches!(self.class, Class::Counter | Class::Aggregate | Class::Timer)
    }

    /// Whether the variable is counted only while somebody watches.
    pub(super) fn is_counted(&self) -> bool {
        matches!(
            self.source,
            Source::Counted(..) | Source::Files(_) | Source::Windows(_)
        )
    }

    /// The values for a process, and for the object that the variable belongs to.
    #[must_use]
    pub fn read(&self, process: &Process, object: &Object) -> Vec<u64> {
        match self.source {
            Source::Counted(read, at) => read(process.tool().counters(), at),
            Source::Files(read) => match object {
                Object::File(file) => read(file.traffic()),
                _ => read(&process.tool().counters().files),
            },
            Source::Windows(read) => match object {
                Object::Window(traffic) => read(&traffic.totals()),
                _ => read(&process.tool().counters().windows.totals()),
            },
            Source::Queues(read) => vec![read(process, object.comm())],
            Source::Network(read) => vec![process.job().network().map_or(0, |network| read(network))],
            Source::Processors(read) => process.job().processors().iter().map(read).collect(),
            Source::Domains(kind, read) => {
                let domains = process.job().domains(kind);
                domains.iter().map(|domain| read(&domain.stats)).collect()
            }
            Source::Purposes => process.job().purposes().map(|count| count as u64).to_vec(),
            Source::Heaps(read) => read(&RankHeaps::statistics_of_caller().unwrap_or_default()),
            Source::Nodes(read) => vec![read(&RankHeaps::node_share_of_caller().unwrap_or_default())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_given_once_and_classes_say_what_can_be_started() {
        let names: BTreeSet<_> = all().iter().map(|variable| &variable.name).collect();
        assert_eq!(names.len(), all().len());
        for variable in all() {
            assert!(
                !(variable.is_counted() && variable.is_continuous()),
                "{variable:?}"
            );
            assert_eq!(variable.enumeration().is_some(), variable.class == Class::State);
        }
    }
}
