//! The lengths of a rank's queues, for tools.

use crate::endpoint::Endpoint;

/// The posted receives and the unexpected messages of a rank. Each answer is that of a moment of its own.
#[derive(Clone, Copy)]
pub struct Queues<'a>(pub(super) &'a Endpoint);

impl Queues<'_> {
    /// Receives that wait, in a context or in all.
    #[must_use]
    pub fn posted(&self, context: Option<u32>) -> u64 {
        let table = self.0.table();
        let length = match context {
            None => table.posted_length(),
            Some(_) => table.posted_on(context),
        };
        length as u64
    }

    /// The most receives that have waited at one time.
    #[must_use]
    pub fn posted_most(&self) -> u64 {
        self.0.table().posted_most() as u64
    }

    /// Messages that wait, in a context or in all.
    #[must_use]
    pub fn unexpected(&self, context: Option<u32>) -> u64 {
        let table = self.0.table();
        let length = match context {
            None => table.unexpected_length(),
            Some(_) => table.unexpected_on(context),
        };
        length as u64
    }

    /// The most messages that have waited at one time.
    #[must_use]
    pub fn unexpected_most(&self) -> u64 {
        self.0.table().unexpected_most() as u64
    }

    /// Bytes of the messages that wait, in a context or in all.
    #[must_use]
    pub fn unexpected_bytes(&self, context: Option<u32>) -> u64 {
        self.0.table().unexpected_bytes(context) as u64
    }
}
