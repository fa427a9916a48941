//! Figures of Phoenix: Pant, Jafri, Kindratenko, “Phoenix: A Runtime Environment for High Performance Computing on Chip
//! Multiprocessors”, PDP 2009.

use super::super::experiment::Placement;
use super::figure::{
    Experiment, Figure, Finding, Run, Runner, Series, Value, everybody, ours, part, peer_with, percent, rate,
    run, shown, time,
};

const ONE_CORE: &[Series] = &everybody(Placement::OneCore);
const TWO_CORES: &[Series] = &everybody(Placement::TwoCores);
const ALL_CORES: &[Series] = &everybody(Placement::AllCores);

const PAIR: &[Run] = &[run(2, &[])];

const BANDWIDTH: &[Value] = &[rate("bandwidth", "Bandwidth, MB/s")];

const fn transfer(series: &'static [Series]) -> Experiment {
    Experiment {
        program: "transfer",
        series,
        runs: PAIR,
        axis: "bytes",
        values: BANDWIDTH,
        findings: &[Finding::Peers],
    }
}

const SWITCH: Experiment = Experiment {
    program: "switch",
    series: ONE_CORE,
    runs: &[
        run(2, &[]),
        run(4, &[]),
        run(8, &[]),
        run(16, &[]),
        run(32, &[]),
        run(64, &[]),
        run(128, &[]),
        run(512, &[]),
    ],
    axis: "ranks on one core",
    values: &[time("switch", "Message and switch to its receiver, ns")],
    findings: &[Finding::Peers, Finding::Change],
};

const LATTICE: Experiment = Experiment {
    program: "lattice",
    series: ALL_CORES,
    runs: &[
        run(2, &[]),
        run(4, &[]),
        run(8, &[]),
        run(16, &[]),
        run(32, &[]),
        run(64, &[]),
        run(128, &[]),
    ],
    axis: "ranks on two cores",
    values: &[
        time("iteration", "Iteration of conjugate gradients, ms"),
        rate("rate", "Rate of the lattice's operator, GFLOP/s"),
        shown("faces", "Of the work for the operator, for faces of blocks, %"),
    ],
    findings: &[Finding::Change, Finding::PeerAt(2)],
};

/// Two processes on this machine that talk over TCP.
const POLICIES: &[Series] = &[
    ours("wq", Placement::Tcp, &["--policy", "wq", "--stats"]),
    ours("nd", Placement::Tcp, &["--policy", "nd", "--stats"]),
    ours("nd+wq", Placement::Tcp, &["--policy", "nd+wq", "--stats"]),
    ours(
        "anticipate",
        Placement::Tcp,
        &["--policy", "anticipate", "--stats"],
    ),
];

const OF_HOSTS: &[Value] = &[
    time("step", "Step of work and exchange, µs"),
    part("compute", "Work of all ranks, ms"),
    part("calls", "Calls and switches of ranks, ms"),
    part("network", "Looking after the network, ms"),
    part("idle", "Virtual processors idle, ms"),
    shown("switches", "Switches, thousands"),
];

const fn two_hosts(runs: &'static [Run]) -> Experiment {
    Experiment {
        program: "two_hosts",
        series: POLICIES,
        runs,
        axis: "ranks",
        values: OF_HOSTS,
        findings: &[Finding::Variants],
    }
}

const AVAILABILITY: Experiment = Experiment {
    program: "post_work_wait",
    series: &[
        ours("Simurgh", Placement::TwoProcesses, &[]),
        ours("Simurgh, one process", Placement::TwoCores, &[]),
        everybody(Placement::TwoProcesses)[1],
        peer_with(
            "MPICH, async",
            "MPICH",
            Placement::TwoProcesses,
            &[("MPIR_CVAR_ASYNC_PROGRESS", "1")],
        ),
        everybody(Placement::TwoProcesses)[2],
        everybody(Placement::TwoProcesses)[3],
    ],
    runs: PAIR,
    axis: "bytes",
    values: &[
        percent("available_send", "Kept for computing while sending, %"),
        percent("available_receive", "Kept for computing while receiving, %"),
    ],
    findings: &[Finding::Peers],
};

const BLOCKS: Experiment = Experiment {
    program: "lattice_kernel",
    series: &[Series {
        name: "cachegrind",
        runner: Runner::Cachegrind,
        placement: Placement::OneCore,
        options: &[],
        environment: &[],
        most: usize::MAX,
    }],
    runs: &[
        run(1, &[]),
        run(2, &[]),
        run(4, &[]),
        run(8, &[]),
        run(16, &[]),
        run(32, &[]),
        run(64, &[]),
    ],
    axis: "blocks",
    values: &[
        time("first_misses", "Misses of the first cache (32 KiB), millions"),
        time("second_misses", "Misses of the second cache (1 MiB), millions"),
    ],
    findings: &[Finding::Change],
};

const BLOCKED: Experiment = Experiment {
    program: "lattice",
    series: &[ours("Simurgh", Placement::OneCore, &[])],
    runs: &[
        run(1, SMALL),
        run(2, SMALL),
        run(4, SMALL),
        run(8, SMALL),
        run(16, SMALL),
        run(32, SMALL),
        run(64, SMALL),
    ],
    axis: "ranks on one core",
    values: &[
        time("iteration", "Iteration on a lattice of 32,768 sites, ms"),
        rate("rate", "Rate of the operator there, GFLOP/s"),
        shown("faces", "Of the work for it, for faces of blocks, %"),
    ],
    findings: &[Finding::Change],
};

/// The lattice that cachegrind looks at, and iterations.
const SMALL: &[&str] = &["16", "16", "16", "8", "10"];

const SOURCE: &str = "Pant, Jafri, Kindratenko, “Phoenix: A Runtime Environment for High Performance Computing on \
                      Chip Multiprocessors”, PDP 2009";

pub(super) const FIGURES: &[Figure] = &[
    Figure {
        name: "phoenix-2",
        source: SOURCE,
        title: "Phoenix, fig. 2: bandwidth within a node",
        paper: "the bandwidth between two ranks of a node over the size of messages, beside other MPIs.",
        here: "windows of 32 messages, first with both ranks on one core, then with a core for each.",
        experiments: &[transfer(ONE_CORE), transfer(TWO_CORES)],
    },
    Figure {
        name: "phoenix-3",
        source: SOURCE,
        title: "Phoenix, fig. 3: the cost of a context switch",
        paper: "the time of a context switch with 2 to 128 ranks on a core, and its ratio to that of Open MPI.",
        here: "a token goes round a ring of ranks on one core. Each hop is a message of 8 bytes and a switch. Peers \
               yield while they wait. They have 64 ranks at most, for their start alone takes seconds with more.",
        experiments: &[SWITCH],
    },
    Figure {
        name: "phoenix-4",
        source: SOURCE,
        title: "Phoenix, figs. 4 and 5, Table I: an application over virtualisation",
        paper: "the time of a production application over virtualisation, with 1 to 64 ranks on a core.",
        here: "a program of ours: conjugate gradients for the staggered operator of lattice QCD on 16³ × 32 \
               sites, in phases, as 2 to 128 ranks on two cores. The links and vectors that an application of the \
               operator touches take 108 MiB; 128 blocks have 0.84 MiB each, which fit into the second cache of a \
               core. Peers spin with a core for each rank at 2 ranks, and yield at more.",
        experiments: &[LATTICE],
    },
    Figure {
        name: "phoenix-6",
        source: SOURCE,
        title: "Phoenix, fig. 6: availability",
        paper: "the share of its processor that a rank keeps for computing while a message is under way, over the \
                size of messages.",
        here: "post-work-wait between two processes, each on a core: the cores are all in use, so a thread that \
               progresses messages takes its time from a rank. Beside them ranks that share a process.",
        experiments: &[AVAILABILITY],
    },
    Figure {
        name: "phoenix-7",
        source: SOURCE,
        title: "Phoenix, fig. 7: who drives the network",
        paper: "for the policies WQ (whoever waits), Net Dedicated, and both, the shares of idle, compute and \
                switch time.",
        here: "ranks of two processes on this machine compute 100 µs and exchange a message over TCP, with enough \
               network for that (1 KiB), and without (256 KiB). The network is the loopback interface, so the \
               kernel's part of it is done by the same two cores. Beside the three policies is “anticipate”, by \
               which the communication so far decides when a busy virtual processor looks after the network. The \
               plots show shares of the time of all virtual processors.",
        experiments: &[
            two_hosts(&[
                run(2, &["1024", "100"]),
                run(8, &["1024", "100"]),
                run(32, &["1024", "100"]),
            ]),
            two_hosts(&[
                run(2, &["262144", "100"]),
                run(8, &["262144", "100"]),
                run(32, &["262144", "100"]),
            ]),
        ],
    },
    Figure {
        name: "phoenix-8",
        source: SOURCE,
        title: "Phoenix, figs. 8 and 9: blocks that fit a cache",
        paper: "cache blocking by virtualisation: time, cache misses and rate of floating-point operations of the \
                application's kernel over the number of ranks on a core.",
        here: "the kernel on a lattice of 16³ × 8 sites (27 MiB). This machine gives no hardware counters \
               (`perf_event`), and cachegrind cannot follow ranks that are threads. So it simulates the caches of a \
               core for a program that runs the same kernel for so many blocks in turns, phase by phase, as one \
               virtual processor runs ranks. Time and rate are measured, with ranks on one core.",
        experiments: &[BLOCKS, BLOCKED],
    },
];
