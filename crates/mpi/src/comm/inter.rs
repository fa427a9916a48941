//! Making inter-communicators.
//!
//! Two groups find each other through their leaders, in three steps. First the ranks of a group agree on their leader
//! and learn whether its arguments are right, in one exchange among themselves. Then the leaders meet, without messages
//! of the program. Finally each leader tells its group the result, in a second exchange. So an error at one rank is an
//! error of all.

use super::bootstrap::Purpose;
use super::builder::{CommSpec, IdDemand};
use super::check;
use super::participants::Participants;
use super::{Comm, CommShared};
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::job::Job;
use crate::members::Members;
use crate::portable::{Portable, portable};
use crate::process::Process;
use simurgh_core::sync::Arc;

/// The contribution of a rank to the first exchange of its group.
struct Proposal {
    leader: i32,
    /// At the leader only: whether it can reach the other leader.
    ready: Result<()>,
}

/// The contribution of a leader to the meeting with the other leader: its group.
struct OfferedGroup(Group);

/// The contribution of a rank to the second exchange; `None` except at the leader.
struct Report<X>(Option<Result<(CommSpec, X)>>);

/// The new communicator, and in it the seat of rank 0 of one group.
type InterSpec = Result<(CommSpec, usize)>;

portable! {
    Proposal { leader, ready }
    OfferedGroup { 0 }
}

impl<X: Portable> Portable for Report<X> {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        Portable::read(input).map(Self)
    }
}

/// The name and the error class of the argument that gives a group's leader.
const LEADER: (&str, ErrorClass) = ("local_leader", ErrorClass::Rank);

/// The leader of the other group, and how this leader reaches it.
pub(crate) struct RemoteLeader {
    pub(crate) other: u32,
    pub(crate) purpose: Purpose,
}

/// The local group, as one of its ranks sees it.
pub(crate) struct LocalGroup<'a> {
    pub(crate) process: &'a Process,
    pub(crate) group: &'a Group,
    pub(crate) rank: usize,
    /// The name of the argument that gives the leader, and the class of errors about it.
    pub(crate) leader_is: (&'static str, ErrorClass),
    /// The group's ranks as participants of an exchange.
    participants: Participants<'a>,
}

impl Comm {
    /// An inter-communicator of this communicator's ranks and those of another one (`MPI_Intercomm_create`).
    ///
    /// The rank `local_leader` here reaches the leader of the others as rank `remote_leader` of `peer`; `tag`
    /// distinguishes calls that the same leaders make at the same time. At other ranks these three mean nothing.
    ///
    /// # Errors
    ///
    /// At all ranks of the group: [`ErrorClass::Rank`] for a leader out of range, [`ErrorClass::Tag`] for a negative
    /// tag, [`ErrorClass::Comm`] without a peer, on an inter-communicator, or if a process is in both groups.
    pub fn create_inter(
        &self,
        local_leader: i32,
        peer: Option<&Self>,
        remote_leader: i32,
        tag: i32,
    ) -> Result<Arc<Self>> {
        self.check_intra()?;
        let remote_leader = || {
            let peer = peer.ok_or_else(no_peer)?;
            crate::check::tag(tag)?;
            check::member("remote_leader", remote_leader, peer)?;
            Ok(RemoteLeader {
                other: peer.process_of(remote_leader),
                purpose: Purpose::Leaders(peer.context, tag),
            })
        };
        let (shared, seat) = self.local_group(LEADER).connect(local_leader, remote_leader)?;
        Ok(self.child(shared, seat))
    }

    /// An inter-communicator of two groups, made by their members without another communicator
    /// (`MPI_Intercomm_create_from_groups`). The remote group and its leader mean something at the local leader only.
    ///
    /// # Errors
    ///
    /// As [`Comm::create_inter`]; [`ErrorClass::Group`] if the process is not in the local group.
    pub fn create_inter_from_groups(
        process: &Arc<Process>,
        (local, local_leader): (&Group, i32),
        (remote, remote_leader): (&Group, i32),
        tag: &str,
    ) -> Result<Arc<Self>> {
        let rank = local.rank_of(process.id()).ok_or_else(not_in_group)?;
        let job = process.job();
        let purpose = Purpose::NamedSide(tag.to_owned());
        let group_members = job
            .communicators()
            .bootstrap
            .join(job.layout(), purpose, local, rank, || Ok(()))?;
        let remote_leader = || {
            let other = usize::try_from(remote_leader).ok();
            let other = other.and_then(|leader| remote.process(leader));
            Ok(RemoteLeader {
                other: other.ok_or_else(|| {
                    wrong_leader(("remote_leader", ErrorClass::Rank), remote_leader, remote)
                })?,
                purpose: Purpose::NamedLeaders(tag.to_owned()),
            })
        };
        let local_group = LocalGroup {
            process,
            group: local,
            rank,
            leader_is: LEADER,
            participants: group_members.participants(job),
        };
        let (shared, seat) = local_group.connect(local_leader, remote_leader)?;
        let comm = Self::new(Arc::clone(process), shared, seat);
        Ok(Arc::new(comm.in_session(process.session(local.session()))))
    }
}

impl Comm {
    /// The ranks of the communicator as the local group.
    pub(crate) fn local_group(&self, leader_is: (&'static str, ErrorClass)) -> LocalGroup<'_> {
        LocalGroup {
            process: &self.process,
            group: self.group(),
            rank: self.seat(),
            leader_is,
            participants: self.participants(),
        }
    }
}

impl LocalGroup<'_> {
    /// Makes the inter-communicator with the group whose leader `link` gives. Returns it with the caller's seat in it.
    pub(crate) fn connect(
        &self,
        leader: i32,
        remote_leader: impl FnOnce() -> Result<RemoteLeader>,
    ) -> Result<(Arc<CommShared>, usize)> {
        let remote_leader = || remote_leader().and_then(|remote_leader| self.check_disjoint(remote_leader));
        let (shared, first) = self.create_with(leader, remote_leader, |remote_leader| {
            self.meet_leader(remote_leader)
        })?;
        Ok((shared, first + self.rank))
    }

    /// Makes a communicator with another group. The leader runs `prepare`; when all ranks know that it has succeeded,
    /// the leader runs `find`, which gives the specification of the communicator and something else that all ranks are
    /// to know.
    pub(crate) fn create_with<L, X: Portable + Clone + Send + Sync + 'static>(
        &self,
        leader: i32,
        prepare: impl FnOnce() -> Result<L>,
        find: impl FnOnce(L) -> Result<(CommSpec, X)>,
    ) -> Result<(Arc<CommShared>, X)> {
        let leads = usize::try_from(leader) == Ok(self.rank);
        let prepared = leads.then(prepare);
        let proposal = Proposal {
            leader,
            ready: match &prepared {
                Some(Err(error)) => Err(error.clone()),
                _ => Ok(()),
            },
        };
        let agreed = self
            .participants
            .exchange(proposal, IdDemand::Nothing, |proposals, _| {
                agree(self.group, self.leader_is, proposals)
            })?;
        Result::clone(&agreed)?;
        let report = prepared.map(|prepared| prepared.and_then(find));
        let job = self.process.job();
        let created = self
            .participants
            .exchange(Report(report), IdDemand::Nothing, |reports, _| {
                let mut reports = reports.into_iter();
                let created = reports.find_map(|Report(created)| created);
                let (spec, more) = created.unwrap_or_else(|| Err(no_leader()))?;
                Ok((
                    job.communicators()
                        .bootstrap
                        .pending_inters
                        .shared_part(job, spec)?,
                    more,
                ))
            })?;
        Result::clone(&created)
    }

    /// Refuses a remote leader that is in the local group, because it would never come.
    fn check_disjoint(&self, remote_leader: RemoteLeader) -> Result<RemoteLeader> {
        match self.group.rank_of(remote_leader.other) {
            None => Ok(remote_leader),
            Some(_) => Err(overlap(remote_leader.other)),
        }
    }

    /// Meets the other leader.
    fn meet_leader(&self, remote_leader: RemoteLeader) -> InterSpec {
        let (own, other, job) = (self.process.id(), remote_leader.other, self.process.job());
        let leaders = Group::from_processes(vec![own.min(other), own.max(other)]);
        let place = usize::from(own > other);
        let group_members = job.communicators().bootstrap.join(
            job.layout(),
            remote_leader.purpose,
            &leaders,
            place,
            || Ok(()),
        )?;
        let own_group = OfferedGroup(self.group.clone());
        let founder = own.min(other);
        let created =
            group_members
                .participants(job)
                .exchange(own_group, IdDemand::One, |groups, builder| {
                    builder.spec(join_groups(job, &groups)?, founder)
                })?;
        let spec = Result::clone(&created)?;
        let seat = spec.members.seat_of(own).expect("the leader is in its group");
        Ok((spec, seat - self.rank))
    }
}

/// Checks that all ranks name the same leader, and that it is ready.
fn agree(group: &Group, leader_is: (&str, ErrorClass), proposals: Vec<Proposal>) -> Result<()> {
    let leader = proposals[0].leader;
    if let Some(other) = proposals.iter().find(|proposal| proposal.leader != leader) {
        let (name, class) = leader_is;
        let message = format!(
            "ranks pass {leader} and {} as {name}; all ranks of a group must pass the same",
            other.leader
        );
        return Err(Error::new(class, message));
    }
    if usize::try_from(leader).map_or(true, |leader| leader >= group.size()) {
        return Err(wrong_leader(leader_is, leader, group));
    }
    proposals.into_iter().try_for_each(|proposal| proposal.ready)
}

fn join_groups(job: &Job, groups: &[OfferedGroup]) -> Result<Members> {
    let [OfferedGroup(left), OfferedGroup(right)] = groups else {
        return Err(no_peer());
    };
    if let Some(both) = left.processes().find(|&process| right.rank_of(process).is_some()) {
        return Err(overlap(both));
    }
    let members = Members::inter(left.clone(), right.clone());
    members.check(job.layout())?;
    Ok(members)
}

#[cold]
fn no_leader() -> Error {
    Error::new(
        ErrorClass::Intern,
        "no rank of the group says what its leader has agreed on; all hosts have to run the same version",
    )
}

#[cold]
fn no_peer() -> Error {
    Error::new(
        ErrorClass::Comm,
        "the local leader's peer_comm is no communicator; pass one that has both leaders",
    )
}

#[cold]
fn not_in_group() -> Error {
    Error::new(
        ErrorClass::Group,
        "the calling process is not in the local group; only its members make the communicator",
    )
}

#[cold]
fn overlap(process: u32) -> Error {
    Error::new(
        ErrorClass::Comm,
        format!("process {process} is in both groups; the groups of an inter-communicator are disjoint"),
    )
}

#[cold]
fn wrong_leader((name, class): (&str, ErrorClass), leader: i32, group: &Group) -> Error {
    let size = group.size();
    Error::new(
        class,
        format!("{name} is {leader}, which is no rank of its group of {size}"),
    )
}
