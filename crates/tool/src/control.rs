//! Control variables: the settings, the limits that are fixed at compile time, and what a rank may have done to itself.

use super::{Representation, ToolError, ToolResult, enumeration};
use simurgh_mpi::Process;
use simurgh_mpi::limits::LIMITS;
use simurgh_settings::rules;
use simurgh_settings::{Category, Id, Kind, Limit, SETTINGS, Setting, Verbosity};
use std::sync::LazyLock;

/// A control variable.
#[derive(Debug)]
pub struct Control {
    /// Its name.
    pub name: String,
    /// The description of the variable, for users of the tool.
    pub doc: String,
    /// The part of the library it belongs to.
    pub category: Category,
    /// The kind of user for whom the variable is meant, and how much detail it gives.
    pub verbosity: Verbosity,
    /// The representation of a value in memory.
    pub representation: Representation,
    /// The index of the enumeration that names the values, if there is one.
    pub enumeration: Option<usize>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Setting(&'static Setting),
    Limit(u64),
    Action(Action),
}

/// What is done when a rank writes a variable of its own. The library's user carries it out, since it is about the
/// host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The rank is dumped, wiped and restored as many times as the value says.
    Dump,
    /// The memory that the rank allocates from now on comes from where the text says.
    Place,
    /// The rank moves to the virtual processor that the value says.
    Move,
    /// The rank says what its phase is about.
    Purpose,
}

/// The number of characters, the null character included, of a text that a rank may change.
pub const ROOM: usize = 256;

/// The scope of a control variable: who may change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nobody may change it: it is fixed at compile time.
    Constant,
    /// Only the user who starts the job may set it.
    ReadOnly,
    /// Each rank may change it for itself.
    Local,
}

/// All control variables, by index.
#[must_use]
pub fn all() -> &'static [Control] {
    static ALL: LazyLock<Vec<Control>> = LazyLock::new(|| {
        let settings = SETTINGS.iter().map(Control::of_setting);
        let limits = LIMITS.iter().map(Control::of_limit);
        settings
            .chain(limits)
            .chain([Control::dump(), Control::virtual_processor(), Control::purpose()])
            .collect()
    });
    &ALL
}

impl Control {
    fn of_setting(setting: &'static Setting) -> Self {
        Self {
            name: setting.name.to_owned(),
            doc: setting.doc.to_owned(),
            category: setting.category,
            verbosity: setting.verbosity,
            representation: match setting.kind {
                Kind::Flag | Kind::Choice(_) => Representation::Int,
                Kind::Count { .. } | Kind::Size { .. } => Representation::Unsigned,
                Kind::Time => Representation::Double,
                Kind::WordOrPath(..) | Kind::Rules | Kind::Name(_) | Kind::Path(_) | Kind::Placement(_) => {
                    Representation::Text
                }
            },
            enumeration: enumeration::of_kind(setting.name, setting.kind),
            source: Source::Setting(setting),
        }
    }

    fn of_limit(limit: &Limit) -> Self {
        Self {
            name: limit.name(),
            doc: limit.doc(),
            category: limit.category,
            verbosity: Verbosity::Developer,
            representation: Representation::Unsigned,
            enumeration: None,
            source: Source::Limit(limit.value),
        }
    }

    fn dump() -> Self {
        Self {
            name: "rank_dump".to_owned(),
            doc: "the number of times that the rank has been dumped; a rank of a relocatable job that writes N is \
                  dumped to memory, its range of addresses is unmapped and mapped again from the dump, N times"
                .to_owned(),
            category: Category::Memory,
            verbosity: Verbosity::Developer,
            representation: Representation::Unsigned,
            enumeration: None,
            source: Source::Action(Action::Dump),
        }
    }

    fn virtual_processor() -> Self {
        Self {
            name: "virtual_processor".to_owned(),
            doc: "the virtual processor of its process on which the rank runs; a rank that writes it goes on there; \
                  the policy may move it again"
                .to_owned(),
            category: Category::Scheduling,
            verbosity: Verbosity::TunerBasic,
            representation: Representation::Unsigned,
            enumeration: None,
            source: Source::Action(Action::Move),
        }
    }

    fn purpose() -> Self {
        Self {
            name: "purpose".to_owned(),
            doc: "what the rank is about in its present phase; policies may prefer ranks that are about the network, \
                  and continue those that are about I/O where they keep no core from others"
                .to_owned(),
            category: Category::Scheduling,
            verbosity: Verbosity::TunerBasic,
            representation: Representation::Int,
            enumeration: enumeration::of_purpose(),
            source: Source::Action(Action::Purpose),
        }
    }

    /// What is to be done when it is written, instead of [`Control::write`]; its value is then not that of
    /// [`Control::read`], either.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        match self.source {
            Source::Action(action) => Some(action),
            Source::Setting(setting) if setting.id == Id::MemoryPlacement => Some(Action::Place),
            Source::Setting(_) | Source::Limit(_) => None,
        }
    }

    /// The scope of the variable.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match &self.source {
            Source::Limit(_) => Scope::Constant,
            Source::Action(_) => Scope::Local,
            Source::Setting(setting) => match setting.scope {
                simurgh_settings::Scope::Start => Scope::ReadOnly,
                simurgh_settings::Scope::Rank => Scope::Local,
            },
        }
    }

    /// The value of the variable for a process: a number, which is 0 if the variable has no value and in seconds if it
    /// is a time, or the characters of a text with a null character at the end.
    #[must_use]
    pub fn read(&self, process: &Process) -> Vec<u64> {
        match (&self.source, self.representation) {
            (Source::Setting(setting), Representation::Text) => {
                let settings = process.job().settings();
                let text = match setting.kind {
                    Kind::Name(_) | Kind::Path(_) | Kind::Placement(_) => {
                        settings.name(setting.id).unwrap_or_default().to_owned()
                    }
                    Kind::WordOrPath(..) => settings.show(setting.id),
                    _ => rules::show(settings.rules(setting.id)),
                };
                text.bytes().chain([0]).map(u64::from).collect()
            }
            (_, Representation::Double) => vec![(self.number(process) as f64 / 1000.0).to_bits()],
            _ => vec![self.number(process)],
        }
    }

    fn number(&self, process: &Process) -> u64 {
        match &self.source {
            Source::Limit(value) => *value,
            Source::Action(_) => 0,
            Source::Setting(setting) => process
                .setting(setting.id)
                .or_else(|| process.job().settings().get(setting.id))
                .unwrap_or_else(|| absent(process, setting.id)),
        }
    }

    /// Changes the value for a process.
    ///
    /// # Errors
    ///
    /// [`ToolError::SetNever`] if a rank cannot change it, [`ToolError::Invalid`] if it cannot have this value.
    pub fn write(&self, process: &Process, value: u64) -> ToolResult<()> {
        let Source::Setting(setting) = &self.source else {
            return Err(ToolError::SetNever);
        };
        if self.scope() != Scope::Local {
            return Err(ToolError::SetNever);
        }
        match usize::try_from(value) {
            Ok(amount) if setting.kind.allows(value) && process.set(setting.id, amount) => Ok(()),
            _ => Err(ToolError::Invalid),
        }
    }
}

/// The value of a setting that has no preset and that nobody has set.
fn absent(process: &Process, id: Id) -> u64 {
    match id {
        Id::Vps => process.job().processors().len() as u64,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_mpi::Job;
    use simurgh_settings::{Origin, Values};
    use std::collections::BTreeSet;

    fn control(name: &str) -> &'static Control {
        all().iter().find(|control| control.name == name).unwrap()
    }

    #[test]
    fn names_are_given_once() {
        let names: BTreeSet<_> = all().iter().map(|control| &control.name).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn values_are_those_of_the_job_until_a_rank_changes_them() {
        let mut settings = Values::default();
        settings.set(Id::EagerLimit, 100, Origin::Preset).unwrap();
        settings.set(Id::Timeout, 1500, Origin::Preset).unwrap();
        settings
            .read(Id::Collectives, "a test", "any=last".as_ref())
            .unwrap();
        let job = Job::with_settings(2, settings);
        let [one, other] = [0, 1].map(|id| Process::new(std::sync::Arc::clone(&job), id));
        let eager = control("eager_limit");
        assert_eq!((eager.scope(), eager.read(&one)), (Scope::Local, vec![100]));
        eager.write(&one, 300).unwrap();
        assert_eq!((eager.number(&one), eager.number(&other)), (300, 100));
        assert_eq!(eager.write(&one, u64::MAX), Err(ToolError::Invalid));
        let timeout = control("timeout");
        assert_eq!(f64::from_bits(timeout.read(&one)[0]), 1.5);
        assert_eq!(timeout.write(&one, 1), Err(ToolError::SetNever));
        let limit = control("call_slots");
        assert_eq!((limit.scope(), limit.number(&one)), (Scope::Constant, 4));
        assert_eq!(limit.write(&one, 1), Err(ToolError::SetNever));
        assert!(control("mode").enumeration.is_some());
        let rules = control("collectives");
        let text: Vec<_> = b"any:0:0:core=last\0"
            .iter()
            .map(|&byte| u64::from(byte))
            .collect();
        assert_eq!(
            (rules.read(&one), rules.representation),
            (text, Representation::Text)
        );
        assert_eq!(rules.write(&one, 1), Err(ToolError::SetNever));
    }
}
