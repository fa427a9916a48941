//! A profile as a flame graph.

use std::collections::BTreeMap;
use std::io::{self, Write};

use inferno::flamegraph::{self, Options};

use crate::profile::{Profile, Sample};

impl Profile {
    /// Writes a picture (SVG) in which each call site is as wide as the most bytes that were in use there at a time, on
    /// top of its callers. At the bottom are the ranks. Nothing is written if there is no sample.
    ///
    /// # Errors
    ///
    /// That of writing.
    pub fn write_flame_graph(&self, out: impl Write) -> io::Result<()> {
        let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
        for sample in &self.samples {
            *stacks.entry(line(sample)).or_default() += sample.values.most_bytes;
        }
        stacks.retain(|_, bytes| *bytes > 0);
        if stacks.is_empty() {
            return Ok(());
        }
        let mut options = Options::default();
        "Memory in use, by call site".clone_into(&mut options.title);
        "bytes".clone_into(&mut options.count_name);
        let lines: Vec<String> = (stacks.iter())
            .map(|(stack, bytes)| format!("{stack} {bytes}"))
            .collect();
        flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), out).map_err(io::Error::other)
    }
}

/// The stack in one line, the outermost function first.
fn line(sample: &Sample) -> String {
    let functions = sample
        .stack
        .iter()
        .rev()
        .flat_map(|frame| frame.names().into_iter().rev());
    let functions = functions.map(|name| name.replace([';', '\n'], ":"));
    let rank = format!("rank {}", sample.rank);
    std::iter::once(rank)
        .chain(functions)
        .collect::<Vec<_>>()
        .join(";")
}
