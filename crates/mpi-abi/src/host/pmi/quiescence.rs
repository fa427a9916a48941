//! Finding out that all processes of a job wait for each other, where no launcher looks for that.
//!
//! The broker of the first process hears the words of all others' on how much is going on in their processes, and does
//! with them what `mpiexec` does ([`Quiescence`]). The others come to its door when they have something to say for the
//! first time. All of them have to be on one node.

use super::launcher::Place;
use super::node_sockets::{Listener, authenticated_hello, connect_to};
use rustix::event::{PollFd, PollFlags};
use simurgh_net::auth::Secret;
use simurgh_net::control::{Channel, Conclusion, DEADLOCK, EncodedMessage, FromHost, Quiescence, ToHost};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Time that processes have to say what their ranks wait for: on a busy machine they need some.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a broker has to do with it.
pub(super) enum Detector {
    /// It hears all.
    Coordinator(Coordinator),
    /// It tells another.
    Participant(Participant),
}

/// What follows from a word.
pub(super) enum Outcome {
    /// The broker's own process is to be told this.
    Tell(ToHost),
    /// All wait, as the text says.
    Deadlock(String),
}

impl Detector {
    /// Of the process in this place, which has this door; `first` is the name of the first one's.
    pub(super) fn of(place: Place, secret: Secret, door: Listener, first: Vec<u8>) -> Self {
        if place.rank == 0 {
            Self::Coordinator(Coordinator::of(place.size as usize, secret, door))
        } else {
            Self::Participant(Participant {
                rank: place.rank,
                secret,
                first,
                channel: None,
                is_of_use: true,
            })
        }
    }

    /// What is to be waited for besides, and until when.
    pub(super) fn poll_set<'a>(&'a self, fds: &mut Vec<PollFd<'a>>) -> Option<Instant> {
        let channels: Vec<_> = match self {
            Self::Coordinator(head) => {
                fds.push(PollFd::new(&head.door, PollFlags::IN));
                head.guests.iter().chain(head.members.iter().flatten()).collect()
            }
            Self::Participant(member) => member.channel.iter().collect(),
        };
        fds.extend(
            channels
                .into_iter()
                .map(|channel| PollFd::new(channel, PollFlags::IN)),
        );
        match self {
            Self::Coordinator(head) => head.until,
            Self::Participant(_) => None,
        }
    }

    /// The broker's own process says something that concerns all.
    pub(super) fn say(&mut self, message: FromHost) -> Vec<Outcome> {
        match self {
            Self::Coordinator(head) => head.hear(0, message).into_iter().collect(),
            Self::Participant(member) => {
                member.say(&message);
                Vec::new()
            }
        }
    }

    /// Hears what others have said.
    pub(super) fn attend(&mut self) -> Vec<Outcome> {
        match self {
            Self::Coordinator(head) => head.attend(),
            Self::Participant(member) => member.attend(),
        }
    }
}

/// The broker of a process that is not the first.
pub(super) struct Participant {
    rank: u32,
    secret: Secret,
    /// The name of the first one's door.
    first: Vec<u8>,
    channel: Option<Channel>,
    /// The first one can be reached. If not, the launcher says why.
    is_of_use: bool,
}

impl Participant {
    fn say(&mut self, message: &FromHost) {
        if self.channel.is_none() && self.is_of_use {
            self.channel = connect_to(&self.first, &self.secret, self.rank).ok();
        }
        let said = self.channel.as_ref().map(|channel| channel.send(message));
        if !matches!(said, Some(Ok(()))) {
            self.give_up();
        }
    }

    fn attend(&mut self) -> Vec<Outcome> {
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
        self.is_of_use = false;
    }
}

/// The broker of the first process.
pub(super) struct Coordinator {
    secret: Secret,
    door: Listener,
    /// Those that have not shown that they belong to the job.
    guests: Vec<Channel>,
    /// The others, by rank, as far as they have come.
    members: Vec<Option<Channel>>,
    silence: Quiescence,
    /// Whose ranks use MPI no more.
    ended: Vec<bool>,
    /// What ranks wait for, since they have been asked.
    waiting: Vec<Option<String>>,
    /// Until when they can answer that.
    until: Option<Instant>,
}

impl Coordinator {
    fn of(size: usize, secret: Secret, mut door: Listener) -> Self {
        let mut members: Vec<_> = (0..size).map(|_| None).collect();
        for (rank, channel) in door.early.drain(..) {
            if let Some(place) = members.get_mut(rank as usize) {
                *place = Some(channel);
            }
        }
        Self {
            secret,
            door,
            guests: Vec::new(),
            members,
            silence: Quiescence::new(size),
            ended: vec![false; size],
            waiting: vec![None; size],
            until: None,
        }
    }

    fn attend(&mut self) -> Vec<Outcome> {
        self.guests.extend(self.door.guests());
        self.let_in();
        let mut outcomes = Vec::new();
        for rank in 1..self.members.len() {
            while let Some(channel) = &self.members[rank] {
                match channel.receive_from_host() {
                    Ok(Some(said)) => outcomes.extend(self.hear(rank, said.message)),
                    Ok(None) => break,
                    // It ends, and so does the job.
                    Err(_) => self.members[rank] = None,
                }
            }
        }
        if self.until.is_some_and(|until| until <= Instant::now()) {
            outcomes.push(self.verdict());
        }
        outcomes
    }

    /// Takes up guests that show the job's secret, and sends others away.
    fn let_in(&mut self) {
        let (secret, members) = (&self.secret, &mut self.members);
        let mut rest = Vec::new();
        for guest in self.guests.drain(..) {
            match guest.receive_from_host() {
                Ok(None) => rest.push(guest),
                Ok(Some(said)) => {
                    if let Some(hello) = authenticated_hello(said.message, secret)
                        && let Some(place) = members.get_mut(hello.host as usize)
                    {
                        *place = Some(guest);
                    }
                }
                Err(_) => {}
            }
        }
        self.guests = rest;
    }

    fn hear(&mut self, rank: usize, message: FromHost) -> Option<Outcome> {
        match message {
            FromHost::Quiet { wave, sent, received } => {
                match self.silence.report(rank, wave, (sent, received)) {
                    Conclusion::Ask { wave } => Some(self.tell_all(ToHost::StillQuiet { wave })),
                    // Where all ranks have ended it is quiet as well.
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

    /// Tells all others something, and wants the broker's own process to be told.
    fn tell_all(&self, message: ToHost) -> Outcome {
        for member in self.members.iter().flatten() {
            // Who has no room for it does not answer, and then nothing follows.
            let _ = member.try_send(&EncodedMessage::from(message.clone()));
        }
        Outcome::Tell(message)
    }

    /// What all wait for, in words.
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

    /// What the processes of brokers are told, and the verdict.
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
        let door = Listener::open().unwrap();
        let first = door.name.clone();
        let mut head = Detector::of(Place { rank: 0, size: 2 }, secret.clone(), door, first.clone());
        let other = |secret| {
            let place = Place { rank: 1, size: 2 };
            Detector::of(place, secret, Listener::open().unwrap(), first.clone())
        };
        let (mut member, mut stranger) = (other(secret), other(wrong));

        stranger.say(quiet(0, (0, 1)));
        assert!(told(head.say(quiet(0, (1, 0)))).is_empty() && told(head.attend()).is_empty());
        member.say(quiet(0, (0, 1)));
        let asked = ["StillQuiet { wave: 1 }"];
        assert_eq!(told(head.attend()), asked);
        assert_eq!(told(member.attend()), asked);

        member.say(quiet(1, (0, 1)));
        assert!(told(head.attend()).is_empty());
        let asked = ["Report { moving: false }"];
        assert_eq!(told(head.say(quiet(1, (1, 0)))), asked);
        assert_eq!(told(member.attend()), asked);

        member.say(waits("sleeps"));
        assert!(told(head.attend()).is_empty());
        let verdict = format!("{DEADLOCK}\nrank 0 dreams\nrank 1 sleeps");
        assert_eq!(told(head.say(waits("dreams"))), [verdict]);
        assert!(told(stranger.attend()).is_empty());
    }
}
