//! The output of `simurgh model`: what a job of many hosts will cost, without running it.
//!
//! The counts of messages and bytes follow from the protocol of the start (`start.rs`) and from the algorithms that the
//! selection table chooses ([`SelectionTable::cost`]). Times follow from the counts and from a few constants
//! (`constants.rs`), which are measured on this machine or given: a message costs a latency and its bytes over a
//! bandwidth (Hockney, "The communication challenge for MPP", 1994), a host meets its ranks by one switch to each, and
//! moves bytes in memory at a bandwidth.
//!
//! What the model leaves out: contention in the network, noise, and the imbalance of the program.

mod constants;
#[cfg(test)]
mod simulation;
mod start;

pub use constants::Given;

use crate::error::LaunchError;
use clap::Args;
use constants::Constants;
use simurgh_mpi::collective::{SelectionTable, Size};
use simurgh_net::job::MAX_RANKS;
use simurgh_settings::rules::Operation;
use simurgh_settings::{Id, Values};
use start::Start;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

/// The number of bytes that a host moves in memory for its ranks.
type Moved = fn(Size) -> usize;

/// The collectives of the model.
const COLLECTIVES: [(Operation, Moved); 5] = [
    (Operation::Barrier, |_| 0),
    (Operation::Bcast, |size| size.ranks * size.bytes),
    // Operands are read once, and the result is written once for each rank.
    (Operation::Allreduce, |size| 2 * size.ranks * size.bytes),
    (Operation::Allgather, |size| {
        (1 + size.ranks * size.hosts) * size.ranks * size.bytes
    }),
    // All parts go into parcels, and out of them.
    (Operation::Alltoall, |size| {
        2 * size.hosts * size.ranks * size.ranks * size.bytes
    }),
];

/// A job of which the costs are asked for.
#[derive(Args, Clone, Debug)]
pub struct Question {
    /// The number of ranks, a multiple of the hosts.
    #[arg(short = 'n', long)]
    pub ranks: u32,
    /// The number of hosts, each on a node of its own.
    #[arg(long)]
    pub hosts: u32,
    /// The sizes of the buffers of collectives, in bytes: what is reduced or broadcast, what a rank gives to all, and
    /// what it gives to each.
    #[arg(long, value_delimiter = ',', default_values_t = [8, 8 << 10, 1 << 20])]
    pub bytes: Vec<usize>,
    /// The constants that are not to be measured.
    #[command(flatten)]
    pub given: Given,
}

/// The costs of a job, with the rules for collectives that `environment` adds.
///
/// # Errors
///
/// When a rule or a number is wrong, or a constant cannot be measured.
pub fn model(
    question: &Question,
    environment: impl Fn(&OsStr) -> Option<OsString>,
) -> Result<String, LaunchError> {
    let Question { ranks, hosts, .. } = *question;
    if hosts == 0 || !ranks.is_multiple_of(hosts) || ranks == 0 || ranks > MAX_RANKS {
        return Err(LaunchError::Model { ranks, hosts });
    }
    let values = Values::from_environment(environment)?;
    let table = SelectionTable::new(values.rules(Id::Collectives));
    let constants = Constants::measure(&question.given)?;
    let mut text = format!(
        "{ranks} ranks on {hosts} hosts, {} on each\n\nConstants, per\n",
        ranks / hosts
    );
    constants.write(&mut text);
    write_start(
        &mut text,
        &Start::of(hosts, ranks / hosts),
        ranks / hosts,
        &constants,
    );
    write_collectives(&mut text, question, &table, &constants);
    Ok(text)
}

fn write_start(text: &mut String, start: &Start, ranks: u32, constants: &Constants) {
    let [up, down] = [start.up, start.down].map(|traffic| traffic.times(start.branches));
    let seconds = start.seconds(ranks, constants);
    let row = |text: &mut String, what: &str, value: String| {
        let _ = writeln!(text, "  {what:<44} {value:>12}");
    };
    text.push_str("\nStart and end\n");
    row(text, "messages to mpiexec", up.messages.to_string());
    row(text, "bytes of these", bytes(up.bytes as f64));
    row(text, "messages from mpiexec", down.messages.to_string());
    row(text, "bytes of these", bytes(down.bytes as f64));
    row(text, "memory of mpiexec", bytes(start.memory() as f64));
    row(text, "job description, for each agent", bytes(start.job as f64));
    row(text, "addresses, for each host", bytes(start.peers as f64));
    row(
        text,
        "memory of a host",
        bytes(start.host_memory(ranks, constants)),
    );
    row(text, "agents one after the other", start.depth.to_string());
    row(text, "seconds of mpiexec's processor", time(seconds.mpiexec));
    row(text, "seconds until all agents are there", time(seconds.agents));
    row(
        text,
        "seconds until a host has loaded its ranks",
        time(seconds.ranks),
    );
    row(text, "seconds from mpiexec to main", time(seconds.all()));
}

fn write_collectives(text: &mut String, question: &Question, table: &SelectionTable, constants: &Constants) {
    let (hosts, ranks) = (
        question.hosts as usize,
        (question.ranks / question.hosts) as usize,
    );
    let _ = writeln!(
        text,
        "\nCollectives\n  {:<10} {:>9}  {:<9} {:>12} {:>9} {:>7} {:>11} {:>9}",
        "operation", "buffer", "algorithm", "messages", "bytes", "steps", "memory/host", "seconds"
    );
    for (operation, moved) in COLLECTIVES {
        let sizes = match operation {
            Operation::Barrier => &[0][..],
            _ => &question.bytes,
        };
        for size in sizes.iter().map(|&bytes| Size { hosts, ranks, bytes }) {
            let Some((algorithm, cost)) = table.cost(operation, size) else {
                continue;
            };
            let _ = writeln!(
                text,
                "  {operation:<10} {:>9}  {algorithm:<9} {:>12} {:>9} {:>7} {:>11} {:>9}",
                bytes(size.bytes as f64),
                cost.messages,
                bytes(cost.bytes as f64),
                cost.steps,
                bytes(cost.memory as f64),
                time(constants.collective(size, &cost, moved(size)))
            );
        }
    }
}

/// A number of bytes for people.
fn bytes(bytes: f64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (bytes.max(1.0).log2() / 10.0) as usize;
    let unit = unit.min(UNITS.len() - 1);
    let value = bytes / 1024_f64.powi(unit as i32);
    let digits = usize::from(unit > 0 && value < 100.0);
    format!("{value:.digits$} {}", UNITS[unit])
}

/// A time for people.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::simulation::{RANKS, Simulated, simulate_if_asked};
    use super::start::Start;
    use super::*;

    #[test]
    fn ten_thousand_simulated_hosts_cost_what_the_model_says() {
        if simulate_if_asked() {
            return;
        }
        let own = "report::model::tests::ten_thousand_simulated_hosts_cost_what_the_model_says";
        let [few, many] = [2_500, 10_000].map(|hosts| (Start::of(hosts, RANKS), Simulated::run(hosts, own)));
        for (start, seen) in [&few, &many] {
            assert_eq!((seen.up, seen.down), (start.up, start.down), "{start:?}");
        }
        let ((start, fewer), (later, more)) = (few, many);
        // The process of the test has memory of its own, which does not grow.
        let (expected, memory) = (later.memory() - start.memory(), more.memory - fewer.memory);
        assert!(
            memory < 2 * expected && memory > expected / 2,
            "{expected}, {fewer:?} {more:?}"
        );
        // In proportion to the hosts it is 4, with a term of their square up to 16.
        let growth = more.seconds / fewer.seconds;
        assert!(growth < 6.0, "{growth}, {fewer:?} {more:?}");
    }

    fn modelled(ranks: u32, hosts: u32) -> Result<String, LaunchError> {
        let question = Question {
            ranks,
            hosts,
            bytes: vec![8, 1 << 20],
            given: Given {
                latency: Some(2e-6),
                bandwidth: Some(1e10),
                agent: Some(1e-3),
                load: Some(1e-3),
                ..Given::default()
            },
        };
        model(&question, |_| None)
    }

    #[test]
    fn a_million_ranks_are_modelled() {
        let text = modelled(1_000_000, 1_000).unwrap();
        for part in [
            "1000 on each",
            "given",
            "measured",
            "allreduce",
            "alltoall",
            "mpiexec to main",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let barrier = text.lines().find(|line| line.contains("barrier")).unwrap();
        // 1000 hosts, 10 rounds.
        assert!(barrier.contains(" 10000 "), "{barrier}");
    }

    #[test]
    fn ranks_that_cannot_be_laid_out_evenly_are_refused() {
        let error = modelled(10, 3).unwrap_err().to_string();
        assert!(error.contains("10") && error.contains("multiple"), "{error}");
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(
            [bytes(0.0), bytes(2048.0), bytes(1.5e12)],
            ["0 B", "2.0 KiB", "1.4 TiB"]
        );
        assert_eq!(
            [time(2e-6), time(0.25), time(90.0)],
            ["2.0 us", "250.0 ms", "90.0 s"]
        );
    }
}
