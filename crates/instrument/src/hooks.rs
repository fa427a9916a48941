//! Hooks, by which the engine reports what happens. While nobody watches, a hook costs one load and a branch.

use super::event::{BLOCKED, MATCHED, RENDEZVOUS, Reason, UNEXPECTED, WOKEN};
use crate::{OneSided, TargetMemory, Tool, Way, on};
use simurgh_core::sync::Arc;
use simurgh_matching::Envelope;
use std::sync::OnceLock;
use std::time::Instant;

/// A rank, or a part of it that has access to the instrumentation of the rank.
pub trait Watched {
    /// The instrumentation of the rank, if the rank has used the tool information interface.
    fn active_tool(&self) -> Option<&Arc<Tool>>;
}

impl<T: Watched> Watched for Arc<T> {
    fn active_tool(&self) -> Option<&Arc<Tool>> {
        (**self).active_tool()
    }
}

/// A function that finds the instrumentation of the calling rank.
type Caller = fn() -> Option<Arc<Tool>>;

static CALLER: OnceLock<Caller> = OnceLock::new();

/// Sets the function that finds the calling rank, which only a layer above can know. The first setting counts.
pub fn set_caller(find: Caller) {
    CALLER.get_or_init(|| find);
}

/// Reports that a rank sends a message to process `receiver`.
#[inline]
pub fn sent(sender: &impl Watched, receiver: u32, bytes: impl FnOnce() -> usize) {
    if on() {
        count_sent(sender, receiver, bytes());
    }
}

#[cold]
#[inline(never)]
fn count_sent(sender: &impl Watched, receiver: u32, bytes: usize) {
    if let Some(tool) = sender.active_tool() {
        tool.counters().sent.count(bytes);
        tool.count_exchanged(Way::To, receiver, bytes);
    }
}

/// Reports that data goes between a rank and a process in another way than by a message that is reported.
#[cold]
#[inline(never)]
pub fn exchanged(rank: &impl Watched, way: Way, peer: u32, bytes: usize) {
    if let Some(tool) = rank.active_tool() {
        tool.count_exchanged(way, peer, bytes);
    }
}

/// Reports that a message was matched with a receive of the rank whose endpoint is `to`.
#[inline]
pub fn matched(to: &impl Watched, envelope: Envelope, bytes: impl FnOnce() -> usize) {
    if on() {
        note_matched(to, envelope, bytes());
    }
}

#[cold]
#[inline(never)]
fn note_matched(to: &impl Watched, envelope: Envelope, bytes: usize) {
    if let Some(tool) = to.active_tool() {
        tool.counters().received.count(bytes);
        tool.note(MATCHED, message(envelope.source, envelope, bytes));
    }
}

/// Reports that a message has found no receive at the rank whose endpoint is `to`.
#[inline]
pub fn unexpected(to: &impl Watched, envelope: Envelope, bytes: usize) {
    if on() {
        note_unexpected(to, envelope, bytes);
    }
}

#[cold]
#[inline(never)]
fn note_unexpected(to: &impl Watched, envelope: Envelope, bytes: usize) {
    if let Some(tool) = to.active_tool() {
        tool.counters().count_unexpected();
        tool.note(UNEXPECTED, message(envelope.source, envelope, bytes));
    }
}

/// Reports that a message to process `receiver` waits in the memory of its sender.
#[inline]
pub fn left_with_sender(sender: &impl Watched, receiver: u32, envelope: Envelope, bytes: usize) {
    if on() {
        note_rendezvous(sender, receiver, envelope, bytes);
    }
}

#[cold]
#[inline(never)]
fn note_rendezvous(sender: &impl Watched, receiver: u32, envelope: Envelope, bytes: usize) {
    if let Some(tool) = sender.active_tool() {
        tool.note(RENDEZVOUS, message(receiver.cast_signed(), envelope, bytes));
    }
}

/// Reports that a rank takes part in the collective that `call` names.
#[inline]
pub fn collective(caller: &impl Watched, call: &str) {
    if on() {
        count_collective(caller, call);
    }
}

#[cold]
#[inline(never)]
fn count_collective(caller: &impl Watched, call: &str) {
    if let Some(tool) = caller.active_tool() {
        tool.counters().count_collective(call);
    }
}

/// Reports that a rank does a one-sided operation on so many bytes of a target, which is a process. Called where
/// somebody watches.
pub fn one_sided(origin: &impl Watched, kind: OneSided, memory: TargetMemory, (target, bytes): (u32, usize)) {
    let Some(tool) = origin.active_tool() else { return };
    tool.counters().windows.count(kind, memory, bytes as u64);
    if kind != OneSided::Get {
        tool.count_exchanged(Way::To, target, bytes);
    }
    if !matches!(kind, OneSided::Put | OneSided::Accumulate) {
        tool.count_exchanged(Way::From, target, bytes);
    }
}

/// Runs `wait`, in which the calling rank may block, and reports its begin and end.
#[inline]
pub fn blocking<R>(reason: Reason, wait: impl FnOnce() -> R) -> R {
    if on() { timed(reason, wait) } else { wait() }
}

#[cold]
#[inline(never)]
fn timed<R>(reason: Reason, wait: impl FnOnce() -> R) -> R {
    let Some(tool) = CALLER.get().and_then(|find| find()) else {
        return wait();
    };
    tool.note(BLOCKED, [number(reason), 0, 0, 0]);
    let start = Instant::now();
    let result = wait();
    let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    tool.counters().count_blocked(nanoseconds);
    tool.note(WOKEN, [number(reason), nanoseconds, 0, 0]);
    result
}

fn number(reason: Reason) -> u64 {
    reason as u64
}

/// The elements of an event that concerns a message. An `int` is held as its bits.
fn message(peer: i32, envelope: Envelope, bytes: usize) -> [u64; 4] {
    let int = |number: i32| u64::from(number.cast_unsigned());
    [
        int(peer),
        int(envelope.tag),
        u64::from(envelope.context),
        bytes as u64,
    ]
}

impl Tool {
    fn count_exchanged(&self, way: Way, peer: u32, bytes: usize) {
        if let Some(peers) = self.peers.get() {
            peers.count(way, peer, bytes);
        }
    }

    fn note(&self, kind: usize, elements: [u64; 4]) {
        self.queue().add(kind, elements, || self.now());
    }
}
