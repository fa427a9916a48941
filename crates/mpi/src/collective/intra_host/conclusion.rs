//! The result of a meeting.

use std::any::Any;

use simurgh_core::sync::{Arc, SpinLock};

use super::super::shared_work::SharedWork;
use super::unexpected;
use crate::error::{Error, Result};
use crate::memory::Packet;

/// The result of a meeting, which the last rank to arrive leaves for the others.
#[derive(Default)]
#[repr(C, align(64))]
pub(crate) struct Conclusion {
    /// The result of a short collective.
    pub(crate) packet: Packet,
    pub(super) outcome: Outcome,
}

/// The outcome of a meeting.
#[derive(Default)]
pub(super) enum Outcome {
    /// The collective is complete.
    #[default]
    Done,
    /// All ranks share the work.
    Shared(SharedWork),
    /// The answer of an exchange. It is kept until every rank has taken it.
    Answer(SpinLock<Answer>),
    /// The ranks were in different calls, or the collective failed.
    Fault(Error),
}

/// The answer of an exchange, for all ranks.
pub(super) struct Answer {
    value: Option<Arc<dyn Any + Send + Sync>>,
    /// Number of ranks that have not taken it yet.
    left: usize,
}

impl Conclusion {
    /// The collective is complete.
    #[inline]
    pub(crate) fn finish(&mut self) {
        if !matches!(self.outcome, Outcome::Done) {
            self.outcome = Outcome::Done;
        }
    }

    /// The outcome of a collective that leaves nothing to do after the meeting.
    #[inline]
    pub(crate) fn verdict(&self) -> Result<()> {
        match &self.outcome {
            Outcome::Done => Ok(()),
            outcome => outcome.fault(),
        }
    }

    pub(crate) fn fail(&mut self, fault: Error) {
        self.outcome = Outcome::Fault(fault);
    }
}

impl Outcome {
    #[cold]
    fn fault(&self) -> Result<()> {
        match self {
            Outcome::Fault(fault) => Err(fault.clone()),
            _ => Err(unexpected()),
        }
    }
}

impl Answer {
    /// An answer that so many ranks will take.
    pub(super) fn new(value: Arc<dyn Any + Send + Sync>, ranks: usize) -> Self {
        let (value, left) = (Some(value), ranks);
        Self { value, left }
    }

    /// A rank's reference to the answer. The last rank takes it out.
    pub(super) fn take(&mut self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.left -= 1;
        if self.left == 0 {
            self.value.take()
        } else {
            self.value.clone()
        }
    }
}
