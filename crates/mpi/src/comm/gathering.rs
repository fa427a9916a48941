//! Where processes come together that have no communicator of their own yet.
//!
//! The first of a host to come lays out a board for its group and purpose, which all of them know; the others find it,
//! and the last to find it takes the notice down. The hosts find each other by a number made of group and purpose.
//! Messages of the program are not touched, whatever tags it uses.

use super::assembly::{Assembly, Hosts, Way};
use super::unions::Unions;
use crate::collective::IntraHost;
use crate::error::Result;
use crate::group::Group;
use crate::job::Job;
use crate::layout::Layout;
use crate::members::{Sides, Span};
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
pub(crate) struct Gatherings {
    boards: SpinLock<HashMap<Purpose, Vec<Gathering>>>,
    pub(super) unions: Unions,
}

/// A group that gathers. For one purpose several may at the same time, also ones that overlap: a process that is slow
/// in one call may be awaited in the next one already.
#[derive(Debug)]
struct Gathering {
    group: Group,
    intra_host: Arc<IntraHost>,
    /// The hosts, if there are several.
    span: Option<Arc<Span>>,
    /// Members on this host that have not come.
    missing: usize,
}

/// A group that has gathered, as one of its members sees it.
pub(super) struct Gathered {
    intra_host: Arc<IntraHost>,
    place: usize,
    span: Option<Arc<Span>>,
    context: u32,
    round: i32,
}

impl Gatherings {
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
    ) -> Result<Gathered> {
        let (context, round) = number(&purpose, group);
        let mut purposes = self.boards.lock();
        let gatherings = purposes.entry(purpose.clone()).or_default();
        let known = gatherings.iter().position(|known| known.group.is_same(group));
        let joined = match known {
            Some(place) => Ok(place),
            None => check().map(|()| {
                gatherings.push(Gathering::new(layout, group));
                gatherings.len() - 1
            }),
        };
        let gathered = joined.map(|known| {
            let gathering = &mut gatherings[known];
            gathering.missing -= 1;
            let span = gathering.span.clone();
            let gathered = Gathered {
                intra_host: Arc::clone(&gathering.intra_host),
                place: span.as_ref().map_or(rank, |span| span.place_of(rank)),
                span,
                context,
                round,
            };
            if gathering.missing == 0 {
                gatherings.swap_remove(known);
            }
            gathered
        });
        if gatherings.is_empty() {
            purposes.remove(&purpose);
        }
        gathered
    }
}

impl Gathering {
    fn new(layout: &Layout, group: &Group) -> Self {
        let span = Span::of(&Sides::one(group.clone()), layout).map(Arc::new);
        let here = span.as_ref().map_or(group.size(), |span| span.local().len());
        Self {
            group: group.clone(),
            intra_host: Arc::new(IntraHost::new(here)),
            span,
            missing: here,
        }
    }
}

impl Gathered {
    /// The members, who agree on something.
    pub(super) fn assembly<'a>(&'a self, job: &'a Job) -> Assembly<'a> {
        let way = Way::Purpose {
            context: self.context,
            round: self.round,
        };
        Assembly {
            job,
            intra_host: &self.intra_host,
            place: self.place,
            hosts: self.span.as_deref().map(|span| Hosts { span, way }),
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
