//! The effects of node events on the members of a job.

use super::events::NodeEvent;
use super::{NodeState, RemoteNodes};
use crate::error::LaunchError;
use crate::hosts::Member;
use crate::supervise::phase::Verdict;
use crate::supervise::{RemoteLaunch, Supervisor};
use crate::tree::Loss;
use rustix::process::Signal;
use simurgh_net::HostId;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

impl Supervisor<'_> {
    /// Starts the agents of the nodes, which start the hosts.
    pub(in crate::supervise) fn start_nodes(&mut self, nodes: RemoteLaunch) -> Result<(), LaunchError> {
        self.members = Member::of_nodes(self.starter.spec(), &nodes.job.names);
        self.remote = Some(RemoteNodes::start(nodes)?);
        Ok(())
    }

    /// Handles the events of the nodes.
    pub(in crate::supervise) fn handle_node_events(&mut self) {
        let Some(remote) = &mut self.remote else { return };
        for events in remote.poll_events() {
            match events {
                NodeEvent::Said { host, message } => {
                    if let Some(host) = self.waited_for_member(host) {
                        self.handle_message(host, message);
                    }
                }
                NodeEvent::Exited { host, status } => {
                    if let Some(host) = self.waited_for_member(host) {
                        let status = ExitStatus::from_raw(status);
                        self.members[host].has_exited(status);
                        self.has_ended(host, status);
                    }
                }
                NodeEvent::Lost { node, loss } => self.handle_node_loss(node, &loss),
            }
        }
    }

    /// The index of a host, unless it has ended or is forgotten.
    fn waited_for_member(&self, host: HostId) -> Option<usize> {
        self.member_of(host).filter(|&host| !self.members[host].is_gone())
    }

    fn handle_node_loss(&mut self, node: u32, Loss { reason, status }: &Loss) {
        let Some(remote) = &mut self.remote else { return };
        let Some(name) = remote.job.names.get(node as usize) else {
            return;
        };
        let message = format!("node {name}{reason}");
        remote.set_state(node, NodeState::Done);
        let status = *status;
        self.conclude(Verdict { status, message });
        self.status.get_or_insert(status);
        let there = self.members.iter_mut().filter(|member| !member.is_gone());
        for member in there.filter(|member| member.node() == node) {
            member.has_exited(ExitStatus::from_raw(Signal::KILL.as_raw()));
        }
    }

    /// Stops waiting for nodes that do not answer.
    pub(in crate::supervise) fn give_up_nodes(&mut self) {
        for member in self.members.iter_mut().filter(|member| !member.is_gone()) {
            member.has_exited(ExitStatus::from_raw(Signal::KILL.as_raw()));
        }
    }

    /// Ends the agents after all hosts have ended; false if output of ranks was lost.
    pub(in crate::supervise) fn end_nodes(&mut self, in_order: bool) -> bool {
        self.remote.take().is_none_or(|remote| remote.end(in_order))
    }
}
