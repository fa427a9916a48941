//! The most frequent packets, each by itself. They are read without being written again: what has no meaning in them is
//! looked at, and all other values are valid.

use super::wire::{Fields, Label};
use crate::endpoint::Handle;

/// An eager message, or its first segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Eager {
    pub(super) label: Label,
    pub(super) origin: u64,
    /// Bytes of the message that follow in segments.
    pub(super) rest: u32,
}

impl Eager {
    /// The packet with these fields; none if it is not valid.
    #[inline]
    pub(super) fn of(fields: &Fields) -> Option<Self> {
        let [to, from, origin, rest] = fields.words;
        Some(Self {
            label: Label::read([to, from], fields.flags)?,
            origin,
            rest: u32::try_from(rest).ok()?,
        })
    }
}

/// The data of the eager message with this origin from byte `offset` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EagerSegment {
    pub(super) origin: u64,
    pub(super) offset: u32,
}

impl EagerSegment {
    /// The packet with these fields; none if it is not valid.
    #[inline]
    pub(super) fn of(fields: &Fields) -> Option<Self> {
        let [origin, offset] = fields.only_two()?;
        let offset = u32::try_from(offset).ok()?;
        Some(Self { origin, offset })
    }
}

/// The data of the message for this receive from byte `offset` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    pub(super) receiver: Handle,
    pub(super) offset: u64,
}

impl Fragment {
    /// The packet with these fields; none if it is not valid.
    #[inline]
    pub(super) fn of(fields: &Fields) -> Option<Self> {
        let [receiver, offset] = fields.only_two()?;
        let receiver = Handle(receiver);
        Some(Self { receiver, offset })
    }
}

/// An active message of a service below 128. It tells how many requests its sender has handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Active {
    pub(super) service: u8,
    pub(super) is_reply: bool,
    pub(super) words: [u64; 3],
    pub(super) handled: u32,
}

impl Active {
    /// The packet with these fields; none if it is not valid.
    #[inline]
    pub(super) fn of(fields: &Fields) -> Option<Self> {
        let [first, second, third, handled] = fields.words;
        Some(Self {
            service: fields.flags & 0x7f,
            is_reply: fields.flags >> 7 != 0,
            words: [first, second, third],
            handled: u32::try_from(handled).ok()?,
        })
    }
}
