//! Making communicators in an exchange.
//!
//! An exchange of several hosts makes the same communicators on all of them, so all must know the ids. Each host brings
//! ids for as many communicators as may begin with one of its ranks; a new communicator takes one of those of its
//! founder's host, and what is left over goes back.

use super::CommShared;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::job::Job;
use crate::layout::Layout;
use crate::members::{Sides, Span};
use crate::portable::Portable;
use simurgh_core::sync::Arc;
use simurgh_net::HostId;
use std::collections::VecDeque;

/// How many communicators an exchange may make that are founded by ranks of one host.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Founding {
    /// None.
    Nothing,
    /// One.
    One,
    /// One for each rank.
    EachRank,
}

/// What it takes to make a communicator, on all its hosts.
#[derive(Clone, Debug)]
pub(crate) struct Charter {
    pub(crate) id: u32,
    /// The host that has given out the id.
    pub(crate) giver: HostId,
    pub(crate) sides: Sides,
}

impl Charter {
    /// Looks at a charter that another host has made.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`] if the job has not all of its processes, or not the host that gave out its id.
    pub(crate) fn check(&self, layout: &Layout) -> Result<()> {
        self.sides.check(layout)?;
        layout.world_of(self.giver).map(drop).ok_or_else(|| {
            let message = format!(
                "a communicator is numbered by host {}, which the job has not; all hosts have to run the same version",
                self.giver
            );
            Error::new(ErrorClass::Intern, message)
        })
    }
}

/// What makes communicators in an exchange.
pub(crate) struct Maker<'a> {
    job: &'a Job,
    /// None if the exchange is that of one host.
    ids: Option<Ids<'a>>,
}

/// The ids that the hosts have brought, by position.
struct Ids<'a> {
    span: &'a Span,
    brought: Vec<Result<VecDeque<u32>>>,
}

impl Founding {
    /// The most communicators that `ranks` may found.
    pub(super) fn most(self, ranks: usize) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One => 1,
            Self::EachRank => ranks,
        }
    }
}

impl<'a> Maker<'a> {
    /// For an exchange on one host.
    pub(super) fn alone(job: &'a Job) -> Self {
        Self { job, ids: None }
    }

    /// For an exchange of these hosts, of which this one brings so many ids.
    pub(super) fn among(job: &'a Job, span: &'a Span, own: usize) -> Self {
        let mut brought = vec![Ok(VecDeque::new()); span.hosts()];
        brought[span.own()] = (0..own).map(|_| job.contexts().take()).collect();
        let ids = Some(Ids { span, brought });
        Self { job, ids }
    }

    /// The ids that this host brings.
    pub(super) fn own_ids(&self) -> Result<Vec<u32>> {
        let Some(Ids { span, brought }) = &self.ids else {
            return Ok(Vec::new());
        };
        let own = brought[span.own()].clone();
        own.map(Vec::from)
    }

    /// Notes the ids that the host at a position brings.
    pub(super) fn propose(&mut self, position: usize, theirs: Result<Vec<u32>>) {
        if let Some(Ids { span, brought }) = &mut self.ids
            && position != span.own()
        {
            brought[position] = theirs.map(VecDeque::from);
        }
    }

    /// A communicator of these processes; none if none of them lives here. The first of them founds it.
    ///
    /// # Errors
    ///
    /// On all hosts, if the founder's host has no id left.
    pub(crate) fn make(&mut self, sides: Sides) -> Result<Option<Arc<CommShared>>> {
        let Some(founder) = sides.process(0) else {
            return Ok(None);
        };
        let charter = self.charter(sides, founder)?;
        let layout = self.job.layout();
        let concerned = charter.sides.processes().any(|process| layout.is_here(process));
        Ok(concerned.then(|| CommShared::chartered(self.job, charter)))
    }

    /// What it takes to make a communicator of these processes. The founder is one of them and of those who exchange.
    ///
    /// # Errors
    ///
    /// As [`Maker::make`].
    pub(super) fn charter(&mut self, sides: Sides, founder: u32) -> Result<Charter> {
        let layout = self.job.layout();
        let giver = layout.host_of(founder);
        let id = match &mut self.ids {
            None => self.job.contexts().take()?,
            Some(ids) => ids.next(giver)?,
        };
        if layout.is_here(founder)
            && let Some(span) = Span::of(&sides, layout)
        {
            self.job.contexts().hold(id, span.hosts() as u32);
        }
        Ok(Charter { id, giver, sides })
    }
}

impl Ids<'_> {
    fn next(&mut self, host: u32) -> Result<u32> {
        let position = self.span.position(host);
        let brought = position.map(|position| &mut self.brought[position]);
        let brought = brought.expect("a founder takes part");
        let left = brought.as_mut().map_err(|error| error.clone())?;
        Ok(left
            .pop_front()
            .expect("a host brings an id for each communicator"))
    }
}

impl Drop for Maker<'_> {
    fn drop(&mut self) {
        if let Some(Ids { span, brought }) = &self.ids
            && let Ok(left) = &brought[span.own()]
        {
            left.iter().for_each(|&id| self.job.contexts().give_back(id));
        }
    }
}

impl Portable for Charter {
    fn write(&self, out: &mut Vec<u8>) {
        (self.id, self.giver).write(out);
        let (left, right) = self.sides.groups();
        left.write(out);
        right.cloned().write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let (id, giver) = Portable::read(input)?;
        let left = Group::read(input)?;
        let sides = match Option::read(input)? {
            None => Sides::one(left),
            Some(right) => Sides::two(left, right),
        };
        Some(Self { id, giver, sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charter_names_hosts_and_processes_that_are_there() {
        let layout = Layout::new(0, [(1, 0), (1, 0)]);
        let check = |giver, processes| {
            let sides = Sides::one(Group::run(0, processes));
            Charter { id: 5, giver, sides }.check(&layout)
        };
        assert!(check(1, 2).is_ok());
        assert!(check(2, 2).is_err() && check(1, 3).is_err());
    }
}
