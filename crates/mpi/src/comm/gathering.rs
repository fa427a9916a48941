//! Where processes come together that have no communicator of their own yet.
//!
//! The first to come lays out a board for its group under a key that all of them know; the others find it, and
//! the last to find it takes the notice down. Messages of the program are not touched, whatever tags it uses.

use super::construct::check_same;
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

/// Which call: groups that gather for the same purpose at the same time differ in their first or in their last member.
type Key = (Purpose, u32, u32);

/// Boards of groups whose members are coming together.
#[derive(Debug, Default)]
pub(crate) struct Gatherings(SpinLock<HashMap<Key, Gathering>>);

#[derive(Debug)]
struct Gathering {
    group: Group,
    board: Arc<Board>,
    missing: usize,
}

impl Gatherings {
    /// The board on which the members of `group`, which is not empty, meet by their ranks in it.
    pub(super) fn join(&self, purpose: Purpose, group: &Group) -> Result<Arc<Board>> {
        let end = |rank: usize| group.process(rank).expect("a group that gathers has members");
        let key = (purpose, end(0), end(group.size() - 1));
        let mut gatherings = self.0.lock();
        let gathering = gatherings.entry(key.clone()).or_insert_with(|| {
            let missing = group.size();
            Gathering {
                group: group.clone(),
                board: Arc::new(Board::new(missing)),
                missing,
            }
        });
        check_same(&gathering.group, group)?;
        gathering.missing -= 1;
        let board = Arc::clone(&gathering.board);
        if gathering.missing == 0 {
            gatherings.remove(&key);
        }
        Ok(board)
    }
}
