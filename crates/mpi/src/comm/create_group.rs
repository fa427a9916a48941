//! Making a communicator by the members of a group alone.
//!
//! The members have no board of their own yet, and the other ranks of the parent do not take part. So the first
//! member to come lays out a board for this group and tag; the others find it, and the last to find it takes the
//! notice down.

use super::{Comm, CommShared};
use crate::collective::Board;
use crate::error::{Error, ErrorClass, Result};
use crate::group::{Comparison, Group};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

/// Which call: the parent's context, the tag, and the first member, which no other group of the same call has.
type Key = (u32, i32, u32);

/// Boards of groups whose members are coming together.
#[derive(Debug, Default)]
pub(crate) struct Gatherings(SpinLock<HashMap<Key, Gathering>>);

#[derive(Debug)]
struct Gathering {
    group: Group,
    board: Arc<Board>,
    missing: usize,
}

/// What a member brings.
struct Member;

impl Gatherings {
    fn join(&self, key: Key, group: &Group) -> Result<Arc<Board>> {
        let mut gatherings = self.0.lock();
        let gathering = gatherings.entry(key).or_insert_with(|| {
            let missing = group.size();
            Gathering {
                group: group.clone(),
                board: Arc::new(Board::new(missing)),
                missing,
            }
        });
        if gathering.group.compare(group) != Comparison::Identical {
            return Err(Error::new(
                ErrorClass::Group,
                "ranks of one new communicator name different groups",
            ));
        }
        gathering.missing -= 1;
        let board = Arc::clone(&gathering.board);
        if gathering.missing == 0 {
            gatherings.remove(&key);
        }
        Ok(board)
    }
}

impl Comm {
    /// A communicator over `group`, made by its members alone (`MPI_Comm_create_group`); none for a rank that is
    /// not in it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if the group is not a subset of the communicator or its members name different groups;
    /// [`ErrorClass::Tag`] for a negative tag.
    pub fn create_group(&self, group: &Group, tag: i32) -> Result<Option<Arc<Self>>> {
        crate::check::tag(tag)?;
        super::construct::check_subset(group, self.group())?;
        let (Some(first), Some(rank)) = (group.process(0), group.rank_of(self.process.id())) else {
            return Ok(None);
        };
        let job = self.process.job();
        let board = job.gatherings().join((self.context, tag, first), group)?;
        let shared = board.exchange(rank, Member, |_: Vec<Member>| {
            CommShared::new(job.contexts(), group.clone())
        })?;
        Ok(Some(self.child(Result::clone(&shared)?, rank)))
    }
}
