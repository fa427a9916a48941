//! The contribution of a rank to a meeting.

use std::any::Any;

use simurgh_core::sync::SpinLock;

use super::super::buffers::Buffers;
use super::super::call::Call;
use super::super::nonblocking::Invocation;
use crate::error::{Error, Result};
use crate::memory::{Packet, Source};

/// The contribution of a rank to a meeting. It lies at the rank's place in the barrier and is changed in place two
/// meetings later.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Arrival {
    pub(crate) inline: Inline,
    pub(super) call: Call,
    pub(super) payload: Payload,
}

/// The part of a contribution that is short enough to lie on the cache line with the rank's arrival flag.
#[derive(Default)]
pub(crate) enum Inline {
    /// Nothing: the payload has all of it.
    #[default]
    Payload,
    /// The data of a short collective.
    Data(Packet),
    /// The rank's send buffer, if it is dense and in one piece. The others need to know no more of the payload.
    Source(Source),
    /// The payload is a fault.
    Fault,
}

/// The part of a contribution that need not be near the arrival flag.
#[derive(Default)]
pub(crate) enum Payload {
    /// Nothing: the rank only takes part.
    #[default]
    Nothing,
    /// Buffers.
    Buffers(Buffers),
    /// The rank's invocation of a collective of several hosts.
    Invocation(Invocation),
    /// A value for [`IntraHost::exchange`](super::IntraHost::exchange).
    Value(SpinLock<Option<Box<dyn Any + Send>>>),
    /// The error that the rank met when it did its share.
    Fault(Error),
}

impl Inline {
    /// The data of a short collective, or an empty packet.
    #[inline]
    pub(crate) fn value(&self) -> &Packet {
        static NONE: Packet = Packet::EMPTY;
        match self {
            Self::Data(packet) => packet,
            _ => &NONE,
        }
    }

    /// Brings data by value, as much as fits into a packet.
    #[inline]
    pub(crate) fn carry(&mut self, source: &Source) {
        if let Self::Data(packet) = self {
            return packet.fill(source);
        }
        let mut packet = Packet::default();
        packet.fill(source);
        *self = Self::Data(packet);
    }

    /// The rank's send buffer, if it is described inline.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&Source> {
        match self {
            Self::Source(source) => Some(source),
            _ => None,
        }
    }
}

impl Arrival {
    /// Brings no payload, and drops the one of two meetings before.
    #[inline]
    pub(crate) fn clear_payload(&mut self) {
        if !matches!(self.payload, Payload::Nothing) {
            self.payload = Payload::Nothing;
        }
    }

    pub(crate) fn buffers(&self) -> &Buffers {
        static NONE: Buffers = Buffers::NONE;
        match &self.payload {
            Payload::Buffers(buffers) => buffers,
            Payload::Invocation(invocation) => &invocation.buffers,
            Payload::Nothing | Payload::Value(_) | Payload::Fault(_) => &NONE,
        }
    }

    /// The invocation of a collective of several hosts.
    pub(crate) fn invocation(&self) -> Option<&Invocation> {
        match &self.payload {
            Payload::Invocation(invocation) => Some(invocation),
            _ => None,
        }
    }

    /// Brings a payload.
    pub(crate) fn set_payload(&mut self, payload: Payload) {
        self.payload = payload;
    }

    /// Brings the outcome of a share of work, and nothing else.
    #[inline]
    pub(crate) fn report(&mut self, done: &Result<()>) {
        match done {
            Ok(()) => {
                self.inline = Inline::Payload;
                self.clear_payload();
            }
            Err(fault) => {
                self.inline = Inline::Fault;
                self.payload = Payload::Fault(fault.clone());
            }
        }
    }

    /// The error of a rank that has reported one.
    #[inline]
    pub(crate) fn fault(&self) -> Option<&Error> {
        match (&self.inline, &self.payload) {
            (Inline::Fault, Payload::Fault(fault)) => Some(fault),
            _ => None,
        }
    }

    pub(crate) fn call(&self) -> Call {
        self.call
    }
}
