//! Ids of duplicates that some hosts know and others do not yet.

use super::{Answer, Question};
use simurgh_core::sync::SpinLock;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What has been answered to the first host that asked for a duplicate, until the last one has asked.
#[derive(Debug, Default)]
pub(super) struct Promises(SpinLock<HashMap<(u32, u64), Promise>>);

#[derive(Debug)]
struct Promise {
    answer: Answer,
    /// Hosts that have not asked.
    missing: u32,
}

impl Promises {
    /// The answer to a question; `decide` finds it the first time.
    pub(super) fn answer(&self, question: Question, decide: impl FnOnce() -> Answer) -> Answer {
        let mut promises = self.0.lock();
        let Question { context, number, .. } = question;
        let mut promise = match promises.entry((context, number)) {
            Entry::Occupied(known) => known,
            Entry::Vacant(place) => place.insert_entry(Promise {
                answer: decide(),
                missing: question.holders.max(1),
            }),
        };
        let answer = promise.get().answer;
        promise.get_mut().missing -= 1;
        if promise.get().missing == 0 {
            promise.remove();
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_kept_until_all_have_asked() {
        let promises = Promises::default();
        let ask = |number, answer| {
            let question = Question {
                context: 5,
                number,
                holders: 2,
            };
            promises.answer(question, || answer)
        };
        assert_eq!(ask(0, Some(7)), Some(7));
        assert_eq!(ask(1, None), None);
        assert_eq!(ask(0, Some(8)), Some(7));
        assert_eq!(ask(0, Some(9)), Some(9), "the first two have asked");
        assert_eq!(ask(1, Some(10)), None);
    }
}
