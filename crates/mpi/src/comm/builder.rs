//! Making communicators in an exchange.
//!
//! All hosts that take part in an exchange make the same communicators, so all of them must know the context ids. Each
//! host brings as many ids as communicators may be founded by its ranks. A new communicator takes one of the ids of its
//! founder's host; ids that are left over go back.

use super::CommShared;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::job::Job;
use crate::layout::Layout;
use crate::members::{HostMap, Members};
use crate::portable::Portable;
use simurgh_core::sync::Arc;
use simurgh_net::HostId;
use std::collections::VecDeque;

/// How many communicators the ranks of one host may found in an exchange, which is how many ids the host brings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IdDemand {
    /// None.
    Nothing,
    /// One.
    One,
    /// One for each rank.
    EachRank,
}

/// The specification of a communicator: what all its hosts need to make it.
#[derive(Clone, Debug)]
pub(crate) struct CommSpec {
    pub(crate) id: u32,
    /// The host that owns the id and has given it out.
    pub(crate) owner: HostId,
    pub(crate) members: Members,
}

impl CommSpec {
    /// Checks a specification that another host has sent.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`] if the job does not have all of its processes, or not the host that owns its id.
    pub(crate) fn check(&self, layout: &Layout) -> Result<()> {
        self.members.check(layout)?;
        layout.world_of(self.owner).map(drop).ok_or_else(|| {
            let message = format!(
                "a communicator is numbered by host {}, which the job has not; all hosts have to run the same version",
                self.owner
            );
            Error::new(ErrorClass::Intern, message)
        })
    }
}

/// Makes communicators in an exchange.
pub(crate) struct CommBuilder<'a> {
    job: &'a Job,
    /// `None` if all participants live on one host.
    ids: Option<Ids<'a>>,
}

/// The ids that the hosts have brought, by position.
struct Ids<'a> {
    host_map: &'a HostMap,
    by_host: Vec<Result<VecDeque<u32>>>,
}

impl IdDemand {
    /// The largest number of communicators that `ranks` may found.
    pub(super) fn most(self, ranks: usize) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One => 1,
            Self::EachRank => ranks,
        }
    }
}

impl<'a> CommBuilder<'a> {
    /// A builder for an exchange on one host.
    pub(super) fn alone(job: &'a Job) -> Self {
        Self { job, ids: None }
    }

    /// A builder for an exchange of these hosts, to which this host brings `own` ids.
    pub(super) fn among(job: &'a Job, host_map: &'a HostMap, own: usize) -> Self {
        let mut by_host = vec![Ok(VecDeque::new()); host_map.hosts()];
        by_host[host_map.own()] = (0..own).map(|_| job.contexts().take()).collect();
        let ids = Some(Ids { host_map, by_host });
        Self { job, ids }
    }

    /// The ids that this host brings.
    pub(super) fn own_ids(&self) -> Result<Vec<u32>> {
        let Some(Ids { host_map, by_host }) = &self.ids else {
            return Ok(Vec::new());
        };
        let own = by_host[host_map.own()].clone();
        own.map(Vec::from)
    }

    /// Notes the ids that the host at a position brings.
    pub(super) fn propose(&mut self, position: usize, theirs: Result<Vec<u32>>) {
        if let Some(Ids { host_map, by_host }) = &mut self.ids
            && position != host_map.own()
        {
            by_host[position] = theirs.map(VecDeque::from);
        }
    }

    /// Makes a communicator of these processes; `None` if none of them lives here. The first of them founds it.
    ///
    /// # Errors
    ///
    /// On all hosts, if the founder's host has no id left.
    pub(crate) fn make(&mut self, members: Members) -> Result<Option<Arc<CommShared>>> {
        let Some(founder) = members.process(0) else {
            return Ok(None);
        };
        let spec = self.spec(members, founder)?;
        let layout = self.job.layout();
        let concerned = spec.members.processes().any(|process| layout.is_here(process));
        Ok(concerned.then(|| CommShared::from_spec(self.job, spec)))
    }

    /// The specification of a communicator of these processes. The founder is one of them and takes part in the
    /// exchange.
    ///
    /// # Errors
    ///
    /// As [`CommBuilder::make`].
    pub(super) fn spec(&mut self, members: Members, founder: u32) -> Result<CommSpec> {
        let layout = self.job.layout();
        let owner = layout.host_of(founder);
        let id = match &mut self.ids {
            None => self.job.contexts().take()?,
            Some(ids) => ids.next(owner)?,
        };
        if layout.is_here(founder)
            && let Some(host_map) = HostMap::of(&members, layout)
        {
            self.job.contexts().hold(id, host_map.hosts() as u32);
        }
        Ok(CommSpec { id, owner, members })
    }
}

impl Ids<'_> {
    fn next(&mut self, host: u32) -> Result<u32> {
        let position = self.host_map.position(host);
        let by_host = position.map(|position| &mut self.by_host[position]);
        let by_host = by_host.expect("a founder takes part");
        let left = by_host.as_mut().map_err(|error| error.clone())?;
        Ok(left
            .pop_front()
            .expect("a host brings an id for each communicator"))
    }
}

impl Drop for CommBuilder<'_> {
    fn drop(&mut self) {
        if let Some(Ids { host_map, by_host }) = &self.ids
            && let Ok(left) = &by_host[host_map.own()]
        {
            left.iter().for_each(|&id| self.job.contexts().give_back(id));
        }
    }
}

impl Portable for CommSpec {
    fn write(&self, out: &mut Vec<u8>) {
        (self.id, self.owner).write(out);
        let (left, right) = self.members.groups();
        left.write(out);
        right.cloned().write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let (id, owner) = Portable::read(input)?;
        let left = Group::read(input)?;
        let members = match Option::read(input)? {
            None => Members::intra(left),
            Some(right) => Members::inter(left, right),
        };
        Some(Self { id, owner, members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_name_hosts_and_processes_that_exist() {
        let layout = Layout::new(0, [(1, 0), (1, 0)]);
        let check = |owner, processes| {
            let members = Members::intra(Group::run(0, processes));
            CommSpec {
                id: 5,
                owner,
                members,
            }
            .check(&layout)
        };
        assert!(check(1, 2).is_ok());
        assert!(check(2, 2).is_err() && check(1, 3).is_err());
    }
}
