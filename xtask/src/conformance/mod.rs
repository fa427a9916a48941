//! `./x conformance`: the table of the standard's functions in docs/conformance.md.
//!
//! The functions are those of `standard.txt` and `beside.txt` in `crates/mpi-abi/tests/conformance`. A function is
//! present if the headers declare it; a test compares them with the library's symbols. Its procedure in Fortran is
//! present if the model of the Fortran interface has it. The test programs are scanned for calls.

mod calls;
mod chapters;
mod document;
mod fortran;

use std::collections::BTreeSet;
use std::fs;

use crate::failure::{Failure, Result};
use crate::workspace::{HEADERS, Workspace};
use chapters::Chapter;

const FACTS: [&str; 2] = [
    "crates/mpi-abi/tests/conformance/standard.txt",
    "crates/mpi-abi/tests/conformance/beside.txt",
];
const DOCUMENT: &str = "docs/conformance.md";

/// A function of the standard.
struct Function {
    name: String,
    chapter: &'static Chapter,
    /// Whether the library has it.
    present: bool,
    /// The test programs in C that call it.
    programs: BTreeSet<String>,
    /// The test programs in Fortran that call its procedure, if there is one.
    in_fortran: Option<BTreeSet<String>>,
}

/// Writes the table.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    let file = workspace.source(DOCUMENT);
    fs::write(&file, document::text(&functions(workspace)?)).map_err(Failure::file(&file))
}

/// Checks that the table is up to date and that a test program calls every function of the library.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let unused = calls::programs_without_a_test(workspace)?;
    if !unused.is_empty() {
        let names = unused.join(", ");
        return Err(Failure::Faults(format!(
            "no test runs {names}: name each in a test of tests/*.rs"
        )));
    }
    let functions = functions(workspace)?;
    none_is_idle(&functions, "tests/c", |function| {
        function.present && function.programs.is_empty()
    })?;
    none_is_idle(&functions, "tests/fortran", |function| {
        function.in_fortran.as_ref().is_some_and(BTreeSet::is_empty)
    })?;
    if read(workspace, DOCUMENT)? == document::text(&functions) {
        return Ok(());
    }
    Err(Failure::Faults(format!(
        "{DOCUMENT} is out of date: run ./x conformance"
    )))
}

/// Fails if there are functions that no program calls.
fn none_is_idle(functions: &[Function], folder: &str, is_idle: impl Fn(&Function) -> bool) -> Result<()> {
    let idle = functions.iter().filter(|function| is_idle(function));
    let idle: Vec<&str> = idle.map(|function| function.name.as_str()).collect();
    if idle.is_empty() {
        return Ok(());
    }
    let names = idle.join(", ");
    Err(Failure::Faults(format!(
        "no program in {folder} calls {names}: write a test of what each does"
    )))
}

/// The functions of the standard that the library does not have.
pub(crate) fn absent(workspace: &Workspace) -> Result<Vec<String>> {
    let (facts, declared) = facts_and_headers(workspace)?;
    let absent = names(&facts).filter(|name| !is_declared(name, &declared));
    Ok(absent.map(str::to_owned).collect())
}

/// The texts of the lists of functions and of the headers.
fn facts_and_headers(workspace: &Workspace) -> Result<(String, String)> {
    let read_all =
        |files: &[&str]| -> Result<String> { files.iter().map(|file| read(workspace, file)).collect() };
    Ok((read_all(&FACTS)?, read_all(HEADERS)?))
}

/// Whether a header declares a function.
fn is_declared(name: &str, headers: &str) -> bool {
    headers.contains(&format!(" {name}("))
}

/// All functions, by chapter and name.
fn functions(workspace: &Workspace) -> Result<Vec<Function>> {
    let (facts, declared) = facts_and_headers(workspace)?;
    let calls = calls::find(workspace)?;
    let procedures = procedures(workspace)?;
    let called = fortran::find(workspace, &procedures)?;
    let mut functions = Vec::new();
    for name in names(&facts) {
        let chapter = chapters::of(name)
            .ok_or_else(|| Failure::Faults(format!("{name} is in no chapter: add it to chapters.rs")))?;
        functions.push(Function {
            name: name.to_owned(),
            chapter,
            present: is_declared(name, &declared),
            programs: calls.get(name).cloned().unwrap_or_default(),
            in_fortran: procedures
                .contains(name)
                .then(|| called.get(name).cloned().unwrap_or_default()),
        });
    }
    functions.sort_by(|a, b| (a.chapter.number, &a.name).cmp(&(b.chapter.number, &b.name)));
    Ok(functions)
}

/// The functions that have a procedure in Fortran, by their names in C.
fn procedures(workspace: &Workspace) -> Result<BTreeSet<String>> {
    let declarations = workspace.source("crates/mpi-abi/src/functions");
    let procedures = simurgh_mpifort_generator::procedures(&declarations).map_err(Failure::Faults)?;
    Ok(procedures
        .iter()
        .map(|procedure| format!("MPI_{}", procedure.name))
        .collect())
}

/// The functions that a list names.
fn names(standard: &str) -> impl Iterator<Item = &str> {
    let facts = standard.lines().filter_map(|line| line.strip_prefix("function "));
    facts.filter_map(|fact| fact.split_whitespace().next())
}

fn read(workspace: &Workspace, name: &str) -> Result<String> {
    let file = workspace.source(name);
    fs::read_to_string(&file).map_err(Failure::file(&file))
}
