//! Conflicting accesses of one epoch, which `--check` finds.
//!
//! The process of a rank notes the accesses to its memory (`access_log`). An origin in the same process notes its
//! access there itself, and another one by a message, also where it reaches the memory. Whoever comes second is told:
//! in the call itself, or by the other process when it waits for the completion of its operations.
//!
//! An access is forgotten when it is complete: at a fence, when the origin flushes or unlocks the target, and at
//! `MPI_Win_wait`. So two accesses of passive targets are found if neither is complete when the second begins. Of the
//! target's own loads and stores those are known that its calls make in their origin buffers.

use super::Window;
use super::access::{Access, Call, EXTRA, Operation, Role};
use super::access_log::{AccessLog, Ends};
use super::batch::Replies;
use super::error::fault;
use super::operation::Located;
use super::packet::{Kind, Label, chunks};
use super::remote::BYTE;
use super::shared::WindowShared;
use crate::datatype::Datatype;
use crate::error::{ErrorClass, Result};
use crate::memory::{self, Runs, Source, Target};
use crate::op::{BuiltinOp, numbers_of};
use simurgh_core::sync::{Ordering, SpinLock};
use std::ops::Range;

impl WindowShared {
    /// Notes an access to the memory of a rank of this host, unless it conflicts with another one.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaConflict`] if it does.
    pub(super) fn admit(&self, seat: u32, access: Access, ranges: &[Range<i64>]) -> Result<()> {
        let Some(log) = self.access_log(seat as usize) else {
            return Ok(());
        };
        log.lock().admit(access, ranges).map_err(|(range, other, place)| {
            let description = format!(
                "{} of rank {seat}'s memory in window {} conflicts with {}, which is not complete: separate them by \
                 synchronisation, or use accumulates with the same operation",
                access.describe(&range),
                self.id(),
                other.describe(&place)
            );
            fault(ErrorClass::RmaConflict, description)
        })
    }

    /// Notes that accesses of an origin by its calls on a target, or on all, are complete.
    #[inline]
    pub(super) fn end_accesses(&self, ends: Ends, origin: u32, target: Option<u32>) {
        if let Some(all) = self.access_logs() {
            self.forget(all, ends, origin, target);
        }
    }

    /// Calls on a target are noted at the target, and at the origin, in whose part their buffers may lie.
    #[cold]
    fn forget(&self, all: &[SpinLock<AccessLog>], ends: Ends, origin: u32, target: Option<u32>) {
        let end = |log: &SpinLock<AccessLog>| log.lock().end(ends, origin, target);
        match target {
            None => all.iter().for_each(end),
            Some(seat) => {
                let other = (seat != origin).then_some(origin);
                let logs = [Some(seat), other].into_iter().flatten();
                logs.filter_map(|seat| self.access_log(seat as usize))
                    .for_each(end);
            }
        }
    }
}

/// A buffer of the origin.
#[derive(Clone, Copy)]
pub(super) enum Buffer<'a> {
    Loads(&'a Source),
    Stores(&'a Target),
}

impl Window {
    /// Refuses an operation that conflicts with another one, if that is checked.
    #[inline]
    pub(super) fn admit(
        &self,
        call: Call,
        located: &Located<'_>,
        operation: Option<(Option<BuiltinOp>, &Datatype)>,
        buffers: &[Buffer<'_>],
    ) -> Result<()> {
        match self.shared.access_logs() {
            None => Ok(()),
            Some(_) => self.check_access(call, located, operation, buffers),
        }
    }

    #[cold]
    #[inline(never)]
    fn check_access(
        &self,
        call: Call,
        located: &Located<'_>,
        operation: Option<(Option<BuiltinOp>, &Datatype)>,
        buffers: &[Buffer<'_>],
    ) -> Result<()> {
        let own = self.comm.seat() as u32;
        let access = Access {
            origin: own,
            target: located.seat,
            call,
            role: Role::Target,
            operation: operation.map(|(op, unit)| Operation {
                op,
                unit: numbers_of(unit),
            }),
            // Relaxed: a count of the rank's own calls.
            phase: self.phase.load(Ordering::Relaxed),
        };
        if self.shared.local(located.seat as usize).is_some() {
            let ranges = ranges(located.displacement, located.datatype, located.count);
            self.shared.admit(located.seat, access, &ranges)?;
        } else {
            self.tell_access(located, &access);
        }
        for buffer in buffers {
            let (role, source) = match buffer {
                Buffer::Loads(source) => (Role::Loads, (*source).clone()),
                Buffer::Stores(target) => (Role::Stores, target.as_source()),
            };
            let ranges = self.own_ranges(&source);
            let access = Access { role, ..access };
            self.shared.admit(own, access, &ranges)?;
        }
        Ok(())
    }

    /// The bytes of a buffer that lie in the rank's own memory of the window.
    fn own_ranges(&self, buffer: &Source) -> Vec<Range<i64>> {
        let (address, datatype, count) = (buffer.address().addr() as i64, buffer.datatype(), buffer.count());
        let Some(region) = self.region() else {
            return Vec::new();
        };
        let bytes = region.bytes() as i64;
        let displacement = address.wrapping_sub(region.address().addr() as i64);
        let mut all = ranges(displacement, datatype, count);
        all.retain_mut(|range| {
            *range = range.start.max(0)..range.end.min(bytes);
            !range.is_empty()
        });
        all
    }

    /// Tells the process of the target of an access.
    fn tell_access(&self, located: &Located<'_>, access: &Access) {
        let host = located.part.host();
        let label = self.label(Kind::Access, access.detail(), located.seat);
        let runs = Runs::new(located.datatype, located.count, &BYTE);
        let capacity = self.network().request_capacity(host) - EXTRA;
        for chunk in &chunks(runs, (1, 1), false, capacity) {
            self.send_chunk(
                located,
                label,
                (&BYTE, chunk),
                Replies::Nothing,
                EXTRA,
                &mut |_, room| {
                    room.copy_from_slice(&access.extra());
                },
            );
        }
        self.note_sent(host, Replies::Nothing);
    }

    /// Notes that accesses of this rank are complete.
    #[inline]
    pub(super) fn end_accesses(&self, ends: Ends, target: Option<u32>) {
        self.shared.end_accesses(ends, self.comm.seat() as u32, target);
    }

    /// Notes that accesses in the rank's exposure epoch are complete.
    pub(super) fn end_exposed_accesses(&self) {
        let own = self.comm.seat();
        if let Some(log) = self.shared.access_log(own) {
            log.lock().end_exposure(own as u32);
        }
    }

    /// Notes that all ranks have met at a fence, if accesses are checked.
    #[inline]
    pub(super) fn begin_phase(&self) {
        if self.shared.access_logs().is_some() {
            // Relaxed: a count of the rank's own calls.
            self.phase.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The bytes of elements at a displacement.
fn ranges(displacement: i64, datatype: &Datatype, count: usize) -> Vec<Range<i64>> {
    let place = |run: memory::Run| {
        let start = displacement.wrapping_add(run.offset as i64);
        start..start.saturating_add(run.count as i64)
    };
    Runs::new(datatype, count, &BYTE).map(place).collect()
}

/// The label of a flush that ends accesses to a target, or to all.
pub(super) fn flush_label(label: Label, ends: Ends, target: Option<u32>) -> Label {
    Label {
        detail: ends as u16,
        target: target.unwrap_or(u32::MAX),
        ..label
    }
}
