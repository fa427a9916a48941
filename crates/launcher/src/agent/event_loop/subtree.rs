//! The agents below an agent.

use super::Agent;
use crate::oob::{Link, LinkError};
use crate::process::GRACE;
use crate::tree::message::{Down, Up};
use crate::tree::{Branch, HIGH_WATER, no_sign_of_life, split};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

impl Agent {
    /// Starts the agents below.
    pub(super) fn start_below(&mut self, below: Range<u32>, tool: &Path) {
        for nodes in split(below, self.job.width) {
            match Branch::start(&self.job, nodes.clone(), tool) {
                Ok(branch) => self.branches.push(branch),
                Err(error) => nodes.for_each(|node| self.fail(node, &error)),
            }
        }
    }

    /// Passes a message on to all agents below.
    pub(super) fn send_down(&mut self, message: &Down) {
        self.send_down_with(message, &[]);
    }

    /// Passes a message on to all agents below, with the bytes of its frame.
    pub(super) fn send_down_with(&mut self, message: &Down, bytes: &[u8]) {
        Branch::send_all(&mut self.branches, message, bytes);
    }

    /// Passes a message on towards a node.
    pub(super) fn send_down_to(&mut self, node: u32, message: &Down, bytes: &[u8]) {
        if let Some(branch) = self
            .branches
            .iter_mut()
            .find(|branch| branch.nodes().contains(&node))
        {
            branch.send(message, bytes);
        }
    }

    /// Passes up the messages from below.
    pub(super) fn forward_up(&mut self, congested: bool) {
        let mut index = 0;
        while index < self.branches.len() {
            let branch = &mut self.branches[index];
            branch.pump();
            match drain(branch, &mut self.link, congested) {
                Ok(()) => index += 1,
                Err(error) => {
                    let branch = self.branches.swap_remove(index);
                    self.handle_loss(branch, &error);
                }
            }
        }
    }

    /// Handles the end of a branch. `mpiexec` knows which of its nodes were done, and ignores their loss.
    fn handle_loss(&mut self, mut branch: Branch, error: &LinkError) {
        let (nodes, loss) = (branch.nodes(), branch.loss(error));
        for node in nodes {
            self.send(&Up::Failed {
                node,
                loss: loss.clone(),
            });
        }
        branch.end(GRACE);
    }

    /// Sends signs of life to the agents below. Those that have sent none are lost.
    pub(super) fn keep_below_alive(&mut self, timeout: Duration) {
        let mut index = 0;
        while index < self.branches.len() {
            if self.branches[index].keep_alive(timeout) {
                index += 1;
            } else {
                let branch = self.branches.swap_remove(index);
                for node in branch.nodes() {
                    let loss = no_sign_of_life(timeout);
                    self.send(&Up::Failed { node, loss });
                }
            }
        }
    }
}

/// Passes up the messages of one branch.
fn drain(branch: &mut Branch, link: &mut Link, congested: bool) -> Result<(), LinkError> {
    while !congested || link.backlog() < 2 * HIGH_WATER {
        match branch.receive()? {
            Some((Up::Alive | Up::Called { .. }, _)) => {}
            Some((message, bytes)) => link.send(&message, &bytes),
            None => break,
        }
    }
    Ok(())
}
