//! The options of `mpiexec`: what describes the job itself, and one or more for each setting.

use simurgh_settings::{Item, Kind, SETTINGS, Setting, Spelling};
use std::sync::LazyLock;

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
    /// What hosts are started through.
    HostWrapper,
    /// A setting of the job; an option without a value sets it to this one.
    Setting(simurgh_settings::Id, Option<u64>),
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
    /// What it is.
    pub id: Id,
    /// Its names without dashes; those of one letter have one dash, the others one or two.
    pub names: Vec<&'static str>,
    /// What follows it.
    pub arity: Arity,
    /// What it holds for.
    pub scope: Scope,
    /// Environment variables that set it where the command line does not, the first set one wins.
    pub variables: &'static [&'static str],
    /// What it does.
    pub help: String,
}

/// All options, in the order of the help text.
pub fn options() -> &'static [OptionInfo] {
    static OPTIONS: LazyLock<Vec<OptionInfo>> = LazyLock::new(|| {
        let settings = SETTINGS.iter().flat_map(of_setting);
        shape().into_iter().chain(settings).chain(questions()).collect()
    });
    &OPTIONS
}

/// What describes the programs of the job.
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
            "working directory of the ranks; the same one for all programs of a job",
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

/// What is answered instead of running a job.
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

/// The options of a setting: one for all names that a value follows, and one for each value that others set.
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
