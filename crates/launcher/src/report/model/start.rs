//! The start and the end of a job as `mpiexec` sees them: what passes between it and the first agent of each branch.
//!
//! | who | says | how often |
//! |---|---|---|
//! | an agent | it is there; its node is done | once for each node |
//! | a host | it joins, with its addresses; its ranks have ended; its process has | once |
//! | `mpiexec` | the job | once for each branch |
//! | `mpiexec` | the addresses of all hosts, in several messages; go; all is over | once for each branch |
//! | `mpiexec` | a host may end | once for each host |
//!
//! The lengths are those of the real messages, which are encoded here.

use crate::hosts::Member;
use crate::mpiexec::TREE_WIDTH;
use crate::nodes::Launch;
use crate::oob::Link;
use crate::supervise::peers_messages;
use crate::tree::message::{Down, NodeJob, Up, VERSION};
use serde::Serialize;
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::control::{self, Address, FromHost, Hello, Peer, ToHost};
use simurgh_net::encoding::{Bytes, Text};
use simurgh_net::job::{self, HostShare, JobSpec, MAX_RANKS, Mode, Origin, Section};
use simurgh_settings::{Id, Values};

/// The bytes of an address: one of libfabric's tcp provider, with the nonce of the host.
const ADDRESS: usize = 40;

/// Messages, and the bytes of their frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(super) struct Traffic {
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

impl Traffic {
    /// Adds a message that comes so many times.
    pub(super) fn add(&mut self, times: u64, message: &impl Serialize) {
        self.messages += times;
        self.bytes += times * Link::frame_of(message, &[]).len() as u64;
    }

    /// The same on so many branches.
    pub(super) fn times(self, branches: u64) -> Self {
        Self {
            messages: self.messages * branches,
            bytes: self.bytes * branches,
        }
    }
}

/// The start and the end of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// The number of hosts, each on a node of its own.
    pub(super) hosts: u32,
    /// The number of branches that `mpiexec` has.
    pub(super) branches: u64,
    /// The number of agents one after the other on the longest way from `mpiexec` to a node.
    pub(super) depth: u32,
    /// What the longest branch says.
    pub(super) up: Traffic,
    /// What the longest branch is told.
    pub(super) down: Traffic,
    /// The bytes of the job description for an agent.
    pub(super) job: u64,
    /// The bytes of the addresses of all hosts.
    pub(super) peers: u64,
}

impl Start {
    /// The start of a job of so many hosts with so many ranks each.
    pub(super) fn of(hosts: u32, ranks: u32) -> Self {
        let secret = Secret::from_bytes(&[0; 32]).expect("it has 32 bytes");
        let mut job = job(hosts, ranks, secret.clone());
        let branches = job.branches();
        // The last branch is the longest, or one of several that are.
        let own = branches.last().cloned().unwrap_or_default();
        let longest = own.len();
        job.nodes = (own.start, own.end);
        let (nodes, last) = (longest as u64, hosts - 1);
        let said = |message| Up::Said { host: last, message };
        let (mut up, mut down) = (Traffic::default(), Traffic::default());
        up.add(nodes, &Up::Here { node: last });
        up.add(nodes, &said(FromHost::Hello(hello(last, &secret))));
        up.add(nodes, &said(FromHost::Ended { status: 0 }));
        up.add(
            nodes,
            &Up::Exited {
                host: last,
                status: 0,
            },
        );
        up.add(nodes, &Up::Done { node: last });
        let peers = peers(hosts);
        let job = Down::Job(Box::new(job));
        down.add(1, &job);
        down.messages += peers.messages;
        down.bytes += peers.bytes;
        down.add(1, &Down::TellAll(ToHost::Go));
        down.add(nodes, &end(last));
        down.add(1, &Down::Over);
        Self {
            hosts,
            branches: branches.len() as u64,
            depth: depth(longest as u32),
            up,
            down,
            job: Link::frame_of(&job, &[]).len() as u64,
            peers: peers.bytes,
        }
    }

    /// The bytes of `mpiexec`: what it knows of hosts and nodes, the job as it is written and as it is sent to each
    /// branch, and the addresses, which all branches share until they have been sent.
    pub(super) fn memory(&self) -> u64 {
        let known = u64::from(self.hosts) * (size_of::<Member>() + size_of::<Address>() + 4 * ADDRESS) as u64;
        known + (self.branches + 4) * self.job + 2 * self.peers + self.up.bytes * self.branches / 4
    }
}

/// The number of agents one after the other in a branch of so many nodes.
fn depth(nodes: u32) -> u32 {
    match nodes {
        0 => 0,
        nodes => 1 + depth((nodes - 1).div_ceil(TREE_WIDTH)),
    }
}

/// The messages with the addresses of all hosts.
fn peers(hosts: u32) -> Traffic {
    let peers = (0..hosts).map(|host| Peer {
        host,
        addresses: addresses(),
        place: None,
    });
    let mut traffic = Traffic::default();
    for message in peers_messages(peers) {
        traffic.add(1, &Down::TellAll(message));
    }
    traffic
}

fn end(host: HostId) -> Down {
    Down::Tell {
        node: host,
        host,
        message: ToHost::End,
    }
}

/// The first message of a host.
pub(super) fn hello(host: HostId, secret: &Secret) -> Hello {
    Hello {
        version: control::VERSION,
        secret: secret.clone(),
        host,
        addresses: addresses(),
    }
}

fn addresses() -> Vec<Address> {
    vec![Address {
        transport: "ofi".to_owned(),
        bytes: Bytes(vec![0xa5; ADDRESS]),
    }]
}

/// A job of so many hosts, each on a node of its own and with so many ranks.
pub(super) fn job(hosts: u32, ranks: u32, secret: Secret) -> NodeJob {
    let text = |text: &str| Text::new(text).expect("it contains no NUL");
    let section = Section {
        program: text("/bin/true"),
        argv: vec![text("true")],
        ranks: hosts.saturating_mul(ranks).min(MAX_RANKS),
        mode: Mode::Threads,
        wdir: None,
        env: Vec::new(),
        preload: Vec::new(),
    };
    // An hour in milliseconds. Signs of life are no part of the model, and the one thread that plays all agents in a
    // simulation may be late with them where others use the processors.
    let mut settings = Values::default();
    let set = settings.set(Id::PeerTimeout, 3_600_000, simurgh_settings::Origin::Preset);
    set.expect("an hour is a time");
    NodeJob {
        version: VERSION,
        secret: Some(secret),
        name: "model".to_owned(),
        nodes: (0, hosts),
        names: (0..hosts).map(|node| format!("node{node:06}")).collect(),
        spec: JobSpec {
            version: job::VERSION,
            sections: vec![section],
            hosts: (0..hosts).map(|node| HostShare { node, ranks }).collect(),
            host: 0,
            control: None,
            settings,
            parent: None,
            origin: Origin {
                nodes: hosts,
                ..Origin::default()
            },
        },
        wrapper: Vec::new(),
        launch: Launch::Fork,
        width: TREE_WIDTH,
        cpus: None,
        environment: None,
    }
}
