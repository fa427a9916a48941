//! Ranks that are processes: programs that begin to use MPI when they like, or not at all, and go on when they have
//! ceased to.
//!
//! A program that does not use MPI is only waited for. One that ends without having begun to use MPI while others have
//! keeps those waiting for ever, and so does one that ends without having ceased to: both end the job. Of several bad
//! statuses the job has that of the first rank, whichever ended first.

use super::Supervisor;
use super::phase::{Phase, Verdict};
use crate::hosts::Member;
use crate::process::exit_code;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What a program has done that others wait for.
const NEVER_BEGAN: &str = " without calling MPI_Init, which others have called";

impl Supervisor<'_> {
    /// Takes note of the end of a rank's process.
    pub(super) fn program_ended(&mut self, host: usize, status: ExitStatus) {
        let code = exit_code(status);
        if self.phase.is_over() {
            if code != 0 {
                self.status.get_or_insert(code);
            }
            return;
        }
        if let Phase::Aborting { by, verdict } = &self.phase
            && *by == host
        {
            return self.conclude(verdict.clone());
        }
        let member = &self.members[host];
        let mut world = self
            .members
            .iter()
            .filter(|other| other.world() == member.world());
        let others_use_mpi = world.any(Member::has_joined);
        let missed = match (member.has_joined(), member.ended.is_some()) {
            (true, false) => " without calling MPI_Finalize",
            (false, _) if others_use_mpi => NEVER_BEGAN,
            // Until it is let go it waits for others.
            (true, true) if member.is_singleton() => " in MPI_Finalize, in which it waited for others",
            _ => "",
        };
        if status.signal().is_some() || !missed.is_empty() {
            let missed = if status.signal().is_some() { "" } else { missed };
            let message = format!("{member} {}{missed}", member.end_words(status));
            self.conclude(Verdict {
                status: code.max(1),
                message,
            });
        } else if code != 0 {
            self.status = self.members.iter().find_map(Member::bad_status);
        }
    }

    /// One has begun to use MPI. If another has ended already without doing so, it waits in vain.
    pub(super) fn look_for_the_missing(&mut self) {
        let missing = self
            .members
            .iter()
            .find(|member| member.is_gone() && !member.has_joined());
        if let (Phase::Joining, Some(member)) = (&self.phase, missing) {
            let message = format!("{member} ended{NEVER_BEGAN}");
            self.conclude(Verdict { status: 1, message });
        }
    }
}
