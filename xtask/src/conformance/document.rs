//! The text of docs/conformance.md.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Function;
use crate::table::aligned;

/// The greatest number of programs that are named for one function.
const NAMED: usize = 6;

const HEAD: &str = "\
# Conformance

Every function of MPI 5.0 with its large-count twin, by chapter: whether the library has it, and the test programs in
`tests/c` and `examples` that call it; then the same for Fortran, with the programs in `tests/fortran` and `examples`. A
function that does not work is not there: there are no stubs. What a test in Rust calls in the engine, and what other
test suites exercise, is not counted. A dash stands where Fortran has no procedure of its own: for functions that are
only for C, and for large counts that `mpi_f08` cannot tell apart. `tests/fortran_bindings.rs` checks with the linker's
symbols that the programs call every procedure of each binding.

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
        text.push_str("| function | there | called by | in Fortran called by |\n|---|---|---|---|\n");
        for function in chapter {
            let there = if function.present { "yes" } else { "no" };
            let in_c = programs(&function.programs);
            let in_fortran = function
                .in_fortran
                .as_ref()
                .map_or_else(|| "–".to_owned(), programs);
            let _ = writeln!(text, "| `{}` | {there} | {in_c} | {in_fortran} |", function.name);
        }
    }
    text
}

fn totals(chapters: &[&[Function]], functions: &[Function]) -> String {
    let row = |name: String, functions: &[Function]| {
        let count = |wanted: fn(&&Function) -> bool| functions.iter().filter(wanted).count().to_string();
        let there = count(|function| function.present);
        let called = count(|function| function.present && !function.programs.is_empty());
        let in_fortran = count(|function| function.in_fortran.is_some());
        let called_there = count(|function| {
            function
                .in_fortran
                .as_ref()
                .is_some_and(|programs| !programs.is_empty())
        });
        vec![
            name,
            functions.len().to_string(),
            there,
            called,
            in_fortran,
            called_there,
        ]
    };
    let head = [
        "chapter",
        "functions",
        "there",
        "called by a test",
        "in Fortran",
        "called by a test there",
    ]
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

fn programs(programs: &BTreeSet<String>) -> String {
    let names: Vec<&str> = programs.iter().map(String::as_str).collect();
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len() - names.len().min(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
