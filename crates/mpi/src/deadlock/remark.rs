//! What else is known of ranks that wait.

use super::WaitPoint;
use crate::layout::Layout;

/// A sentence for the report of a deadlock, which has it as long as this lives; made by
/// [`Job::remark`](crate::Job::remark).
#[derive(Debug)]
pub struct Remark(String);

impl Remark {
    pub(crate) fn new(sentence: String) -> Self {
        Self(sentence)
    }
}

impl WaitPoint for Remark {
    fn waits(&self, _: &Layout) -> Vec<String> {
        vec![self.0.clone()]
    }
}
