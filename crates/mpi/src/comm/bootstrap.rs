//! How processes come together that have no communicator of their own yet.
//!
//! All of them know their group and what they come together for. The first process of a host to come makes the state of
//! the group, the others find it, and the last one removes it. Hosts find each other by a number that is made from the
//! group and the purpose. This uses no messages of the program, whatever its tags.

use super::participants::{Hosts, Label, Participants};
use super::pending_inter::PendingInters;
use crate::collective::IntraHost;
use crate::error::Result;
use crate::group::Group;
use crate::job::Job;
use crate::layout::Layout;
use crate::members::{HostMap, Members};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The purpose for which processes come together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// A communicator of some ranks of the one with this context, with this tag.
    Subgroup(u32, i32),
    /// An inter-communicator: the leaders of two groups, who are in the communicator with this context, with this tag.
    Leaders(u32, i32),
    /// A communicator from a group, with this tag.
    Named(String),
    /// An inter-communicator from groups, with this tag: a group by itself.
    NamedSide(String),
    /// An inter-communicator from groups, with this tag: the leaders of the groups.
    NamedLeaders(String),
    /// An inter-communicator: two processes that somebody else has brought together, under this number.
    Meeting(u64),
    /// An inter-communicator: two processes with a socket between them, under a number that both know.
    Joined(u64),
}

/// Groups whose members are coming together on this host.
#[derive(Debug, Default)]
pub(crate) struct Bootstrap {
    pending: SpinLock<HashMap<Purpose, Vec<PendingGroup>>>,
    pub(super) pending_inters: PendingInters,
}

/// A group whose members are coming together. Several groups may do so for one purpose at the same time, also
/// overlapping ones: while a process is slow in one call, others may wait for it in the next.
#[derive(Debug)]
struct PendingGroup {
    group: Group,
    intra_host: Arc<IntraHost>,
    /// The hosts, if there are several.
    host_map: Option<Arc<HostMap>>,
    /// Number of members on this host that have not come.
    missing: usize,
}

/// A group that comes together, as one of its members sees it.
pub(super) struct BootstrapGroup {
    intra_host: Arc<IntraHost>,
    local_index: usize,
    host_map: Option<Arc<HostMap>>,
    context: u32,
    round: i32,
}

impl Bootstrap {
    /// Joins `group` as its member with this rank. The first member to come checks the group for all.
    ///
    /// # Errors
    ///
    /// The error of `check`; then the group does not come together.
    pub(super) fn join(
        &self,
        layout: &Layout,
        purpose: Purpose,
        group: &Group,
        rank: usize,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<BootstrapGroup> {
        let (context, round) = number(&purpose, group);
        let mut purposes = self.pending.lock();
        let bootstrap = purposes.entry(purpose.clone()).or_default();
        let known = bootstrap.iter().position(|known| known.group.is_same(group));
        let joined = match known {
            Some(place) => Ok(place),
            None => check().map(|()| {
                bootstrap.push(PendingGroup::new(layout, group));
                bootstrap.len() - 1
            }),
        };
        let group_here = joined.map(|known| {
            let pending = &mut bootstrap[known];
            pending.missing -= 1;
            let host_map = pending.host_map.clone();
            let group_here = BootstrapGroup {
                intra_host: Arc::clone(&pending.intra_host),
                local_index: host_map
                    .as_ref()
                    .map_or(rank, |host_map| host_map.local_index_of(rank)),
                host_map,
                context,
                round,
            };
            if pending.missing == 0 {
                bootstrap.swap_remove(known);
            }
            group_here
        });
        if bootstrap.is_empty() {
            purposes.remove(&purpose);
        }
        group_here
    }
}

impl PendingGroup {
    fn new(layout: &Layout, group: &Group) -> Self {
        let host_map = HostMap::of(&Members::intra(group.clone()), layout).map(Arc::new);
        let here = host_map
            .as_ref()
            .map_or(group.size(), |host_map| host_map.local_seats().len());
        Self {
            group: group.clone(),
            intra_host: Arc::new(IntraHost::new(here)),
            host_map,
            missing: here,
        }
    }
}

impl BootstrapGroup {
    /// The members as participants of an exchange.
    pub(super) fn participants<'a>(&'a self, job: &'a Job) -> Participants<'a> {
        let label = Label::Purpose {
            context: self.context,
            round: self.round,
        };
        Participants {
            job,
            intra_host: &self.intra_host,
            local_index: self.local_index,
            hosts: self.host_map.as_deref().map(|host_map| Hosts { host_map, label }),
        }
    }
}

/// The label of the messages between the hosts: 62 bits of a digest of purpose and group, which is the same on all
/// hosts. No communicator has such a context id.
fn number(purpose: &Purpose, group: &Group) -> (u32, i32) {
    let mut hasher = DefaultHasher::new();
    purpose.hash(&mut hasher);
    group.processes().for_each(|process| process.hash(&mut hasher));
    let digest = hasher.finish();
    let round = (digest >> 32) as u32 & i32::MAX.cast_unsigned();
    (digest as u32 | 1 << 31, round.cast_signed())
}
