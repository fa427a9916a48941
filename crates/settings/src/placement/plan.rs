//! What follows from all settings together for the ranks of one node.

use super::{Binding, Map, Order, Ranking, Unit};
use crate::{Id, Values};

/// How ranks are laid over the processors of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The pieces of hardware that ranks are dealt to.
    pub objects: Unit,
    /// How many ranks in a row go to each; none if they take turns.
    pub per_object: Option<u32>,
    /// How many elements, which are cores or hardware threads, each rank has.
    pub elements: u32,
    /// Whether elements are hardware threads.
    pub threads: bool,
    /// Which rank has which place.
    pub ranking: Ranking,
    /// What a rank may not leave: all pieces of this kind in which it has elements.
    pub bound: Option<Unit>,
    /// The processors that are given out, in this order, if the user has chosen them.
    pub chosen: Vec<usize>,
    /// Whether ranks may outnumber the places.
    pub oversubscribe: bool,
}

impl Plan {
    /// The plan of a job; none if nobody has asked for one: then hosts share the cores of a node.
    #[must_use]
    pub fn of(values: &Values) -> Option<Self> {
        let map = values.map();
        let unit = match map.order {
            Order::Units(unit) | Order::PerUnit(_, unit) => Some(unit),
            Order::Slots | Order::Nodes | Order::PerNode(_) => None,
        };
        let binding = values.binding();
        let mut threads = map.threads || unit == Some(Unit::HwThread);
        let mut elements = map.processors;
        let (objects, bound, chosen) = match binding {
            Binding::Auto => {
                let element = if threads { Unit::HwThread } else { Unit::Core };
                let wanted = elements.map(|_| element);
                let objects = unit.or(wanted.map(|_| Unit::Machine))?;
                (objects, Some(wanted.unwrap_or(objects)), Vec::new())
            }
            Binding::None => (unit?, None, Vec::new()),
            Binding::Unit(to, number) => {
                threads |= to == Unit::HwThread;
                elements = elements.or(number);
                // Elements that a rank has may be more than one of the pieces.
                let preset = if elements.is_some() { Unit::Machine } else { to };
                (unit.unwrap_or(preset), Some(to), Vec::new())
            }
            Binding::Processors(chosen) => {
                threads = true;
                (Unit::Machine, Some(Unit::HwThread), chosen)
            }
        };
        Some(Self {
            objects,
            per_object: match map.order {
                Order::PerUnit(number, _) => Some(number),
                _ => None,
            },
            elements: elements.unwrap_or(1),
            threads,
            ranking: values.ranking(),
            bound,
            chosen,
            oversubscribe: map.oversubscribe.unwrap_or(values.is_on(Id::Oversubscribe)),
        })
    }

    /// What a rank has one or several of.
    #[must_use]
    pub fn element(&self) -> Unit {
        if self.threads { Unit::HwThread } else { Unit::Core }
    }
}

impl Values {
    /// What `--map-by` says.
    #[must_use]
    pub fn map(&self) -> Map {
        self.name(Id::MapBy).and_then(Map::parse).unwrap_or_default()
    }

    /// What `--rank-by` says.
    #[must_use]
    pub fn ranking(&self) -> Ranking {
        self.name(Id::RankBy).and_then(Ranking::parse).unwrap_or_default()
    }

    /// What `--bind-to` says.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.name(Id::BindTo).and_then(Binding::parse).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(map: &str, binding: &str) -> Option<Plan> {
        let mut values = Values::default();
        for (id, text) in [(Id::MapBy, map), (Id::BindTo, binding)] {
            if !text.is_empty() {
                values.read(id, "test", text.as_ref()).unwrap();
            }
        }
        Plan::of(&values)
    }

    fn shown(map: &str, binding: &str) -> (Unit, u32, Option<Unit>) {
        let plan = plan(map, binding).unwrap();
        (plan.objects, plan.elements, plan.bound)
    }

    #[test]
    fn ranks_are_bound_to_what_they_are_dealt_to_and_dealt_to_what_they_are_bound_to() {
        assert_eq!(shown("numa", ""), (Unit::Numa, 1, Some(Unit::Numa)));
        assert_eq!(shown("", "socket"), (Unit::Package, 1, Some(Unit::Package)));
        assert_eq!(shown("numa", "core"), (Unit::Numa, 1, Some(Unit::Core)));
        assert_eq!(shown("numa:PE=2", ""), (Unit::Numa, 2, Some(Unit::Core)));
        assert_eq!(shown("slot:PE=2", ""), (Unit::Machine, 2, Some(Unit::Core)));
        assert_eq!(shown("", "core:2"), (Unit::Machine, 2, Some(Unit::Core)));
        assert_eq!(shown("hwthread", "core"), (Unit::HwThread, 1, Some(Unit::Core)));
        assert_eq!(shown("package", "none"), (Unit::Package, 1, None));
        assert_eq!(shown("", "user:3,1"), (Unit::Machine, 1, Some(Unit::HwThread)));
    }

    #[test]
    fn without_a_word_of_a_nodes_hardware_there_is_no_plan() {
        for (map, binding) in [("", ""), ("slot", "auto"), ("ppr:2:node", "none"), ("node", "")] {
            assert_eq!(plan(map, binding), None, "{map} {binding}");
        }
    }
}
