//! PMI-1 and PMI-2 for programs that are linked with another MPI, such as MPICH or Intel MPI: so they find each other.
//!
//! Any process that is a rank is offered it; ours use the control protocol instead. What one process puts others get
//! ([`space`]) after the next meeting. A client of either version may be told from its messages, so nobody keeps which
//! it speaks.

mod answer;
mod effect;
mod space;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use effect::WAITS;
pub(super) use space::Space;

use super::ending::{Phase, Verdict};
use super::{Member, Supervisor};
use effect::{Asker, Event};
use simurgh_net::control::ToHost;
use simurgh_net::pmi::Message;

impl Supervisor<'_> {
    /// A program speaks PMI.
    pub(super) fn serve_pmi(&mut self, host: usize, request: Message) {
        let member = &self.members[host];
        if !member.is_first() {
            let reason =
                format!("{member} is linked with another MPI, whose processes cannot be spawned here");
            return self.give_up_growth(host, reason);
        }
        let asker = self.asker(host);
        let effect = self.space.act_on(asker, request);
        for (to, answer) in effect.answers {
            self.tell_one(to, ToHost::Pmi(answer));
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
            // If it has been found meanwhile that the job is to end, the last one comes too late.
            if let Phase::Joining = self.phase {
                self.enter(Phase::Running, None);
            }
        } else {
            self.look_for_the_missing();
        }
    }

    /// A host as one that asks.
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
