//! Process mapping, ranking and binding: a [`Plan`] of the user applied to a machine.
//!
//! 1. The machine is cut into elements: cores, or hardware threads.
//! 2. Elements are grouped into places. A place has as many neighbouring elements of one piece of hardware as a rank is
//!    to have.
//! 3. *Mapping*: ranks get one place after the other, from each piece of hardware in turn, or a number of places of
//!    each in a row. When all places are taken, they are given out again.
//! 4. *Ranking*: the ranks may be renumbered among their places, so that their numbers follow another order.
//! 5. *Binding*: each rank may be bound to the pieces of hardware in which its place lies.
//!
//! All processes that apply the same plan to the same machine get the same placement, so that nobody has to be told
//! where ranks live.

mod pieces;

#[cfg(test)]
mod tests;

use crate::error::SchedError;
use crate::topology::Topology;
use pieces::Pieces;
use simurgh_settings::placement::{Plan, Ranking, Unit, show_processors};
use std::collections::BTreeSet;
use std::ops::Range;

/// The place of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankPlace {
    /// The hardware threads that it may use, in ascending order.
    pub cpus: Vec<usize>,
    /// The first hardware thread of its own place, on which it starts.
    pub home: usize,
    /// The hardware to which it is bound, for messages: `core 3 (processors 3,11)`; none if it is not bound.
    pub bound: Option<String>,
}

/// The places of the ranks of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    ranks: Vec<RankPlace>,
    threads: bool,
    binds: bool,
}

impl Placement {
    /// Applies a plan to a machine, for so many ranks.
    ///
    /// # Errors
    ///
    /// When the machine does not have the hardware that the plan names, or when ranks outnumber places and may not.
    pub fn new(topology: &Topology, plan: &Plan, ranks: usize) -> Result<Self, SchedError> {
        let elements = match &plan.chosen[..] {
            [] => Pieces::of(topology, plan.element())?,
            chosen => Pieces::chosen(topology, chosen)?,
        };
        let unit = unit_of_places(topology, plan)?;
        let objects = Pieces::of(topology, unit)?;
        let places = places(&elements, &objects, plan.elements as usize);
        let count: usize = places.iter().map(Vec::len).sum();
        if count == 0 {
            return Err(SchedError::TooSmall {
                unit: plan.objects.name(),
                wanted: plan.elements as usize,
                element: plan.element().name(),
            });
        }
        let most = match (plan.per_object, plan.oversubscribe) {
            (Some(number), true) => number as usize * places.len(),
            (Some(number), false) => count.min(number as usize * places.len()),
            (None, true) => usize::MAX,
            (None, false) => count,
        };
        if ranks > most {
            return Err(SchedError::TooMany { ranks, places: most });
        }
        let mut taken: Vec<_> = match plan.per_object {
            Some(number) => in_rows(&places, number as usize),
            None => in_turn(&places).into_iter().cycle().take(ranks).collect(),
        };
        taken.truncate(ranks);
        let bound = plan.bound.map(|unit| Pieces::of(topology, unit)).transpose()?;
        let rank_place = |place: Vec<usize>| rank_place(&elements, &place, bound.as_ref(), topology);
        Ok(Self {
            ranks: ranked(taken, &elements, plan.ranking, topology)?
                .into_iter()
                .map(rank_place)
                .collect(),
            threads: plan.threads,
            binds: plan.bound.is_some(),
        })
    }

    /// The number of places that a plan has on a machine before one is given out again, or, if the plan asks for a
    /// number of each piece of hardware, all of these.
    ///
    /// # Errors
    ///
    /// When the machine does not have the hardware that the plan names.
    pub fn preset(topology: &Topology, plan: &Plan) -> Result<usize, SchedError> {
        let unit = unit_of_places(topology, plan)?;
        if unit != plan.objects {
            let elements = Pieces::of(topology, plan.element())?;
            return Ok((elements.len() / plan.elements as usize).max(1));
        }
        let objects = Pieces::of(topology, unit)?;
        let number = plan.per_object.map(|number| number as usize);
        Ok(objects.len() * number.unwrap_or(1))
    }

    /// The place of each rank, in the order of their numbers.
    #[must_use]
    pub fn ranks(&self) -> &[RankPlace] {
        &self.ranks
    }

    /// The part of the machine for a process in which these ranks live, and the index of the core on which each begins.
    ///
    /// # Panics
    ///
    /// When there are no such ranks.
    #[must_use]
    pub fn of_process(&self, ranks: Range<usize>, machine: Topology) -> (Topology, Vec<usize>) {
        let own = &self.ranks[ranks.clone()];
        let all: BTreeSet<_> = own.iter().flat_map(|place| &place.cpus).copied().collect();
        let others = self.ranks[..ranks.start].iter().chain(&self.ranks[ranks.end..]);
        let oversubscribed = others.flat_map(|place| &place.cpus).any(|cpu| all.contains(cpu));
        let machine = if self.threads {
            machine.by_threads()
        } else {
            machine
        };
        let cpus: Vec<_> = all.into_iter().collect();
        let group = |cpu: &usize| own.iter().position(|place| place.cpus.contains(cpu));
        let part = machine.part(
            &cpus,
            |core| core.cpus.iter().find_map(group).unwrap_or(0),
            oversubscribed,
        );
        let part = if self.binds { part } else { part.unbound() };
        let home = |place: &RankPlace| {
            part.cores()
                .iter()
                .position(|core| core.cpus.contains(&place.home))
        };
        let homes = own.iter().map(|place| home(place).unwrap_or(0)).collect();
        (part, homes)
    }
}

/// The kind of hardware within which places lie. If a rank is to have several cores, they are neighbours anywhere on
/// the machine.
fn unit_of_places(topology: &Topology, plan: &Plan) -> Result<Unit, SchedError> {
    let is_core = matches!(plan.objects, Unit::HwThread | Unit::Core | Unit::L1);
    if !is_core || plan.per_object.is_some() {
        return Ok(plan.objects);
    }
    let (cores, elements) = (
        Pieces::of(topology, plan.objects)?,
        Pieces::of(topology, plan.element())?,
    );
    let suffices = elements.len() >= cores.len() * plan.elements as usize;
    Ok(if suffices { plan.objects } else { Unit::Machine })
}

/// The places of each piece of hardware, of `wanted` elements each. Pieces with fewer elements have none.
fn places(elements: &Pieces, objects: &Pieces, wanted: usize) -> Vec<Vec<Vec<usize>>> {
    let places = (0..objects.len()).map(|object| {
        let inside = |&element: &usize| objects.has(object, elements.first_cpu(element));
        let inside: Vec<_> = (0..elements.len()).filter(inside).collect();
        inside.chunks_exact(wanted).map(<[usize]>::to_vec).collect()
    });
    places.filter(|places: &Vec<_>| !places.is_empty()).collect()
}

/// One item of each group in turn, as long as they last.
fn in_turn<T: Clone>(groups: &[Vec<T>]) -> Vec<T> {
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
    let rounds = (0..longest).flat_map(|round| groups.iter().filter_map(move |group| group.get(round)));
    rounds.cloned().collect()
}

/// `number` items of each group in a row; a group that has fewer begins anew.
fn in_rows<T: Clone>(groups: &[Vec<T>], number: usize) -> Vec<T> {
    let rows = groups.iter().flat_map(|group| group.iter().cycle().take(number));
    rows.cloned().collect()
}

/// The places in the order of the ranks.
fn ranked(
    mut places: Vec<Vec<usize>>,
    elements: &Pieces,
    ranking: Ranking,
    topology: &Topology,
) -> Result<Vec<Vec<usize>>, SchedError> {
    let unit = match ranking {
        Ranking::Slots | Ranking::Nodes => return Ok(places),
        Ranking::Fill => None,
        Ranking::Units(unit) => Some(unit),
    };
    places.sort();
    let Some(unit) = unit else { return Ok(places) };
    let objects = Pieces::of(topology, unit)?;
    let of_object = |object: usize| -> Vec<_> {
        let is_there = |place: &&Vec<usize>| objects.has(object, elements.first_cpu(place[0]));
        places.iter().filter(is_there).cloned().collect()
    };
    Ok(in_turn(&(0..objects.len()).map(of_object).collect::<Vec<_>>()))
}

/// The place of a rank, and what it is bound to.
fn rank_place(elements: &Pieces, place: &[usize], bound: Option<&Pieces>, topology: &Topology) -> RankPlace {
    let home = elements.first_cpu(place[0]);
    let Some(bound) = bound else {
        return RankPlace {
            cpus: topology.processors(),
            home,
            bound: None,
        };
    };
    let meets = |&piece: &usize| {
        let mut own = place.iter().flat_map(|&element| elements.cpus(element));
        own.any(|&cpu| bound.has(piece, cpu))
    };
    let pieces: Vec<_> = (0..bound.len()).filter(meets).collect();
    let cpus: BTreeSet<_> = pieces
        .iter()
        .flat_map(|&piece| bound.cpus(piece))
        .copied()
        .collect();
    let cpus: Vec<_> = cpus.into_iter().collect();
    let shown = show_processors(&cpus);
    RankPlace {
        home,
        bound: Some(format!("{} (processors {shown})", bound.words(&pieces))),
        cpus,
    }
}
