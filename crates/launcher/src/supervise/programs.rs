//! Ranks that are processes, and native programs. Such a program may begin to use MPI at any time, or never, and may go
//! on after it has finalized MPI.
//!
//! A program that does not use MPI is only waited for. The job fails when a program ends without having called
//! `MPI_Init` although others have, or without having called `MPI_Finalize`: the others would wait for ever. A native
//! program does both in `simurgh::run`. If several programs end with a bad status, the job has that of the first rank
//! among them, whichever ended first.

use super::Supervisor;
use super::phase::{Phase, Verdict};
use crate::hosts::Member;
use crate::process::exit_code;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The addition to the message about a program that has ended without using MPI.
fn never_began(member: &Member) -> &'static str {
    match member.is_native() {
        false => " without calling MPI_Init, which others have called",
        true => " without calling simurgh::run, while others of the job use MPI",
    }
}

/// The addition to the message about a program that has ended while it used MPI.
fn not_finalized(member: &Member) -> &'static str {
    match member.is_native() {
        false => " without calling MPI_Finalize",
        true => " while its ranks were running",
    }
}

impl Supervisor<'_> {
    /// Handles the end of a rank's process.
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
        if !self.members[host].has_joined() {
            self.ended_early.get_or_insert(host);
        }
        let member = &self.members[host];
        let mut world = self
            .members
            .iter()
            .filter(|other| other.world() == member.world());
        let others_use_mpi = world.any(Member::has_joined);
        let missed = match (member.has_joined(), member.ended.is_some()) {
            (true, false) => not_finalized(member),
            (false, _) if others_use_mpi => never_began(member),
            // A singleton waits for others in MPI_Finalize until it is released.
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

    /// A program has begun to use MPI. If another one has ended already without doing so, the job fails.
    pub(super) fn check_ended_programs(&mut self) {
        if let (Phase::Joining, Some(host)) = (&self.phase, self.ended_early) {
            let member = &self.members[host];
            let status = member.bad_status();
            let words = status.map_or_else(String::new, |code| format!(" with status {code}"));
            let message = format!("{member} ended{words}{}", never_began(member));
            self.conclude(Verdict {
                status: status.unwrap_or(1),
                message,
            });
        }
    }
}
