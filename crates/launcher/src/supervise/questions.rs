//! The questions of running ranks: about programs, ports and names.

use super::Supervisor;
use super::spawning::SpawnRequest;
use crate::ports::Asker;
use simurgh_net::control::{Answer, Question, ToHost};
use std::time::Instant;

impl Supervisor<'_> {
    /// Handles a question, and answers it if that is possible at once.
    pub(super) fn handle_question(&mut self, asker: Asker, question: Question) {
        if let Question::Spawn { commands, parent } = question {
            return self.spawn(SpawnRequest {
                asker,
                commands,
                parent,
            });
        }
        if self.wants_universe() {
            return self.ask_universe(asker, question);
        }
        let outcome = self.ports.handle(asker, question);
        let met = outcome.met.map(|(one, other)| {
            let meeting = self.ports.meeting();
            one.meets(other, meeting)
        });
        for (asker, answer) in outcome.answers.into_iter().chain(met.into_iter().flatten()) {
            self.answer_to(asker, answer);
        }
    }

    /// Refuses the ranks that have waited at a port as long as they wanted.
    pub(super) fn expire_at_ports(&mut self) {
        for (asker, answer) in self.ports.refuse_expired(Instant::now()) {
            self.answer_to(asker, answer);
        }
    }

    /// Answers a question.
    pub(super) fn answer_to(&mut self, asker: Asker, answer: Answer) {
        let Asker { host, number } = asker;
        if let Some(host) = self.member_of(host) {
            self.quiescence.count_answer(host);
            self.send_to(host, ToHost::Answer { number, answer });
        }
    }
}
