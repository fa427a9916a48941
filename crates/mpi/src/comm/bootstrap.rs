//! Where processes come together that have no communicator of their own yet.
//!
//! The first of a host to come lays out a board for its group and purpose, which all of them know; the others find it,
//! and the last to find it takes the notice down. The hosts find each other by a number made of group and purpose.
//! Messages of the program are not touched, whatever tags it uses.

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

/// What the processes gather for.
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
    /// The same, by a socket between them.
    Joined(u64),
}

/// Groups whose members are coming together on this host.
#[derive(Debug, Default)]
pub(crate) struct Bootstrap {
    pending: SpinLock<HashMap<Purpose, Vec<PendingGroup>>>,
    pub(super) pending_inters: PendingInters,
}

/// A group that gathers. For one purpose several may at the same time, also ones that overlap: a process that is slow
/// in one call may be awaited in the next one already.
#[derive(Debug)]
struct PendingGroup {
    group: Group,
    intra_host: Arc<IntraHost>,
    /// The hosts, if there are several.
    host_map: Option<Arc<HostMap>>,
    /// Members on this host that have not come.
    missing: usize,
}

/// A group that has gathered, as one of its members sees it.
pub(super) struct BootstrapGroup {
    intra_host: Arc<IntraHost>,
    local_index: usize,
    host_map: Option<Arc<HostMap>>,
    context: u32,
    round: i32,
}

impl Bootstrap {
    /// The members of `group`, as the one with this rank sees them. The first to come checks the group for all.
    ///
    /// # Errors
    ///
    /// What `check` reports; then nobody gathers.
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
        let joined_group = joined.map(|known| {
            let pending = &mut bootstrap[known];
            pending.missing -= 1;
            let host_map = pending.host_map.clone();
            let joined_group = BootstrapGroup {
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
            joined_group
        });
        if bootstrap.is_empty() {
            purposes.remove(&purpose);
        }
        joined_group
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
    /// The members, who agree on something.
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

/// What labels the messages of hosts whose ranks gather: 62 bits of a digest of purpose and group, which is the same on
/// all hosts. No communicator has such a context.
fn number(purpose: &Purpose, group: &Group) -> (u32, i32) {
    let mut hasher = DefaultHasher::new();
    purpose.hash(&mut hasher);
    group.processes().for_each(|process| process.hash(&mut hasher));
    let digest = hasher.finish();
    let round = (digest >> 32) as u32 & i32::MAX.cast_unsigned();
    (digest as u32 | 1 << 31, round.cast_signed())
}
