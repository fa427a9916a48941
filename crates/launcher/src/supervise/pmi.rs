//! PMI-1 and PMI-2 requests of programs that are linked with another MPI.
//!
//! Every process that is a rank is offered PMI; programs of this MPI use the control protocol instead.

use super::Supervisor;
use super::phase::{Phase, Verdict};
use crate::hosts::Member;
use crate::pmi::{Asker, Event};
use simurgh_net::control::ToHost;
use simurgh_net::pmi::Message;

impl Supervisor<'_> {
    /// Handles a PMI request of a program.
    pub(super) fn serve_pmi(&mut self, host: usize, request: Message) {
        let member = &self.members[host];
        if !member.is_first() {
            let reason =
                format!("{member} is linked with another MPI, whose processes cannot be spawned here");
            return self.give_up_spawn(host, reason);
        }
        let asker = self.asker(host);
        let effect = self.kvs.handle(asker, request);
        for (to, answer) in effect.answers {
            self.send_to(to, ToHost::Pmi(answer));
        }
        match effect.event {
            None => {}
            Some(Event::Began) => self.has_begun(host),
            Some(Event::Finished) => self.ranks_ended(host, 0),
            Some(Event::Aborted { status, waits }) => {
                let message = format!("{} ended the job with status {status}", self.members[host]);
                let verdict = Verdict { status, message };
                match waits {
                    true => self.abort(host, verdict),
                    false => self.conclude(verdict),
                }
            }
        }
    }

    /// A program of another MPI begins to use it.
    fn has_begun(&mut self, host: usize) {
        self.members[host].join_by_pmi();
        if self.members.iter().all(Member::has_joined) {
            // If the job is about to end, it does not run any more.
            if let Phase::Joining = self.phase {
                self.enter(Phase::Running, None);
            }
        } else {
            self.check_ended_programs();
        }
    }

    /// The process of a host, as the PMI server knows it.
    fn asker(&self, host: usize) -> Asker {
        let (member, spec) = (&self.members[host], self.starter.spec());
        let rank = spec.ranks_of(member.number() - spec.origin.first_host).first;
        Asker {
            host,
            rank,
            node: member.node(),
            program: spec.section_of(rank).unwrap_or_default(),
        }
    }
}
