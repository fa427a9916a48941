//! The options of `mpiexec`: those that describe the job itself, and one or more for each setting.

use simurgh_settings::{Item, Kind, SETTINGS, Setting, Spelling};
use std::sync::LazyLock;

/// The meaning of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id {
    /// Number of ranks.
    Ranks,
    /// Working directory.
    Wdir,
    /// Variable for one program, in Open MPI's form.
    Export,
    /// Variable for one program, in MPICH's form.
    Env,
    /// Variable for all programs.
    GlobalEnv,
    /// The command through which hosts are started.
    HostWrapper,
    /// Where the job runs.
    Place(Place),
    /// A setting of the job; an option without a value sets it to this value.
    Setting(simurgh_settings::Id, Option<u64>),
    /// Help.
    Help,
    /// Version.
    Version,
}

/// The options that say where a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The nodes.
    Hosts,
    /// A file of nodes.
    File,
    /// The number of ranks on each node.
    PerNode,
    /// The kind of command that starts agents.
    Launcher,
    /// The command itself.
    Command,
    /// The processors.
    Cpus,
    /// How many agents a process starts.
    Width,
}

/// The part of the job for which an option holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The program that follows.
    Program,
    /// The whole job.
    Job,
}

/// The number of values that follow an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Nothing.
    Flag,
    /// One value.
    One(String),
    /// Two values.
    Two(&'static str, &'static str),
}

/// An option.
#[derive(Debug)]
pub struct OptionInfo {
    /// Its meaning.
    pub id: Id,
    /// Its names without dashes. Names of one letter have one dash, the others one or two.
    pub names: Vec<&'static str>,
    /// The values that follow it.
    pub arity: Arity,
    /// The part of the job for which it holds.
    pub scope: Scope,
    /// Environment variables that set it where the command line does not; the first one that is set wins.
    pub variables: &'static [&'static str],
    /// Its description in the help text.
    pub help: String,
}

/// All options, in the order of the help text.
pub fn options() -> &'static [OptionInfo] {
    static OPTIONS: LazyLock<Vec<OptionInfo>> = LazyLock::new(|| {
        let settings = SETTINGS.iter().flat_map(of_setting);
        shape()
            .into_iter()
            .chain(places())
            .chain(settings)
            .chain(questions())
            .collect()
    });
    &OPTIONS
}

/// The options that describe the programs of the job.
fn shape() -> [OptionInfo; 6] {
    let option = |id, names: &[&'static str], arity, scope, help: &str| OptionInfo {
        id,
        names: names.to_vec(),
        arity,
        scope,
        variables: &[],
        help: help.to_owned(),
    };
    let one = |needs: &str| Arity::One(needs.to_owned());
    let program = Scope::Program;
    [
        option(
            Id::Ranks,
            &["n", "np", "c"],
            one("N"),
            program,
            "number of ranks [1]",
        ),
        option(
            Id::Wdir,
            &["wdir", "wd"],
            one("DIR"),
            program,
            "working directory of the ranks; programs with different ones are in different processes",
        ),
        option(
            Id::Export,
            &["x"],
            one("NAME[=VALUE]"),
            program,
            "set an environment variable, or pass it on (all are passed on anyway)",
        ),
        option(
            Id::Env,
            &["env"],
            Arity::Two("NAME", "VALUE"),
            program,
            "set an environment variable",
        ),
        option(
            Id::GlobalEnv,
            &["genv"],
            Arity::Two("NAME", "VALUE"),
            Scope::Job,
            "set an environment variable for all programs",
        ),
        option(
            Id::HostWrapper,
            &["host-wrapper"],
            one("COMMAND"),
            Scope::Job,
            "start each process of the job through this command, in which {host} becomes its number",
        ),
    ]
}

/// The options that say where a job runs.
fn places() -> impl Iterator<Item = OptionInfo> {
    let places: [(Place, &[&'static str], &str, &str); 7] = [
        (
            Place::Hosts,
            &["hosts", "host", "H"],
            "LIST",
            "nodes, such as a,b:4 or n[1-3]; the number is how many ranks the node takes before the next one [1]",
        ),
        (
            Place::File,
            &["hostfile", "machinefile", "f"],
            "FILE",
            "file of nodes, a line for each: `a`, `a:4` or `a slots=4`",
        ),
        (
            Place::PerNode,
            &["ppn", "N", "npernode", "perhost"],
            "N",
            "ranks on each node, whatever the numbers of the list say",
        ),
        (
            Place::Cpus,
            &["cpu-list", "cpu-set"],
            "LIST",
            "processors of each node that may be used, such as 0-3,6 [all that may be used]",
        ),
        (
            Place::Launcher,
            &["launcher", "bootstrap"],
            "NAME",
            "what starts processes on other nodes: ssh, slurm, or fork (this machine stands for all nodes); auto is \
             slurm in an allocation, and ssh otherwise [auto]",
        ),
        (
            Place::Command,
            &["launcher-exec", "bootstrap-exec"],
            "COMMAND",
            "command to use instead of ssh or srun, with its options",
        ),
        (
            Place::Width,
            &["tree-width"],
            "N",
            "nodes that one process reaches directly; these reach the others [32]",
        ),
    ];
    places.into_iter().map(|(place, names, value, help)| OptionInfo {
        id: Id::Place(place),
        names: names.to_vec(),
        arity: Arity::One(value.to_owned()),
        scope: Scope::Job,
        variables: &[],
        help: help.to_owned(),
    })
}

/// The options that ask for information instead of a job.
fn questions() -> [OptionInfo; 2] {
    let question = |id, names: [&'static str; 2], help: &str| OptionInfo {
        id,
        names: names.to_vec(),
        arity: Arity::Flag,
        scope: Scope::Job,
        variables: &[],
        help: help.to_owned(),
    };
    [
        question(Id::Help, ["h", "help"], "print this text"),
        question(Id::Version, ["V", "version"], "print the version"),
    ]
}

/// The options of a setting: one for all names that take a value, and one for each value that other names set.
fn of_setting(setting: &'static Setting) -> Vec<OptionInfo> {
    let mut options: Vec<OptionInfo> = Vec::new();
    for spelling in setting.options {
        let value = match spelling {
            Spelling::Takes(_) => None,
            Spelling::Sets(_, value) => Some(*value),
        };
        let id = Id::Setting(setting.id, value);
        match options.iter_mut().find(|option| option.id == id) {
            Some(option) => option.names.push(spelling.name()),
            None => options.push(OptionInfo {
                id,
                names: vec![spelling.name()],
                arity: value.map_or_else(|| Arity::One(setting.kind.placeholder()), |_| Arity::Flag),
                scope: Scope::Job,
                variables: if options.is_empty() {
                    setting.variables
                } else {
                    &[]
                },
                help: help_of(setting, value),
            }),
        }
    }
    options
}

fn help_of(setting: &Setting, value: Option<u64>) -> String {
    let item =
        |items: &'static [Item], value: u64| usize::try_from(value).ok().and_then(|place| items.get(place));
    match (setting.kind, value) {
        (Kind::Choice(items), Some(value)) => item(items, value).map_or_else(
            || setting.doc.to_owned(),
            |item| format!("{} {}: {}", setting.name, item.name, item.doc),
        ),
        (_, Some(_)) => setting.doc.to_owned(),
        (_, None) => {
            let preset = simurgh_settings::Values::default().show(setting.id);
            format!("{} [{preset}]", setting.doc)
        }
    }
}

/// Options of other launchers that have no use here, with advice for their users.
pub(super) const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["binding"],
        "--bind-to says what is bound, and --report-bindings shows it",
    ),
    (&["allow-run-as-root"], "any user may run jobs, leave it out"),
    (
        &["genvall", "envall"],
        "the whole environment is always passed on, leave it out",
    ),
    (
        &["outfile-pattern", "errfile-pattern", "output-filename", "output"],
        "--output-dir DIR keeps the output of rank N in DIR/rank.N/stdout and DIR/rank.N/stderr",
    ),
    (&["mca", "iface"], "it belongs to another MPI"),
];
