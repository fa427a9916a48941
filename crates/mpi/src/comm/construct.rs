//! Making communicators from communicators.
//!
//! Each call is one exchange on the parent's board: the last rank to arrive computes what all get, once for the host.

use super::{Comm, CommShared, ContextPool};
use crate::constants::UNDEFINED;
use crate::error::{Error, ErrorClass, Result};
use crate::group::{Comparison, Group};
use crate::topology::Topology;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// A rank's place in a new communicator: its shared part and the rank there.
pub(crate) type Place = Option<(Arc<CommShared>, usize)>;

/// The new communicators, by rank of the parent.
type Places = Result<Vec<Place>>;

/// What a rank brings to a duplication.
struct Duplicated;

/// What a rank brings to a split.
struct Sorted {
    color: i32,
    key: i32,
}

/// What a rank brings to the making of a communicator from a group.
struct Chosen(Group);

impl Comm {
    /// A communicator with the same ranks and another context (`MPI_Comm_dup`).
    ///
    /// # Errors
    ///
    /// When the ranks make different calls, or no context is free.
    pub fn dup(&self) -> Result<Arc<Self>> {
        let contexts = self.process.job().contexts();
        let shared = self
            .board()
            .exchange(self.rank as usize, Duplicated, |_: Vec<Duplicated>| {
                CommShared::new(contexts, self.group().clone())
            })?;
        let topology = self.topology.clone();
        Ok(self.child_with(Result::clone(&shared)?, self.rank as usize, topology))
    }

    /// Communicators of the ranks with the same colour, ordered by key and rank (`MPI_Comm_split`); none for the colour
    /// [`UNDEFINED`].
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] for another negative colour; when the ranks make different calls, or no context is free.
    pub fn split(&self, color: i32, key: i32) -> Result<Option<Arc<Self>>> {
        let place = self.split_place(color, key)?;
        Ok(place.map(|(shared, rank)| self.child(shared, rank)))
    }

    /// The caller's place in the communicator that [`Comm::split`] makes for its colour.
    pub(crate) fn split_place(&self, color: i32, key: i32) -> Result<Place> {
        if color < 0 && color != UNDEFINED {
            return Err(Error::new(
                ErrorClass::Arg,
                format!("colour {color} is negative; a colour is not negative, or MPI_UNDEFINED"),
            ));
        }
        let contexts = self.process.job().contexts();
        let places = self
            .board()
            .exchange(self.rank as usize, Sorted { color, key }, |ranks| {
                sort_into_colors(contexts, self.group(), &ranks)
            })?;
        let places = places.as_ref().as_ref().map_err(Error::clone)?;
        Ok(places[self.rank as usize].clone())
    }

    /// Communicators over subgroups (`MPI_Comm_create`): every rank names the group it will be in, or the same
    /// group as the others; none for a rank that is not in the group it names.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if a group is not a subset of the communicator or ranks of one group name different ones.
    pub fn create(&self, group: &Group) -> Result<Option<Arc<Self>>> {
        let contexts = self.process.job().contexts();
        let places = self
            .board()
            .exchange(self.rank as usize, Chosen(group.clone()), |chosen| {
                gather_groups(contexts, self.group(), &chosen)
            })?;
        self.take_place(&places)
    }

    fn take_place(&self, places: &Places) -> Result<Option<Arc<Self>>> {
        let places = places.as_ref().map_err(Error::clone)?;
        Ok(places[self.rank as usize]
            .as_ref()
            .map(|(shared, rank)| self.child(Arc::clone(shared), *rank)))
    }

    /// A communicator made from this one, whose error handler it inherits.
    pub(super) fn child(&self, shared: Arc<CommShared>, rank: usize) -> Arc<Self> {
        self.child_with(shared, rank, None)
    }

    /// [`Comm::child`] with a virtual topology.
    pub(crate) fn child_with(
        &self,
        shared: Arc<CommShared>,
        rank: usize,
        topology: Option<Arc<Topology>>,
    ) -> Arc<Self> {
        let comm = Self::new(Arc::clone(&self.process), shared, rank);
        Arc::new(Self {
            topology,
            session: self.session.clone(),
            errhandler: SpinLock::new(self.errhandler()),
            ..comm
        })
    }
}

fn sort_into_colors(contexts: &Arc<ContextPool>, parent: &Group, ranks: &[Sorted]) -> Places {
    let mut colors: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (rank, sorted) in ranks
        .iter()
        .enumerate()
        .filter(|(_, sorted)| sorted.color != UNDEFINED)
    {
        colors.entry(sorted.color).or_default().push(rank);
    }
    let mut places: Vec<Place> = ranks.iter().map(|_| None).collect();
    for (_, mut members) in colors {
        // Stable: ranks with the same key keep their order.
        members.sort_by_key(|&rank| ranks[rank].key);
        let processes = members.iter().filter_map(|&rank| parent.process(rank)).collect();
        let shared = CommShared::new(contexts, Group::from_processes(processes))?;
        for (new_rank, rank) in members.into_iter().enumerate() {
            places[rank] = Some((Arc::clone(&shared), new_rank));
        }
    }
    Ok(places)
}

fn gather_groups(contexts: &Arc<ContextPool>, parent: &Group, chosen: &[Chosen]) -> Places {
    // Groups of one call are equal or disjoint, so that their first members tell them apart.
    let mut made: HashMap<u32, Arc<CommShared>> = HashMap::new();
    let mut places = Vec::with_capacity(chosen.len());
    for (process, Chosen(group)) in parent.processes().zip(chosen) {
        check_subset(group, parent)?;
        let (Some(first), Some(new_rank)) = (group.process(0), group.rank_of(process)) else {
            places.push(None);
            continue;
        };
        let shared = match made.entry(first) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(CommShared::new(contexts, group.clone())?),
        };
        if shared.group.compare(group) != Comparison::Identical {
            return Err(Error::new(
                ErrorClass::Group,
                "ranks of one new communicator name different groups",
            ));
        }
        places.push(Some((Arc::clone(shared), new_rank)));
    }
    Ok(places)
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
