//! The data of messages that wait to be sent.

use crate::buffered::Reservation;
use crate::endpoint::EagerBuffer;
use crate::memory::{self, Source};

/// The data of a message that waits on its sender's host.
#[derive(Debug)]
pub(crate) enum SendData {
    /// In the sender's memory.
    InPlace(Source),
    /// In a copy; a buffered send occupies its attached buffer as long as it lives.
    Copied {
        buffer: EagerBuffer,
        #[expect(dead_code, reason = "held for its drop")]
        reservation: Option<Reservation>,
    },
}

impl SendData {
    /// A copy of the data.
    pub(crate) fn copied(source: &Source, reservation: Option<Reservation>) -> Self {
        let mut buffer = EagerBuffer::allocate(source.bytes());
        memory::pack(source, buffer.bytes_mut());
        Self::Copied { buffer, reservation }
    }

    /// Bytes of data.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::InPlace(source) => source.bytes() as u64,
            Self::Copied { buffer, .. } => buffer.bytes().len() as u64,
        }
    }

    /// The sender's memory.
    pub(super) fn lent(&self) -> Option<&Source> {
        match self {
            Self::InPlace(source) => Some(source),
            Self::Copied { .. } => None,
        }
    }

    /// Copies the data from byte `offset` on, as much as fills the room. There must be so much data.
    pub(super) fn fill(&self, offset: u64, room: &mut [u8]) {
        let offset = usize::try_from(offset).expect("it lies in memory");
        match self {
            Self::InPlace(source) => {
                memory::pack_from(source, offset, room);
            }
            Self::Copied { buffer, .. } => {
                memory::copy(&buffer.bytes()[offset..offset + room.len()], room);
            }
        }
    }
}
