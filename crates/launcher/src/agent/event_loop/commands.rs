//! The messages that an agent receives from above.

use super::{Agent, Orphaned};
use crate::agent::hosts::{self, Host};
use crate::hosts::Starter;
use crate::tree::message::{Down, Fragment, Modex, Up};
use rustix::process::Signal;
use simurgh_net::HostId;
use simurgh_net::control::{FromHost, ToHost};
use simurgh_net::job::JobSpec;
use std::ops::Range;
use std::time::Instant;

impl Agent {
    /// Starts the hosts of a spawned job. A host that cannot be started counts as one that reports this itself.
    fn start_beside(&mut self, spec: &JobSpec) {
        let numbers = hosts::on_node(spec, self.job.nodes.0);
        let (Some(first), Some(starter)) = (numbers.first(), &self.starter) else {
            return;
        };
        let mut host = spec.origin.first_host + first;
        let started = starter.beside(hosts::own(spec)).and_then(|starter| {
            numbers.iter().try_for_each(|&number| {
                host = spec.origin.first_host + number;
                self.hosts.push(hosts::start(&starter, number, &mut self.link)?);
                Ok(())
            })
        });
        if let Err(error) = started {
            let message = error.to_string();
            let message = FromHost::Abort { status: 1, message };
            self.send(&Up::Said { host, message });
        }
    }

    /// Handles the messages from above.
    pub(super) fn handle_all(&mut self) -> Result<(), Orphaned> {
        self.link.flush();
        loop {
            match self.link.receive() {
                Ok(Some((message, bytes))) => {
                    self.heard = Instant::now();
                    self.handle(message, &bytes);
                }
                Ok(None) => return Ok(()),
                Err(_) => return Err(Orphaned),
            }
        }
    }

    fn handle(&mut self, message: Down, bytes: &[u8]) {
        match &message {
            Down::Tell {
                node,
                host,
                message: told,
            } => {
                if *node != self.job.nodes.0 {
                    self.send_down_to(*node, &message, bytes);
                } else {
                    self.send_to_hosts(|own| own.number() == *host, told);
                }
            }
            Down::TellAll(told) => {
                self.send_to_hosts(|_| true, told);
                if let ToHost::Die = told {
                    self.failed = true;
                    self.hosts
                        .iter()
                        .for_each(|host| host.member.signal_unless_it_reads());
                }
                self.send_down(&message);
            }
            Down::Start(spec) => {
                self.send_down(&message);
                self.start_beside(spec);
            }
            Down::Forget { first, hosts } => {
                self.send_down(&message);
                self.forget(*first..first.saturating_add(*hosts));
            }
            Down::Over => {
                self.is_over = true;
                self.send_down(&message);
            }
            Down::Signal(number) => {
                if let Some(signal) = Signal::from_named_raw(*number) {
                    self.hosts.iter().for_each(|host| host.signal(signal));
                }
                self.send_down(&message);
            }
            Down::Input => self.feed(&message, bytes),
            Down::Modex(fragment) => self.exchange(fragment, &message, bytes),
            // Out of turn; or a sign of life, which has been noted already.
            Down::Alive | Down::Job(_) | Down::Call(_) => {}
        }
    }

    /// Sends a message to some of its hosts.
    fn send_to_hosts(&mut self, which: impl Fn(&Host) -> bool, message: &ToHost) {
        let Some(starter) = &self.starter else { return };
        let encoded = starter.memories().encode(message);
        let Some(encoded) = encoded else { return };
        for host in self.hosts.iter_mut().filter(|host| which(host)) {
            host.send(encoded.clone());
        }
    }

    /// Kills and forgets hosts that no other host has been told of.
    fn forget(&mut self, forgotten: Range<HostId>) {
        self.hosts
            .extract_if(.., |host| forgotten.contains(&host.number()))
            .for_each(|mut host| host.kill());
        self.forget_memories();
    }

    /// Hands the PMIx server a fragment for this node, or passes on one for others.
    fn exchange(&mut self, fragment: &Fragment, message: &Down, bytes: &[u8]) {
        if let Modex::Question { to, .. } | Modex::Answer { to, .. } = fragment.about
            && to != self.job.nodes.0
        {
            return self.send_down_to(to, message, bytes);
        }
        if let Modex::Met { .. } = fragment.about {
            self.send_down_with(message, bytes);
        }
        let service = self.starter.as_ref().and_then(Starter::pmix);
        self.exchange.handle(service, fragment, bytes);
    }

    /// Hands rank 0 its input, or passes it on to its node.
    fn feed(&mut self, message: &Down, bytes: &[u8]) {
        match self
            .hosts
            .iter_mut()
            .find(|host| host.number() == self.job.spec.origin.first_host)
        {
            Some(host) => host.take_input(bytes, &mut self.link),
            None => {
                let node = self.job.spec.hosts.first().map(|share| share.node);
                self.send_down_to(node.unwrap_or(0), message, bytes);
            }
        }
    }
}
