//! Figures of MPC: Pérache, Jourdren, Namyst, “MPC: A Unified Parallel Runtime for Clusters of NUMA Machines”, Euro-Par
//! 2008; Pérache, Carribault, Jourdren, “MPC-MPI: An MPI Implementation Reducing the Overall Memory Consumption”,
//! EuroPVM/MPI 2009; Didelot, Carribault, Pérache, Jalby, “Improving MPI Communication Overlap with Collaborative
//! Polling”, EuroMPI 2012.

use super::super::experiment::Placement;
use super::figure::{Experiment, Figure, Finding, Run, Series, everybody, ours, peer, run, time};

const ALL_CORES: &[Series] = &everybody(Placement::AllCores);

/// Our MPI up to the end, peers as long as their processes start within seconds.
const TASKS: &[Run] = &[
    run(1, &[]),
    run(2, &[]),
    run(4, &[]),
    run(8, &[]),
    run(16, &[]),
    run(32, &[]),
    run(64, &[]),
    run(128, &[]),
    run(256, &[]),
    run(512, &[]),
];

const fn few(series: Series) -> Series {
    Series { most: 16, ..series }
}

const KERNEL_SERIES: &[Series] = &[
    ALL_CORES[0],
    few(ALL_CORES[1]),
    few(ALL_CORES[2]),
    few(ALL_CORES[3]),
];

const ADVECTION: Experiment = Experiment {
    program: "advection",
    series: KERNEL_SERIES,
    runs: TASKS,
    axis: "tasks on two cores",
    values: &[time("step", "Step of advection, µs")],
    findings: &[Finding::PeerAt(2)],
};

const ANEW: &[&str] = &["2048", "20", "1"];

const ALLOCATING: Experiment = Experiment {
    program: "advection",
    series: &[
        ours("Simurgh", Placement::AllCores, &[]),
        few(peer("glibc", Placement::AllCores)),
    ],
    runs: &[
        run(2, ANEW),
        run(8, ANEW),
        run(16, ANEW),
        run(64, ANEW),
        run(256, ANEW),
    ],
    axis: "tasks on two cores",
    values: &[time("step", "Step of advection that allocates its field, µs")],
    findings: &[Finding::PeerAt(2)],
};

const CONDUCTION: Experiment = Experiment {
    program: "conduction",
    series: KERNEL_SERIES,
    runs: TASKS,
    axis: "tasks on two cores",
    values: &[time("iteration", "Iteration of conduction, µs")],
    findings: &[Finding::PeerAt(2)],
};

const POLLING: Experiment = Experiment {
    program: "collaborative",
    series: &[
        ours("wq", Placement::AllCores, TWO_HOSTS),
        ours(
            "nd",
            Placement::AllCores,
            &[
                "--hosts-per-node",
                "2",
                "--transport",
                "ofi",
                "--provider",
                "tcp",
                "--interface",
                "lo",
                "--policy",
                "nd",
            ],
        ),
    ],
    runs: &[run(8, &[])],
    axis: "bytes",
    values: &[
        time(
            "alone",
            "In MPI after work, while the others of the process compute, µs",
        ),
        time(
            "helped",
            "In MPI after work, while the others of the process wait, µs",
        ),
    ],
    findings: &[Finding::Variants],
};

const TWO_HOSTS: &[&str] = &[
    "--hosts-per-node",
    "2",
    "--transport",
    "ofi",
    "--provider",
    "tcp",
    "--interface",
    "lo",
];

const MEMORY: Experiment = Experiment {
    program: "memory_per_task",
    series: &[
        ours("Simurgh", Placement::AllCores, &[]),
        ours("two processes", Placement::AllCores, &["--hosts-per-node", "2"]),
        ours("two over TCP", Placement::AllCores, TWO_HOSTS),
        few(ALL_CORES[1]),
        few(ALL_CORES[2]),
        few(ALL_CORES[3]),
    ],
    runs: &[
        run(8, &[]),
        run(16, &[]),
        run(64, &[]),
        run(256, &[]),
        run(1024, &[]),
    ],
    axis: "ranks",
    values: &[
        time("memory", "Memory (PSS) for each rank, KiB"),
        time("whole", "Memory (PSS) of the job, MiB"),
    ],
    findings: &[Finding::Peers, Finding::Variants],
};

const WAKE_UP: Experiment = Experiment {
    program: "wake_up",
    series: ALL_CORES,
    runs: &[
        run(2, &[]),
        run(8, &[]),
        run(16, &[]),
        run(64, &[]),
        run(256, &[]),
        run(1024, &[]),
    ],
    axis: "tasks on two cores",
    values: &[
        time("barrier", "Barrier, ns for each task"),
        time("sum", "Allreduce of an integer, ns for each task"),
    ],
    findings: &[Finding::Peers, Finding::Change],
};

const RUNTIME: &str = "Pérache, Jourdren, Namyst, “MPC: A Unified Parallel Runtime for Clusters of NUMA Machines”, \
                       Euro-Par 2008";

pub(super) const FIGURES: &[Figure] = &[
    Figure {
        name: "mpc-advection",
        source: RUNTIME,
        title: "MPC: advection over 1 to 512 tasks",
        paper: "an advection benchmark as up to hundreds of tasks, beside MPIs with a process for each core, and \
                with the allocator of the C library in place of MPC's own.",
        here: "an upwind scheme on 2048² cells, one direction after the other, strong scaling. 512 tasks have 128 \
               KiB each, 64 have 1 MiB, which the second cache of a core holds. The second table is for steps that \
               allocate their field anew, with our heaps and with a process for each task and the C library's \
               allocator.",
        experiments: &[ADVECTION, ALLOCATING],
    },
    Figure {
        name: "mpc-conduction",
        source: RUNTIME,
        title: "MPC: conduction over 1 to 512 tasks",
        paper: "a heat conduction benchmark, whose implicit solver calls collectives all the time, likewise.",
        here: "an implicit step on 2048² cells by 30 iterations of conjugate gradients, each with a halo exchange \
               and two sums over all tasks.",
        experiments: &[CONDUCTION],
    },
    Figure {
        name: "mpc-polling",
        source: "Didelot, Carribault, Pérache, Jalby, “Improving MPI Communication Overlap with Collaborative \
                 Polling”, EuroMPI 2012",
        title: "MPC: time in MPI with collaborative polling",
        paper: "a rank that computes does not look after its messages. Ranks of its process that wait do so for \
                it, so that it spends less time in MPI.",
        here: "eight ranks in two processes that talk over TCP. Rank 0 computes for 2 ms while a message to it is \
               under way, and waits for it then. The other ranks of its process compute as well, or wait. With the \
               policy nd a virtual processor of its own looks after messages, whatever ranks do.",
        experiments: &[POLLING],
    },
    Figure {
        name: "mpc-memory",
        source: "Pérache, Carribault, Jourdren, “MPC-MPI: An MPI Implementation Reducing the Overall Memory \
                 Consumption”, EuroPVM/MPI 2009",
        title: "MPC: memory for each task",
        paper: "memory for each task, where tasks of a process share what the MPI needs.",
        here: "8 to 1,024 ranks in one process, and in two that talk through shared memory or TCP: the difference to \
               one process is what talking takes. Peers have 16 ranks at most.",
        experiments: &[MEMORY],
    },
    Figure {
        name: "mpc-wake-up",
        source: RUNTIME,
        title: "MPC: the cost of waking tasks in collectives",
        paper: "collectives are part of the scheduler: the last task to arrive makes the others ready.",
        here: "barriers and sums of up to 1,024 tasks on two cores. Peers have 64 at most, and yield.",
        experiments: &[WAKE_UP],
    },
];
