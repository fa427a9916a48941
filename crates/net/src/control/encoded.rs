//! What the launcher tells hosts, written once however many it goes to.

use super::ToHost;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// A message to hosts.
#[derive(Clone, Debug)]
pub struct EncodedMessage(Arc<Written>);

#[derive(Debug)]
struct Written {
    message: ToHost,
    json: Vec<u8>,
    descriptor: Option<Arc<OwnedFd>>,
}

impl EncodedMessage {
    /// A message that comes with this descriptor.
    ///
    /// # Panics
    ///
    /// Never: messages have no map keys and no failing serializer.
    #[must_use]
    pub fn with_descriptor(message: ToHost, descriptor: Option<Arc<OwnedFd>>) -> Self {
        let json = serde_json::to_vec(&message).expect("a message has no map keys and no failing serializer");
        Self(Arc::new(Written {
            message,
            json,
            descriptor,
        }))
    }

    /// What it says.
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
