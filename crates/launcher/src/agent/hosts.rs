//! The hosts of an agent's node.

use super::lines::Lines;
use super::modex::PmixRequests;
use crate::error::LaunchError;
use crate::host_wrapper::HostWrapper;
use crate::hosts::{Member, Starter, Streams};
use crate::oob::Link;
use crate::process::PollSet;
use crate::tree::message::{NodeJob, Up};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::Signal;
use simurgh_net::HostId;
use simurgh_net::control::{Channel, EncodedMessage, FromHost};
use simurgh_net::job::JobSpec;
use simurgh_settings::Id;
use std::os::fd::{AsFd, OwnedFd};

/// A host of this node.
pub(super) struct Host {
    pub(super) member: Member,
    /// Their output, unless it goes into files.
    lines: Vec<Lines>,
    input: Option<Input>,
}

/// The input of rank 0.
struct Input {
    pipe: OwnedFd,
    pending: Vec<u8>,
    /// Whether no more input will come.
    ended: bool,
}

/// The starter of the hosts of an agent's job. `requests` leads to the PMIx servers of other nodes.
pub(super) fn starter(job: &NodeJob, requests: PmixRequests) -> Result<Starter, LaunchError> {
    let wrapper = HostWrapper::of(
        job.wrapper
            .iter()
            .map(|word| word.as_os_str().to_owned())
            .collect(),
    );
    let mut starter = Starter::new(own(&job.spec), wrapper, job.known_secret())?;
    starter.environment = job.environment.clone();
    if let Some(pmix) = starter.pmix_mut() {
        pmix.join_nodes(&job.name, &job.names, job.nodes.0, Box::new(requests));
    }
    Ok(starter)
}

/// A job description for hosts that are children of this process.
pub(super) fn own(spec: &JobSpec) -> JobSpec {
    JobSpec {
        parent: Some(std::process::id()),
        ..spec.clone()
    }
}

/// The hosts of a job on a node, by their numbers in the job.
pub(super) fn on_node(spec: &JobSpec, node: u32) -> Vec<HostId> {
    let hosts = (0..).zip(&spec.hosts);
    let here = hosts.filter(|(_, share)| share.node == node);
    here.map(|(number, _)| number).collect()
}

/// Starts a host. The report about its binding goes up.
pub(super) fn start(starter: &Starter, number: HostId, link: &mut Link) -> Result<Host, LaunchError> {
    let (channel, end) = Channel::pair()?;
    let (mut child, pmi) = starter.start(number, &end, Streams::Piped)?;
    if let Some(report) = starter.report(number)? {
        link.send(
            &Up::Output { error: true },
            format!("simurgh: {report}\n").as_bytes(),
        );
    }
    let streams = [
        (child.stdout.take().map(OwnedFd::from), false),
        (child.stderr.take().map(OwnedFd::from), true),
    ];
    let input = child.stdin.take().map(|pipe| Input::new(pipe.into())).transpose();
    let tag = tag(starter.spec(), number);
    let lines = streams
        .into_iter()
        .filter_map(|(pipe, error)| Some(Lines::new(pipe?, error, tag.clone())));
    Ok(Host {
        lines: lines.collect::<Result<_, _>>().map_err(system)?,
        input: input.map_err(system)?,
        member: Member::of_process(number, starter.spec(), child, Some(channel), pmi)?,
    })
}

/// The tag of the output lines of a host. Ranks that are threads tag their output themselves; those of a native program
/// share their streams.
fn tag(spec: &JobSpec, host: HostId) -> String {
    match spec.mode_of(host).starts_program() && spec.settings.is_on(Id::TagOutput) {
        true => format!("[{}] ", spec.names_of(spec.ranks_of(host))),
        false => String::new(),
    }
}

fn system(error: Errno) -> LaunchError {
    LaunchError::Supervise(error.into())
}

impl Host {
    pub(super) fn number(&self) -> HostId {
        self.member.number()
    }

    /// Waits for its messages, its end and its output. While the link is `congested`, the output is not read.
    pub(super) fn watch<'a>(&'a self, congested: bool, set: &mut PollSet<'a>) {
        self.member.watch(set);
        for pipe in self.lines.iter().filter_map(Lines::pipe).filter(|_| !congested) {
            set.add(pipe, PollFlags::IN);
        }
        if let Some(input) = self.input.as_ref().filter(|input| !input.pending.is_empty()) {
            set.add(input.pipe.as_fd(), PollFlags::OUT);
        }
    }

    /// Sends up its output and messages, and its end.
    pub(super) fn forward(&mut self, link: &mut Link, congested: bool) -> Result<(), LaunchError> {
        if !congested {
            for lines in &mut self.lines {
                lines.forward(link);
            }
        }
        self.feed(link);
        self.forward_messages(link);
        if let Some(status) = self.member.ended_process()? {
            self.forward_messages(link);
            for lines in &mut self.lines {
                lines.finish(link);
            }
            self.input = None;
            let status = std::os::unix::process::ExitStatusExt::into_raw(status);
            link.send(
                &Up::Exited {
                    host: self.number(),
                    status,
                },
                &[],
            );
        }
        Ok(())
    }

    /// Sends up its messages.
    fn forward_messages(&mut self, link: &mut Link) {
        self.member.flush();
        let host = self.number();
        loop {
            let message = match self.member.receive() {
                Ok(Some(message)) => message,
                Ok(None) => return,
                Err(error) => {
                    let message = format!("{}: {error}", self.member);
                    link.send(
                        &Up::Said {
                            host,
                            message: FromHost::Abort { status: 1, message },
                        },
                        &[],
                    );
                    return;
                }
            };
            self.note(&message);
            link.send(&Up::Said { host, message }, &[]);
        }
    }

    /// Takes note of what decides how its process is to be ended: whether it receives messages.
    fn note(&mut self, message: &FromHost) {
        match message {
            FromHost::Hello(hello) => self.member.join(hello.clone()),
            FromHost::Ended { status } => self.member.ended = Some(*status),
            _ => {}
        }
    }

    /// Adds input for rank 0; empty at its end.
    pub(super) fn take_input(&mut self, bytes: &[u8], link: &mut Link) {
        match &mut self.input {
            Some(input) if bytes.is_empty() => input.ended = true,
            Some(input) => input.pending.extend_from_slice(bytes),
            // Nobody reads it any more.
            None => link.send(&Up::TookInput, &[]),
        }
        self.feed(link);
    }

    fn feed(&mut self, link: &mut Link) {
        let Some(input) = &mut self.input else { return };
        let waited = !input.pending.is_empty();
        let open = input.write();
        if waited && (input.pending.is_empty() || !open) {
            link.send(&Up::TookInput, &[]);
        }
        if !open || (input.ended && input.pending.is_empty()) {
            self.input = None;
        }
    }

    pub(super) fn signal(&self, signal: Signal) {
        self.member.signal(signal);
    }

    /// Kills its process, and waits for that.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.member.wait();
    }

    pub(super) fn send(&mut self, encoded: EncodedMessage) {
        self.member.send(encoded);
    }
}

impl Input {
    fn new(pipe: OwnedFd) -> rustix::io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self {
            pipe,
            pending: Vec::new(),
            ended: false,
        })
    }

    /// Writes as much as there is room for; false if nobody reads.
    fn write(&mut self) -> bool {
        while !self.pending.is_empty() {
            match rustix::io::write(&self.pipe, &self.pending) {
                Ok(written) => drop(self.pending.drain(..written)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => return false,
            }
        }
        true
    }
}
