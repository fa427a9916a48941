//! The questions of ranks about ports and names.

use super::{Asker, Limit, Ports, Purpose, Refused, Visitor};
use simurgh_net::control::{Answer, Question, Refusal};
use std::time::Instant;

/// The outcome of a question.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// The answers, also to others that have waited.
    pub(crate) answers: Vec<(Asker, Answer)>,
    /// Two visitors that have met. They are to be [answered](Visitor::meets) when they can reach each other.
    pub(crate) met: Option<(Visitor, Visitor)>,
}

impl Outcome {
    fn answer(asker: Asker, answer: Answer) -> Self {
        Self {
            answers: vec![(asker, answer)],
            met: None,
        }
    }
}

impl Visitor {
    /// The answers to two visitors that have met, in the meeting of this number.
    pub(crate) fn meets(self, other: Self, meeting: u64) -> [(Asker, Answer); 2] {
        let told = |to: Self, partner: Self| {
            let process = partner.process;
            (to.asker, Answer::Partner { process, meeting })
        };
        [told(self, other), told(other, self)]
    }
}

impl Ports {
    /// Handles a question, and answers it if that is possible at once. Questions about programs are refused.
    pub(crate) fn handle(&mut self, asker: Asker, question: Question) -> Outcome {
        let answer = match question {
            Question::Accept { port, process } => {
                let limit = None;
                let visitor = Visitor {
                    asker,
                    process,
                    limit,
                };
                return self.receive(&port, Purpose::Accept, visitor);
            }
            Question::Connect {
                port,
                process,
                patience,
            } => {
                let limit = patience.and_then(Limit::of);
                let visitor = Visitor {
                    asker,
                    process,
                    limit,
                };
                return self.receive(&port, Purpose::Connect, visitor);
            }
            Question::ClosePort { port } => return self.shut(&port, asker),
            Question::OpenPort => Answer::Port(self.open(asker.host)),
            Question::Publish { service, port } => done(self.publish(&service, &port, asker.host)),
            Question::Unpublish { service, port } => done(self.unpublish(&service, &port)),
            Question::Lookup { service } => match self.look_up(&service) {
                Ok(port) => Answer::Port(port.to_owned()),
                Err(refused) => refusal(refused),
            },
            Question::Spawn { .. } => Answer::refused(Refusal::Spawn, "only an mpiexec starts programs"),
        };
        Outcome::answer(asker, answer)
    }

    /// The refusals of visitors whose time is over.
    pub(crate) fn refuse_expired(&mut self, now: Instant) -> impl Iterator<Item = (Asker, Answer)> + use<> {
        let refused = self.expire(now).into_iter();
        refused.map(|(visitor, refused)| (visitor.asker, refusal(refused)))
    }

    fn shut(&mut self, port: &str, asker: Asker) -> Outcome {
        let visitors = match self.close(port) {
            Ok(visitors) => visitors,
            Err(refused) => return Outcome::answer(asker, refusal(refused)),
        };
        let mut outcome = Outcome::answer(asker, Answer::Done);
        outcome.answers.extend(visitors.into_iter().map(|visitor| {
            let reason = format!("port {port:?} has been closed while it was waited for");
            (visitor.asker, Answer::refused(Refusal::Port, reason))
        }));
        outcome
    }

    fn receive(&mut self, port: &str, purpose: Purpose, visitor: Visitor) -> Outcome {
        match self.visit(port, purpose, visitor) {
            Ok(other) => Outcome {
                answers: Vec::new(),
                met: other.map(|other| (visitor, other)),
            },
            Err(refused) => Outcome::answer(visitor.asker, refusal(refused)),
        }
    }
}

fn done(result: Result<(), Refused>) -> Answer {
    result.map_or_else(refusal, |()| Answer::Done)
}

fn refusal((refusal, reason): Refused) -> Answer {
    Answer::refused(refusal, reason)
}
