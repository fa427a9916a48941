//! The buffers with which one rank takes part in a collective.

use crate::memory::{Parts, Source, Target};

/// The buffers of one rank in a collective.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) send: Option<Parts<Source>>,
    pub(crate) recv: Option<Parts<Target>>,
    /// Whether the data that it sends is already where it would be received (`MPI_IN_PLACE`).
    pub(crate) in_place: bool,
    work: usize,
}

impl Buffers {
    /// The buffers of a rank that has none.
    pub(crate) const NONE: Self = Self {
        send: None,
        recv: None,
        in_place: false,
        work: 0,
    };

    /// The buffers of a rank on whose behalf `work` bytes have to be moved or combined.
    #[inline]
    pub(crate) fn new(send: Option<Parts<Source>>, recv: Option<Parts<Target>>, work: usize) -> Self {
        Self {
            send,
            recv,
            in_place: false,
            work,
        }
    }

    /// The same buffers with copies of the arrays that list their parts. Programs may free these arrays once an
    /// operation is set up.
    pub(crate) fn kept(self) -> Self {
        Self {
            send: self.send.map(Parts::kept),
            recv: self.recv.map(Parts::kept),
            ..self
        }
    }

    /// The same buffers, of a rank that works in place or does not.
    #[inline]
    pub(crate) fn placed(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    /// The send buffer, if it is not divided into parts.
    #[inline]
    pub(crate) fn whole_source(&self) -> Option<&Source> {
        self.send.as_ref().and_then(Parts::whole)
    }

    /// The receive buffer, if it is not divided into parts.
    #[inline]
    pub(crate) fn whole_target(&self) -> Option<&Target> {
        self.recv.as_ref().and_then(Parts::whole)
    }

    /// The send buffer, if it is not divided into parts.
    pub(crate) fn source(&self) -> Option<Source> {
        self.whole_source().cloned()
    }

    /// The receive buffer, if it is not divided into parts.
    pub(crate) fn target(&self) -> Option<Target> {
        self.whole_target().cloned()
    }

    /// The part of the send buffer for `rank`.
    pub(crate) fn source_part(&self, rank: usize) -> Option<Source> {
        self.send.as_ref().and_then(|parts| parts.part(rank))
    }

    /// The part of the receive buffer for data from `rank`.
    pub(crate) fn target_part(&self, rank: usize) -> Option<Target> {
        self.recv.as_ref().and_then(|parts| parts.part(rank))
    }

    /// Bytes to be moved or combined on behalf of this rank.
    pub(crate) fn work(&self) -> usize {
        self.work
    }
}
