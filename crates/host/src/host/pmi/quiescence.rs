//! Quiescence detection among brokers: finds out that all processes of a job wait for each other, where the launcher
//! does not look for that.
//!
//! The broker of the first process is the coordinator. It receives the reports of all processes on what they have sent
//! and received, and evaluates them as `mpiexec` does ([`Quiescence`]). The other brokers connect to its listener with
//! their first report. All processes have to be on one node.

use super::launcher::Place;
use super::node_sockets::{Listener, authenticated_hello, connect_to};
use rustix::event::{PollFd, PollFlags};
use simurgh_net::auth::Secret;
use simurgh_net::control::{Channel, Conclusion, DEADLOCK, EncodedMessage, FromHost, Quiescence, ToHost};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The time that processes have to say what their ranks wait for; on a busy machine they need some.
const PATIENCE: Duration = Duration::from_secs(2);

/// The part of a broker in the detection.
pub(super) enum Detector {
    /// The coordinator, which receives all reports.
    Coordinator(Coordinator),
    /// A participant, which reports to the coordinator.
    Participant(Participant),
}

/// The consequence of a message.
pub(super) enum Outcome {
    /// The broker has to send this to its own process.
    Tell(ToHost),
    /// All ranks wait for each other; the text says for what.
    Deadlock(String),
}

impl Detector {
    /// The part of the process at `place` with this listener; `first` is the name of the first process's listener.
    pub(super) fn of(place: Place, secret: Secret, listener: Listener, first: Vec<u8>) -> Self {
        if place.rank == 0 {
            Self::Coordinator(Coordinator::of(place.size as usize, secret, listener))
        } else {
            Self::Participant(Participant {
                rank: place.rank,
                secret,
                first,
                channel: None,
                is_reachable: true,
            })
        }
    }

    /// Adds the descriptors to wait for; returns until when.
    pub(super) fn poll_set<'a>(&'a self, fds: &mut Vec<PollFd<'a>>) -> Option<Instant> {
        let channels: Vec<_> = match self {
            Self::Coordinator(coordinator) => {
                fds.push(PollFd::new(&coordinator.listener, PollFlags::IN));
                coordinator
                    .connections
                    .iter()
                    .chain(coordinator.members.iter().flatten())
                    .collect()
            }
            Self::Participant(member) => member.channel.iter().collect(),
        };
        fds.extend(
            channels
                .into_iter()
                .map(|channel| PollFd::new(channel, PollFlags::IN)),
        );
        match self {
            Self::Coordinator(coordinator) => coordinator.until,
            Self::Participant(_) => None,
        }
    }

    /// Takes a message of the broker's own process.
    pub(super) fn say(&mut self, message: FromHost) -> Vec<Outcome> {
        match self {
            Self::Coordinator(coordinator) => coordinator.hear(0, message).into_iter().collect(),
            Self::Participant(member) => {
                member.say(&message);
                Vec::new()
            }
        }
    }

    /// Takes the messages of the other brokers.
    pub(super) fn take_messages(&mut self) -> Vec<Outcome> {
        match self {
            Self::Coordinator(coordinator) => coordinator.take_messages(),
            Self::Participant(member) => member.take_messages(),
        }
    }
}

/// The broker of any process but the first.
pub(super) struct Participant {
    rank: u32,
    secret: Secret,
    /// The name of the coordinator's listener.
    first: Vec<u8>,
    channel: Option<Channel>,
    /// Whether the coordinator can be reached. If it cannot, the launcher says why.
    is_reachable: bool,
}

impl Participant {
    fn say(&mut self, message: &FromHost) {
        if self.channel.is_none() && self.is_reachable {
            self.channel = connect_to(&self.first, &self.secret, self.rank).ok();
        }
        let said = self.channel.as_ref().map(|channel| channel.send(message));
        if !matches!(said, Some(Ok(()))) {
            self.give_up();
        }
    }

    fn take_messages(&mut self) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        while let Some(channel) = &self.channel {
            match channel.receive_from_launcher() {
                Ok(Some(told)) => match told.message {
                    message @ (ToHost::StillQuiet { .. } | ToHost::Report { .. }) => {
                        outcomes.push(Outcome::Tell(message));
                    }
                    _ => self.give_up(),
                },
                Ok(None) => break,
                Err(_) => self.give_up(),
            }
        }
        outcomes
    }

    fn give_up(&mut self) {
        self.channel = None;
        self.is_reachable = false;
    }
}

/// The broker of the first process.
pub(super) struct Coordinator {
    secret: Secret,
    listener: Listener,
    /// Connections that have not shown the job's secret yet.
    connections: Vec<Channel>,
    /// The other brokers by rank, as far as they have connected.
    members: Vec<Option<Channel>>,
    quiescence: Quiescence,
    /// Whether the rank with this number has ceased to use MPI.
    ended: Vec<bool>,
    /// The answers to the question what ranks wait for.
    waiting: Vec<Option<String>>,
    /// The deadline for these answers.
    until: Option<Instant>,
}

impl Coordinator {
    fn of(size: usize, secret: Secret, mut listener: Listener) -> Self {
        let mut members: Vec<_> = (0..size).map(|_| None).collect();
        for (rank, channel) in listener.early.drain(..) {
            if let Some(place) = members.get_mut(rank as usize) {
                *place = Some(channel);
            }
        }
        Self {
            secret,
            listener,
            connections: Vec::new(),
            members,
            quiescence: Quiescence::new(size),
            ended: vec![false; size],
            waiting: vec![None; size],
            until: None,
        }
    }

    fn take_messages(&mut self) -> Vec<Outcome> {
        self.connections.extend(self.listener.accept_all());
        self.authenticate();
        let mut outcomes = Vec::new();
        for rank in 1..self.members.len() {
            while let Some(channel) = &self.members[rank] {
                match channel.receive_from_host() {
                    Ok(Some(said)) => outcomes.extend(self.hear(rank, said.message)),
                    Ok(None) => break,
                    // That process ends, and so does the job.
                    Err(_) => self.members[rank] = None,
                }
            }
        }
        if self.until.is_some_and(|until| until <= Instant::now()) {
            outcomes.push(self.verdict());
        }
        outcomes
    }

    /// Accepts connections that show the job's secret, and closes others.
    fn authenticate(&mut self) {
        let (secret, members) = (&self.secret, &mut self.members);
        let mut rest = Vec::new();
        for connection in self.connections.drain(..) {
            match connection.receive_from_host() {
                Ok(None) => rest.push(connection),
                Ok(Some(said)) => {
                    if let Some(hello) = authenticated_hello(said.message, secret)
                        && let Some(place) = members.get_mut(hello.host as usize)
                    {
                        *place = Some(connection);
                    }
                }
                Err(_) => {}
            }
        }
        self.connections = rest;
    }

    fn hear(&mut self, rank: usize, message: FromHost) -> Option<Outcome> {
        match message {
            FromHost::Quiet { wave, sent, received } => {
                match self.quiescence.report(rank, wave, (sent, received)) {
                    Conclusion::Ask { wave } => Some(self.tell_all(ToHost::StillQuiet { wave })),
                    // A job whose ranks have all ended is quiet as well.
                    Conclusion::Deadlock if self.until.is_none() && self.ended.contains(&false) => {
                        self.until = Some(Instant::now() + PATIENCE);
                        Some(self.tell_all(ToHost::Report { moving: false }))
                    }
                    Conclusion::Deadlock | Conclusion::Nothing => None,
                }
            }
            FromHost::Ended { .. } => {
                self.ended[rank] = true;
                None
            }
            FromHost::Waiting { text } => {
                self.waiting[rank] = Some(text);
                let missing = self.waiting.iter().any(Option::is_none);
                (self.until.is_some() && !missing).then(|| self.verdict())
            }
            _ => None,
        }
    }

    /// Sends a message to all other brokers; the outcome sends it to the broker's own process.
    fn tell_all(&self, message: ToHost) -> Outcome {
        for member in self.members.iter().flatten() {
            // A process whose channel is full does not answer, and then nothing follows.
            let _ = member.try_send(&EncodedMessage::from(message.clone()));
        }
        Outcome::Tell(message)
    }

    /// The report on what all ranks wait for.
    fn verdict(&mut self) -> Outcome {
        self.until = None;
        let mut text = DEADLOCK.to_owned();
        for (rank, waiting) in self.waiting.iter().enumerate() {
            let _ = match waiting {
                _ if self.ended[rank] => Ok(()),
                Some(waiting) => write!(text, "\nrank {rank} {waiting}"),
                None => write!(text, "\nrank {rank} does not answer"),
            };
        }
        Outcome::Deadlock(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(wave: u32, counts: (u64, u64)) -> FromHost {
        let (sent, received) = counts;
        FromHost::Quiet { wave, sent, received }
    }

    fn waits(text: &str) -> FromHost {
        let text = text.to_owned();
        FromHost::Waiting { text }
    }

    /// The messages for the brokers' own processes, and the verdict.
    fn told(outcomes: Vec<Outcome>) -> Vec<String> {
        let words = |outcome| match outcome {
            Outcome::Tell(message) => format!("{message:?}"),
            Outcome::Deadlock(text) => text,
        };
        outcomes.into_iter().map(words).collect()
    }

    #[test]
    fn all_that_stay_quiet_wait_for_each_other_whatever_a_stranger_says() {
        let (secret, wrong) = (Secret::random().unwrap(), Secret::random().unwrap());
        let listener = Listener::open().unwrap();
        let first = listener.name.clone();
        let mut coordinator = Detector::of(
            Place { rank: 0, size: 2 },
            secret.clone(),
            listener,
            first.clone(),
        );
        let other = |secret| {
            let place = Place { rank: 1, size: 2 };
            Detector::of(place, secret, Listener::open().unwrap(), first.clone())
        };
        let (mut member, mut stranger) = (other(secret), other(wrong));

        stranger.say(quiet(0, (0, 1)));
        assert!(
            told(coordinator.say(quiet(0, (1, 0)))).is_empty()
                && told(coordinator.take_messages()).is_empty()
        );
        member.say(quiet(0, (0, 1)));
        let asked = ["StillQuiet { wave: 1 }"];
        assert_eq!(told(coordinator.take_messages()), asked);
        assert_eq!(told(member.take_messages()), asked);

        member.say(quiet(1, (0, 1)));
        assert!(told(coordinator.take_messages()).is_empty());
        let asked = ["Report { moving: false }"];
        assert_eq!(told(coordinator.say(quiet(1, (1, 0)))), asked);
        assert_eq!(told(member.take_messages()), asked);

        member.say(waits("sleeps"));
        assert!(told(coordinator.take_messages()).is_empty());
        let verdict = format!("{DEADLOCK}\nrank 0 dreams\nrank 1 sleeps");
        assert_eq!(told(coordinator.say(waits("dreams"))), [verdict]);
        assert!(told(stranger.take_messages()).is_empty());
    }
}
