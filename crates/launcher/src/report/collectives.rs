//! The output of `simurgh info --collectives`: how collective operations are done.

use crate::error::LaunchError;
use simurgh_mpi::Hardware;
use simurgh_mpi::collective::SelectionTable;
use simurgh_sched::Topology;
use simurgh_settings::rules::{Algorithm, Level, Operation, Rule};
use simurgh_settings::{Id, Item, Origin, Values};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write};

const HEAD: &str = "\
How collective operations are done: which ranks do the work, and which wait for which. A row applies from its number of
bytes, its number of ranks and its level on; of all rows that apply, the last one counts. Bytes are those moved or
combined for all ranks together.
";

const TAIL: &str = "
The setting collectives adds rows, separated by commas, in the form OPERATION:BYTES:RANKS:LEVEL=ALGORITHM. Parts that
are left out stand for the least there is, as in mpiexec --collectives allreduce:256K=shared,any::64:l3=last
Between hosts, slices of the data may be worked on at the same time: ALGORITHM/SLICES, as in
allreduce:4M:2:hosts=ring/4 (bcast, allgather, alltoall, reduce, allreduce, reduce_scatter; alltoall by parcels).
";

/// The table of algorithms, with the rules that `environment` adds.
///
/// # Errors
///
/// When one of the rules is wrong.
pub fn collectives(environment: impl Fn(&OsStr) -> Option<OsString>) -> Result<String, LaunchError> {
    let values = Values::from_environment(environment)?;
    let level = level(&values)?;
    let mut text = HEAD.to_owned();
    write(&mut text, &values, level).expect("a String can always be written to");
    Ok(text)
}

/// The level of the topology at which the virtual processors of a job on this machine meet.
fn level(values: &Values) -> Result<Level, LaunchError> {
    let topology = Topology::detect()?;
    let cores = topology.cores().len();
    let vps = values.get(Id::Vps).map_or(cores, |vps| vps as usize);
    Ok(Hardware::new(&topology, vps, []).level())
}

fn write(text: &mut String, values: &Values, level: Level) -> fmt::Result {
    let table = SelectionTable::new(values.rules(Id::Collectives));
    let origin = match values.origin(Id::Collectives) {
        Origin::Preset => "",
        Origin::Given(origin) => origin,
    };
    text.push('\n');
    row(
        text,
        ["operation", "bytes", "ranks", "level", "algorithm", "from"],
    )?;
    for rule in table.built_in() {
        write_rule(text, rule, "built in")?;
    }
    for rule in table.given() {
        write_rule(text, rule, origin)?;
    }
    writeln!(text, "\nOperations (any stands for each of them):")?;
    for some in Operation::ITEMS.chunks(7) {
        let names: Vec<_> = some.iter().map(|item| item.name).collect();
        writeln!(text, "  {}", names.join(", "))?;
    }
    words(text, "Algorithms", Algorithm::ITEMS)?;
    words(text, "Levels, or what virtual processors share", Level::ITEMS)?;
    writeln!(text, "The virtual processors of a job here share: {level}")?;
    text.push_str(TAIL);
    Ok(())
}

fn write_rule(text: &mut String, rule: &Rule, origin: &str) -> fmt::Result {
    let ranks = rule.ranks.to_string();
    let (level, way) = (rule.level.name(), rule.method());
    row(text, [rule.subject(), &rule.size(), &ranks, level, &way, origin])
}

fn row(text: &mut String, [operation, bytes, ranks, level, algorithm, origin]: [&str; 6]) -> fmt::Result {
    writeln!(
        text,
        "  {operation:<20} {bytes:>8} {ranks:>8}  {level:<8} {algorithm:<10} {origin}"
    )
}

fn words(text: &mut String, title: &str, items: &[Item]) -> fmt::Result {
    writeln!(text, "\n{title}:")?;
    items
        .iter()
        .try_for_each(|item| writeln!(text, "  {:<8} {}", item.name, item.doc.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_user_come_last_with_their_origin() {
        let set = |name: &OsStr| {
            let value = match name.to_str()? {
                "SIMURGH_COLLECTIVES" => "allreduce:256K:16=shared",
                "SIMURGH_VPS" => "1",
                _ => return None,
            };
            Some(OsString::from(value))
        };
        let text = collectives(set).unwrap();
        let rows: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
        let words: Vec<_> = rows[1].split_whitespace().collect();
        assert_eq!(words, ["any", "0", "0", "core", "last", "built", "in"]);
        let given = text.lines().find(|line| line.contains("SIMURGH_COLLECTIVES"));
        let words: Vec<_> = given.unwrap().split_whitespace().collect();
        assert_eq!(
            words,
            ["allreduce", "256K", "16", "core", "shared", "SIMURGH_COLLECTIVES"]
        );
        assert!(text.contains("of a job here share: core"), "{text}");
    }

    #[test]
    fn a_rule_that_cannot_be_is_an_error() {
        let set = |name: &OsStr| (name == "SIMURGH_COLLECTIVES").then(|| OsString::from("barrier=shared"));
        let error = collectives(set).unwrap_err().to_string();
        assert!(error.contains("\"shared\" is not a way to do barrier"), "{error}");
    }
}
