//! What running ranks ask.

use super::Supervisor;
use super::growth::Wish;
use super::ports::{Purpose, Refused, Visitor};
use simurgh_net::control::{Answer, Question, Refusal, ToHost};

/// Who has asked something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    /// The host, by its number.
    pub(super) host: usize,
    /// The number of its question.
    pub(super) number: u64,
}

impl Supervisor<'_> {
    /// Takes up a question, and answers it if that is possible at once.
    pub(super) fn take_up(&mut self, asker: Asker, question: Question) {
        let answer = match question {
            Question::Spawn { commands, parent } => {
                return self.wish(Wish {
                    asker,
                    commands,
                    parent,
                });
            }
            Question::Accept { port, process } => return self.visit(&port, Purpose::Accept, asker, process),
            Question::Connect { port, process } => {
                return self.visit(&port, Purpose::Connect, asker, process);
            }
            Question::OpenPort => Answer::Port(self.ports.open(asker.host)),
            Question::ClosePort { port } => self.close(&port),
            Question::Publish { service, port } => done(self.ports.publish(&service, &port, asker.host)),
            Question::Unpublish { service, port } => done(self.ports.unpublish(&service, &port)),
            Question::Lookup { service } => match self.ports.look_up(&service) {
                Ok(port) => Answer::Port(port.to_owned()),
                Err(refused) => refusal(refused),
            },
        };
        self.answer_to(asker, answer);
    }

    /// Tells somebody the answer.
    pub(super) fn answer_to(&mut self, asker: Asker, answer: Answer) {
        let Asker { host, number } = asker;
        self.silence.answer(host);
        self.tell_one(host, ToHost::Answer { number, answer });
    }

    fn close(&mut self, port: &str) -> Answer {
        match self.ports.close(port) {
            Ok(visitors) => {
                for visitor in visitors {
                    let reason = format!("port {port:?} has been closed while it was waited for");
                    self.answer_to(visitor.asker, Answer::refused(Refusal::Port, reason));
                }
                Answer::Done
            }
            Err(refused) => refusal(refused),
        }
    }

    fn visit(&mut self, port: &str, purpose: Purpose, asker: Asker, process: u32) {
        let visitor = Visitor { asker, process };
        match self.ports.visit(port, purpose, visitor) {
            Ok(None) => {}
            Ok(Some(other)) => {
                let meeting = self.ports.meeting();
                for (to, partner) in [(visitor, other), (other, visitor)] {
                    let process = partner.process;
                    self.answer_to(to.asker, Answer::Partner { process, meeting });
                }
            }
            Err(refused) => self.answer_to(asker, refusal(refused)),
        }
    }
}

fn done(result: Result<(), Refused>) -> Answer {
    result.map_or_else(refusal, |()| Answer::Done)
}

fn refusal((refusal, reason): Refused) -> Answer {
    Answer::refused(refusal, reason)
}
