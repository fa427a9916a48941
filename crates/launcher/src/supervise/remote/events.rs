//! The events of the nodes of a job.

use super::{NodeState, RemoteNodes};
use crate::oob::LinkError;
use crate::process::GRACE;
use crate::tree::message::{Down, Up};
use crate::tree::{Loss, no_sign_of_life};
use simurgh_net::HostId;
use simurgh_net::control::FromHost;
use std::ops::Range;

/// An event of a node.
pub(super) enum NodeEvent {
    Said { host: HostId, message: FromHost },
    Exited { host: HostId, status: i32 },
    Lost { node: u32, loss: Loss },
}

impl RemoteNodes {
    /// The events that have come.
    pub(super) fn poll_events(&mut self) -> Vec<NodeEvent> {
        let mut events = std::mem::take(&mut self.pending);
        self.output.update();
        self.errors.update();
        if let Some(srun) = &mut self.srun {
            self.branches.extend(srun.accept(&self.job));
            if let Some(loss) = srun.has_failed() {
                events.extend(self.lost(0..self.job.nodes.1, &loss));
                self.srun = None;
            }
        }
        let mut index = 0;
        while index < self.branches.len() {
            match self.receive_from(index, &mut events) {
                Ok(()) => index += 1,
                Err(loss) => {
                    let branch = self.branches.swap_remove(index);
                    events.extend(self.lost(branch.nodes(), &loss));
                    branch.end(GRACE);
                }
            }
        }
        if self.states[0] == NodeState::Up
            && let Some(bytes) = self.input.read()
        {
            self.send_to(0, &Down::Input, &bytes);
        }
        events
    }

    /// The loss of nodes, except those that were done.
    fn lost(&self, nodes: Range<u32>, loss: &Loss) -> Vec<NodeEvent> {
        let matters = |node: &u32| self.states[*node as usize] != NodeState::Done;
        let lost = |node| NodeEvent::Lost {
            node,
            loss: loss.clone(),
        };
        nodes.filter(matters).map(lost).collect()
    }

    /// Reads the messages of a branch. The error is the reason if the branch is lost.
    fn receive_from(&mut self, index: usize, events: &mut Vec<NodeEvent>) -> Result<(), Loss> {
        self.branches[index].pump();
        while !self.is_congested() {
            let branch = &mut self.branches[index];
            match branch.receive() {
                Ok(Some((message, bytes))) => events.extend(self.take(message, bytes)),
                Ok(None) => break,
                Err(LinkError::Closed) if self.is_over(index) => return Err(Loss::of("")),
                Err(error) => return Err(self.branches[index].loss(&error)),
            }
        }
        match self.timeout {
            Some(timeout) if !self.branches[index].keep_alive(timeout) => Err(no_sign_of_life(timeout)),
            _ => Ok(()),
        }
    }

    /// Whether all nodes of a branch are done.
    fn is_over(&self, index: usize) -> bool {
        let mut nodes = self.branches[index].nodes();
        nodes.all(|node| self.states[node as usize] == NodeState::Done)
    }

    fn take(&mut self, message: Up, bytes: Vec<u8>) -> Option<NodeEvent> {
        match message {
            Up::Said { host, message } => return Some(NodeEvent::Said { host, message }),
            Up::Exited { host, status } => return Some(NodeEvent::Exited { host, status }),
            Up::Failed { node, loss } if self.is_active(node) => return Some(NodeEvent::Lost { node, loss }),
            Up::Output { error: false } => self.output.print(bytes),
            Up::Output { error: true } => self.errors.print(bytes),
            Up::TookInput => self.input.is_taken(),
            Up::Modex(fragment) => self.exchange(fragment, &bytes),
            Up::Here { node } => self.set_state(node, NodeState::Up),
            Up::Done { node } => self.set_state(node, NodeState::Done),
            Up::Failed { .. } | Up::Called { .. } | Up::Alive => {}
        }
        None
    }
}
