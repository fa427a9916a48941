//! Where processes come together that have no communicator of their own yet.
//!
//! The first to come lays out a board for its group and purpose, which all of them know; the others find it, and
//! the last to find it takes the notice down. Messages of the program are not touched, whatever tags it uses.

use crate::collective::Board;
use crate::error::Result;
use crate::group::Group;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

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
}

/// Boards of groups whose members are coming together.
#[derive(Debug, Default)]
pub(crate) struct Gatherings(SpinLock<HashMap<Purpose, Vec<Gathering>>>);

/// A group that gathers. For one purpose several may at the same time, also ones that overlap: a process that is slow
/// in one call may be awaited in the next one already.
#[derive(Debug)]
struct Gathering {
    group: Group,
    board: Arc<Board>,
    missing: usize,
}

impl Gatherings {
    /// The board on which the members of `group`, which is not empty, meet by their ranks in it. The first to come
    /// checks the group for all.
    ///
    /// # Errors
    ///
    /// What `check` reports; then nobody gathers.
    pub(super) fn join(
        &self,
        purpose: Purpose,
        group: &Group,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<Arc<Board>> {
        let mut purposes = self.0.lock();
        let gatherings = purposes.entry(purpose.clone()).or_default();
        let known = gatherings.iter().position(|known| known.group.is_same(group));
        let joined = match known {
            Some(place) => Ok(place),
            None => check().map(|()| {
                gatherings.push(Gathering::new(group));
                gatherings.len() - 1
            }),
        };
        let board = joined.map(|place| {
            let gathering = &mut gatherings[place];
            gathering.missing -= 1;
            let board = Arc::clone(&gathering.board);
            if gathering.missing == 0 {
                gatherings.swap_remove(place);
            }
            board
        });
        if gatherings.is_empty() {
            purposes.remove(&purpose);
        }
        board
    }
}

impl Gathering {
    fn new(group: &Group) -> Self {
        Self {
            group: group.clone(),
            board: Arc::new(Board::new(group.size())),
            missing: group.size(),
        }
    }
}
