//! Questions of this host that have not been answered.

use super::Answer;
use simurgh_core::Completion;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

/// The open questions, by number.
#[derive(Debug, Default)]
pub(super) struct Inquiries(SpinLock<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    waiting: HashMap<u64, Arc<Inquiry>>,
}

/// A question, as whoever waits for its answer sees it.
#[derive(Default)]
pub(super) struct Inquiry {
    answered: Completion,
    answer: SpinLock<Answer>,
}

impl Inquiries {
    /// A new question and its number.
    pub(super) fn open(&self) -> (u64, Arc<Inquiry>) {
        let mut open = self.0.lock();
        open.last += 1;
        let (number, inquiry) = (open.last, Arc::default());
        open.waiting.insert(number, Arc::clone(&inquiry));
        (number, inquiry)
    }

    /// Takes an answer to whoever waits for it; false if nobody has asked.
    pub(super) fn close(&self, number: u64, answer: Answer) -> bool {
        let inquiry = self.0.lock().waiting.remove(&number);
        let Some(inquiry) = inquiry else {
            return false;
        };
        *inquiry.answer.lock() = answer;
        inquiry.answered.complete();
        true
    }
}

impl Inquiry {
    /// Waits for the answer.
    pub(super) fn wait(&self) -> Answer {
        self.answered.wait();
        *self.answer.lock()
    }
}

impl std::fmt::Debug for Inquiry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inquiry")
            .field("answered", &self.answered.is_done())
            .finish_non_exhaustive()
    }
}
