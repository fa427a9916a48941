//! The words of `--memory-placement`: those of numactl and Slurm.

use super::parse_processors;

/// Where the memory of ranks comes from. Nodes are NUMA nodes, by the system's numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// From the node of the rank's virtual processor.
    #[default]
    Local,
    /// From the node of the processor that touches a page first.
    FirstTouch,
    /// As `Local`, all pages of a piece at once.
    Pool,
    /// From these nodes in turn; from all if none is given.
    Interleave(Option<Vec<usize>>),
    /// From these nodes alone.
    Bind(Vec<usize>),
    /// From this node as long as it has memory.
    Preferred(usize),
    /// Each rank from one of these nodes alone, one rank after the other.
    Map(Vec<usize>),
}

impl Memory {
    /// Parses a text such as `interleave` or `bind:0,2-3`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (word, nodes) = text
            .split_once(':')
            .map_or((text, None), |(word, nodes)| (word, Some(nodes)));
        match (word.to_ascii_lowercase().as_str(), nodes) {
            ("local", None) => Some(Self::Local),
            ("first-touch", None) => Some(Self::FirstTouch),
            ("pool", None) => Some(Self::Pool),
            ("interleave", None | Some("all")) => Some(Self::Interleave(None)),
            ("interleave", Some(nodes)) => Some(Self::Interleave(Some(parse_processors(nodes)?))),
            ("bind", Some(nodes)) => Some(Self::Bind(parse_processors(nodes)?)),
            ("preferred", Some(node)) => Some(Self::Preferred(node.parse().ok()?)),
            ("map", Some(nodes)) => Some(Self::Map(parse_processors(nodes)?)),
            _ => None,
        }
    }

    /// The nodes that are named.
    #[must_use]
    pub fn nodes(&self) -> &[usize] {
        match self {
            Self::Local | Self::FirstTouch | Self::Pool | Self::Interleave(None) => &[],
            Self::Interleave(Some(nodes)) | Self::Bind(nodes) | Self::Map(nodes) => nodes,
            Self::Preferred(node) => std::slice::from_ref(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    #[test]
    fn the_words_of_numactl_and_slurm_are_understood() {
        assert_eq!(Memory::parse("local"), Some(Memory::default()));
        assert_eq!(Memory::parse("First-Touch"), Some(Memory::FirstTouch));
        assert_eq!(Memory::parse("interleave:all"), Some(Memory::Interleave(None)));
        let bound = Memory::parse("bind:0,2-3").expect("valid");
        assert_eq!(bound.nodes(), [0, 2, 3]);
        assert_eq!(Memory::parse("preferred:1"), Some(Memory::Preferred(1)));
        assert_eq!(Memory::parse("map:1,0"), Some(Memory::Map(vec![1, 0])));
        for text in [
            "",
            "bind",
            "bind:",
            "preferred:0,1",
            "local:0",
            "pool:1",
            "map",
            "remote",
        ] {
            assert_eq!(Memory::parse(text), None, "{text}");
        }
    }
}
