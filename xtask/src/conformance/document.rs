//! The text of docs/conformance.md.

use std::fmt::Write;

use super::Function;
use crate::table::aligned;

/// The greatest number of programs that are named for one function.
const NAMED: usize = 6;

const HEAD: &str = "\
# Conformance

Every function of MPI 5.0 with its large-count twin, by chapter: whether the library has it, and the test programs in
`tests/c` and `examples` that call it. A function that does not work is not there: there are no stubs. What a test in
Rust calls in the engine, and what other test suites exercise, is not counted.

This file is written by `./x conformance`; `./x lint` checks that it is up to date, and that every function that is
there is called by a test program.

## Totals

";

/// The whole document, with the functions in the order of the chapters.
pub(crate) fn text(functions: &[Function]) -> String {
    let chapters: Vec<&[Function]> = functions
        .chunk_by(|a, b| a.chapter.number == b.chapter.number)
        .collect();
    let mut text = HEAD.to_owned();
    text.push_str(&totals(&chapters, functions));
    for chapter in chapters {
        let title = chapter[0].chapter;
        let _ = write!(text, "\n## {} {}\n\n", title.number, title.title);
        text.push_str("| function | there | called by |\n|---|---|---|\n");
        for function in chapter {
            let there = if function.present { "yes" } else { "no" };
            let _ = writeln!(text, "| `{}` | {there} | {} |", function.name, programs(function));
        }
    }
    text
}

fn totals(chapters: &[&[Function]], functions: &[Function]) -> String {
    let row = |name: String, functions: &[Function]| {
        let count = |wanted: fn(&&Function) -> bool| functions.iter().filter(wanted).count().to_string();
        let there = count(|function| function.present);
        let called = count(|function| function.present && !function.programs.is_empty());
        vec![name, functions.len().to_string(), there, called]
    };
    let head = ["chapter", "functions", "there", "called by a test"]
        .map(str::to_owned)
        .to_vec();
    let mut rows = vec![head];
    for chapter in chapters {
        let title = chapter[0].chapter;
        rows.push(row(format!("{} {}", title.number, title.title), chapter));
    }
    rows.push(row("all".to_owned(), functions));
    aligned(&rows)
}

fn programs(function: &Function) -> String {
    let names: Vec<&str> = function.programs.iter().map(String::as_str).collect();
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len() - names.len().min(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
