//! Jobs of other launchers, which this one's may meet through their [universe](crate::universe).
//!
//! Questions of ranks about ports and names are passed on to the universe. Jobs whose hosts are wired up to those of
//! this job are its *group*; its new worlds take turns with theirs. Their ranks may send something that nobody here
//! knows of. So no deadlock is detected while there are such jobs, or while the universe owes an answer; `--timeout`
//! still works.
//!
//! When the universe is lost, questions are refused. Jobs of one group go on talking, since their hosts do not need it.

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

/// The jobs of other launchers.
pub(super) struct OtherJobs {
    universe: Universe,
    /// Why the universe is lost; none while it is there.
    lost: Option<String>,
    /// The questions that the universe has not answered: the host and number of each, and the refusal if it is lost.
    questions: BTreeMap<(HostId, u64), Refusal>,
    /// Hosts of other launchers that all hosts here know.
    peers: BTreeMap<HostId, Peer>,
    /// The tasks that the hosts are to do when no wire-up is under way.
    tasks: VecDeque<Task>,
    turn: Turn,
    /// The connections between worlds that the universe has been told of.
    connections: BTreeSet<(u32, u32)>,
    /// Worlds that the universe has released.
    freed: BTreeSet<u32>,
    unreachable: UnreachableHosts,
}

/// A request of the universe to the hosts.
enum Task {
    /// Report the addresses at which hosts of other launchers reach them.
    Gather,
    /// Connect to these hosts.
    Connect(Vec<Peer>),
}

/// Whether it is the turn of this launcher to wire up hosts of a new world.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Nobody,
    /// The turn has been asked for.
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
            unreachable: UnreachableHosts::default(),
        }
    }

    /// The shares for the hosts of this launcher.
    pub(super) fn shares(&self) -> impl Iterator<Item = u32> {
        self.universe.shares().iter().copied()
    }

    /// Waits for messages of the universe.
    pub(super) fn watch<'a>(&'a self, set: &mut crate::process::PollSet<'a>) {
        self.universe.watch(set);
    }

    /// When there is something to do even if nothing happens.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.unreachable.until()
    }
}

impl Supervisor<'_> {
    /// Handles the events of the universe.
    pub(super) fn handle_universe_events(&mut self) {
        while let Some(event) = self
            .other_jobs
            .as_mut()
            .and_then(|other_jobs| other_jobs.universe.next_event())
        {
            match event {
                UniverseEvent::Said(_) if self.phase.is_over() => {}
                UniverseEvent::Said(said) => self.handle_universe_message(said),
                UniverseEvent::Lost(reason) => self.handle_universe_loss(reason),
            }
        }
        self.check_unreachable();
    }

    fn handle_universe_message(&mut self, said: FromServer) {
        match said {
            FromServer::Answer { asker, answer } => self.forward_answer(asker, answer),
            FromServer::Granted => self.has_its_turn(),
            FromServer::Gather => self.add_task(Task::Gather),
            FromServer::Meet { peers } => self.add_task(Task::Connect(peers)),
            FromServer::Introduced => self.universe_has_wired_up(),
            FromServer::Release { worlds } => {
                if let Some(other_jobs) = &mut self.other_jobs {
                    other_jobs.freed.extend(worlds);
                }
                self.release();
            }
            FromServer::Gone { first_host, hosts } => self.forget_hosts_of_others(first_host, hosts),
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

    /// Sends the universe a message, if there is one.
    pub(super) fn send_to_universe(&mut self, message: &ToServer) {
        if let Some(other_jobs) = &mut self.other_jobs {
            other_jobs.universe.send(message);
        }
    }

    /// Whether there is a universe that is not lost.
    pub(super) fn has_universe(&self) -> bool {
        self.other_jobs
            .as_ref()
            .is_some_and(|other_jobs| other_jobs.lost.is_none())
    }

    /// Passes a question of a rank about ports or names on to the universe.
    pub(super) fn ask_universe(&mut self, asker: Asker, question: Question) {
        let refusal = question.refusal();
        let lost = self.other_jobs.as_ref().map(|other_jobs| other_jobs.lost.clone());
        match (&mut self.other_jobs, lost) {
            (Some(other_jobs), Some(None)) => {
                other_jobs.questions.insert((asker.host, asker.number), refusal);
                other_jobs.universe.send(&ToServer::Ask { asker, question });
            }
            (_, Some(Some(reason))) => self.answer_to(asker, Answer::refused(refusal, reason)),
            _ => self.answer_to(asker, Answer::refused(refusal, self.no_universe())),
        }
    }

    /// Whether questions about ports and names are for a universe.
    pub(super) fn wants_universe(&self) -> bool {
        self.other_jobs.is_some() || self.starter.spec().settings.name(Id::Universe).is_some()
    }

    /// Why a singleton cannot meet ranks of other jobs.
    fn no_universe(&self) -> String {
        let file = self.starter.spec().settings.show(Id::Universe);
        format!(
            "a program that was started without mpiexec belongs to no universe: `mpiexec --universe {file} -n 1` \
             starts it there"
        )
    }

    fn forward_answer(&mut self, asker: Asker, answer: Answer) {
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        if other_jobs.questions.remove(&(asker.host, asker.number)).is_some() {
            self.answer_to(asker, answer);
        }
    }

    /// Handles the loss of the universe.
    fn handle_universe_loss(&mut self, reason: String) {
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
        self.print_message(&format!("{reason}; jobs can meet no others any more"));
        for ((host, number), refusal) in questions {
            self.answer_to(Asker { host, number }, Answer::refused(refusal, reason.clone()));
        }
        if matches!(self.spawning.wire_up, Some(Stage::Announced)) {
            // Nobody knows which hosts of other launchers have heard of the new ones.
            self.give_up_announced(reason);
        }
        self.universe_has_wired_up();
        self.release();
        self.continue_wire_up();
    }

    /// Whether messages may come of which nobody here knows.
    pub(super) fn expects_others(&self) -> bool {
        let other_jobs = self.other_jobs.as_ref();
        other_jobs.is_some_and(|other_jobs| !other_jobs.peers.is_empty() || !other_jobs.questions.is_empty())
    }

    /// The worlds that the universe has released; none if the universe does not decide.
    pub(super) fn freed(&self) -> Option<&BTreeSet<u32>> {
        let other_jobs = self
            .other_jobs
            .as_ref()
            .filter(|other_jobs| other_jobs.lost.is_none());
        other_jobs.map(|other_jobs| &other_jobs.freed)
    }

    /// Tells the universe whether two worlds are connected, if that is new to it.
    pub(super) fn report_connection(&mut self, a: u32, b: u32) {
        let so = self.worlds.are_connected(a, b);
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        let is_news = match so {
            true => other_jobs.connections.insert((a, b)),
            false => other_jobs.connections.remove(&(a, b)),
        };
        if is_news {
            other_jobs.universe.send(&ToServer::Tied { a, b, so });
        }
    }

    /// Tells the universe that a world has been released.
    pub(super) fn report_gone(&mut self, world: u32) {
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
        other_jobs.universe.send(&ToServer::Gone {
            world,
            first_host,
            hosts,
        });
    }

    /// Checks that new hosts could be made known to jobs of the group.
    ///
    /// # Errors
    ///
    /// When the universe is lost, and other jobs belong to the group.
    pub(super) fn check_may_spawn(&self) -> Result<(), LaunchError> {
        let Some(other_jobs) = &self.other_jobs else {
            return Ok(());
        };
        match &other_jobs.lost {
            Some(reason) if !other_jobs.peers.is_empty() => Err(LaunchError::UniverseLost {
                reason: reason.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Tells other jobs that this one has failed. Only its own user reads further lines of the message.
    pub(super) fn report_failure(&mut self, message: &str) {
        let message = message.lines().next().unwrap_or_default().to_owned();
        self.send_to_universe(&ToServer::Failed { message });
    }

    /// Leaves the universe.
    pub(super) fn leave_universe(&mut self) {
        if let Some(other_jobs) = self.other_jobs.take() {
            other_jobs.universe.leave(&ToServer::Farewell);
        }
    }
}
