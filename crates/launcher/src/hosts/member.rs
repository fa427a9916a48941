//! A host as its launcher sees it, whether the launcher or an agent has started it.

use super::Singleton;
use super::process::HostProcess;
use crate::error::LaunchError;
use crate::pmi::PmiSocket;
use crate::process::{PollSet, exit_code, exit_words};
use rustix::process::Signal;
use simurgh_net::HostId;
use simurgh_net::control::{Address, Channel, ControlError, EncodedMessage, FromHost, Hello, Peer};
use simurgh_net::job::{JobSpec, Mode, Place, RankRange, Realm};
use std::fmt;
use std::process::{Child, ExitStatus};

/// A host.
pub(crate) struct Member {
    number: HostId,
    ranks: RankRange,
    place: Place,
    /// The realm of the job's numbers.
    realm: Realm,
    /// Whether it belongs to the command line's job.
    is_first: bool,
    /// The name of its program, if its process is one of a program.
    program: Option<String>,
    /// Whether that is a native program.
    is_native: bool,
    /// Its process; none if an agent watches it, or it has ended.
    own: Option<HostProcess>,
    /// The name of its node, if there are several.
    node: Option<String>,
    joined: Option<Joined>,
    /// Whether it is linked with another MPI, and has joined by PMI.
    is_foreign: bool,
    exit: Option<ExitStatus>,
    /// The status of its ranks, once all of them have ended.
    pub(crate) ended: Option<u8>,
    /// Whether it has been told to end, because all ranks that its own are connected with have ended.
    pub(crate) released: bool,
    /// Whether it has been given up because others of its job could not be started.
    pub(crate) forgotten: bool,
    /// The report on what its ranks wait for, once the host has sent it.
    pub(crate) waiting: Option<String>,
}

/// The addresses of a host that has joined.
struct Joined {
    addresses: Vec<Address>,
}

impl Member {
    /// A host whose process this one has started. `number` is that in its job.
    pub(crate) fn of_process(
        number: HostId,
        spec: &JobSpec,
        child: Child,
        channel: Option<Channel>,
        pmi: Option<PmiSocket>,
    ) -> Result<Self, LaunchError> {
        let own = HostProcess::of_child(child, channel, pmi)?;
        Ok(Self::new((number, place_of(spec, number)), spec, Some(own), None))
    }

    /// The only host of its job, which has started this process.
    pub(crate) fn of_singleton(spec: &JobSpec, running: Singleton) -> Result<Self, LaunchError> {
        let own = HostProcess::of_singleton(running)?;
        Ok(Self::new((0, place_of(spec, 0)), spec, Some(own), None))
    }

    /// The hosts of a job, which the agents of these nodes start.
    pub(crate) fn of_nodes(spec: &JobSpec, names: &[String]) -> Vec<Self> {
        let hosts = (0..).zip(spec.places()).zip(&spec.hosts);
        hosts
            .map(|(host, share)| Self::new(host, spec, None, Some(names[share.node as usize].clone())))
            .collect()
    }

    fn new(
        (number, place): (HostId, Place),
        spec: &JobSpec,
        own: Option<HostProcess>,
        node: Option<String>,
    ) -> Self {
        let ranks = RankRange {
            first: place.first - spec.origin.first_process,
            count: place.processes,
        };
        let section = spec.section_of(ranks.first);
        let section = section.map(|section| &spec.sections[section]);
        let mode = section.map(|section| section.mode);
        let program = section.filter(|section| section.mode.starts_program());
        Self {
            number: spec.origin.first_host + number,
            ranks,
            place,
            realm: spec.origin.realm,
            is_first: spec.origin.parent.is_none(),
            program: program.map(|section| section.argv[0].to_string()),
            is_native: mode == Some(Mode::Native),
            own,
            node,
            joined: None,
            is_foreign: false,
            exit: None,
            ended: None,
            released: false,
            forgotten: false,
            waiting: None,
        }
    }

    /// The share that it takes from later hosts; none if it has ended, or needs none because it is of the first job of
    /// a launcher without a universe.
    pub(crate) fn share(&self) -> Option<u32> {
        let has_one = !self.is_first || !self.realm.is_alone();
        (has_one && self.is_there()).then_some(self.place.share)
    }

    /// Whether it has neither ended nor been released.
    pub(crate) fn is_there(&self) -> bool {
        !self.released && !self.is_gone()
    }

    /// Kills a host that no other host has been told of, and regards it as ended well.
    pub(crate) fn forget(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.wait();
        self.own = None;
        self.exit.get_or_insert_default();
        self.ended = Some(0);
        self.released = true;
        self.forgotten = true;
    }

    /// Its number in its universe.
    pub(crate) fn number(&self) -> HostId {
        self.number
    }

    /// The number of its world in its universe.
    pub(crate) fn world(&self) -> u32 {
        self.place.world
    }

    /// Whether it belongs to the command line's job.
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The number of its node in its job.
    pub(crate) fn node(&self) -> u32 {
        self.local(self.place.node)
    }

    /// A number of its realm as the user knows it.
    fn local(&self, number: u32) -> u32 {
        self.realm.local(number).unwrap_or(number)
    }

    /// Waits for its messages and its end.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        if let (Some(own), false) = (&self.own, self.is_gone()) {
            own.watch(set);
        }
    }

    /// Whether what it waits for follows its name: the report of a process with several ranks is a list.
    pub(crate) fn says_of_itself(&self) -> bool {
        self.is_program() && !(self.is_native && self.has_joined())
    }

    /// Whether its ranks are closures of a Rust program.
    pub(crate) fn is_native(&self) -> bool {
        self.is_native
    }

    /// Whether its process is one of a program: that of a single rank, or of a native program. Such a program may do
    /// anything before and after it uses MPI.
    pub(crate) fn is_program(&self) -> bool {
        self.program.is_some()
    }

    /// Whether it does not receive messages: it is a program that has not begun to use MPI, or has ceased to.
    pub(crate) fn reads_no_messages(&self) -> bool {
        self.is_program() && (!self.has_joined() || self.ended.is_some() || self.is_foreign)
    }

    /// Signals its process, which has been told to end, if it does not receive that message.
    pub(crate) fn signal_unless_it_reads(&self) {
        if self.reads_no_messages() {
            self.signal(Signal::TERM);
        } else if !self.has_joined() {
            // It may be deep in a library that is starting, and has nothing that it would have to bring to an end.
            self.signal(Signal::KILL);
        }
    }

    /// Whether it is a program that has finalized MPI and waits until all others have.
    pub(crate) fn waits_for_the_others(&self) -> bool {
        self.is_program() && !self.is_foreign && self.ended.is_some() && self.is_there()
    }

    pub(crate) fn has_joined(&self) -> bool {
        self.joined.is_some()
    }

    /// Whether its process has ended; that of a singleton also when it has been released and has received all messages.
    pub(crate) fn is_gone(&self) -> bool {
        let is_let_go = |own: &HostProcess| own.is_singleton() && own.is_flushed();
        self.exit.is_some() || self.released && self.own.as_ref().is_some_and(is_let_go)
    }

    /// Whether its process has started the launcher, and not the other way round.
    pub(crate) fn is_singleton(&self) -> bool {
        self.own.as_ref().is_some_and(HostProcess::is_singleton)
    }

    /// Whether its process has ended with a status other than 0.
    pub(crate) fn has_failed(&self) -> bool {
        self.exit.is_some_and(|status| !status.success())
    }

    /// The end of its process in words that follow its name. The status of a singleton is not known.
    pub(crate) fn end_words(&self, status: ExitStatus) -> String {
        match self.is_singleton() {
            true => "has ended".to_owned(),
            false => exit_words(status),
        }
    }

    /// The status of its process, if that has ended with one other than 0.
    pub(crate) fn bad_status(&self) -> Option<u8> {
        self.exit.map(exit_code).filter(|&code| code != 0)
    }

    /// Takes note of its addresses: it has joined the job.
    pub(crate) fn join(&mut self, hello: Hello) {
        self.joined = Some(Joined {
            addresses: hello.addresses,
        });
    }

    /// Takes note of the addresses at which later hosts reach it.
    pub(crate) fn reopen(&mut self, addresses: Vec<Address>) {
        if let Some(joined) = &mut self.joined {
            joined.addresses = addresses;
        }
    }

    /// Takes note that it uses another MPI, and has joined by PMI.
    pub(crate) fn join_by_pmi(&mut self) {
        self.is_foreign = true;
        self.joined.get_or_insert_with(|| Joined {
            addresses: Vec::new(),
        });
    }

    /// Whether it uses another MPI.
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Its addresses for other hosts. `with_place` adds its place, for those whose job description does not say it.
    pub(crate) fn as_peer(&self, with_place: bool) -> Option<Peer> {
        let joined = self.joined.as_ref()?;
        Some(Peer {
            host: self.number,
            addresses: joined.addresses.clone(),
            place: with_place.then_some(self.place),
        })
    }

    /// Sends it a message, as soon as there is room. A host that is gone needs no messages.
    pub(crate) fn send(&mut self, encoded: EncodedMessage) {
        if let Some(own) = &mut self.own {
            own.send(encoded);
        }
    }

    /// Sends it the messages for which there was no room before.
    pub(crate) fn flush(&mut self) {
        if let Some(own) = &mut self.own {
            own.flush();
        }
    }

    /// The next message from it, if there is one. After its channel is closed there are none.
    ///
    /// # Errors
    ///
    /// When something else has been received.
    pub(crate) fn receive(&mut self) -> Result<Option<FromHost>, ControlError> {
        self.own.as_mut().map_or(Ok(None), HostProcess::receive)
    }

    /// Sends its process a signal; one that has ended needs none.
    pub(crate) fn signal(&self, signal: Signal) {
        if let (Some(own), false) = (&self.own, self.is_gone()) {
            own.signal(signal);
        }
    }

    /// The status of its process if it has ended since the last call.
    pub(crate) fn ended_process(&mut self) -> Result<Option<ExitStatus>, LaunchError> {
        if self.is_gone() {
            return Ok(None);
        }
        self.exit = self.own.as_mut().map_or(Ok(None), HostProcess::ended)?;
        Ok(self.exit)
    }

    /// Closes the channels to its process, which has ended, after all its messages have been received.
    pub(crate) fn close_process(&mut self) {
        self.own = None;
    }

    /// Waits for the end of its process.
    pub(crate) fn wait(&mut self) -> std::io::Result<()> {
        if let (Some(own), None) = (&mut self.own, self.exit) {
            self.exit = own.wait()?;
        }
        Ok(())
    }

    /// Whether its process has begun to end. The kernel closes its connections before it reports the end, and long
    /// before on a busy machine.
    pub(crate) fn is_exiting(&self) -> bool {
        self.own.as_ref().is_some_and(HostProcess::is_exiting)
    }

    /// Takes note of the end of a process that an agent has started.
    pub(crate) fn has_exited(&mut self, status: ExitStatus) {
        self.exit = Some(status);
    }
}

/// The place of one of the hosts of a job.
fn place_of(spec: &JobSpec, number: HostId) -> Place {
    let place = spec.places().nth(number as usize);
    place.expect("it is one of the job's hosts")
}

impl fmt::Display for Member {
    /// Such as `host 1 (ranks 2-3)`, `host 1 (ranks 2-3 on node7)` or `rank 2 (./a.out)`. Ranks of spawned programs are
    /// `ranks 2-3 of world 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranks = match self.local(self.place.world) {
            0 => self.ranks.to_string(),
            world => format!("{} of world {world}", self.ranks),
        };
        match (&self.program, &self.node) {
            (Some(program), None) => write!(f, "{ranks} ({program})"),
            (Some(program), Some(node)) => write!(f, "{ranks} ({program} on {node})"),
            (None, Some(node)) => write!(f, "host {} ({ranks} on {node})", self.local(self.number)),
            (None, None) => write!(f, "host {} ({ranks})", self.local(self.number)),
        }
    }
}
