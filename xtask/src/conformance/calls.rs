//! The functions that each test program calls.
//!
//! The programs go through the C preprocessor, so that calls in macros are found and comments are removed. A call in an
//! included file of ours counts for every program, and the included file is named as its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::fortran;
use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Folders of test programs in C.
const PROGRAMS: &[&str] = &["tests/c", "examples"];

/// The folders with the tests in Rust that run the programs. Folders inside them are searched, too.
const TESTS: &[&str] = &["tests", "crates/mpi-abi/tests", "xtask/src/numa"];

/// The files that mention each function, without their folders.
pub(crate) type Calls = BTreeMap<String, BTreeSet<String>>;

/// Finds the calls in all test programs.
pub(crate) fn find(workspace: &Workspace) -> Result<Calls> {
    let mut calls = Calls::new();
    for folder in PROGRAMS {
        for file in files(&workspace.source(folder), "c")? {
            let text = preprocessed(workspace, &file)?;
            enter(&text, &mut calls);
        }
    }
    Ok(calls)
}

/// The programs that no test mentions by their name, with or without a leading `mpi_`.
pub(crate) fn programs_without_a_test(workspace: &Workspace) -> Result<Vec<String>> {
    let mut tests = String::new();
    for folder in TESTS {
        let folder = workspace.source(folder);
        for folder in folders(&folder)?.iter().chain([&folder]) {
            for file in files(folder, "rs")? {
                tests += &fs::read_to_string(&file).map_err(Failure::file(&file))?;
            }
        }
    }
    let words: BTreeSet<&str> = words(&tests).collect();
    let mut programs = fortran::programs(workspace)?;
    for folder in PROGRAMS {
        programs.append(&mut files(&workspace.source(folder), "c")?);
    }
    let mut unused = Vec::new();
    for file in programs {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let short = name.strip_prefix("mpi_").unwrap_or(&name);
        if !words.contains(&*name) && !words.contains(short) {
            let file = file.strip_prefix(workspace.root()).unwrap_or(&file);
            unused.push(file.display().to_string());
        }
    }
    Ok(unused)
}

/// The files in a folder with this extension, in the order of their names.
pub(super) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut paths = entries(folder)?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}

/// The folders in a folder.
fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = entries(folder)?;
    paths.retain(|path| path.is_dir());
    Ok(paths)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(Failure::file(folder)));
    paths.collect()
}

/// The words of a text, with empty ones between other characters.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

fn preprocessed(workspace: &Workspace, file: &Path) -> Result<String> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command
        .arg("-E")
        .arg("-I")
        .arg(workspace.source("include"))
        .arg(file);
    captured_success(command.current_dir(workspace.root()), minutes(1)).map(|outcome| outcome.stdout)
}

/// Enters the functions that lines of our own files mention. `text` is the output of a preprocessor.
fn enter(text: &str, calls: &mut Calls) {
    let mut file = None;
    for line in text.lines() {
        if let Some(marker) = line.strip_prefix("# ") {
            file = marker.split('"').nth(1).and_then(own_name);
        } else if let Some(file) = file {
            for function in functions(line) {
                calls.entry(function).or_default().insert(file.to_owned());
            }
        }
    }
}

/// The name of a file of the test programs, without its folder.
fn own_name(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    PROGRAMS
        .iter()
        .any(|programs| folder.ends_with(programs))
        .then_some(name)
}

/// The MPI functions, by their `MPI_` names, that a line mentions outside strings.
fn functions(line: &str) -> impl Iterator<Item = String> + '_ {
    // Every other part is inside quotes. An escaped quote would shift the parts, but only up to the end of the line.
    let code = line.split('"').step_by(2);
    code.flat_map(words).filter_map(|word| {
        let name = word.strip_prefix('P').unwrap_or(word);
        let after = name.strip_prefix("MPI_")?;
        after
            .contains(|c: char| c.is_ascii_lowercase())
            .then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_put_down_to_the_file_they_stand_in() {
        let text = concat!(
            "# 1 \"/tree/tests/c/ring.c\"\n",
            "# 1 \"/tree/include/mpi.h\" 1\n",
            "int MPI_Recv(void *buf);\n",
            "# 1 \"/tree/tests/c/check.h\" 1\n",
            "static void begin(void) { MPI_Init(0, 0); }\n",
            "# 7 \"/tree/tests/c/ring.c\" 2\n",
            "call(PMPI_Send, MPI_COMM_WORLD, \"MPI_Bcast\", MPI_Send_c);\n",
        );
        let mut calls = Calls::new();
        enter(text, &mut calls);
        let found: Vec<_> = calls
            .iter()
            .map(|(function, files)| (function.as_str(), files.len()))
            .collect();
        assert_eq!(found, [("MPI_Init", 1), ("MPI_Send", 1), ("MPI_Send_c", 1)]);
        assert!(calls["MPI_Init"].contains("check.h") && calls["MPI_Send"].contains("ring.c"));
    }
}
