//! Where the hosts of a communicator talk to each other.

use std::thread;

use simurgh_core::sync::{Arc, revoke_bias};
use simurgh_core::{EcSpec, StackError, create, current_worker, with_signals_blocked};
use simurgh_settings::rules::Rule;

use super::super::offers::Offers;
use super::super::underway::Part;
use super::conduct::Conduct;
use super::everybody::Everybody;
use super::statement::Comparison;
use super::talk::Talk;
use super::way::{Pending, Way};
use crate::check::Checks;
use crate::comm::{Comm, CommShared};
use crate::error::{Error, ErrorClass, Result};
use crate::members::Seating;
use crate::members::Span;
use crate::memory::{Source, Target};
use crate::process::Process;
use crate::remote::{self, Line, Rounds};

/// Which collective of a communicator the hosts talk about. Those that may be under way at the same time have different
/// rounds, and so do calls that follow each other, as far as some ten million numbers go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// A blocking one.
    Called(u64),
    /// One that was started.
    Started(u64),
    /// One that is started again and again, and how often it was before.
    Rehearsed(u64, u64),
}

/// Rounds of each kind.
const ROUNDS: u64 = 1 << 25;

/// Times that a persistent collective is started before its turns are used again.
const TIMES: u64 = Rounds::TURNS as u64;

/// Conversations of each round: one for each slice of the data.
const CONVERSATIONS: u64 = Rule::MOST_SLICES as u64;

impl Round {
    /// One that has the same rounds as one that may have failed before, and that no host can have begun.
    fn later(self) -> Option<Self> {
        match self {
            Self::Rehearsed(number, time) => Some(Self::Rehearsed(number, time + TIMES / 2)),
            Self::Called(_) | Self::Started(_) => None,
        }
    }

    /// The rounds of its conversations, of which each slice of the data has one.
    pub(crate) fn of(self, context: u32) -> Rounds {
        let (kind, number, time) = match self {
            Self::Called(number) => (0, number, 0),
            Self::Started(number) => (1, number, 0),
            Self::Rehearsed(number, time) => (2, number, time),
        };
        Rounds {
            context,
            first: ((kind * ROUNDS + number % ROUNDS) * CONVERSATIONS) as i32,
            count: CONVERSATIONS as u32,
            turn: (time % TIMES) as u32,
        }
    }
}

/// Stack of an execution context that speaks for a host: it may call a function of the program.
const STACK: usize = 8 << 20;

/// A communicator of several hosts, and a round of their conversation, for a rank that may have to speak for its host.
#[derive(Clone, Debug)]
pub(in crate::collective) struct Venue {
    process: Arc<Process>,
    shared: Arc<CommShared>,
    seating: Seating,
    context: u32,
    round: Round,
}

impl Venue {
    /// The venue of a communicator; none if all of its ranks are here.
    pub(in crate::collective) fn of(comm: &Comm, round: Round) -> Option<Self> {
        comm.spans_hosts().then(|| Self {
            process: Arc::clone(comm.process()),
            shared: Arc::clone(comm.shared()),
            seating: comm.seating(),
            context: comm.context(),
            round,
        })
    }

    /// The same venue for another round.
    pub(in crate::collective) fn at(&self, round: Round) -> Self {
        let venue = self.clone();
        Self { round, ..venue }
    }

    /// Speaks for this host in a collective: `own` is the caller's part, `parts` are those of all ranks here, whose
    /// offers lie by place, and `agreement` says whether they make the same call.
    pub(in crate::collective) fn speak(
        &self,
        own: &Part,
        parts: &[&Part],
        local: Offers<'_>,
        agreement: Result<()>,
    ) -> Result<()> {
        let Some(span) = self.shared.span() else {
            return agreement;
        };
        let job = self.process.job();
        let line = job.line(self.round.of(self.context));
        if let Some(later) = self.round.later() {
            line.forget(later.of(self.context));
        }
        let outcome = self.talk(line, span, own, parts, local, agreement);
        line.end();
        outcome
    }

    fn talk(
        &self,
        line: Line<'_>,
        span: &Span,
        own: &Part,
        parts: &[&Part],
        local: Offers<'_>,
        agreement: Result<()>,
    ) -> Result<()> {
        let (job, way) = (self.process.job(), Wires { line, span });
        let talk = Talk::new(&way, own.call, self.seating.seats());
        let known = parts.iter().find(|part| part.task.is_known());
        let everybody = Everybody::new(local, self.seating, span);
        if job.checks() == Checks::All {
            let comparison = Comparison {
                line,
                span,
                seating: self.seating,
                call: own.call,
                task: known.map(|part| &part.task),
                offers: everybody.offers(),
            };
            comparison.make(agreement, parts.iter().map(|part| part.call))?;
        } else if let Err(fault) = agreement {
            talk.fail(&fault);
            return Err(fault);
        }
        let Some(known) = known else {
            // All stand aside.
            return Ok(());
        };
        let conduct = Conduct {
            talk: &talk,
            task: &own.task.informed_by(&known.task),
            seating: self.seating,
            span,
            job,
        };
        // Others may be waiting for this host.
        conduct.carry_out(everybody).inspect_err(|fault| talk.fail(fault))
    }

    /// Lets an execution context of its own speak in the name of the caller.
    pub(in crate::collective) fn delegate(&self, speak: impl FnOnce() + Send + 'static) -> Result<()> {
        let process = Arc::clone(&self.process);
        let speak = move || {
            Process::bind(process);
            speak();
        };
        match current_worker() {
            Some(worker) => {
                let spec = EcSpec {
                    stack_size: STACK,
                    ..EcSpec::default()
                };
                drop(
                    create(spec, speak)
                        .map_err(|error| unspoken(&error))?
                        .start(worker),
                );
            }
            // The caller is a thread of the operating system, and so is its deputy.
            None => {
                revoke_bias();
                drop(with_signals_blocked(|| thread::spawn(speak)));
            }
        }
        Ok(())
    }
}

/// The line between the hosts of a communicator.
pub(super) struct Wires<'a> {
    pub(super) line: Line<'a>,
    pub(super) span: &'a Span,
}

impl<'a> Way for Wires<'a> {
    type Pending = remote::Pending<'a>;

    fn hosts(&self) -> usize {
        self.span.hosts()
    }

    fn own(&self) -> usize {
        self.span.own()
    }

    fn start_send(&self, to: usize, source: &Source) -> Self::Pending {
        self.line.start_send(self.span.host(to), source)
    }

    fn start_recv(&self, from: usize, target: &Target) -> Self::Pending {
        self.line.start_recv(self.span.host(from), target)
    }

    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>> {
        self.line.recv_bytes(self.span.host(from))
    }

    fn give_up(&self, fault: &Error) {
        let others = (0..self.hosts()).filter(|position| *position != self.own());
        self.line
            .give_up(fault, others.map(|position| self.span.host(position)));
    }

    fn slice(&self, index: usize) -> Self {
        let (line, span) = (self.line.beside(index as i32), self.span);
        Self { line, span }
    }
}

impl Pending for remote::Pending<'_> {
    fn wait(self) -> Result<usize> {
        remote::Pending::wait(self)
    }
}

#[cold]
fn unspoken(reason: &StackError) -> Error {
    let reason = format!("nobody can speak for this host in a nonblocking collective: {reason}");
    Error::new(ErrorClass::NoMem, reason)
}
