//! The transport between the hosts of a communicator.

use super::transport::{Pending, Transport};
use crate::error::{Error, Result};
use crate::members::HostMap;
use crate::memory::{Source, Target};
use crate::network::{self, HostChannel};

/// The transport between the hosts of a communicator, over its channel of the network.
pub(super) struct HostTransport<'a> {
    pub(super) host_channel: HostChannel<'a>,
    pub(super) host_map: &'a HostMap,
}

impl<'a> Transport for HostTransport<'a> {
    type Pending = network::Pending<'a>;

    fn hosts(&self) -> usize {
        self.host_map.hosts()
    }

    fn own(&self) -> usize {
        self.host_map.own()
    }

    fn start_send(&self, to: usize, source: &Source) -> Self::Pending {
        self.host_channel.start_send(self.host_map.host(to), source)
    }

    fn start_recv(&self, from: usize, target: &Target) -> Self::Pending {
        self.host_channel.start_recv(self.host_map.host(from), target)
    }

    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>> {
        self.host_channel.recv_bytes(self.host_map.host(from))
    }

    fn abort(&self, fault: &Error) {
        let others = (0..self.hosts()).filter(|position| *position != self.own());
        self.host_channel
            .fail(fault, others.map(|position| self.host_map.host(position)));
    }

    fn slice(&self, index: usize) -> Self {
        let (host_channel, host_map) = (self.host_channel.beside(index as i32), self.host_map);
        Self {
            host_channel,
            host_map,
        }
    }
}

impl Pending for network::Pending<'_> {
    fn wait(self) -> Result<usize> {
        network::Pending::wait(self)
    }
}
