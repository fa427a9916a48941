//! The record of the steps that have passed, in a file of the target folder. A run that was cut off is continued by it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// The record of a run. Its file has a line that identifies the sources, followed by the name of each step that has
/// passed.
#[derive(Debug)]
pub(super) struct Record {
    file: PathBuf,
    passed: BTreeSet<String>,
}

impl Record {
    /// Opens the record of a run with the same sources that did not come to its end. It is empty if there is none, or
    /// with `anew`.
    pub(super) fn open(workspace: &Workspace, anew: bool) -> Result<Self> {
        let sources = format!("sources {:016x}", fingerprint(workspace.root())?);
        Self::of(&workspace.target("tests-passed"), &sources, anew)
    }

    fn of(file: &Path, sources: &str, anew: bool) -> Result<Self> {
        let text = fs::read_to_string(file).unwrap_or_default();
        let mut lines = text.lines();
        let mut record = Self {
            file: file.to_owned(),
            passed: BTreeSet::new(),
        };
        if lines.next() == Some(sources) && !anew {
            record.passed.extend(lines.map(str::to_owned));
        } else {
            fs::write(file, format!("{sources}\n")).map_err(Failure::file(file))?;
        }
        Ok(record)
    }

    /// The number of steps that have passed.
    pub(super) fn count(&self) -> usize {
        self.passed.len()
    }

    /// Whether a step has passed.
    pub(super) fn has(&self, step: &str) -> bool {
        self.passed.contains(step)
    }

    /// Notes that a step has passed.
    pub(super) fn add(&mut self, step: &str) -> Result<()> {
        let added = OpenOptions::new()
            .append(true)
            .open(&self.file)
            .and_then(|mut file| file.write_all(format!("{step}\n").as_bytes()));
        added.map_err(Failure::file(&self.file))?;
        self.passed.insert(step.to_owned());
        Ok(())
    }

    /// Removes the record when all steps have passed. The next run begins from the beginning.
    pub(super) fn close(&self) -> Result<()> {
        fs::remove_file(&self.file).map_err(Failure::file(&self.file))
    }
}

/// A hash of the sources.
fn fingerprint(root: &Path) -> Result<u64> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let content = fs::read(&file).map_err(Failure::file(&file))?;
        (file.strip_prefix(root).unwrap_or(&file), content).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Collects all files below a folder, except links and the files of git and cargo.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Failure::file(folder))? {
        let entry = entry.map_err(Failure::file(folder))?;
        let kind = entry.file_type().map_err(Failure::file(folder))?;
        let is_ours = !["target", ".git"].iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() && is_ours {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && is_ours {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_testing::Scratch;

    #[test]
    fn a_run_that_was_cut_off_is_gone_on_with_but_not_with_other_sources() {
        let scratch = Scratch::new("record");
        let file = scratch.path().join("passed");
        let open = |sources, anew| Record::of(&file, sources, anew).unwrap();
        let mut first = open("sources 1", false);
        assert!(!first.has("a"));
        first.add("a").unwrap();
        first.add("b c").unwrap();
        let again = open("sources 1", false);
        assert!(again.has("a") && again.has("b c") && !again.has("c"));
        assert_eq!(again.count(), 2);
        assert_eq!(open("sources 1", true).count(), 0);
        open("sources 1", false).add("a").unwrap();
        assert_eq!(open("sources 2", false).count(), 0);
        open("sources 2", false).close().unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn what_is_written_into_a_source_changes_the_fingerprint() {
        let scratch = Scratch::new("sources");
        let of = || fingerprint(scratch.path()).unwrap();
        let empty = of();
        scratch.write("a", "1");
        let one = of();
        scratch.write("a", "2");
        assert!(empty != one && one != of());
        std::fs::create_dir(scratch.path().join("target")).unwrap();
        let before = of();
        std::fs::write(scratch.path().join("target/x"), "3").unwrap();
        assert_eq!(of(), before);
    }
}
