//! The words of users about placement: those of Open MPI and MPICH.

use super::parse_processors;

/// A kind of hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A hardware thread.
    HwThread,
    /// A core.
    Core,
    /// A first-level cache: that of a core.
    L1,
    /// A second-level cache.
    L2,
    /// A third-level cache.
    L3,
    /// The memory of a NUMA node.
    Numa,
    /// A processor package.
    Package,
    /// The whole machine.
    Machine,
}

/// The names of units. The first name of a unit is the one that is shown.
const UNITS: [(&str, Unit); 9] = [
    ("hwthread", Unit::HwThread),
    ("core", Unit::Core),
    ("l1cache", Unit::L1),
    ("l2cache", Unit::L2),
    ("l3cache", Unit::L3),
    ("numa", Unit::Numa),
    ("package", Unit::Package),
    ("socket", Unit::Package),
    ("machine", Unit::Machine),
];

impl Unit {
    /// The unit with this name, in upper or lower case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let found = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, unit)| *unit)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = UNITS.iter().find(|(_, unit)| *unit == self);
        found.map_or("", |(name, _)| name)
    }

    /// All names.
    pub(super) fn names() -> String {
        UNITS.map(|(name, _)| name).join(", ")
    }
}

/// The order in which places are given to ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Each node gets as many ranks as it has slots.
    #[default]
    Slots,
    /// Nodes take turns, with one rank each.
    Nodes,
    /// Each node gets so many ranks.
    PerNode(u32),
    /// Each node gets as many ranks as it has slots. There, pieces of hardware take turns, with one rank each.
    Units(Unit),
    /// The same, with so many ranks each.
    PerUnit(u32, Unit),
}

/// The value of `--map-by`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// The order in which places are given to ranks.
    pub order: Order,
    /// How many cores, or hardware threads, each rank gets.
    pub processors: Option<u32>,
    /// Whether the ranks are spread evenly over all nodes.
    pub spread: bool,
    /// Whether each hardware thread counts as a core.
    pub threads: bool,
    /// Whether ranks may outnumber their places.
    pub oversubscribe: Option<bool>,
}

impl Map {
    /// Parses a text such as `core`, `ppr:2:numa` or `package:PE=4:SPAN`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(':');
        let first = words.next()?.to_ascii_lowercase();
        let mut map = Self {
            order: match first.as_str() {
                "slot" => Order::Slots,
                "" if text.len() > 1 => Order::Slots,
                "node" => Order::Nodes,
                "ppr" => {
                    let number = positive(words.next()?)?;
                    match words.next()? {
                        unit if unit.eq_ignore_ascii_case("node") => Order::PerNode(number),
                        unit => Order::PerUnit(number, Unit::parse(unit)?),
                    }
                }
                unit => Order::Units(Unit::parse(unit)?),
            },
            ..Self::default()
        };
        for word in words.flat_map(|words| words.split(',')) {
            match word.to_ascii_uppercase().as_str() {
                "SPAN" => map.spread = true,
                "HWTCPUS" => map.threads = true,
                "OVERSUBSCRIBE" => map.oversubscribe = Some(true),
                "NOOVERSUBSCRIBE" => map.oversubscribe = Some(false),
                word => map.processors = Some(positive(word.strip_prefix("PE=")?)?),
            }
        }
        Some(map)
    }
}

/// The value of `--rank-by`: which rank gets which place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// In the order in which places are given out.
    #[default]
    Slots,
    /// Neighbours have neighbouring numbers.
    Fill,
    /// Nodes take turns.
    Nodes,
    /// Pieces of hardware take turns.
    Units(Unit),
}

impl Ranking {
    /// Parses a text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "slot" => Some(Self::Slots),
            "fill" => Some(Self::Fill),
            "node" => Some(Self::Nodes),
            unit => Unit::parse(unit).map(Self::Units),
        }
    }
}

/// The value of `--bind-to`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// The default: ranks are bound to the hardware that they are mapped to.
    #[default]
    Auto,
    /// Nothing is bound.
    None,
    /// Ranks are bound to a piece of hardware; to so many, if these are cores or hardware threads.
    Unit(Unit, Option<u32>),
    /// One rank after the other is bound to one of these processors.
    Processors(Vec<usize>),
}

impl Binding {
    /// Parses a text such as `core`, `core:2` or `user:0,2`. The words by which users of Open MPI allow what is always
    /// allowed here have no effect.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once(':').map_or((text, None), |(a, b)| (a, Some(b)));
        let unit = Unit::parse(first);
        match (first.to_ascii_lowercase().as_str(), rest) {
            ("auto", None) => Some(Self::Auto),
            ("none", None) => Some(Self::None),
            ("user", Some(list)) => parse_processors(list).map(Self::Processors),
            (_, None) => Some(Self::Unit(unit?, None)),
            (_, Some("overload-allowed" | "if-supported")) => Some(Self::Unit(unit?, None)),
            (_, Some(number)) => {
                let unit = unit.filter(|unit| matches!(unit, Unit::Core | Unit::HwThread))?;
                Some(Self::Unit(unit, Some(positive(number)?)))
            }
        }
    }
}

fn positive(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_of_others_write_is_understood() {
        let order = |text: &str| Map::parse(text).map(|map| map.order);
        assert_eq!(order("slot"), Some(Order::Slots));
        assert_eq!(order("ppr:2:node"), Some(Order::PerNode(2)));
        assert_eq!(order("ppr:3:L3cache"), Some(Order::PerUnit(3, Unit::L3)));
        assert_eq!(order("socket"), Some(Order::Units(Unit::Package)));
        let map = Map::parse("core:PE=2:SPAN").unwrap();
        assert_eq!((map.processors, map.spread, map.threads), (Some(2), true, false));
        let map = Map::parse(":HWTCPUS,NOOVERSUBSCRIBE").unwrap();
        assert_eq!(
            (map.order, map.threads, map.oversubscribe),
            (Order::Slots, true, Some(false))
        );
        assert_eq!(Ranking::parse("numa"), Some(Ranking::Units(Unit::Numa)));
        assert_eq!(Binding::parse("core:2"), Some(Binding::Unit(Unit::Core, Some(2))));
        assert_eq!(
            Binding::parse("user:3,0-1"),
            Some(Binding::Processors(vec![3, 0, 1]))
        );
        let allowed = Binding::parse("core:overload-allowed");
        assert_eq!(allowed, Some(Binding::Unit(Unit::Core, None)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in [
            "",
            "rack",
            "ppr",
            "ppr:0:node",
            "ppr:2:rack",
            "core:PE=0",
            "core:PE",
            "core:FAST",
        ] {
            assert_eq!(Map::parse(text), None, "{text}");
        }
        for text in ["", "rack", "numa:2", "core:0", "core:x", "user:", "none:1"] {
            assert_eq!(Binding::parse(text), None, "{text}");
        }
        assert_eq!(Ranking::parse("span"), None);
    }

    #[test]
    fn every_unit_has_a_name_that_is_understood() {
        for (name, unit) in UNITS {
            assert_eq!(Unit::parse(&name.to_uppercase()), Some(unit));
            assert_eq!(Unit::parse(unit.name()), Some(unit));
        }
    }
}
