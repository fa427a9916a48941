//! Figures of Charm++: Mei, Zheng, Gioachin, Kalé, “Optimizing a Parallel Runtime System for Multicore Clusters: A Case
//! Study”, TeraGrid 2010.

use super::super::experiment::Placement;
use super::figure::{Experiment, Figure, Finding, Run, Series, Value, everybody, ours, peer, run, time};

const ALL_CORES: &[Series] = &everybody(Placement::AllCores);

const ITERATION: &[Value] = &[time("iteration", "Iteration of kNeighbor, µs")];

const THREE: &[Run] = &[run(16, &["3", "16", "65536"])];

const NEIGHBOURS: Experiment = Experiment {
    program: "neighbours",
    series: ALL_CORES,
    runs: THREE,
    axis: "bytes",
    values: ITERATION,
    findings: &[Finding::Peers],
};

const SWITCHED_OFF: Experiment = Experiment {
    program: "neighbours",
    series: &[
        ours("as it is", Placement::AllCores, &[]),
        ours("threads not bound", Placement::AllCores, &["--bind-to", "none"]),
        ours("not inline", Placement::AllCores, &["--inline-limit", "0"]),
        ours("never eager", Placement::AllCores, &["--eager-limit", "0"]),
        ours(
            "no stealing",
            Placement::AllCores,
            &["--policy", "affine", "--steal-within", "l2cache"],
        ),
        ours("processes", Placement::OwnProcesses, &[]),
    ],
    runs: THREE,
    axis: "bytes",
    values: ITERATION,
    findings: &[Finding::Variants],
};

const MAPS: Experiment = Experiment {
    program: "neighbours",
    series: &[
        ours("as it is", Placement::AllCores, &[]),
        ours("block", Placement::AllCores, &["--bind-to", "user:0,0,0,0,1,1,1"]),
        ours(
            "cyclic",
            Placement::AllCores,
            &["--bind-to", "user:0,1,0,1,0,1,0"],
        ),
        ours("one core", Placement::OneCore, &[]),
    ],
    runs: &[run(7, &["1", "256", "256"])],
    axis: "bytes",
    values: ITERATION,
    findings: &[Finding::Variants],
};

const ALLOCATOR: Experiment = Experiment {
    program: "allocator",
    series: &[
        ours("Simurgh", Placement::AllCores, &[]),
        peer("glibc", Placement::AllCores),
        peer("mimalloc", Placement::AllCores),
        peer("jemalloc", Placement::AllCores),
        peer("tcmalloc", Placement::AllCores),
    ],
    runs: &[run(1, &[]), run(2, &[]), run(8, &[]), run(32, &[])],
    axis: "ranks",
    values: &[time(
        "replaced",
        "A block freed and another allocated, ns of a core",
    )],
    findings: &[Finding::Peers],
};

const SOURCE: &str = "Mei, Zheng, Gioachin, Kalé, “Optimizing a Parallel Runtime System for Multicore Clusters: A \
                      Case Study”, TeraGrid 2010";

const UNBALANCED: Experiment = Experiment {
    program: "unbalanced",
    series: &[
        ours(
            "no stealing",
            Placement::AllCores,
            &["--policy", "affine", "--steal-within", "l2cache"],
        ),
        ours("wq", Placement::AllCores, &[]),
        ours("balance", Placement::AllCores, &["--policy", "balance"]),
    ],
    runs: &[
        run(8, &["10000", "6000"]),
        run(16, &["10000", "3000"]),
        run(64, &["10000", "750"]),
    ],
    axis: "ranks",
    values: &[
        time("first", "The first 300 steps, as a multiple of the ideal time"),
        time(
            "later",
            "300 steps some seconds later, as a multiple of the ideal time",
        ),
    ],
    findings: &[Finding::Variants],
};

pub(super) const FIGURES: &[Figure] = &[
    Figure {
        name: "charm-neighbours",
        source: SOURCE,
        title: "Charm++: kNeighbor with three neighbours on each side",
        paper: "the time of an iteration in which each element sends to its k neighbours on both sides, over the \
                size of messages, as one optimisation of the runtime is added after the other. The abstract names \
                gains of about 20 % for NAMD and 10 % for ChaNGa by all of them.",
        here: "16 ranks on two cores. Then each part of ours that has a switch is switched off by itself: the \
               binding of virtual processors to cores; messages inside the entry of the unexpected queue; eager \
               messages; taking ranks over from other virtual processors; and ranks that share a process (and with \
               that their heaps). Run queues for each virtual processor have no switch, for there is no other \
               kind.",
        experiments: &[NEIGHBOURS, SWITCHED_OFF],
    },
    Figure {
        name: "charm-maps",
        source: SOURCE,
        title: "Charm++: kNeighbor with one neighbour under several maps",
        paper: "the time of an iteration with seven elements, k = 1 and 256 bytes under several maps of \
                elements to cores.",
        here: "seven ranks on two cores: where the policy puts them, bound in two blocks, bound in turns, and all on \
               one core.",
        experiments: &[MAPS],
    },
    Figure {
        name: "charm-allocator",
        source: SOURCE,
        title: "Charm++: the allocator test",
        paper: "a test of allocators under many threads of a process.",
        here: "1 to 32 ranks on two cores, each of which replaces blocks of up to 1 KiB. With Simurgh all ranks \
               share a process. The other allocators have a process for each rank, so nothing is contended there.",
        experiments: &[ALLOCATOR],
    },
    Figure {
        name: "charm-balance",
        source: "no figure of a paper: Charm++ moves objects by measured load, Phoenix and MPC plan it for tasks",
        title: "Charm++: rebalancing by measured load",
        paper: "tasks that are more than the cores can move between them, so that each core has as much to do.",
        here: "8 to 64 ranks on two cores. Those of the first half have three times as much to do as the others, and \
               all meet in a barrier after each step. Without stealing, the core with the first half takes 1.5 times \
               the ideal time. Under wq, idle virtual processors take ranks over, at each step anew. Under balance, \
               ranks move for good.",
        experiments: &[UNBALANCED],
    },
];
