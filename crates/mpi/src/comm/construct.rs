//! Making communicators from communicators.
//!
//! Each call is one exchange of all ranks, of both groups of an inter-communicator. The last rank of a host to arrive
//! computes the new communicators once for its host.

use super::split_type::Criterion;
use super::{Comm, CommBuilder, CommShared, IdDemand};
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::members::Members;
use crate::portable::portable;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_topology::Topology;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// A rank's membership in a new communicator: the shared part and the seat in it.
pub(crate) type Membership = Option<(Arc<CommShared>, usize)>;

/// The new communicators, by seat of the parent.
type Memberships = Result<Vec<Membership>>;

/// The arguments of a rank in a split.
struct SplitArguments {
    /// The criterion by which ranks are put together; `None` if the rank is in no new communicator.
    shared: Option<Criterion>,
    key: i32,
}

/// The argument of a rank in the making of a communicator from a group.
struct CreateArguments(Group);

/// The argument of a rank in the merge of two groups: whether its group is to come second.
struct MergeArguments {
    high: bool,
}

portable! {
    SplitArguments { shared, key }
    CreateArguments { 0 }
    MergeArguments { high }
}

impl Comm {
    /// Communicators of the ranks with the same colour, ordered by key and rank (`MPI_Comm_split`). `None` for the
    /// colour [`UNDEFINED`](crate::constants::UNDEFINED), or if only one of the two groups of an inter-communicator has
    /// the colour.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] for another negative colour; when the ranks make different calls, or no context is free.
    pub fn split(&self, color: i32, key: i32) -> Result<Option<Arc<Self>>> {
        let membership = self.split_membership(color, key)?;
        Ok(membership.map(|(shared, seat)| self.child(shared, seat)))
    }

    /// The caller's membership in the communicator that [`Comm::split`] makes for its colour.
    pub(crate) fn split_membership(&self, color: i32, key: i32) -> Result<Membership> {
        self.split_by(Self::color(color)?, key)
    }

    /// The caller's membership in the communicator of the ranks with the same criterion.
    pub(super) fn split_by(&self, shared: Option<Criterion>, key: i32) -> Result<Membership> {
        let members = &self.shared.members;
        let arguments = SplitArguments { shared, key };
        let memberships = self.exchange(arguments, IdDemand::EachRank, |ranks, builder| {
            make_all(builder, members, &sort_by_color(&ranks))
        })?;
        let memberships = memberships.as_ref().as_ref().map_err(Error::clone)?;
        Ok(memberships[self.seat()].clone())
    }

    /// Communicators over subgroups (`MPI_Comm_create`). Every rank names the group in which it will be, or the same
    /// group as the others; `None` for a rank that is not in the group it names. All ranks of one group of an
    /// inter-communicator name the same subgroup of theirs.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if a group is not a subset of the local one or ranks of one group name different ones.
    pub fn create(&self, group: &Group) -> Result<Option<Arc<Self>>> {
        let members = &self.shared.members;
        let memberships = self.exchange(
            CreateArguments(group.clone()),
            IdDemand::EachRank,
            |chosen, builder| {
                let lists = if members.is_inter() {
                    chosen_on_both_sides(members, &chosen)
                } else {
                    chosen_groups(members, &chosen)
                };
                make_all(builder, members, &lists?)
            },
        )?;
        self.join_new(&memberships)
    }

    /// One communicator of both groups of an inter-communicator (`MPI_Intercomm_merge`). The ranks of a group that is
    /// `high` come after those of the other group, unless that is `high`, too.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] if this is no inter-communicator, [`ErrorClass::Arg`] if the ranks of a group say different
    /// things.
    pub fn merge(&self, high: bool) -> Result<Arc<Self>> {
        if !self.is_inter() {
            return Err(Error::new(
                ErrorClass::Comm,
                "the communicator has one group only; an inter-communicator has two to merge",
            ));
        }
        let members = &self.shared.members;
        let merged = self.exchange(MergeArguments { high }, IdDemand::One, |ranks, builder| {
            builder.make(merge_sides(members, &ranks)?)
        })?;
        let shared = Result::clone(&merged)?.expect("a merger has all processes");
        let seat = shared.members.seat_of(self.process.id());
        Ok(self.child(shared, seat.expect("a merger has all processes")))
    }

    fn join_new(&self, memberships: &Memberships) -> Result<Option<Arc<Self>>> {
        let memberships = memberships.as_ref().map_err(Error::clone)?;
        Ok(memberships[self.seat()]
            .as_ref()
            .map(|(shared, seat)| self.child(Arc::clone(shared), *seat)))
    }

    /// A communicator made from this one. It inherits the error handler.
    pub(crate) fn child(&self, shared: Arc<CommShared>, seat: usize) -> Arc<Self> {
        self.child_with(shared, seat, None)
    }

    /// [`Comm::child`] with a virtual topology.
    pub(crate) fn child_with(
        &self,
        shared: Arc<CommShared>,
        seat: usize,
        topology: Option<Arc<Topology>>,
    ) -> Arc<Self> {
        let comm = Self::new(Arc::clone(&self.process), shared, seat);
        let comm = comm.in_session(self.session.clone());
        Arc::new(Self {
            topology,
            errhandler: SpinLock::new(self.errhandler.lock().clone()),
            ..comm
        })
    }
}

/// Makes a communicator for each list of the parent's seats, with its seats in this order.
fn make_all(builder: &mut CommBuilder<'_>, parent: &Members, lists: &[Vec<usize>]) -> Memberships {
    let mut memberships: Vec<Membership> = (0..parent.seats()).map(|_| None).collect();
    for seats in lists {
        let Some(members) = parent.select(seats) else {
            continue;
        };
        let Some(shared) = builder.make(members)? else {
            continue;
        };
        let (left, right): (Vec<usize>, Vec<usize>) = seats.iter().partition(|&&seat| parent.is_left(seat));
        for (new_seat, seat) in left.into_iter().chain(right).enumerate() {
            memberships[seat] = Some((Arc::clone(&shared), new_seat));
        }
    }
    Ok(memberships)
}

fn sort_by_color(ranks: &[SplitArguments]) -> Vec<Vec<usize>> {
    let mut parts: BTreeMap<&Criterion, Vec<usize>> = BTreeMap::new();
    for (seat, arguments) in ranks.iter().enumerate() {
        if let Some(shared) = &arguments.shared {
            parts.entry(shared).or_default().push(seat);
        }
    }
    let mut lists: Vec<_> = parts.into_values().collect();
    // Stable: ranks with the same key keep their order.
    lists
        .iter_mut()
        .for_each(|seats| seats.sort_by_key(|&seat| ranks[seat].key));
    lists
}

/// The seats of each group that a rank of it names.
fn chosen_groups(parent: &Members, chosen: &[CreateArguments]) -> Result<Vec<Vec<usize>>> {
    // Groups of one call are equal or disjoint, so that their first members tell them apart.
    let mut groups: HashMap<u32, &Group> = HashMap::new();
    let (mut lists, mut last) = (Vec::new(), &Group::EMPTY);
    for (seat, CreateArguments(group)) in chosen.iter().enumerate() {
        // As a rule all name the same group; then one look at it is enough.
        if !group.is_same(last) {
            check_subset(group, parent.local(seat).0)?;
            last = group;
        }
        let inside = parent
            .process(seat)
            .is_some_and(|process| last.rank_of(process).is_some());
        let Some(first) = last.process(0).filter(|_| inside) else {
            continue;
        };
        match groups.entry(first) {
            Entry::Occupied(known) => check_same(known.get(), last)?,
            Entry::Vacant(entry) => {
                entry.insert(last);
                lists.push(seats_of(parent, last));
            }
        }
    }
    Ok(lists)
}

/// The seats of the subgroups that the ranks of each group name.
fn chosen_on_both_sides(parent: &Members, chosen: &[CreateArguments]) -> Result<Vec<Vec<usize>>> {
    let mut named: [Option<&Group>; 2] = [None, None];
    for (seat, CreateArguments(group)) in chosen.iter().enumerate() {
        match &mut named[usize::from(parent.is_left(seat))] {
            Some(known) => check_same(known, group)?,
            unknown => {
                check_subset(group, parent.local(seat).0)?;
                *unknown = Some(group);
            }
        }
    }
    let seats = named
        .into_iter()
        .flatten()
        .flat_map(|group| seats_of(parent, group));
    Ok(vec![seats.collect()])
}

fn seats_of(parent: &Members, group: &Group) -> Vec<usize> {
    group
        .processes()
        .filter_map(|process| parent.seat_of(process))
        .collect()
}

/// The group that contains both groups.
fn merge_sides(members: &Members, ranks: &[MergeArguments]) -> Result<Members> {
    let (left, right): (Vec<usize>, Vec<usize>) = (0..ranks.len()).partition(|&seat| members.is_left(seat));
    let high = |seats: &[usize]| {
        let first = ranks[seats[0]].high;
        let agreed = seats.iter().all(|&seat| ranks[seat].high == first);
        agreed.then_some(first).ok_or_else(|| {
            let message = "ranks of one group say high, others of it do not; all must say the same";
            Error::new(ErrorClass::Arg, message)
        })
    };
    let (left_high, right_high) = (high(&left)?, high(&right)?);
    let (first, second) = if left_high && !right_high {
        (right, left)
    } else {
        (left, right)
    };
    let processes = first
        .into_iter()
        .chain(second)
        .filter_map(|seat| members.process(seat));
    Ok(Members::intra(Group::from_processes(processes.collect())))
}

fn check_same(known: &Group, group: &Group) -> Result<()> {
    if known.is_same(group) {
        return Ok(());
    }
    Err(Error::new(
        ErrorClass::Group,
        "ranks of one new communicator name different groups",
    ))
}

pub(super) fn check_subset(group: &Group, parent: &Group) -> Result<()> {
    match group
        .processes()
        .find(|&process| parent.rank_of(process).is_none())
    {
        None => Ok(()),
        Some(process) => Err(Error::new(
            ErrorClass::Group,
            format!("process {process} of the group is not in the communicator; name a subset of its group"),
        )),
    }
}
