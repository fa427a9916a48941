//! A message to hosts that is encoded once, however many hosts it goes to.

use super::ToHost;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// A message to hosts with its encoding. Clones share it.
#[derive(Clone, Debug)]
pub struct EncodedMessage(Arc<Inner>);

/// The message, its JSON, and the descriptor that goes with it.
#[derive(Debug)]
struct Inner {
    message: ToHost,
    json: Vec<u8>,
    descriptor: Option<Arc<OwnedFd>>,
}

impl EncodedMessage {
    /// Encodes a message that comes with this descriptor.
    ///
    /// # Panics
    ///
    /// Never: messages have no map keys and no failing serializer.
    #[must_use]
    pub fn with_descriptor(message: ToHost, descriptor: Option<Arc<OwnedFd>>) -> Self {
        let json = serde_json::to_vec(&message).expect("a message has no map keys and no failing serializer");
        Self(Arc::new(Inner {
            message,
            json,
            descriptor,
        }))
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &ToHost {
        &self.0.message
    }

    pub(super) fn json(&self) -> &[u8] {
        &self.0.json
    }

    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.descriptor.as_ref().map(|descriptor| descriptor.as_fd())
    }
}

impl From<ToHost> for EncodedMessage {
    fn from(message: ToHost) -> Self {
        Self::with_descriptor(message, None)
    }
}
