//! Accesses to the memory of a window's ranks, and which of them conflict.
//!
//! The rules are those of sections 12.7 and 12.7.1 of the standard: what a put writes, no other operation may access
//! until the put is complete, and accumulates exclude puts and gets, but not each other if they use the same operation
//! or `MPI_NO_OP` on elements of the same datatype. `MPI_Compare_and_swap` counts as such an accumulate. Accumulates of
//! one origin come in order.

use super::packet::Label;
use crate::op::{BuiltinOp, unit_of_numbers};
use std::ops::Range;

/// A call that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Put,
    Rput,
    Get,
    Rget,
    Accumulate,
    Raccumulate,
    GetAccumulate,
    RgetAccumulate,
    FetchAndOp,
    CompareAndSwap,
}

/// All of them with their names, in the order of their numbers.
const CALLS: [(Call, &str); 10] = [
    (Call::Put, "MPI_Put"),
    (Call::Rput, "MPI_Rput"),
    (Call::Get, "MPI_Get"),
    (Call::Rget, "MPI_Rget"),
    (Call::Accumulate, "MPI_Accumulate"),
    (Call::Raccumulate, "MPI_Raccumulate"),
    (Call::GetAccumulate, "MPI_Get_accumulate"),
    (Call::RgetAccumulate, "MPI_Rget_accumulate"),
    (Call::FetchAndOp, "MPI_Fetch_and_op"),
    (Call::CompareAndSwap, "MPI_Compare_and_swap"),
];

/// What memory a call accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// That of its target.
    Target,
    /// An origin buffer in the caller's own part of the window, from which it loads.
    Loads,
    /// Such a buffer, to which it stores.
    Stores,
}

/// The operation of an accumulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    /// None in `MPI_Compare_and_swap`.
    pub(super) op: Option<BuiltinOp>,
    /// The numbers of the datatype of the elements.
    pub(super) unit: [u16; 2],
}

/// An access, save for its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) origin: u32,
    /// The target of the call.
    pub(super) target: u32,
    pub(super) call: Call,
    pub(super) role: Role,
    pub(super) operation: Option<Operation>,
    /// The number of fences that the origin has passed.
    pub(super) phase: u32,
}

/// Bytes of an access beside its label.
pub(super) const EXTRA: usize = 8;

enum Effect {
    Read,
    Write,
    Update(Operation),
}

impl Access {
    /// The number in the label of a message about an access of a target.
    pub(super) fn detail(&self) -> u16 {
        let op = self.operation.and_then(|operation| operation.op);
        self.call as u16 | op.map_or(0, |op| op as u16) << 8
    }

    /// What a message about it has beside the label.
    pub(super) fn extra(&self) -> [u8; EXTRA] {
        let [first, second] = self.operation.map_or([0, 0], |operation| operation.unit);
        let unit = u64::from(first) | u64::from(second) << 16;
        (u64::from(self.phase) | unit << 32).to_le_bytes()
    }

    /// The access of a message; none if it makes no sense.
    pub(super) fn read(label: &Label, extra: &[u8]) -> Option<Self> {
        let (call, _) = *CALLS.get(usize::from(label.detail & 0xff))?;
        let extra = u64::from_le_bytes(extra.try_into().ok()?);
        let op = BuiltinOp::ALL.iter().find(|op| **op as u16 == label.detail >> 8);
        let unit = [(extra >> 32) as u16, (extra >> 48) as u16];
        let updates = !matches!(call, Call::Put | Call::Rput | Call::Get | Call::Rget);
        Some(Self {
            origin: label.origin,
            target: label.target,
            call,
            role: Role::Target,
            operation: updates.then(|| Operation {
                op: op.copied(),
                unit,
            }),
            phase: extra as u32,
        })
    }

    fn effect(&self) -> Effect {
        match (self.role, self.operation) {
            (Role::Loads, _) => Effect::Read,
            (Role::Stores, _) => Effect::Write,
            (Role::Target, Some(operation)) => Effect::Update(operation),
            (Role::Target, None) => match self.call {
                Call::Get | Call::Rget => Effect::Read,
                _ => Effect::Write,
            },
        }
    }

    /// Whether both may not be under way on the same bytes.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        if self.role != Role::Target && other.role != Role::Target {
            return false;
        }
        match (self.effect(), other.effect()) {
            (Effect::Read, Effect::Read) => false,
            (Effect::Read, Effect::Update(update)) | (Effect::Update(update), Effect::Read) => {
                !update.keeps()
            }
            (Effect::Update(first), Effect::Update(second)) => {
                !first.is_on_same(&second) || self.origin != other.origin && !first.goes_with(&second)
            }
            (Effect::Write, _) | (_, Effect::Write) => true,
        }
    }

    /// Whether it is complete no later than at its origin: data that has been read, and origin buffers.
    pub(super) fn ends_at_origin(&self) -> bool {
        self.role != Role::Target || matches!(self.call, Call::Get)
    }

    /// Whether it is complete when a request is, of which nothing is known afterwards.
    pub(super) fn ends_with_request(&self) -> bool {
        let has_request = matches!(
            self.call,
            Call::Rput | Call::Rget | Call::Raccumulate | Call::RgetAccumulate
        );
        has_request && (self.role != Role::Target || self.call == Call::Rget)
    }

    /// The call and the bytes.
    pub(super) fn describe(&self, range: &Range<i64>) -> String {
        let (_, call) = CALLS[self.call as usize];
        let op = self.operation.and_then(|operation| operation.op);
        let op = op.map_or_else(String::new, |op| format!(" with {}", op.name()));
        let place = format!("bytes {} to {}", range.start, range.end);
        match self.role {
            Role::Target => format!("{call}{op} of rank {} on {place}", self.origin),
            _ => format!(
                "{call}{op} of rank {} to rank {}, whose origin buffer is {place}",
                self.origin, self.target
            ),
        }
    }
}

impl Operation {
    /// Whether it leaves the elements as they are.
    fn keeps(&self) -> bool {
        self.op == Some(BuiltinOp::NoOp)
    }

    /// Whether both may be under way on an element, as far as the operations go.
    fn goes_with(&self, other: &Self) -> bool {
        let either =
            |first: &Self, second: &Self| first.op.is_none() || first.keeps() || first.op == second.op;
        either(self, other) || either(other, self)
    }

    /// Whether the elements of both are of one kind: integers of one size are, whatever their name.
    fn is_on_same(&self, other: &Self) -> bool {
        let kind = |operation: &Self| {
            let unit = unit_of_numbers(operation.unit)?;
            Some((unit.basic()?.class(), unit.size()))
        };
        self.unit == other.unit || kind(self).is_some_and(|own| kind(other) == Some(own))
    }
}
