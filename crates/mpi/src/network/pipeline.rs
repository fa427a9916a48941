//! Messages that are sent in fragments.
//!
//! Their receivers have sent a clear to send, and take the fragments in order.

use super::Network;
use super::frequent::Fragment;
use super::progress::{Step, Task};
use super::send_data::SendData;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::error::Status;
use crate::host::Host;
use crate::request::Waiter;
use simurgh_net::HostId;
use simurgh_net::transport::Busy;

/// Fragments of a message that are sent before the next task has its turn.
const TURN: usize = 16;

/// A message on its way.
#[derive(Debug)]
pub(super) struct PipelinedSend {
    pub(super) to: HostId,
    pub(super) receiver: Handle,
    pub(super) data: SendData,
    pub(super) waiter: Option<Waiter>,
    /// Where the next fragment begins.
    pub(super) offset: u64,
    /// Where the last fragment ends.
    pub(super) limit: u64,
}

impl Network {
    /// Sends as many fragments as the transport has room for, at most those of one turn.
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
        // Without credits: they would be lost if the transport has no room.
        let header = Packet::Fragment(Fragment { receiver, offset }).header(0);
        let mut fill = |room: &mut [u8]| send.data.fill(offset, room);
        way.try_send(&header, length as usize, &mut fill)?;
        send.offset += length;
        Ok(())
    }
}
