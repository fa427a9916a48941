//! What a figure consists of.

use super::super::experiment::Placement;

/// A figure or a table of a paper, as it is shown here.
#[derive(Debug)]
pub(crate) struct Figure {
    /// The name for the command line, the marks of the document and the files of plots.
    pub(crate) name: &'static str,
    /// The paper, and its figure or table.
    pub(crate) source: &'static str,
    /// What is shown.
    pub(crate) title: &'static str,
    /// What the paper shows there.
    pub(crate) paper: &'static str,
    /// What is done here, and how that differs from the paper.
    pub(crate) here: &'static str,
    /// What is measured.
    pub(crate) experiments: &'static [Experiment],
}

/// A program that is run in several ways, with several numbers of ranks.
#[derive(Debug)]
pub(crate) struct Experiment {
    /// The program, one of `benches/papers`.
    pub(crate) program: &'static str,
    /// The ways in which it is run. The first is the one that others are compared with.
    pub(crate) series: &'static [Series],
    /// The runs of each series.
    pub(crate) runs: &'static [Run],
    /// The name of the abscissa.
    pub(crate) axis: &'static str,
    /// What the program prints, or what is read from elsewhere.
    pub(crate) values: &'static [Value],
    /// What is said about the values.
    pub(crate) findings: &'static [Finding],
}

/// One run of a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// The number of ranks.
    pub(crate) ranks: usize,
    /// The arguments of the program.
    pub(crate) arguments: &'static [&'static str],
}

/// A run with so many ranks and these arguments.
pub(super) const fn run(ranks: usize, arguments: &'static [&'static str]) -> Run {
    Run { ranks, arguments }
}

/// What runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// Our MPI.
    Simurgh,
    /// A peer of this name.
    Peer(&'static str),
    /// Nothing but valgrind with a simulated cache: the program uses no MPI. The number of ranks is its argument.
    Cachegrind,
}

/// One way to run a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Series {
    /// The name for tables.
    pub(crate) name: &'static str,
    /// What runs the program.
    pub(crate) runner: Runner,
    /// Where the ranks are.
    pub(crate) placement: Placement,
    /// Further options of mpiexec.
    pub(crate) options: &'static [&'static str],
    /// Further environment variables.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// The largest number of ranks.
    pub(crate) most: usize,
}

/// The largest number of processes that peers are given. Beyond it their start alone takes minutes on two cores.
const PROCESSES: usize = 64;

/// Our MPI, with further options.
pub(super) const fn ours(
    name: &'static str,
    placement: Placement,
    options: &'static [&'static str],
) -> Series {
    Series {
        name,
        runner: Runner::Simurgh,
        placement,
        options,
        environment: &[],
        most: usize::MAX,
    }
}

/// A peer, with the best settings known for the placement.
pub(super) const fn peer(name: &'static str, placement: Placement) -> Series {
    Series {
        name,
        runner: Runner::Peer(name),
        placement,
        options: &[],
        environment: &[],
        most: PROCESSES,
    }
}

/// A peer that has been told something else by variables.
pub(super) const fn peer_with(
    name: &'static str,
    peer: &'static str,
    placement: Placement,
    environment: &'static [(&'static str, &'static str)],
) -> Series {
    Series {
        name,
        runner: Runner::Peer(peer),
        placement,
        options: &[],
        environment,
        most: PROCESSES,
    }
}

/// Ours and all peers.
pub(super) const fn everybody(placement: Placement) -> [Series; 4] {
    [
        ours("Simurgh", placement, &[]),
        peer("MPICH", placement),
        peer("Intel MPI", placement),
        peer("Open MPI", placement),
    ]
}

/// Which values are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    /// Small ones: times.
    Less,
    /// Small ones, of which some are near zero or below it, so that ratios say nothing: overheads in microseconds.
    LessByDifference,
    /// Large ones: rates.
    More,
    /// Large ones, which are percentages.
    MorePercent,
    /// Neither: the values say where time goes.
    Neither,
    /// Neither: those of an experiment are the parts of a whole, which are drawn on each other.
    Part,
}

/// A quantity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    /// The word with which the program begins its lines `KEYWORD ABSCISSA VALUE`.
    pub(crate) keyword: &'static str,
    /// The heading, with the unit.
    pub(crate) title: &'static str,
    /// Which values are better.
    pub(crate) better: Better,
}

impl Value {
    /// The better of two values.
    pub(crate) fn better(&self, a: f64, b: f64) -> f64 {
        match self.better {
            Better::Less | Better::LessByDifference | Better::Neither | Better::Part => a.min(b),
            Better::More | Better::MorePercent => a.max(b),
        }
    }

    /// How many times better one value is than another; the difference for percentages and where ratios say nothing.
    pub(crate) fn advantage(&self, one: f64, other: f64) -> f64 {
        match self.better {
            Better::Less | Better::Neither | Better::Part => other / one,
            Better::More => one / other,
            Better::LessByDifference => other - one,
            Better::MorePercent => one - other,
        }
    }
}

/// A time that is better the shorter it is.
pub(super) const fn time(keyword: &'static str, title: &'static str) -> Value {
    Value {
        keyword,
        title,
        better: Better::Less,
    }
}

/// An overhead in microseconds, which may be near zero or below it.
pub(super) const fn overhead(keyword: &'static str, title: &'static str) -> Value {
    Value {
        keyword,
        title,
        better: Better::LessByDifference,
    }
}

/// A quantity that is shown and not judged.
pub(super) const fn shown(keyword: &'static str, title: &'static str) -> Value {
    Value {
        keyword,
        title,
        better: Better::Neither,
    }
}

/// A part of a whole, which is shown and not judged.
pub(super) const fn part(keyword: &'static str, title: &'static str) -> Value {
    Value {
        keyword,
        title,
        better: Better::Part,
    }
}

/// A rate that is better the higher it is.
pub(super) const fn rate(keyword: &'static str, title: &'static str) -> Value {
    Value {
        keyword,
        title,
        better: Better::More,
    }
}

/// A percentage that is better the higher it is.
pub(super) const fn percent(keyword: &'static str, title: &'static str) -> Value {
    Value {
        keyword,
        title,
        better: Better::MorePercent,
    }
}

/// A sentence about the values of an experiment, which follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    /// How the first series compares with the best peer.
    Peers,
    /// How the first series changes from its first abscissa on.
    Change,
    /// How each of the other series compares with the first.
    Variants,
    /// How the first series at each abscissa compares with the best peer at this one.
    PeerAt(u64),
}
