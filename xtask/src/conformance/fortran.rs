//! The procedures that each test program in Fortran calls.
//!
//! A call of a procedure counts for the function with large counts, too, if one of its arguments has a kind of large
//! counts: a literal, a conversion, or a variable that is declared with it. Programs for all bindings name that kind
//! `ck`, which is the usual one where counts are not large.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use super::calls::{Calls, files, words};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Folders of test programs in Fortran.
const PROGRAMS: &[&str] = &["tests/fortran", "tests/fortran/bindings", "examples"];

/// The endings of their names.
const EXTENSIONS: &[&str] = &["f90", "F90", "f"];

/// Kinds of large counts.
const LARGE: &[&str] = &["ck", "dk", "mpi_count_kind"];

/// The test programs.
pub(super) fn programs(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut programs = Vec::new();
    for folder in PROGRAMS {
        for extension in EXTENSIONS {
            programs.append(&mut files(&workspace.source(folder), extension)?);
        }
    }
    Ok(programs)
}

/// Finds the calls in all test programs. `known` are the names of all functions.
pub(super) fn find(workspace: &Workspace, known: &BTreeSet<String>) -> Result<Calls> {
    let names = known.iter().map(|name| (name.to_lowercase(), name.as_str()));
    let names: BTreeMap<String, &str> = names.collect();
    let mut calls = Calls::new();
    for file in programs(workspace)? {
        let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
        let program = file.file_name().unwrap_or_default().to_string_lossy();
        for function in functions(&text, &names) {
            calls.entry(function).or_default().insert(program.to_string());
        }
    }
    Ok(calls)
}

/// The functions that a program calls, by their names in C. `names` leads to them from lower case.
fn functions(text: &str, names: &BTreeMap<String, &str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut large = Declared::default();
    for statement in statements(text) {
        large.note(&statement);
        let is_large = words(&statement).any(|word| large.has(word));
        for word in words(&statement) {
            let name = word.strip_prefix('p').unwrap_or(word);
            let Some(&function) = names.get(name) else {
                continue;
            };
            if !is_called(&statement, word) {
                continue;
            }
            let with_large = names.get(&format!("{name}_c")).filter(|_| is_large);
            found.extend(
                [function]
                    .into_iter()
                    .chain(with_large.copied())
                    .map(str::to_owned),
            );
        }
    }
    found
}

/// Whether a statement calls a procedure, rather than declares an interface of that name.
fn is_called(statement: &str, name: &str) -> bool {
    let Some((before, after)) = statement.split_once(name) else {
        return false;
    };
    let declares = ["subroutine", "function", "end"];
    after.trim_start().starts_with('(') && !words(before).any(|word| declares.contains(&word))
        || before.trim_end().ends_with("call")
}

/// The variables of the program and of the procedure at hand that have a kind of large counts.
#[derive(Default)]
struct Declared {
    outer: BTreeSet<String>,
    inner: BTreeSet<String>,
    inside: bool,
}

impl Declared {
    /// Takes in a statement, which may begin a procedure or declare variables.
    fn note(&mut self, statement: &str) {
        let first = words(statement).find(|word| !word.is_empty());
        if first == Some("contains") || first == Some("subroutine") || is_function(statement) {
            self.inside |= first == Some("contains");
            self.inner.clear();
        }
        let Some((kind, names)) = statement.split_once("::") else {
            return;
        };
        let mut kind = words(kind).filter(|word| !word.is_empty());
        if kind.next() == Some("integer") && kind.any(|word| LARGE.contains(&word)) {
            let declared = if self.inside {
                &mut self.inner
            } else {
                &mut self.outer
            };
            declared.extend(words(names).filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }

    /// Whether a word of a statement has such a kind, or is one.
    fn has(&self, word: &str) -> bool {
        let kind = |kind: &&str| word == *kind || word.ends_with(&format!("_{kind}"));
        LARGE.iter().any(kind) || self.inner.contains(word) || self.outer.contains(word)
    }
}

/// Whether a statement begins a function.
fn is_function(statement: &str) -> bool {
    let before = statement.split('(').next().unwrap_or_default();
    words(before).any(|word| word == "function") && !words(before).any(|word| word == "end")
}

/// The statements in lower case, without comments and strings, continued lines put together.
fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut statement = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let line = code(line).to_lowercase();
        let line = line.trim();
        let part = line.strip_prefix('&').unwrap_or(line);
        match part.strip_suffix('&') {
            Some(part) => statement.push_str(part),
            None => {
                statement.push_str(part);
                statements.push(std::mem::take(&mut statement));
            }
        }
    }
    statements
}

/// A line without its comment and without what is in quotes.
fn code(line: &str) -> String {
    let mut quote = None;
    let mut code = String::new();
    for character in line.chars() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if character == '!' => break,
            None if character == '\'' || character == '"' => quote = Some(character),
            None => code.push(character),
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let known = ["MPI_Send", "MPI_Send_c", "MPI_Recv", "MPI_Recv_c", "MPI_Wtime"];
        let names = known.map(|name| (name.to_lowercase(), name));
        functions(text, &names.into_iter().collect())
            .into_iter()
            .collect()
    }

    #[test]
    fn calls_are_found_over_lines_and_outside_comments() {
        let text = "  call mpi_send(a, 1, &\n    & MPI_INTEGER) ! MPI_Recv(b)\n  t = 'MPI_Recv(b)'\n\
                    t = PMPI_Wtime()\n";
        assert_eq!(found(text), ["MPI_Send", "MPI_Wtime"]);
        assert_eq!(
            found("end subroutine mpi_send\nsubroutine mpi_recv(a)\n"),
            [""; 0]
        );
    }

    #[test]
    fn large_counts_are_told_by_the_kind_of_an_argument() {
        assert_eq!(found("call MPI_Send(a, 3_ck)"), ["MPI_Send", "MPI_Send_c"]);
        let text = "integer(ck) :: many\ncontains\nsubroutine one()\ninteger(ck) :: few\n\
                    call MPI_Send(a, few)\nend subroutine\nsubroutine two()\n";
        let with = |call: &str| found(&format!("{text}{call}\n"));
        assert_eq!(
            with("call MPI_Recv(a, few)"),
            ["MPI_Recv", "MPI_Send", "MPI_Send_c"]
        );
        assert_eq!(with("call MPI_Recv(a, many)").len(), 4);
    }
}
