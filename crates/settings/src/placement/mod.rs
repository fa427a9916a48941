//! Where the ranks of a node live: the words of `--map-by`, `--rank-by` and `--bind-to`, and the [`Plan`] that follows
//! from all of them together; and where their memory comes from.

mod memory;
mod plan;
mod processors;
mod words;

pub use memory::Memory;
pub use plan::Plan;
pub use processors::{MOST_PROCESSORS, parse_processors, show_processors};
pub use words::{Binding, Map, Order, Ranking, Unit};

/// The settings about placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `--map-by`: see [`Map`].
    Map,
    /// `--rank-by`: see [`Ranking`].
    Ranking,
    /// `--bind-to`: see [`Binding`].
    Binding,
    /// `--memory-placement`: see [`Memory`].
    Memory,
}

impl Part {
    /// Whether a text is one of its values.
    #[must_use]
    pub fn understands(self, text: &str) -> bool {
        match self {
            Self::Map => Map::parse(text).is_some(),
            Self::Ranking => Ranking::parse(text).is_some(),
            Self::Binding => Binding::parse(text).is_some(),
            Self::Memory => Memory::parse(text).is_some(),
        }
    }

    /// Its values, in words that follow "is not".
    #[must_use]
    pub fn expected(self) -> String {
        let units = Unit::names();
        match self {
            Self::Map => format!(
                "slot, node, ppr:N:node, {units} or ppr:N: and one of them; :PE=N, :SPAN, :HWTCPUS, :OVERSUBSCRIBE or \
                 :NOOVERSUBSCRIBE may follow"
            ),
            Self::Ranking => format!("slot, fill, node, {units}"),
            Self::Binding => {
                format!("auto, none, {units}, core:N, hwthread:N or user: and processors as 0,2-3")
            }
            Self::Memory => {
                "local, first-touch, pool, interleave, interleave:NODES, bind:NODES, preferred:NODE or \
                             map:NODES, with nodes as 0,2-3"
                    .to_owned()
            }
        }
    }

    /// The placeholder of a value in help texts.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Map => "HOW",
            Self::Ranking => "ORDER",
            Self::Binding => "UNIT",
            Self::Memory => "NODES",
        }
    }
}
