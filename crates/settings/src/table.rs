//! The table.

use crate::placement::Part;
use crate::{Category, Id, Item, Kind, Preset, Scope, Setting, Spelling, Verbosity};

/// All settings, in the order of [`Id`].
pub const SETTINGS: &[Setting] = &[
    Setting {
        id: Id::Mode,
        name: "mode",
        options: &[Spelling::Takes("mode")],
        variables: &["SIMURGH_MODE"],
        kind: Kind::Choice(&[
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
        ]),
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "threads: all ranks in one process; processes: one each; auto: threads where the program allows it",
    },
    Setting {
        id: Id::Timeout,
        name: "timeout",
        options: &[Spelling::Takes("timeout")],
        variables: &["SIMURGH_TIMEOUT", "MPIEXEC_TIMEOUT"],
        kind: Kind::Time,
        preset: Preset::Absent("no limit"),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "end the job after this time with status 124 and say what ranks were doing",
    },
    Setting {
        id: Id::TagOutput,
        name: "tag_output",
        options: &[Spelling::Sets("l", 1), Spelling::Sets("tag-output", 1)],
        variables: &["SIMURGH_TAG_OUTPUT"],
        kind: Kind::Flag,
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "begin each line of output with the rank it comes from",
    },
    Setting {
        id: Id::OutputDir,
        name: "output_dir",
        options: &[Spelling::Takes("output-dir")],
        variables: &["SIMURGH_OUTPUT_DIR"],
        kind: Kind::Path("DIR"),
        preset: Preset::Absent("the output of mpiexec"),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "what rank N writes goes into the files rank.N/stdout and rank.N/stderr of this directory",
    },
    Setting {
        id: Id::Stats,
        name: "stats",
        options: &[Spelling::Sets("stats", 1)],
        variables: &["SIMURGH_STATS"],
        kind: Kind::Flag,
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "print context switches, utilisation and memory at the end",
    },
    Setting {
        id: Id::Check,
        name: "check",
        options: &[Spelling::Sets("check", 2), Spelling::Sets("no-check", 0)],
        variables: &["SIMURGH_CHECK"],
        kind: Kind::Choice(&[
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
                doc: "arguments, whether ranks agree in collectives, and what is left behind when use of MPI ends",
            },
        ]),
        preset: Preset::Value(1),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "check the arguments of calls; all: and that ranks agree in collectives and leave nothing behind",
    },
    Setting {
        id: Id::InitialErrhandler,
        name: "initial_errhandler",
        options: &[Spelling::Takes("initial-errhandler")],
        variables: &["SIMURGH_INITIAL_ERRHANDLER"],
        kind: Kind::Choice(&[
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
        ]),
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserDetail,
        doc: "what an error does until the program sets an error handler, and before and after its use of MPI",
    },
    Setting {
        id: Id::HostsPerNode,
        name: "hosts_per_node",
        options: &[Spelling::Takes("hosts-per-node")],
        variables: &["SIMURGH_HOSTS_PER_NODE"],
        // Each takes a few of the descriptors that mpiexec may open.
        kind: Kind::Count { least: 1, most: 256 },
        preset: Preset::Value(1),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "processes on each node, which share its cores; each carries its part of the ranks",
    },
    Setting {
        id: Id::StartTimeout,
        name: "start_timeout",
        options: &[Spelling::Takes("start-timeout")],
        variables: &["SIMURGH_START_TIMEOUT"],
        kind: Kind::Time,
        preset: Preset::Value(60_000),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserDetail,
        doc: "end the job if its processes have not found each other after this time",
    },
    Setting {
        id: Id::Pmi,
        name: "pmi",
        options: &[Spelling::Takes("pmi")],
        variables: &["SIMURGH_PMI"],
        kind: Kind::Choice(&[
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
        ]),
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserDetail,
        doc: "what programs and launchers of other MPIs speak; with pmix, mpiexec serves it to all processes",
    },
    Setting {
        id: Id::Transport,
        name: "transport",
        options: &[Spelling::Takes("transport")],
        variables: &["SIMURGH_TRANSPORT"],
        kind: Kind::Choice(&[
            Item {
                name: "auto",
                doc: "shm between processes of a node, ofi between nodes",
            },
            Item {
                name: "shm",
                doc: "shared memory, which only processes of one node have",
            },
            Item {
                name: "ofi",
                doc: "libfabric, also between processes of one node",
            },
        ]),
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "how the processes of a job talk; auto: shm between those of a node, ofi between nodes",
    },
    Setting {
        id: Id::CrossMemory,
        name: "cross_memory",
        options: &[Spelling::Takes("cross-memory")],
        variables: &["SIMURGH_CROSS_MEMORY"],
        kind: Kind::Choice(&[
            Item {
                name: "auto",
                doc: "on where the processes of a node outnumber its cores: the sender need not run again",
            },
            Item {
                name: "on",
                doc: "the kernel copies them, where it allows that; the sender need not take part",
            },
            Item {
                name: "off",
                doc: "they go in pieces through memory that both share; both copy at a time",
            },
        ]),
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        doc: "whether the kernel copies long messages straight from process to process on a node; auto: where \
              processes outnumber cores",
    },
    Setting {
        id: Id::Provider,
        name: "provider",
        options: &[Spelling::Takes("provider")],
        variables: &["SIMURGH_PROVIDER"],
        kind: Kind::Name("PROVIDER"),
        preset: Preset::Absent("the fastest there is"),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserDetail,
        doc: "libfabric's provider (fi_info -l), such as tcp or verbs, for transport ofi",
    },
    Setting {
        id: Id::Interface,
        name: "interface",
        options: &[Spelling::Takes("interface")],
        variables: &["SIMURGH_INTERFACE"],
        kind: Kind::Name("INTERFACE"),
        preset: Preset::Absent("the first that leads to others"),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserDetail,
        doc: "network interface or device, such as eth1 or mlx5_0, for transport ofi",
    },
    Setting {
        id: Id::PeerTimeout,
        name: "peer_timeout",
        options: &[Spelling::Takes("peer-timeout")],
        variables: &["SIMURGH_PEER_TIMEOUT"],
        kind: Kind::Time,
        preset: Preset::Value(15_000),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserDetail,
        doc: "end the job if a process gives no sign of life for this time (found up to three quarters later)",
    },
    Setting {
        id: Id::Universe,
        name: "universe",
        options: &[Spelling::Takes("universe")],
        variables: &["SIMURGH_UNIVERSE"],
        kind: Kind::Path("FILE"),
        preset: Preset::Absent("the job is alone"),
        scope: Scope::Start,
        category: Category::Job,
        verbosity: Verbosity::UserBasic,
        doc: "file of `simurgh universe FILE`: the job can meet those of other mpiexecs with the same file, at ports",
    },
    Setting {
        id: Id::Vps,
        name: "vps",
        options: &[Spelling::Takes("vps")],
        variables: &["SIMURGH_VPS"],
        kind: Kind::Count { least: 1, most: 1024 },
        preset: Preset::Absent("one per core"),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserBasic,
        doc: "virtual processors that run the ranks, in each process",
    },
    Setting {
        id: Id::Policy,
        name: "policy",
        options: &[Spelling::Takes("policy")],
        variables: &["SIMURGH_POLICY"],
        kind: Kind::Choice(&[
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
        ]),
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "who drives the network between hosts; wq: whoever waits, nd: virtual processors of their own, nd+wq: \
              both, sleep: both, the former asleep until they are needed",
    },
    Setting {
        id: Id::NetworkVps,
        name: "network_vps",
        options: &[Spelling::Takes("network-vps")],
        variables: &["SIMURGH_NETWORK_VPS"],
        kind: Kind::Count { least: 1, most: 64 },
        preset: Preset::Value(1),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "virtual processors dedicated to the network, if the policy wants any",
    },
    Setting {
        id: Id::NetworkCore,
        name: "network_core",
        options: &[Spelling::Takes("network-core")],
        variables: &["SIMURGH_NETWORK_CORE"],
        kind: Kind::Count { least: 0, most: 4095 },
        preset: Preset::Absent("cores that ranks leave, or any"),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::TunerBasic,
        doc: "core of each node, counted from 0, on which virtual processors dedicated to the network run, those of \
              all its processes; more of them take the cores behind it",
    },
    Setting {
        id: Id::MapBy,
        name: "map_by",
        options: &[Spelling::Takes("map-by")],
        variables: &["SIMURGH_MAP_BY"],
        kind: Kind::Placement(Part::Map),
        preset: Preset::Absent("slot"),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "where ranks go one after the other: slot: nodes by their numbers; ppr:N:node: as -ppn N; node: nodes in \
              turn, each rank a process; UNIT, one of those of bind_to: those of a node in turn; ppr:N:UNIT: N on \
              each; :PE=N: N cores for each rank",
    },
    Setting {
        id: Id::RankBy,
        name: "rank_by",
        options: &[Spelling::Takes("rank-by")],
        variables: &["SIMURGH_RANK_BY"],
        kind: Kind::Placement(Part::Ranking),
        preset: Preset::Absent("slot"),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "which ranks have which of the places that map_by gives out: slot: in that order; fill: neighbours are \
              neighbours; node, or a unit of hardware: those take turns",
    },
    Setting {
        id: Id::BindTo,
        name: "bind_to",
        options: &[Spelling::Takes("bind-to")],
        variables: &["SIMURGH_BIND_TO"],
        kind: Kind::Placement(Part::Binding),
        preset: Preset::Absent(
            "what map_by names; else threads share the cores out, and processes run anywhere",
        ),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "the hardware that a rank does not leave: hwthread, core (each with :N), l1cache to l3cache, numa, \
              package or machine; user:LIST: these processors, one for each rank; none: the system moves threads from \
              core to core",
    },
    Setting {
        id: Id::Oversubscribe,
        name: "oversubscribe",
        options: &[
            Spelling::Sets("oversubscribe", 1),
            Spelling::Sets("nooversubscribe", 0),
        ],
        variables: &["SIMURGH_OVERSUBSCRIBE"],
        kind: Kind::Choice(&[
            Item {
                name: "no",
                doc: "a job whose ranks outnumber the places for them is refused",
            },
            Item {
                name: "yes",
                doc: "ranks share places",
            },
        ]),
        preset: Preset::Value(1),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "whether ranks may outnumber the places for them: slots of nodes, or cores",
    },
    Setting {
        id: Id::ReportBindings,
        name: "report_bindings",
        options: &[Spelling::Sets("report-bindings", 1)],
        variables: &["SIMURGH_REPORT_BINDINGS"],
        kind: Kind::Flag,
        preset: Preset::Value(0),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "say for each rank at the start what it is bound to",
    },
    Setting {
        id: Id::StackSize,
        name: "stack_size",
        options: &[Spelling::Takes("stack-size")],
        variables: &["SIMURGH_STACK_SIZE"],
        // libc, the loader and a signal handler need the least; a thousand of the largest still fit the address space.
        kind: Kind::Size {
            least: 64 << 10,
            most: 64 << 30,
        },
        preset: Preset::Absent("as ulimit -s"),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserBasic,
        doc: "stack of each rank, such as 512K or 64M",
    },
    Setting {
        id: Id::Seed,
        name: "seed",
        options: &[Spelling::Takes("seed")],
        variables: &["SIMURGH_SEED"],
        kind: Kind::Count {
            least: 0,
            most: u64::MAX,
        },
        preset: Preset::Absent("natural order"),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::UserDetail,
        doc: "run the ranks in an order that this number decides, to find ordering bugs",
    },
    Setting {
        id: Id::Patience,
        name: "patience",
        options: &[Spelling::Takes("patience")],
        variables: &["SIMURGH_PATIENCE"],
        kind: Kind::Count {
            least: 0,
            most: 1 << 32,
        },
        preset: Preset::Value(100),
        scope: Scope::Start,
        category: Category::Scheduling,
        verbosity: Verbosity::TunerDetail,
        doc: "milliseconds for which a rank may keep its virtual processor, without a call of MPI, from others that \
              could go on there, before they do so on another thread; 0: for ever",
    },
    Setting {
        id: Id::InlineLimit,
        name: "inline_limit",
        options: &[Spelling::Takes("inline-limit")],
        variables: &["SIMURGH_INLINE_LIMIT"],
        // An entry has no more room.
        kind: Kind::Size { least: 0, most: 56 },
        preset: Preset::Value(56),
        scope: Scope::Start,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerDetail,
        doc: "an unexpected message up to this size is kept inside its queue entry",
    },
    Setting {
        id: Id::EagerLimit,
        name: "eager_limit",
        options: &[Spelling::Takes("eager-limit")],
        variables: &["SIMURGH_EAGER_LIMIT"],
        kind: Kind::Size {
            least: 0,
            most: 1 << 30,
        },
        preset: Preset::Value(8 << 10),
        scope: Scope::Rank,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        doc: "a standard send up to this size completes at once, by a copy if need be; to another host, up to four \
              times this size",
    },
    Setting {
        id: Id::BacklogLimit,
        name: "backlog_limit",
        options: &[Spelling::Takes("backlog-limit")],
        variables: &["SIMURGH_BACKLOG_LIMIT"],
        kind: Kind::Size {
            least: 0,
            most: 1 << 40,
        },
        preset: Preset::Value(64 << 20),
        scope: Scope::Rank,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        doc: "with this much copied out but not received at a rank, standard sends to it wait",
    },
    Setting {
        id: Id::EagerWindow,
        name: "eager_window",
        options: &[Spelling::Takes("eager-window")],
        variables: &["SIMURGH_EAGER_WINDOW"],
        kind: Kind::Size {
            least: 0,
            most: 1 << 30,
        },
        preset: Preset::Value(4 << 20),
        scope: Scope::Start,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        doc: "with this much sent by a host to another and not received there, its sends wait to be asked for",
    },
    Setting {
        id: Id::ScanLimit,
        name: "scan_limit",
        options: &[Spelling::Takes("scan-limit")],
        variables: &["SIMURGH_SCAN_LIMIT"],
        kind: Kind::Count {
            least: 0,
            most: 1 << 20,
        },
        preset: Preset::Value(8),
        scope: Scope::Start,
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerDetail,
        doc: "a match queue of up to this many entries is scanned, a longer one is indexed",
    },
    Setting {
        id: Id::Collectives,
        name: "collectives",
        options: &[Spelling::Takes("collectives")],
        variables: &["SIMURGH_COLLECTIVES"],
        kind: Kind::Rules,
        preset: Preset::Absent("as built in"),
        scope: Scope::Start,
        category: Category::Collectives,
        verbosity: Verbosity::TunerDetail,
        doc: "rules for choosing algorithms that come after those built in (simurgh info --collectives)",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn settings_stand_at_their_numbers_under_names_of_their_own() {
        let mut names = BTreeSet::new();
        for (place, setting) in SETTINGS.iter().enumerate() {
            assert_eq!(setting.id as usize, place);
            let options = setting.options.iter().map(|option| option.name());
            let all = options.chain(setting.variables.iter().copied());
            for name in all.chain([setting.name]) {
                let own = name == setting.name || names.insert(name);
                assert!(own, "{name} stands in the table twice");
            }
            assert!(setting.variables[0] == format!("SIMURGH_{}", setting.name.to_uppercase()));
            assert!(!setting.doc.ends_with('.'), "{}", setting.name);
        }
    }

    #[test]
    fn presets_and_switches_are_allowed_values() {
        for setting in SETTINGS {
            if let Preset::Value(value) = setting.preset {
                assert!(setting.kind.allows(value), "{}", setting.name);
            }
            for option in setting.options {
                if let Spelling::Sets(name, value) = option {
                    assert!(setting.kind.allows(*value), "{name}");
                }
            }
        }
    }
}
