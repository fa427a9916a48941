//! The plan for the ranks of one node, which follows from all settings about placement together.

use super::{Binding, Map, Order, Ranking, Unit};

/// How ranks are laid over the processors of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The pieces of hardware that ranks are distributed over.
    pub objects: Unit,
    /// How many ranks in a row each piece gets; none if the pieces take turns.
    pub per_object: Option<u32>,
    /// How many elements, which are cores or hardware threads, each rank gets.
    pub elements: u32,
    /// Whether elements are hardware threads.
    pub threads: bool,
    /// Which rank gets which place.
    pub ranking: Ranking,
    /// The unit that a rank is bound to: to all pieces of this kind in which it has elements. None if it is not bound.
    pub bound: Option<Unit>,
    /// The processors that are given out, in this order, if the user has chosen them.
    pub chosen: Vec<usize>,
    /// Whether ranks may outnumber the places.
    pub oversubscribe: bool,
}

impl Plan {
    /// The plan that follows from `--map-by`, `--rank-by`, `--bind-to` and `--oversubscribe`; none if the user asks for
    /// none: then hosts share the cores of a node.
    #[must_use]
    pub fn new(map: Map, ranking: Ranking, binding: Binding, oversubscribe: bool) -> Option<Self> {
        let unit = match map.order {
            Order::Units(unit) | Order::PerUnit(_, unit) => Some(unit),
            Order::Slots | Order::Nodes | Order::PerNode(_) => None,
        };
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
                // The elements of a rank may lie in several pieces.
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
            ranking,
            bound,
            chosen,
            oversubscribe: map.oversubscribe.unwrap_or(oversubscribe),
        })
    }

    /// The kind of elements.
    #[must_use]
    pub fn element(&self) -> Unit {
        if self.threads { Unit::HwThread } else { Unit::Core }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(map: &str, binding: &str) -> Option<Plan> {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let map = given(map).map_or_else(Map::default, |text| Map::parse(&text).expect("a map"));
        let binding =
            given(binding).map_or_else(Binding::default, |text| Binding::parse(&text).expect("a binding"));
        Plan::new(map, Ranking::default(), binding, false)
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
