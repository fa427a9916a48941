//! Changes to the environment of a rank.

use super::JobError;
use crate::encoding::Text;
use serde::{Deserialize, Serialize};

/// One change to the environment that a rank starts with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvChange {
    /// Name of the variable.
    pub name: Text,
    /// New value; the variable is removed if absent.
    pub value: Option<Text>,
}

impl EnvChange {
    pub(super) fn validate(&self) -> Result<(), JobError> {
        if self.name.as_bytes().is_empty() || self.name.as_bytes().contains(&b'=') {
            return Err(JobError::EnvName {
                name: self.name.to_string(),
            });
        }
        Ok(())
    }
}
