//! How the runtime of a host is set up.

use super::JobError;
use serde::{Deserialize, Serialize};

/// Scheduling policy of the virtual processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Policy {
    /// Every virtual processor runs whatever is ready: computation and communication alike.
    #[default]
    #[serde(rename = "wq")]
    WorkQueue,
}

/// How the runtime of a host is set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Virtual processors; one per core that the host may use, if absent.
    pub vps: Option<u32>,
    /// Stack of each rank, in bytes.
    pub stack_size: u64,
    /// Scheduling policy.
    pub policy: Policy,
    /// Seed of the deterministic order of ranks and wake-ups; the natural order if absent.
    pub seed: Option<u64>,
    /// The job is ended after this many milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether statistics are printed at the end.
    pub stats: bool,
}

impl Settings {
    /// Least stack of a rank: libc, the loader and a signal handler need this much.
    pub const MIN_STACK: u64 = 64 << 10;
    /// Largest stack of a rank: a thousand of them still fit the address space.
    pub const MAX_STACK: u64 = 64 << 30;
    /// Most virtual processors of a host.
    pub const MAX_VPS: u32 = 1024;

    pub(super) fn validate(&self) -> Result<(), JobError> {
        if !(Self::MIN_STACK..=Self::MAX_STACK).contains(&self.stack_size) {
            return Err(JobError::StackSize {
                bytes: self.stack_size,
            });
        }
        if let Some(vps) = self.vps
            && !(1..=Self::MAX_VPS).contains(&vps)
        {
            return Err(JobError::Vps { vps });
        }
        if self.timeout_ms == Some(0) {
            return Err(JobError::Timeout);
        }
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            vps: None,
            stack_size: 8 << 20,
            policy: Policy::default(),
            seed: None,
            timeout_ms: None,
            stats: false,
        }
    }
}

/// What happens to the ranks' output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// It is passed on as it is, whole lines at a time.
    #[default]
    #[serde(rename = "plain")]
    Plain,
    /// Each line begins with `[rank] `.
    #[serde(rename = "tagged")]
    Tagged,
}
