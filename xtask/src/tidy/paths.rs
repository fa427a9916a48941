//! The rule that the files and modules that docs/architecture.md names exist.

use std::collections::HashSet;

use super::Source;

/// The beginning of the name of an executable in the tree, which is not a module.
const HERE: &str = "./";

/// The faults of the document: each place that names a file, a folder or a module that does not exist.
///
/// A name is a text between backticks with a slash in it. A module is named by the end of its path, without `src`,
/// `mod.rs` and the ending of its file: `core/sync/spin`, or `sync/spin`. `is_file` tells whether other files exist in
/// the tree.
pub(super) fn faults(document: &str, sources: &[Source<'_>], is_file: impl Fn(&str) -> bool) -> Vec<String> {
    let known = known(sources);
    let mut faults = Vec::new();
    for (line, text) in (1..).zip(document.lines()) {
        let quoted = text.split('`').skip(1).step_by(2);
        for name in quoted.filter(|name| is_path(name)) {
            if !known.contains(&module(name)) && !is_file(name) {
                faults.push(format!("docs/architecture.md:{line}: there is no `{name}`"));
            }
        }
    }
    faults
}

fn is_path(name: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
    let is_rule = name
        .rsplit('/')
        .next()
        .is_some_and(|last| last.parse::<u32>().is_ok());
    name.trim_end_matches('/').contains('/')
        && name.chars().all(letters)
        && !name.starts_with(HERE)
        && !is_rule
}

/// The path of a module without the parts that are the same for all.
fn module(path: &str) -> String {
    let path = path
        .trim_end_matches('/')
        .trim_start_matches("crates/")
        .replace("/src/", "/");
    let stem = [".rs", ".c", ".h", ".md", ".toml"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending));
    let stem = stem.unwrap_or(&path);
    let stem = stem.trim_end_matches("/mod").trim_end_matches("/lib");
    stem.trim_end_matches("/src").to_owned()
}

/// All ends of all paths of modules and folders.
fn known(sources: &[Source<'_>]) -> HashSet<String> {
    let mut known = HashSet::new();
    for source in sources {
        let module = module(source.path);
        let parts: Vec<_> = module.split('/').collect();
        for end in 1..=parts.len() {
            for start in 0..end {
                known.insert(parts[start..end].join("/"));
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_there() {
        let paths = [
            "crates/core/src/sync/spin.rs",
            "crates/core/src/sync/mod.rs",
            "crates/image/shim/thread.c",
        ];
        let sources = paths.map(|path| Source { path, text: "" });
        let of = |text: &str| faults(text, &sources, |name| name == "docs/a.md");
        let right = "`core/sync/spin`, `sync/spin`, `crates/core/src/sync`, `core/sync/`, \
                     `image/shim/thread.c`, `ring/4`, `./x`, `docs/a.md`";
        assert_eq!(of(right), [""; 0]);
        assert_eq!(
            of("a\n`core/spin`"),
            ["docs/architecture.md:2: there is no `core/spin`"]
        );
    }
}
