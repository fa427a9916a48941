//! Jobs of other launchers, which this one's may meet through their [universe](crate::universe).
//!
//! What ranks ask about ports and names is passed on to the universe. Other launchers are *acquainted* with this one
//! when the hosts of both know each other: then new worlds take turns with theirs. As they may send something that
//! nobody here knows of, no deadlock is found meanwhile, nor while the universe owes an answer; `--timeout` remains.
//!
//! When the universe is gone, questions are refused, and acquaintances go on talking: their hosts do without it.

mod unreachable;
mod wire_up;

use super::Supervisor;
use super::dynamic_wire_up::Stage;
use super::phase::Verdict;
use crate::error::LaunchError;
use crate::ports::Asker;
use crate::universe::{FromServer, ToServer, Universe, UniverseEvent};
use simurgh_net::HostId;
use simurgh_net::control::{Answer, Peer, Question, Refusal};
use simurgh_settings::Id;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;
use unreachable::UnreachableHosts;

/// What the launcher has to do with others.
pub(super) struct OtherJobs {
    universe: Universe,
    /// Why nothing is heard of it any more.
    lost: Option<String>,
    /// What it has been asked and has not answered: the host and the number of each question, and what is wrong if
    /// nobody answers.
    questions: BTreeMap<(HostId, u64), Refusal>,
    /// Hosts of other launchers that all of this one know.
    peers: BTreeMap<HostId, Peer>,
    /// What is to be done as soon as hosts are not being introduced here.
    tasks: VecDeque<Task>,
    turn: Turn,
    /// What it has been told of worlds that have to do with each other.
    connections: BTreeSet<(u32, u32)>,
    /// Worlds that it has let go.
    freed: BTreeSet<u32>,
    missing: UnreachableHosts,
}

/// What the universe wants of the hosts.
enum Task {
    /// To say where they can be reached.
    Gather,
    /// To connect to these.
    Greet(Vec<Peer>),
}

/// Whether hosts of a new world may be introduced.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Nobody,
    /// It has been asked for.
    Wanted,
    Ours,
}

impl OtherJobs {
    pub(super) fn of(universe: Universe) -> Self {
        Self {
            universe,
            lost: None,
            questions: BTreeMap::new(),
            peers: BTreeMap::new(),
            tasks: VecDeque::new(),
            turn: Turn::default(),
            connections: BTreeSet::new(),
            freed: BTreeSet::new(),
            missing: UnreachableHosts::default(),
        }
    }

    /// The shares that there are for the launcher's hosts.
    pub(super) fn shares(&self) -> impl Iterator<Item = u32> {
        self.universe.shares().iter().copied()
    }

    /// Waits for what it says.
    pub(super) fn watch<'a>(&'a self, set: &mut crate::process::PollSet<'a>) {
        self.universe.watch(set);
    }

    /// When there is something to do even if nothing happens.
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        self.missing.until()
    }
}

impl Supervisor<'_> {
    /// Acts on what is heard from the universe.
    pub(super) fn listen_to_universe(&mut self) {
        while let Some(event) = self
            .other_jobs
            .as_mut()
            .and_then(|other_jobs| other_jobs.universe.hear())
        {
            match event {
                UniverseEvent::Said(_) if self.phase.is_over() => {}
                UniverseEvent::Said(said) => self.act_on_word(said),
                UniverseEvent::Lost(reason) => self.lose_universe(reason),
            }
        }
        self.look_for_missing();
    }

    fn act_on_word(&mut self, said: FromServer) {
        match said {
            FromServer::Answer { asker, answer } => self.pass_on(asker, answer),
            FromServer::Granted => self.has_its_turn(),
            FromServer::Gather => self.take_note(Task::Gather),
            FromServer::Meet { peers } => self.take_note(Task::Greet(peers)),
            FromServer::Introduced => self.universe_has_introduced(),
            FromServer::Release { worlds } => {
                if let Some(other_jobs) = &mut self.other_jobs {
                    other_jobs.freed.extend(worlds);
                }
                self.release();
            }
            FromServer::Gone { first_host, hosts } => self.part_with(first_host, hosts),
            FromServer::Failed { message } => self.conclude(Verdict {
                status: 1,
                message: format!(
                    "the job of another mpiexec, with which this one is connected, has failed: {message}"
                ),
            }),
            // Out of turn.
            FromServer::Enrolled { .. } | FromServer::Refused { .. } => {}
        }
    }

    /// Tells the universe something, if there is one.
    pub(super) fn tell_universe(&mut self, message: &ToServer) {
        if let Some(other_jobs) = &mut self.other_jobs {
            other_jobs.universe.tell(message);
        }
    }

    /// Whether there is a universe that still says something.
    pub(super) fn hears_universe(&self) -> bool {
        self.other_jobs
            .as_ref()
            .is_some_and(|other_jobs| other_jobs.lost.is_none())
    }

    /// Asks the universe what a rank wants to know of ports and names.
    pub(super) fn ask_universe(&mut self, asker: Asker, question: Question) {
        let refusal = question.refusal();
        let lost = self.other_jobs.as_ref().map(|other_jobs| other_jobs.lost.clone());
        match (&mut self.other_jobs, lost) {
            (Some(other_jobs), Some(None)) => {
                other_jobs.questions.insert((asker.host, asker.number), refusal);
                other_jobs.universe.tell(&ToServer::Ask { asker, question });
            }
            (_, Some(Some(reason))) => self.answer_to(asker, Answer::refused(refusal, reason)),
            _ => self.answer_to(asker, Answer::refused(refusal, self.no_universe())),
        }
    }

    /// Whether what ranks ask of ports and names concerns a universe.
    pub(super) fn wants_universe(&self) -> bool {
        self.other_jobs.is_some() || self.starter.spec().settings.name(Id::Universe).is_some()
    }

    /// Why a process that has been taken over cannot meet others.
    fn no_universe(&self) -> String {
        let file = self.starter.spec().settings.show(Id::Universe);
        format!(
            "a program that was started without mpiexec belongs to no universe: `mpiexec --universe {file} -n 1` \
             starts it there"
        )
    }

    fn pass_on(&mut self, asker: Asker, answer: Answer) {
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        if other_jobs.questions.remove(&(asker.host, asker.number)).is_some() {
            self.answer_to(asker, answer);
        }
    }

    /// Nothing is heard of the universe any more.
    fn lose_universe(&mut self, reason: String) {
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        other_jobs.lost = Some(reason.clone());
        other_jobs.tasks.clear();
        other_jobs.turn = Turn::Nobody;
        let questions = std::mem::take(&mut other_jobs.questions);
        if self.phase.is_over() {
            return;
        }
        self.say(&format!("{reason}; jobs can meet no others any more"));
        for ((host, number), refusal) in questions {
            self.answer_to(Asker { host, number }, Answer::refused(refusal, reason.clone()));
        }
        if matches!(self.spawning.introduction, Some(Stage::Announced)) {
            // Nobody knows which hosts of others have heard of the new ones.
            self.give_up_announced(reason);
        }
        self.universe_has_introduced();
        self.release();
        self.continue_spawning();
    }

    /// Whether something may come of which nobody here knows.
    pub(super) fn expects_others(&self) -> bool {
        let other_jobs = self.other_jobs.as_ref();
        other_jobs.is_some_and(|other_jobs| !other_jobs.peers.is_empty() || !other_jobs.questions.is_empty())
    }

    /// The worlds that the universe has let go; none if it does not do that.
    pub(super) fn freed(&self) -> Option<&BTreeSet<u32>> {
        let other_jobs = self
            .other_jobs
            .as_ref()
            .filter(|other_jobs| other_jobs.lost.is_none());
        other_jobs.map(|other_jobs| &other_jobs.freed)
    }

    /// Tells the universe whether two worlds have to do with each other, if that is new to it.
    pub(super) fn tell_connection(&mut self, a: u32, b: u32) {
        let so = self.worlds.are_connected(a, b);
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        let is_news = match so {
            true => other_jobs.connections.insert((a, b)),
            false => other_jobs.connections.remove(&(a, b)),
        };
        if is_news {
            other_jobs.universe.tell(&ToServer::Tied { a, b, so });
        }
    }

    /// Tells the universe that a world is gone.
    pub(super) fn tell_gone(&mut self, world: u32) {
        let hosts = self.worlds.hosts(world);
        let realm = self.starter.spec().origin.realm;
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        other_jobs.connections.retain(|&(a, b)| a != world && b != world);
        let first_host = realm.number(hosts.start as u32);
        let hosts = hosts.len() as u32;
        other_jobs
            .questions
            .retain(|&(host, _), _| !(first_host..first_host + hosts).contains(&host));
        other_jobs.universe.tell(&ToServer::Gone {
            world,
            first_host,
            hosts,
        });
    }

    /// Refuses to start programs that acquaintances could not get to know.
    pub(super) fn check_may_spawn(&self) -> Result<(), LaunchError> {
        let Some(other_jobs) = &self.other_jobs else {
            return Ok(());
        };
        match &other_jobs.lost {
            Some(reason) if !other_jobs.peers.is_empty() => Err(LaunchError::Strangers {
                reason: reason.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Tells others that the job ends badly. What follows on more lines is for its own user.
    pub(super) fn tell_failure(&mut self, message: &str) {
        let message = message.lines().next().unwrap_or_default().to_owned();
        self.tell_universe(&ToServer::Failed { message });
    }

    /// Leaves the universe.
    pub(super) fn leave_universe(&mut self) {
        if let Some(other_jobs) = self.other_jobs.take() {
            other_jobs.universe.leave(&ToServer::Farewell);
        }
    }
}
