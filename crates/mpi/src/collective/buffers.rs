//! What a rank lays on the table.

use crate::memory::{Parts, Source, Target};

/// What one rank brings to a collective.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) send: Option<Parts<Source>>,
    pub(crate) recv: Option<Parts<Target>>,
    /// Whether what it sends is already where it would be received.
    pub(crate) in_place: bool,
    work: usize,
}

impl Buffers {
    /// The offer of a rank that has nothing to offer.
    pub(crate) const NONE: Self = Self {
        send: None,
        recv: None,
        in_place: false,
        work: 0,
    };

    /// An offer that stands for `work` bytes to be moved or combined.
    #[inline]
    pub(crate) fn new(send: Option<Parts<Source>>, recv: Option<Parts<Target>>, work: usize) -> Self {
        Self {
            send,
            recv,
            in_place: false,
            work,
        }
    }

    /// The same offer for later, when the arrays in which its parts were listed may be gone: programs free them once
    /// the operation is set up.
    pub(crate) fn kept(self) -> Self {
        Self {
            send: self.send.map(Parts::kept),
            recv: self.recv.map(Parts::kept),
            ..self
        }
    }

    /// The same offer, of a rank that works in place or does not.
    #[inline]
    pub(crate) fn placed(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    /// What it sends, when that is not divided into parts.
    #[inline]
    pub(crate) fn whole_source(&self) -> Option<&Source> {
        self.send.as_ref().and_then(Parts::whole)
    }

    /// Where it receives, when that is not divided into parts.
    #[inline]
    pub(crate) fn whole_target(&self) -> Option<&Target> {
        self.recv.as_ref().and_then(Parts::whole)
    }

    /// What it sends, when that is not divided into parts.
    pub(crate) fn source(&self) -> Option<Source> {
        self.whole_source().cloned()
    }

    /// Where it receives, when that is not divided into parts.
    pub(crate) fn target(&self) -> Option<Target> {
        self.whole_target().cloned()
    }

    /// What it sends to `rank`.
    pub(crate) fn source_part(&self, rank: usize) -> Option<Source> {
        self.send.as_ref().and_then(|parts| parts.part(rank))
    }

    /// Where it receives from `rank`.
    pub(crate) fn target_part(&self, rank: usize) -> Option<Target> {
        self.recv.as_ref().and_then(|parts| parts.part(rank))
    }

    /// Bytes to be moved or combined on behalf of this rank.
    pub(crate) fn work(&self) -> usize {
        self.work
    }
}
