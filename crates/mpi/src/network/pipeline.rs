//! Messages that are sent piece by piece.
//!
//! Their receivers have asked for them, and take the pieces in order.

use super::Network;
use super::progress::{Step, Task};
use super::send_data::SendData;
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
pub(super) struct PipelinedSend {
    pub(super) to: HostId,
    pub(super) receiver: Handle,
    pub(super) data: SendData,
    pub(super) waiter: Option<Waiter>,
    /// Where the next piece begins.
    pub(super) offset: u64,
    /// Where the last piece ends.
    pub(super) limit: u64,
}

impl Network {
    /// Sends as many pieces as there is room for, but no more than a turn's.
    pub(super) fn send_fragments(&self, local: &Host, mut send: PipelinedSend) -> Step {
        let before = send.offset;
        for _ in 0..TURN {
            if send.offset == send.limit || self.send_fragment(&mut send).is_err() {
                break;
            }
        }
        if send.offset == send.limit {
            if let Some(waiter) = send.waiter {
                waiter.finish(local, &Status::EMPTY);
            }
            return Step::Done;
        }
        if send.offset > before {
            Step::More(Task::Pipeline(send))
        } else {
            Step::Blocked(Task::Pipeline(send))
        }
    }

    fn send_fragment(&self, send: &mut PipelinedSend) -> Result<(), Busy> {
        let PipelinedSend { receiver, offset, .. } = *send;
        let way = self.fabric.route(send.to);
        let length = (send.limit - offset).min(way.capacity() as u64);
        // Without credit: it would be lost if there is no room.
        let header = Packet::Fragment { receiver, offset }.header(0);
        let mut fill = |room: &mut [u8]| send.data.fill(offset, room);
        way.try_send(&header, length as usize, &mut fill)?;
        send.offset += length;
        Ok(())
    }
}
