//! One program of a job.

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
    /// How many ranks run it.
    pub ranks: u32,
    /// How they live.
    pub mode: Mode,
    /// Their working directory, which those of one host share; that in which the host is started if absent.
    pub wdir: Option<Text>,
    /// Changes to the host's environment, in order.
    pub env: Vec<EnvChange>,
    /// Libraries that come before all others in the program (what `LD_PRELOAD` named: PMPI tools).
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
