//! The project's own rules on source files, and their check.
//!
//! A rule looks at one file and reports its faults by line. The exceptions, with their reasons, are in `exceptions.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

mod crates;
mod dependencies;
mod exceptions;
mod layers;
mod paths;
mod rules;

/// The directories that contain no files of ours.
const SKIPPED: &[&str] = &["target", ".git"];

/// The extensions of the files that the rules check.
const CHECKED: &[&str] = &["rs", "c", "h", "cpp", "sh"];

/// A source file, as the rules see it.
struct Source<'a> {
    /// The path relative to the root of the tree, with slashes.
    path: &'a str,
    text: &'a str,
}

/// Checks every source file of the tree, and prints the faults.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let files = files(workspace)?;
    let sources: Vec<_> = files.iter().map(|(path, text)| Source { path, text }).collect();
    let of_file = |source: &Source<'_>| -> Vec<String> {
        let faults = rules::faults(source);
        faults
            .iter()
            .map(|fault| format!("{}:{fault}", source.path))
            .collect()
    };
    let mut faults: Vec<_> = sources.iter().flat_map(of_file).collect();
    faults.extend(rules::modules_outside_of_folders(&sources));
    faults.extend(rules::tests_outside_of_programs(&sources, |path| {
        read(workspace, path).unwrap_or_default()
    }));
    let document = read(workspace, "docs/architecture.md")?;
    let layered = layers::of_crates(&sources);
    faults.extend(layered.iter().flat_map(layers::faults));
    faults.extend(layers::undocumented(&layered, &document));
    faults.extend(paths::faults(&document, &sources, |name| {
        workspace.source(name).exists()
    }));
    let manifest = read(workspace, "Cargo.toml")?;
    faults.extend(dependencies::undocumented(&manifest, &document));
    let crates = crates(workspace)?;
    faults.extend(crates::faults(&document, &crates));
    faults.extend(crates::unfit_for_a_registry("Cargo.toml", &manifest));
    for crates::Crate { name, manifest } in &crates {
        let path = format!("crates/{name}/Cargo.toml");
        faults.extend(crates::unfit_for_a_registry(&path, manifest));
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    match faults.len() {
        0 => Ok(()),
        number => Err(Failure::Faults(format!(
            "{number} faults against the project's rules"
        ))),
    }
}

fn read(workspace: &Workspace, name: &str) -> Result<String> {
    let file = workspace.source(name);
    fs::read_to_string(&file).map_err(Failure::file(&file))
}

/// The source files of the tree, by their paths relative to its root, with their texts.
fn files(workspace: &Workspace) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    collect(workspace.root(), &mut files)?;
    let named = files.iter().map(|file| {
        let path = file.strip_prefix(workspace.root()).unwrap_or(file);
        let text = fs::read_to_string(file).map_err(Failure::file(file))?;
        Ok((path.to_string_lossy().into_owned(), text))
    });
    named.collect()
}

/// The crates of the workspace, by their folders.
fn crates(workspace: &Workspace) -> Result<Vec<crates::Crate>> {
    let folder = workspace.source("crates");
    let entries = fs::read_dir(&folder).map_err(Failure::file(&folder))?;
    let each = entries.map(|entry| {
        let entry = entry.map_err(Failure::file(&folder))?;
        let file = entry.path().join("Cargo.toml");
        Ok(crates::Crate {
            name: entry.file_name().to_string_lossy().into_owned(),
            manifest: fs::read_to_string(&file).map_err(Failure::file(&file))?,
        })
    });
    each.collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory).map_err(Failure::file(directory))? {
        let path = entry.map_err(Failure::file(directory))?.path();
        if path.is_dir() && !path.is_symlink() {
            if !path
                .file_name()
                .is_some_and(|name| SKIPPED.iter().any(|s| name == *s))
            {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| CHECKED.iter().any(|c| e == *c)) {
            files.push(path);
        }
    }
    Ok(())
}
