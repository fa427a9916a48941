//! Figures of Cray: Pritchard, Roweth, Henseler, Cassella, “Leveraging the Cray Linux Environment Core Specialization
//! Feature to Realize MPI Asynchronous Progress on Cray XE Systems”, CUG 2012.

use super::super::experiment::Placement;
use super::figure::{Experiment, Figure, Finding, Run, Series, ours, overhead, percent, rate, run, time};

/// Two processes that talk over TCP, and what drives the network of each.
const MODES: &[Series] = &[
    ours("wq", Placement::Tcp, &[]),
    ours("nd", Placement::Tcp, &["--policy", "nd", "--network-core", "1"]),
    ours(
        "nd+wq",
        Placement::Tcp,
        &["--policy", "nd+wq", "--network-core", "1"],
    ),
    ours(
        "sleep",
        Placement::Tcp,
        &["--policy", "sleep", "--network-core", "1"],
    ),
];

const PAIR: &[Run] = &[run(2, &[])];

const OVERLAP: Experiment = Experiment {
    program: "post_work_wait",
    series: MODES,
    runs: PAIR,
    axis: "bytes",
    values: &[
        overhead("overhead_send", "Overhead of sending, µs"),
        percent("available_send", "Kept for computing while sending, %"),
        overhead("overhead_receive", "Overhead of receiving, µs"),
        percent("available_receive", "Kept for computing while receiving, %"),
    ],
    findings: &[Finding::Variants],
};

const COST: Experiment = Experiment {
    program: "transfer",
    series: MODES,
    runs: PAIR,
    axis: "bytes",
    values: &[
        time("latency", "Latency, ns one way"),
        rate("bandwidth", "Bandwidth, MB/s"),
    ],
    findings: &[Finding::Variants],
};

/// The ways in which the data of a long message gets from one process to the other.
const WAYS: Experiment = Experiment {
    program: "transfer",
    series: &[
        ours("read", Placement::Tcp, &["--rendezvous", "read"]),
        ours("write", Placement::Tcp, &["--rendezvous", "write"]),
        ours("fragments", Placement::Tcp, &["--rendezvous", "fragments"]),
    ],
    runs: PAIR,
    axis: "bytes",
    values: COST.values,
    findings: &[Finding::Variants],
};

/// Two processes that talk over TCP while one of the two cores is kept from ranks.
const RESERVED: Experiment = Experiment {
    program: "transfer",
    series: &[
        ours("none reserved, wq", Placement::Tcp, &[]),
        ours("one reserved, wq", Placement::Tcp, &["--reserve-cores", "1"]),
        ours(
            "one reserved, nd",
            Placement::Tcp,
            &["--reserve-cores", "1", "--policy", "nd"],
        ),
        ours(
            "one reserved, sleep",
            Placement::Tcp,
            &["--reserve-cores", "1", "--policy", "sleep"],
        ),
    ],
    runs: PAIR,
    axis: "bytes",
    values: COST.values,
    findings: &[Finding::Variants],
};

/// Two processes whose ranks have both cores, or share one so that the other is free for progress.
const CORES: &[Series] = &[
    ours("all cores, wq", Placement::Tcp, &[]),
    ours("all cores, sleep", Placement::Tcp, &["--policy", "sleep"]),
    ours("all less one, wq", Placement::Tcp, &["--bind-to", "user:0,0"]),
    ours(
        "all less one, nd",
        Placement::Tcp,
        &["--bind-to", "user:0,0", "--policy", "nd", "--network-core", "1"],
    ),
    ours(
        "all less one, sleep",
        Placement::Tcp,
        &[
            "--bind-to",
            "user:0,0",
            "--policy",
            "sleep",
            "--network-core",
            "1",
        ],
    ),
];

const HALO: Experiment = Experiment {
    program: "halo",
    series: CORES,
    runs: PAIR,
    axis: "ranks",
    values: &[
        time("step", "Step of the halo exchange, ms"),
        time("wait", "Of that in MPI, ms"),
    ],
    findings: &[Finding::Variants],
};

const SOURCE: &str = "Pritchard, Roweth, Henseler, Cassella, “Leveraging the Cray Linux Environment Core \
                      Specialization Feature to Realize MPI Asynchronous Progress on Cray XE Systems”, CUG 2012";

pub(super) const FIGURES: &[Figure] = &[
    Figure {
        name: "cray-overlap",
        source: SOURCE,
        title: "Cray: overhead and availability by progress mode",
        paper: "post-work-wait over the size of messages, with progress threads on reserved cores and without.",
        here: "two processes over TCP. wq: ranks drive the network while they are in MPI; nd: a virtual processor on \
               the second core does; nd+wq: both; sleep: both, the former asleep until a rank that computes needs \
               it. The loopback interface copies data with the same two cores, and rank 1 has the second core, too, \
               so there is no core that is reserved for progress alone.",
        experiments: &[OVERLAP],
    },
    Figure {
        name: "cray-cost",
        source: SOURCE,
        title: "Cray: what each progress mode costs",
        paper: "latency and bandwidth with and without progress threads, for ranks that do nothing but communicate.",
        here: "the same modes and processes.",
        experiments: &[COST],
    },
    Figure {
        name: "cray-rendezvous",
        source: SOURCE,
        title: "Cray: read, write, or fragments",
        paper: "rendezvous by a read of the receiver, and by a cooperative write, both of which the library has.",
        here: "the same program with each way that `--rendezvous` chooses. Messages that do not fit into a packet \
               take it. TCP has no remote memory access of its own: the provider imitates it.",
        experiments: &[WAYS],
    },
    Figure {
        name: "cray-reserve",
        source: SOURCE,
        title: "Cray: what a reserved core costs",
        paper: "latency and bandwidth with cores that are kept from ranks (core specialisation).",
        here: "the same program with `--reserve-cores 1`: both ranks share the core that is left, and the other one \
               is for progress and for the library's own threads.",
        experiments: &[RESERVED],
    },
    Figure {
        name: "cray-halo",
        source: SOURCE,
        title: "Cray: a halo exchange like that of S3D",
        paper: "S3D with as many threads on a node as it has cores, and with one less, so that progress threads \
                have a core to themselves.",
        here: "two processes over TCP, each with half of 128³ cells and four variables, that exchange faces of \
               512 KiB while they work on the inner part. All cores means a core for each rank. All less one \
               means that both ranks share the first core, so half of the machine is given up, which has but two \
               cores.",
        experiments: &[HALO],
    },
];
