//! The description of a setting: a row of the table.

use crate::{Id, Kind};
use std::fmt;

/// A setting.
#[derive(Debug)]
pub struct Setting {
    /// Its name in code.
    pub id: Id,
    /// Its name as a control variable and in a job description.
    pub name: &'static str,
    /// Options of `mpiexec` that set it.
    pub options: &'static [Spelling],
    /// Environment variables that set it if the command line does not. The first one that is set counts.
    pub variables: &'static [&'static str],
    /// The kind of its values.
    pub kind: Kind,
    /// Its value if nobody sets it.
    pub preset: Preset,
    /// When it can be changed.
    pub scope: Scope,
    /// The part of the library that it belongs to.
    pub category: Category,
    /// The users that it concerns.
    pub verbosity: Verbosity,
    /// Its purpose, in one sentence.
    pub doc: &'static str,
}

/// The name of an option, without dashes, and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// It takes a value.
    Takes(&'static str),
    /// It sets this value.
    Sets(&'static str, u64),
}

impl Spelling {
    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Takes(name) | Self::Sets(name, _) => name,
        }
    }
}

/// The value of a setting that nobody has set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// This value.
    Value(u64),
    /// There is no value. The text says what happens.
    Absent(&'static str),
}

/// When a setting can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Before the job starts, for all its ranks.
    Start,
    /// At any time, by each rank for itself.
    Rank,
}

/// A part of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// The job as a whole, and its end.
    Job,
    /// Which rank runs when and where.
    Scheduling,
    /// Messages between two ranks.
    PointToPoint,
    /// Collective operations.
    Collectives,
    /// One-sided communication.
    OneSided,
    /// Handles and what they stand for.
    Objects,
    /// The memory that programs allocate.
    Memory,
    /// Files.
    Files,
}

impl Category {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Job,
        Self::Scheduling,
        Self::PointToPoint,
        Self::Collectives,
        Self::OneSided,
        Self::Objects,
        Self::Memory,
        Self::Files,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Scheduling => "scheduling",
            Self::PointToPoint => "point_to_point",
            Self::Collectives => "collectives",
            Self::OneSided => "one_sided",
            Self::Objects => "objects",
            Self::Memory => "memory",
            Self::Files => "files",
        }
    }

    /// Its contents, in one sentence.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Job => "what the job is, what it prints and how it ends",
            Self::Scheduling => "which rank runs when and where",
            Self::PointToPoint => "messages between two ranks",
            Self::Collectives => "collective operations",
            Self::OneSided => "one-sided communication",
            Self::Objects => "handles and what they stand for",
            Self::Memory => "the memory that programs allocate",
            Self::Files => "files",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The users that something concerns, from users of programs to developers of the library (the verbosity levels of
/// MPI_T).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Every user.
    UserBasic,
    /// Users who want to know more.
    UserDetail,
    /// Users who make programs faster.
    TunerBasic,
    /// Users who make programs faster and know the library.
    TunerDetail,
    /// Developers of the library.
    Developer,
}
