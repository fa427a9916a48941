//! The options of `mpiexec`.

/// What an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id {
    /// Number of ranks.
    Ranks,
    /// Working directory.
    Wdir,
    /// Variable for one program, Open MPI's way.
    Export,
    /// Variable for one program, MPICH's way.
    Env,
    /// Variable for all programs.
    GlobalEnv,
    /// Threads or processes.
    Mode,
    /// Virtual processors.
    Vps,
    /// Stack of a rank.
    StackSize,
    /// Scheduling policy.
    Policy,
    /// Seed of the deterministic order.
    Seed,
    /// Time limit.
    Timeout,
    /// Tagged output.
    Tag,
    /// Statistics at the end.
    Stats,
    /// Help.
    Help,
    /// Version.
    Version,
}

/// What an option holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The program it stands before.
    Program,
    /// The whole job.
    Job,
}

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Nothing.
    Flag,
    /// One value.
    One(&'static str),
    /// Two values.
    Two(&'static str, &'static str),
}

/// An option.
#[derive(Debug)]
pub struct OptionInfo {
    /// What it is.
    pub id: Id,
    /// Its names without dashes; those of one letter have one dash, the others one or two.
    pub names: &'static [&'static str],
    /// What follows it.
    pub arity: Arity,
    /// What it holds for.
    pub scope: Scope,
    /// Environment variables that set it where the command line does not, the first set one wins.
    pub variables: &'static [&'static str],
    /// What it does.
    pub help: &'static str,
}

/// All options, in the order of the help text.
pub const OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        id: Id::Ranks,
        names: &["n", "np", "c"],
        arity: Arity::One("N"),
        scope: Scope::Program,
        variables: &[],
        help: "number of ranks [1]",
    },
    OptionInfo {
        id: Id::Wdir,
        names: &["wdir", "wd"],
        arity: Arity::One("DIR"),
        scope: Scope::Program,
        variables: &[],
        help: "working directory of the ranks; the same one for all programs of a job",
    },
    OptionInfo {
        id: Id::Export,
        names: &["x"],
        arity: Arity::One("NAME[=VALUE]"),
        scope: Scope::Program,
        variables: &[],
        help: "set an environment variable, or pass it on (all are passed on anyway)",
    },
    OptionInfo {
        id: Id::Env,
        names: &["env"],
        arity: Arity::Two("NAME", "VALUE"),
        scope: Scope::Program,
        variables: &[],
        help: "set an environment variable",
    },
    OptionInfo {
        id: Id::GlobalEnv,
        names: &["genv"],
        arity: Arity::Two("NAME", "VALUE"),
        scope: Scope::Job,
        variables: &[],
        help: "set an environment variable for all programs",
    },
    OptionInfo {
        id: Id::Mode,
        names: &["mode"],
        arity: Arity::One("auto|threads"),
        scope: Scope::Job,
        variables: &["SIMURGH_MODE"],
        help: "threads: all ranks in one process; auto: that where the program allows it [auto]",
    },
    OptionInfo {
        id: Id::Vps,
        names: &["vps"],
        arity: Arity::One("N"),
        scope: Scope::Job,
        variables: &["SIMURGH_VPS"],
        help: "virtual processors that run the ranks [one per core]",
    },
    OptionInfo {
        id: Id::StackSize,
        names: &["stack-size"],
        arity: Arity::One("SIZE"),
        scope: Scope::Job,
        variables: &["SIMURGH_STACK_SIZE"],
        help: "stack of each rank, such as 512K or 64M [as ulimit -s]",
    },
    OptionInfo {
        id: Id::Policy,
        names: &["policy"],
        arity: Arity::One("wq"),
        scope: Scope::Job,
        variables: &["SIMURGH_POLICY"],
        help: "scheduling policy; wq: every virtual processor runs whatever is ready [wq]",
    },
    OptionInfo {
        id: Id::Seed,
        names: &["seed"],
        arity: Arity::One("N"),
        scope: Scope::Job,
        variables: &["SIMURGH_SEED"],
        help: "run the ranks in an order that this number decides, to find ordering bugs",
    },
    OptionInfo {
        id: Id::Timeout,
        names: &["timeout"],
        arity: Arity::One("SECONDS"),
        scope: Scope::Job,
        variables: &["SIMURGH_TIMEOUT", "MPIEXEC_TIMEOUT"],
        help: "end the job after this time with status 124 and say what each rank was doing",
    },
    OptionInfo {
        id: Id::Tag,
        names: &["l", "tag-output"],
        arity: Arity::Flag,
        scope: Scope::Job,
        variables: &["SIMURGH_TAG_OUTPUT"],
        help: "begin each line of output with the rank it comes from",
    },
    OptionInfo {
        id: Id::Stats,
        names: &["stats"],
        arity: Arity::Flag,
        scope: Scope::Job,
        variables: &["SIMURGH_STATS"],
        help: "print context switches, utilisation and memory at the end",
    },
    OptionInfo {
        id: Id::Help,
        names: &["h", "help"],
        arity: Arity::Flag,
        scope: Scope::Job,
        variables: &[],
        help: "print this text",
    },
    OptionInfo {
        id: Id::Version,
        names: &["V", "version"],
        arity: Arity::Flag,
        scope: Scope::Job,
        variables: &[],
        help: "print the version",
    },
];

/// Options of other launchers that have no use here, and what to say to those who give them.
pub(super) const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["oversubscribe", "map-by", "rank-by"],
        "ranks may outnumber cores here without it, leave it out",
    ),
    (
        &["bind-to", "binding", "report-bindings"],
        "virtual processors are always bound to cores, leave it out",
    ),
    (&["allow-run-as-root"], "any user may run jobs, leave it out"),
    (
        &["genvall", "envall"],
        "the whole environment is always passed on, leave it out",
    ),
    (
        &[
            "H",
            "host",
            "hosts",
            "f",
            "hostfile",
            "machinefile",
            "ppn",
            "N",
            "npernode",
        ],
        "jobs run on this machine only",
    ),
    (&["mca", "iface", "launcher"], "it belongs to another MPI"),
];
