//! Where the ranks of a node live, if the user has a say in it: a [`Plan`] laid over a machine.
//!
//! The machine is cut into elements (cores, or hardware threads), and these into places, each of as many neighbouring
//! elements of one piece of hardware as a rank is to have. Ranks get one place after the other, the pieces in turn or
//! so many places of each in a row; when all are taken, they are given out again. Then ranks may change places among
//! them, so that their numbers follow another order. Whoever lays the same plan over the same machine comes to the same
//! end, so that nobody has to be told where ranks live.

mod pieces;

#[cfg(test)]
mod tests;

use crate::error::SchedError;
use crate::topology::Topology;
use pieces::Pieces;
use simurgh_settings::placement::{Plan, Ranking, Unit, show_processors};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where a rank lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The hardware threads that it may use, in ascending order.
    pub cpus: Vec<usize>,
    /// The first of those that are its own, on which it starts.
    pub home: usize,
    /// What it is bound to, in words: `core 3 (processors 3,11)`; none if it is not bound.
    pub bound: Option<String>,
}

/// Where the ranks of a node live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    seats: Vec<Seat>,
    threads: bool,
    binds: bool,
}

impl Placement {
    /// Lays a plan for so many ranks over a machine.
    ///
    /// # Errors
    ///
    /// When the machine does not have what the plan is about, or ranks outnumber places and may not.
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
        let seat = |place: Vec<usize>| seat(&elements, &place, bound.as_ref(), topology);
        Ok(Self {
            seats: ranked(taken, &elements, plan.ranking, topology)?
                .into_iter()
                .map(seat)
                .collect(),
            threads: plan.threads,
            binds: plan.bound.is_some(),
        })
    }

    /// How many places a plan has for ranks on a machine before one is given out again; if so many are wanted of each
    /// piece of hardware, these.
    ///
    /// # Errors
    ///
    /// When the machine does not have what the plan is about.
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

    /// Where each rank lives, in the order of their numbers.
    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// What a process has of the machine in which these ranks live, and on which of its cores each begins.
    ///
    /// # Panics
    ///
    /// When there are no such ranks.
    #[must_use]
    pub fn of_process(&self, ranks: Range<usize>, machine: Topology) -> (Topology, Vec<usize>) {
        let own = &self.seats[ranks.clone()];
        let all: BTreeSet<_> = own.iter().flat_map(|seat| &seat.cpus).copied().collect();
        let others = self.seats[..ranks.start].iter().chain(&self.seats[ranks.end..]);
        let crowded = others.flat_map(|seat| &seat.cpus).any(|cpu| all.contains(cpu));
        let machine = if self.threads {
            machine.by_threads()
        } else {
            machine
        };
        let cpus: Vec<_> = all.into_iter().collect();
        let fence = |cpu: &usize| own.iter().position(|seat| seat.cpus.contains(cpu));
        let part = machine.part(
            &cpus,
            |core| core.cpus.iter().find_map(fence).unwrap_or(0),
            crowded,
        );
        let part = if self.binds { part } else { part.unbound() };
        let home = |seat: &Seat| {
            part.cores()
                .iter()
                .position(|core| core.cpus.contains(&seat.home))
        };
        let homes = own.iter().map(|seat| home(seat).unwrap_or(0)).collect();
        (part, homes)
    }
}

/// The kind of hardware of which ranks are to have places. If a rank is to have more cores than one, then they are
/// neighbours anywhere on the machine.
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

/// The places of each piece of hardware: so many elements each. Pieces that have too few have none.
fn places(elements: &Pieces, objects: &Pieces, wanted: usize) -> Vec<Vec<Vec<usize>>> {
    let places = (0..objects.len()).map(|object| {
        let inside = |&element: &usize| objects.has(object, elements.first_cpu(element));
        let inside: Vec<_> = (0..elements.len()).filter(inside).collect();
        inside.chunks_exact(wanted).map(<[usize]>::to_vec).collect()
    });
    places.filter(|places: &Vec<_>| !places.is_empty()).collect()
}

/// One of each group in turn, as long as they last.
fn in_turn<T: Clone>(groups: &[Vec<T>]) -> Vec<T> {
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
    let rounds = (0..longest).flat_map(|round| groups.iter().filter_map(move |group| group.get(round)));
    rounds.cloned().collect()
}

/// So many of each group, again and again the same if it has not as many.
fn in_rows<T: Clone>(groups: &[Vec<T>], number: usize) -> Vec<T> {
    let rows = groups.iter().flat_map(|group| group.iter().cycle().take(number));
    rows.cloned().collect()
}

/// Places in the order of ranks.
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

/// What a rank has of a place.
fn seat(elements: &Pieces, place: &[usize], bound: Option<&Pieces>, topology: &Topology) -> Seat {
    let home = elements.first_cpu(place[0]);
    let Some(bound) = bound else {
        return Seat {
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
    Seat {
        home,
        bound: Some(format!("{} (processors {shown})", bound.words(&pieces))),
        cpus,
    }
}
