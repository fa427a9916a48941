//! Messages that are being sent piece by piece.
//!
//! Their receivers have asked for them, and take the pieces in order. Whoever polls sends on, a few pieces of each in
//! turn; while one does so, nobody else sees the stream.

use super::Remote;
use super::goods::Goods;
use super::register::Handle;
use super::wire::Packet;
use crate::job::Job;
use crate::request::Waiter;
use crate::status::Status;
use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};
use simurgh_net::transport::{Busy, HostId};
use std::collections::VecDeque;

/// Pieces that are sent before it is another's turn.
const TURN: usize = 16;

/// A message on its way.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) to: HostId,
    pub(super) receiver: Handle,
    pub(super) goods: Goods,
    pub(super) waiter: Option<Waiter>,
    /// Where the next piece begins.
    pub(super) offset: u64,
    /// Where the last piece ends.
    pub(super) limit: u64,
}

/// The messages on their way from a host.
#[derive(Default)]
pub(super) struct Streams {
    count: AtomicUsize,
    waiting: SpinLock<VecDeque<Stream>>,
}

impl Streams {
    /// Whether there are any.
    pub(super) fn are_there(&self) -> bool {
        // Relaxed: a hint.
        self.count.load(Ordering::Relaxed) > 0
    }

    pub(super) fn add(&self, stream: Stream) {
        let mut waiting = self.waiting.lock();
        waiting.push_back(stream);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> Option<Stream> {
        self.are_there()
            .then(|| self.waiting.lock().pop_front())
            .flatten()
    }

    fn put_back(&self, stream: Stream) {
        self.waiting.lock().push_back(stream);
    }

    fn end(&self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Remote {
    /// Sends on all messages that are on their way, a few pieces each; whether any piece went.
    pub(super) fn send_on(&self, job: &Job) -> bool {
        let mut any = false;
        // Relaxed: a hint.
        let turns = self.streams.count.load(Ordering::Relaxed);
        for _ in 0..turns {
            let Some(mut stream) = self.streams.take() else {
                break;
            };
            let before = stream.offset;
            self.send_pieces(&mut stream);
            any |= stream.offset > before;
            if stream.offset < stream.limit {
                self.streams.put_back(stream);
                continue;
            }
            self.streams.end();
            if let Some(waiter) = stream.waiter {
                waiter.finish(job, &Status::EMPTY);
            }
        }
        any
    }

    /// Sends as many pieces as there is room for, but no more than a turn's.
    fn send_pieces(&self, stream: &mut Stream) {
        for _ in 0..TURN {
            if stream.offset == stream.limit || self.send_piece(stream).is_err() {
                break;
            }
        }
    }

    fn send_piece(&self, stream: &mut Stream) -> Result<(), Busy> {
        let Stream { receiver, offset, .. } = *stream;
        let length = (stream.limit - offset).min(self.capacity(stream.to) as u64);
        // Without credit: it would be lost if there is no room.
        let header = Packet::Data { receiver, offset }.header(0);
        let mut fill = |room: &mut [u8]| stream.goods.fill(offset, room);
        self.fabric()
            .try_send(stream.to, &header, length as usize, &mut fill)?;
        stream.offset += length;
        Ok(())
    }
}
