//! Making a communicator by the members of a group alone.

use super::bootstrap::Purpose;
use super::construct::{Membership, check_subset};
use super::{Comm, IdDemand};
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::members::Members;
use crate::portable::portable;
use crate::process::Process;
use simurgh_core::sync::Arc;

/// The contribution of a member.
struct Member(());

portable! { Member { 0 } }

impl Comm {
    /// A communicator over `group`, made by its members alone (`MPI_Comm_create_group`); `None` for a rank that is not
    /// in it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if the group is not a subset of the communicator; [`ErrorClass::Tag`] for a negative tag;
    /// [`ErrorClass::Comm`] on an inter-communicator.
    pub fn create_group(&self, group: &Group, tag: i32) -> Result<Option<Arc<Self>>> {
        self.check_intra()?;
        crate::check::tag(tag)?;
        let purpose = Purpose::Subgroup(self.context, tag);
        let made = make(&self.process, group, purpose, || {
            check_subset(group, self.group())
        })?;
        Ok(made.map(|(shared, seat)| self.child(shared, seat)))
    }

    /// A communicator over `group`, made by its members without another communicator (`MPI_Comm_create_from_group`);
    /// `None` for the empty group. The tag distinguishes calls that several threads make at the same time.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if the process is not in the group.
    pub fn create_from_group(process: &Arc<Process>, group: &Group, tag: &str) -> Result<Option<Arc<Self>>> {
        if group.size() > 0 && group.rank_of(process.id()).is_none() {
            return Err(Error::new(
                ErrorClass::Group,
                "the calling process is not in the group; only its members make the communicator",
            ));
        }
        let made = make(process, group, Purpose::Named(tag.to_owned()), || Ok(()))?;
        Ok(made.map(|(shared, seat)| {
            let comm = Self::new(Arc::clone(process), shared, seat);
            Arc::new(comm.in_session(process.session(group.session())))
        }))
    }
}

fn make(
    process: &Process,
    group: &Group,
    purpose: Purpose,
    check: impl FnOnce() -> Result<()>,
) -> Result<Membership> {
    let Some(rank) = group.rank_of(process.id()) else {
        return Ok(None);
    };
    let job = process.job();
    let group_members = job
        .communicators()
        .bootstrap
        .join(job.layout(), purpose, group, rank, check)?;
    let shared = group_members
        .participants(job)
        .exchange(Member(()), IdDemand::One, |_, builder| {
            builder.make(Members::intra(group.clone()))
        })?;
    Ok(Result::clone(&shared)?.map(|shared| (shared, rank)))
}
