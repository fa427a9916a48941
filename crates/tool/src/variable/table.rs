//! The table of all performance variables.

use super::{Bound, Class, ReadStats, Source, Variable};
use simurgh_instrument::{COLLECTIVES, FileTraffic, WindowTotals};
use simurgh_mpi::Comm;
use simurgh_sched::DomainKind;
use simurgh_settings::{Category, Verbosity};

/// The variables in the order of their indices.
pub(super) fn variables() -> Vec<Variable> {
    let mut all = queues();
    all.extend(traffic());
    all.extend(network());
    all.extend(collectives());
    all.extend(windows());
    all.extend(processors());
    all.extend(domains());
    all.push(purposes());
    all.extend(heaps());
    all.extend(files());
    all
}

/// A variable in the category of messages that belongs to no object.
fn variable(name: &str, class: Class, source: Source, doc: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        doc: doc.to_owned(),
        class,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        bound: Bound::NoObject,
        source,
    }
}

fn queues() -> Vec<Variable> {
    use Class::{HighWatermark, Level};
    let queue = |name, class, read, doc| variable(name, class, Source::Queues(read), doc);
    let of_comm = |name, read, doc| Variable {
        bound: Bound::Comm,
        verbosity: Verbosity::TunerDetail,
        ..variable(name, Level, Source::Queues(read), doc)
    };
    vec![
        queue(
            "posted_recvq_length",
            Level,
            |process, _| process.queues().posted(None),
            "receives that wait for their messages",
        ),
        queue(
            "posted_recvq_length_max",
            HighWatermark,
            |process, _| process.queues().posted_most(),
            "the most receives that have waited for their messages at one time",
        ),
        queue(
            "unexpected_recvq_length",
            Level,
            |process, _| process.queues().unexpected(None),
            "messages that wait for their receives",
        ),
        queue(
            "unexpected_recvq_length_max",
            HighWatermark,
            |process, _| process.queues().unexpected_most(),
            "the most messages that have waited for their receives at one time",
        ),
        queue(
            "unexpected_recvq_bytes",
            Level,
            |process, _| process.queues().unexpected_bytes(None),
            "bytes of the messages that wait for their receives",
        ),
        of_comm(
            "comm_posted_recvq_length",
            |process, comm| process.queues().posted(comm.map(Comm::context)),
            "receives on the communicator that wait for their messages",
        ),
        of_comm(
            "comm_unexpected_recvq_length",
            |process, comm| process.queues().unexpected(comm.map(Comm::context)),
            "messages on the communicator that wait for their receives",
        ),
        of_comm(
            "comm_unexpected_recvq_bytes",
            |process, comm| process.queues().unexpected_bytes(comm.map(Comm::context)),
            "bytes of the messages on the communicator that wait for their receives",
        ),
        Variable {
            category: Category::Job,
            verbosity: Verbosity::UserDetail,
            ..queue(
                "phase",
                Class::State,
                |process, _| process.phase() as u64,
                "whether the rank is before, in or after its use of MPI",
            )
        },
    ]
}

fn traffic() -> Vec<Variable> {
    use Class::{Aggregate, Counter, Timer};
    const CLASSES: &str = "by size: below 16 bytes, 256, 4K, 64K, 1M, 16M, and larger";
    let by_size = |name, class, read, what| {
        let doc = format!("{what}, {CLASSES}");
        variable(name, class, Source::Counted(read, 0), &doc)
    };
    let one = |name, class, read, doc| variable(name, class, Source::Counted(read, 0), doc);
    vec![
        by_size(
            "messages_sent",
            Counter,
            |counters, _| counters.sent.messages(),
            "messages that the rank has sent, partitioned ones not counted",
        ),
        by_size(
            "bytes_sent",
            Aggregate,
            |counters, _| counters.sent.bytes(),
            "bytes of the messages that the rank has sent",
        ),
        by_size(
            "messages_received",
            Counter,
            |counters, _| counters.received.messages(),
            "messages that have met a receive of the rank, partitioned ones not counted",
        ),
        by_size(
            "bytes_received",
            Aggregate,
            |counters, _| counters.received.bytes(),
            "bytes of the messages that have met a receive of the rank",
        ),
        one(
            "unexpected_messages",
            Counter,
            |counters, _| vec![counters.unexpected()],
            "messages that have come to the rank and found no receive",
        ),
        Variable {
            category: Category::Scheduling,
            ..one(
                "blocked_calls",
                Counter,
                |counters, _| vec![counters.blocked_calls()],
                "times the rank has waited in a call",
            )
        },
        Variable {
            category: Category::Scheduling,
            ..one(
                "time_blocked",
                Timer,
                |counters, _| vec![counters.blocked_ns()],
                "nanoseconds for which the rank has waited in calls",
            )
        },
    ]
}

fn network() -> Vec<Variable> {
    use Class::{Aggregate, Counter};
    let of_host = |name, class, read, doc| variable(name, class, Source::Network(read), doc);
    vec![
        of_host(
            "network_packets_sent",
            Counter,
            |network| network.stats().packets_sent,
            "packets that the rank's host has sent to others",
        ),
        of_host(
            "network_packets_received",
            Counter,
            |network| network.stats().packets_received,
            "packets that the rank's host has received from others",
        ),
        of_host(
            "network_bytes_sent",
            Aggregate,
            |network| network.stats().bytes_sent,
            "bytes of data in packets that the rank's host has sent to others",
        ),
        of_host(
            "network_bytes_received",
            Aggregate,
            |network| network.stats().bytes_received,
            "bytes of data in packets that the rank's host has received from others",
        ),
        of_host(
            "network_packets_dropped",
            Counter,
            |network| network.stats().dropped,
            "packets that made no sense, or were not the job's",
        ),
        of_host(
            "network_stalls",
            Counter,
            |network| network.stats().stalls,
            "short messages that were not sent before they were asked for, because too much was unreceived",
        ),
    ]
}

fn collectives() -> impl Iterator<Item = Variable> {
    COLLECTIVES.iter().enumerate().map(|(kind, name)| Variable {
        category: Category::Collectives,
        ..variable(
            &format!("collectives_{name}"),
            Class::Counter,
            Source::Counted(|counters, kind| vec![counters.collectives(kind)], kind),
            &format!("collective operations of the kind {name} in which the rank has taken part"),
        )
    })
}

fn processors() -> Vec<Variable> {
    let of_each = |name, class, read, doc| Variable {
        category: Category::Scheduling,
        ..variable(name, class, Source::Processors(read), doc)
    };
    vec![
        of_each(
            "vp_switches",
            Class::Counter,
            |vp| vp.switches,
            "times each virtual processor has resumed an execution context",
        ),
        of_each(
            "vp_idle_time",
            Class::Timer,
            |vp| vp.idle_ns,
            "nanoseconds for which each virtual processor has had nothing to run",
        ),
        of_each(
            "vp_compute_time",
            Class::Timer,
            |vp| vp.compute_ns,
            "nanoseconds for which each virtual processor has run execution contexts",
        ),
        of_each(
            "vp_sleeps",
            Class::Counter,
            |vp| vp.sleeps,
            "times each virtual processor has gone to sleep in the kernel",
        ),
        of_each(
            "vp_network_polls",
            Class::Counter,
            |vp| vp.polls,
            "times each virtual processor has looked after the network and found something to do",
        ),
        of_each(
            "vp_network_time",
            Class::Timer,
            |vp| vp.network_ns,
            "nanoseconds for which each virtual processor has looked after the network, estimated",
        ),
        of_each(
            "vp_utilisation",
            Class::Percentage,
            |vp| vp.utilisation().to_bits(),
            "share of its time in which each virtual processor has had something to run",
        ),
    ]
}

/// What is told of the virtual processors of a domain: names, classes, sources, descriptions.
const OF_DOMAINS: [(&str, Class, ReadStats, &str); 5] = [
    (
        "switches",
        Class::Counter,
        |vps| vps.switches,
        "times execution contexts have been resumed",
    ),
    (
        "idle_time",
        Class::Timer,
        |vps| vps.idle_ns,
        "nanoseconds without anything to run",
    ),
    (
        "compute_time",
        Class::Timer,
        |vps| vps.compute_ns,
        "nanoseconds in which execution contexts have run",
    ),
    (
        "network_time",
        Class::Timer,
        |vps| vps.network_ns,
        "nanoseconds in which the network was looked after, estimated",
    ),
    (
        "utilisation",
        Class::Percentage,
        |vps| vps.utilisation().to_bits(),
        "share of the time in which there was something to run",
    ),
];

fn domains() -> impl Iterator<Item = Variable> {
    let kinds = [
        ("package", DomainKind::Package),
        ("numa", DomainKind::Numa),
        ("l3cache", DomainKind::L3),
        ("l2cache", DomainKind::L2),
    ];
    let of_kind = |(kind_name, kind): (&'static str, DomainKind)| {
        OF_DOMAINS.iter().map(move |&(name, class, read, what)| Variable {
            category: Category::Scheduling,
            verbosity: Verbosity::TunerDetail,
            ..variable(
                &format!("{kind_name}_{name}"),
                class,
                Source::Domains(kind, read),
                &format!(
                    "{what}, of all virtual processors of each {kind}, or of each wider piece of hardware where the \
                     machine has none of this kind"
                ),
            )
        })
    };
    kinds.into_iter().flat_map(of_kind)
}

fn purposes() -> Variable {
    Variable {
        category: Category::Scheduling,
        ..variable(
            "ranks_by_purpose",
            Class::Level,
            Source::Purposes,
            "ranks of the process that compute, that wait for the network or are about it, that wait for files or are \
             about I/O",
        )
    }
}

fn heaps() -> Vec<Variable> {
    use Class::{HighWatermark, Level};
    let of_rank = |name, class, read, doc| Variable {
        category: Category::Memory,
        ..variable(name, class, Source::Heaps(read), doc)
    };
    vec![
        of_rank(
            "heap_blocks",
            Level,
            |heaps| vec![heaps.in_use().count],
            "blocks that the rank's program has allocated and not freed; 0 where the rank has no heap of its own",
        ),
        of_rank(
            "heap_bytes",
            Level,
            |heaps| vec![heaps.in_use().bytes],
            "bytes of the blocks that the rank's program has allocated and not freed",
        ),
        of_rank(
            "heap_held",
            Level,
            |heaps| vec![heaps.held],
            "bytes of memory that the rank's heaps hold for its blocks, with what is free between them",
        ),
        of_rank(
            "heap_held_max",
            HighWatermark,
            |heaps| vec![heaps.most_held],
            "the most bytes that the rank's heaps have held for blocks",
        ),
        Variable {
            category: Category::Memory,
            ..variable(
                "heap_remote",
                Level,
                Source::Nodes(|share| share.elsewhere),
                "bytes of the memory of the rank's heaps that lie on other NUMA nodes than the processor that runs it, \
                 estimated; 0 on a machine with one node",
            )
        },
        Variable {
            verbosity: Verbosity::TunerDetail,
            ..of_rank(
                "heap_blocks_by_size",
                Level,
                |heaps| {
                    heaps
                        .classes
                        .iter()
                        .chain([&heaps.long])
                        .map(|blocks| blocks.count)
                        .collect()
                },
                "blocks in use by size: up to 16, 32, 48, … 128 bytes, then four sizes for each doubling up to 32 KiB, \
                 and longer; without the first few of each size",
            )
        },
    ]
}

/// What is counted of accesses to files: all of them, and those to a file.
fn files() -> Vec<Variable> {
    use Class::{Aggregate, Counter, Timer};
    const KINDS: &str = "by kind: reads, writes, collective reads, collective writes";
    type Read = fn(&FileTraffic) -> Vec<u64>;
    let rows: [(_, _, Read, _); 3] = [
        (
            "accesses",
            Counter,
            FileTraffic::accesses,
            "accesses of the rank to",
        ),
        (
            "bytes",
            Aggregate,
            FileTraffic::bytes,
            "bytes that the rank has read from or written to",
        ),
        (
            "time",
            Timer,
            FileTraffic::nanoseconds,
            "nanoseconds from the time on when all ranks of a host have come, until the data has been moved, of \
             accesses of the rank to",
        ),
    ];
    rows.map(|(name, class, read, what)| {
        let of = |prefix, object| Variable {
            category: Category::Files,
            ..variable(
                &format!("{prefix}_{name}"),
                class,
                Source::Files(read),
                &format!("{what} {object}, {KINDS}"),
            )
        };
        [of("files", "files"), bound(Bound::File, of("file", "the file"))]
    })
    .into_iter()
    .flatten()
    .collect()
}

/// What is counted of one-sided communication: in all windows, and in a window.
fn windows() -> Vec<Variable> {
    use Class::{Aggregate, Counter, Timer};
    const OPERATIONS: &str =
        "by kind: put, get, accumulate, get_accumulate with fetch_and_op, compare_and_swap";
    const PLACES: &str = "by the target's memory: in the rank's process, shared with the target's process, in a \
                          process that is sent messages";
    const CALLS: &str = "by kind: fence, post, start, complete, wait with test, lock with lock_all, unlock with \
                         unlock_all, all forms of flush";
    type Read = fn(&WindowTotals) -> Vec<u64>;
    let rows: [(_, _, Read, _, _); 6] = [
        (
            "operations",
            Counter,
            |all| by_kind(&all.operations),
            "one-sided operations of the rank in",
            OPERATIONS,
        ),
        (
            "bytes",
            Aggregate,
            |all| by_kind(&all.bytes),
            "bytes at the targets of one-sided operations of the rank in",
            OPERATIONS,
        ),
        (
            "operations_by_target",
            Counter,
            |all| by_place(&all.operations),
            "one-sided operations of the rank in",
            PLACES,
        ),
        (
            "bytes_by_target",
            Aggregate,
            |all| by_place(&all.bytes),
            "bytes at the targets of one-sided operations of the rank in",
            PLACES,
        ),
        (
            "synchronisations",
            Counter,
            |all| all.calls.to_vec(),
            "calls of the rank that synchronise",
            CALLS,
        ),
        (
            "synchronisation_time",
            Timer,
            |all| all.nanoseconds.to_vec(),
            "nanoseconds in calls of the rank that synchronise",
            CALLS,
        ),
    ];
    rows.map(|(name, class, read, what, kinds)| {
        let of = |prefix, object| Variable {
            category: Category::OneSided,
            ..variable(
                &format!("{prefix}_{name}"),
                class,
                Source::Windows(read),
                &format!("{what} {object}, {kinds}"),
            )
        };
        [
            of("windows", "windows"),
            bound(Bound::Window, of("window", "the window")),
        ]
    })
    .into_iter()
    .flatten()
    .collect()
}

/// Sums over the places of targets.
fn by_kind<const N: usize>(counts: &[[u64; N]]) -> Vec<u64> {
    counts.iter().map(|of_kind| of_kind.iter().sum()).collect()
}

/// Sums over the kinds of operations.
fn by_place<const N: usize>(counts: &[[u64; N]]) -> Vec<u64> {
    (0..N)
        .map(|place| counts.iter().map(|of_kind| of_kind[place]).sum())
        .collect()
}

/// A variable that belongs to an object.
fn bound(bound: Bound, variable: Variable) -> Variable {
    Variable {
        bound,
        verbosity: Verbosity::TunerDetail,
        ..variable
    }
}
