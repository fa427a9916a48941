//! The longer lists of words that are values of settings.

use crate::Item;

/// The modes of ranks ([`Id::Mode`](crate::Id::Mode)).
pub(super) const MODE: &[Item] = &[
    Item {
        name: "auto",
        doc: "threads where the programs allow it",
    },
    Item {
        name: "threads",
        doc: "all ranks are threads of one process",
    },
    Item {
        name: "processes",
        doc: "each rank is a process",
    },
];

/// The levels of checking ([`Id::Check`](crate::Id::Check)).
pub(super) const CHECK: &[Item] = &[
    Item {
        name: "off",
        doc: "as little as possible: a wrong argument may end the process",
    },
    Item {
        name: "arguments",
        doc: "the arguments of every call",
    },
    Item {
        name: "all",
        doc: "arguments, whether ranks agree in collectives, what is left behind when use of MPI ends, and memory",
    },
];

/// The initial error handlers ([`Id::InitialErrhandler`](crate::Id::InitialErrhandler)).
pub(super) const INITIAL_ERRHANDLER: &[Item] = &[
    Item {
        name: "mpi_errors_are_fatal",
        doc: "an error ends the job",
    },
    Item {
        name: "mpi_errors_abort",
        doc: "an error ends the ranks of the communicator, which today is the job",
    },
    Item {
        name: "mpi_errors_return",
        doc: "a call that fails returns an error code",
    },
];

/// The huge pages of long blocks ([`Id::HugePages`](crate::Id::HugePages)).
pub(super) const HUGE_PAGES: &[Item] = &[
    Item {
        name: "transparent",
        doc: "those of 2 MiB that the system makes when it can",
    },
    Item {
        name: "2M",
        doc: "reserved ones of 2 MiB",
    },
    Item {
        name: "1G",
        doc: "reserved ones of 1 GiB",
    },
];

/// The protocols of other launchers ([`Id::Pmi`](crate::Id::Pmi)).
pub(super) const PMI: &[Item] = &[
    Item {
        name: "auto",
        doc: "what the launcher offers: PMI-1, PMI-2 or PMIx",
    },
    Item {
        name: "pmi1",
        doc: "PMI-1",
    },
    Item {
        name: "pmi2",
        doc: "PMI-2",
    },
    Item {
        name: "pmix",
        doc: "PMIx, by the library that is installed",
    },
];

/// The scheduling policies of the library itself ([`Id::Policy`](crate::Id::Policy)).
pub(super) const POLICY: &[Item] = &[
    Item {
        name: "wq",
        doc: "work queue: every virtual processor runs whatever is ready and drives the network",
    },
    Item {
        name: "nd",
        doc: "network dedicated: some virtual processors drive the network, and they alone",
    },
    Item {
        name: "nd+wq",
        doc: "both: besides the dedicated ones, ranks that wait drive the network too",
    },
    Item {
        name: "sleep",
        doc: "as nd+wq, but the dedicated ones take no core: they sleep until the network needs them",
    },
    Item {
        name: "affine",
        doc: "as wq, but idle virtual processors take ranks over only from those with which they share hardware",
    },
    Item {
        name: "balance",
        doc: "ranks move for good, as the processor time that each has been measured to take demands",
    },
    Item {
        name: "anticipate",
        doc: "as wq, but busy virtual processors look after the network when something is to be expected",
    },
    Item {
        name: "purpose",
        doc: "as wq, but ranks that have waited for the network run first, and those that are about I/O apart",
    },
];

/// The hardware within which ranks are taken over ([`Id::StealWithin`](crate::Id::StealWithin)).
pub(super) const STEAL_WITHIN: &[Item] = &[
    Item {
        name: "l2cache",
        doc: "cores that share a second-level cache",
    },
    Item {
        name: "l3cache",
        doc: "cores that share a last-level cache",
    },
    Item {
        name: "numa",
        doc: "cores of a NUMA node",
    },
    Item {
        name: "package",
        doc: "cores of a processor package",
    },
    Item {
        name: "machine",
        doc: "all cores of the process",
    },
];

/// The ways of the data of a rendezvous between hosts ([`Id::Rendezvous`](crate::Id::Rendezvous)).
pub(super) const RENDEZVOUS: &[Item] = &[
    Item {
        name: "auto",
        doc: "read where that is possible, else write",
    },
    Item {
        name: "read",
        doc: "the receiver reads it from the sender's memory",
    },
    Item {
        name: "write",
        doc: "the receiver says where it is to be, and the sender writes it there",
    },
    Item {
        name: "fragments",
        doc: "in packets, without access to each other's memory",
    },
];
