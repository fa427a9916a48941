//! Messages that are sent piece by piece.
//!
//! Their receivers have asked for them, and take the pieces in order.

use super::Remote;
use super::goods::Goods;
use super::tasks::{Task, Turn};
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::host::Host;
use crate::request::Waiter;
use crate::status::Status;
use simurgh_net::HostId;
use simurgh_net::transport::Busy;

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

impl Remote {
    /// Sends as many pieces as there is room for, but no more than a turn's.
    pub(super) fn send_pieces(&self, local: &Host, mut stream: Stream) -> Turn {
        let before = stream.offset;
        for _ in 0..TURN {
            if stream.offset == stream.limit || self.send_piece(&mut stream).is_err() {
                break;
            }
        }
        if stream.offset == stream.limit {
            if let Some(waiter) = stream.waiter {
                waiter.finish(local, &Status::EMPTY);
            }
            return Turn::Over;
        }
        if stream.offset > before {
            Turn::More(Task::Stream(stream))
        } else {
            Turn::Stuck(Task::Stream(stream))
        }
    }

    fn send_piece(&self, stream: &mut Stream) -> Result<(), Busy> {
        let Stream { receiver, offset, .. } = *stream;
        let way = self.fabric.route(stream.to);
        let length = (stream.limit - offset).min(way.capacity() as u64);
        // Without credit: it would be lost if there is no room.
        let header = Packet::Data { receiver, offset }.header(0);
        let mut fill = |room: &mut [u8]| stream.goods.fill(offset, room);
        way.try_send(&header, length as usize, &mut fill)?;
        stream.offset += length;
        Ok(())
    }
}
