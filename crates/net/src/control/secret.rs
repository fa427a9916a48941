//! What the processes of a job know and others do not.

use super::fixed;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Length of a secret in bytes.
const LENGTH: usize = 32;

/// The secret of a job: whoever knows it belongs to the job.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(#[serde(with = "fixed")] [u8; LENGTH]);

impl Secret {
    /// A new one, from the kernel's random numbers.
    ///
    /// # Errors
    ///
    /// When the kernel has none.
    pub fn random() -> std::io::Result<Self> {
        fixed::random().map(Self)
    }

    /// That of these bytes, if they can be one.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes: see [`proof`](crate::proof) for what is made of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        fixed::equal(&self.0, &other.0)
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
