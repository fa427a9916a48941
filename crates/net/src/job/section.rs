//! The sections of a job: its programs.

use super::{EnvChange, JobError, Mode, absolute};
use crate::encoding::Text;
use serde::{Deserialize, Serialize};

/// A program and the ranks that run it: what stands between two `:` of a command line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// The executable, by absolute path.
    pub program: Text,
    /// Its arguments, beginning with its own name as the user wrote it.
    pub argv: Vec<Text>,
    /// The number of its ranks.
    pub ranks: u32,
    /// The mode of its ranks.
    pub mode: Mode,
    /// The working directory of its ranks, which the ranks of one host share; if absent, the one in which the host is
    /// started.
    pub wdir: Option<Text>,
    /// Changes to the host's environment, in order.
    pub env: Vec<EnvChange>,
    /// Libraries that come before all others of the program (those that `LD_PRELOAD` names: PMPI tools).
    pub preload: Vec<Text>,
}

impl Section {
    pub(super) fn validate(&self, index: usize) -> Result<(), JobError> {
        absolute(&self.program)?;
        self.preload.iter().chain(&self.wdir).try_for_each(absolute)?;
        if self.argv.is_empty() {
            return Err(JobError::NoArguments { section: index });
        }
        if self.ranks == 0 {
            return Err(JobError::NoRanks { section: index });
        }
        self.env.iter().try_for_each(EnvChange::validate)
    }
}
