//! The rules on single files.

use std::collections::HashSet;
use std::fmt;

use super::Source;
use super::exceptions::{ATOMICS, LONG, UNSAFE};

/// The greatest length of a file. A file that grows beyond it has more than one subject.
const MAX_LINES: usize = 600;

/// The greatest width of a line.
const MAX_COLUMNS: usize = 120;

/// Texts that must not occur in code, each with what to use instead. They are written in two parts, so that this file
/// does not break its own rule.
const BANNED: &[(&str, &str)] = &[
    (concat!("todo", "!("), "do it, or leave the function out"),
    (concat!("unimplemented", "!("), "do it, or leave the function out"),
    (concat!("dbg", "!("), "remove it"),
];

/// A place where a file breaks a rule, and the rule.
pub(crate) struct Fault {
    line: usize,
    message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

/// All faults of a file.
pub(crate) fn faults(source: &Source<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    length(source, &mut faults);
    for (index, line) in source.text.lines().enumerate() {
        let mut fault = |message: String| {
            faults.push(Fault {
                line: index + 1,
                message,
            })
        };
        width(line, &mut fault);
        if source.path.ends_with(".rs") {
            let code = line.split("//").next().unwrap_or(line);
            banned(code, &mut fault);
            atomics(source.path, code, &mut fault);
            unsafe_code(source.path, code, &mut fault);
        }
    }
    faults
}

/// The modules that lie beside their folder (`a.rs` beside `a/`). The files may be in any order.
pub(super) fn modules_outside_of_folders(sources: &[Source<'_>]) -> Vec<String> {
    let folders: HashSet<_> = sources
        .iter()
        .filter_map(|source| Some(source.path.rsplit_once('/')?.0))
        .collect();
    let modules = sources.iter().filter(|source| {
        let outside_of_crates = source.path.starts_with("tests/") || source.path.contains("/tests/");
        let folder = source.path.strip_suffix(".rs");
        !outside_of_crates && folder.is_some_and(|folder| folders.contains(folder))
    });
    modules
        .map(|source| {
            format!(
                "{}: lies beside its folder: make it the folder's mod.rs",
                source.path
            )
        })
        .collect()
}

/// The files beside a `tests/main.rs` that it does not have as modules, so that their tests would never run. Those
/// whose names the manifest gives are test programs of their own.
pub(super) fn tests_outside_of_programs(
    sources: &[Source<'_>],
    manifest: impl Fn(&str) -> String,
) -> Vec<String> {
    let mains = sources.iter().filter_map(|source| {
        let package = source.path.strip_suffix("tests/main.rs")?;
        Some((package, source.text, manifest(&format!("{package}Cargo.toml"))))
    });
    let forgotten = mains.flat_map(|(package, main, manifest)| {
        let names = sources.iter().filter_map(move |source| {
            let name = source
                .path
                .strip_prefix(package)?
                .strip_prefix("tests/")?
                .strip_suffix(".rs")?;
            let folder = name.strip_suffix("/mod").or_else(|| name.strip_suffix("/main"));
            let name = folder.unwrap_or(name);
            let known = name.contains('/')
                || name == "main"
                || main.lines().any(|line| line == format!("mod {name};"))
                || manifest.lines().any(|line| line == format!("name = \"{name}\""));
            (!known).then_some(source.path)
        });
        names.collect::<Vec<_>>()
    });
    forgotten
        .map(|path| format!("{path}: is no module of main.rs beside it, so its tests never run"))
        .collect()
}

fn length(source: &Source<'_>, faults: &mut Vec<Fault>) {
    let lines = source.text.lines().count();
    let limit = LONG
        .iter()
        .find(|(path, ..)| *path == source.path)
        .map_or(MAX_LINES, |(_, lines, _)| *lines);
    if lines > limit {
        faults.push(Fault {
            line: limit + 1,
            message: format!("{lines} lines, at most {limit}: split the file"),
        });
    }
}

fn width(line: &str, fault: &mut impl FnMut(String)) {
    let columns = line.chars().count();
    if columns > MAX_COLUMNS {
        fault(format!("{columns} columns, at most {MAX_COLUMNS}"));
    }
    if line.ends_with([' ', '\t']) {
        fault("blanks at the end of the line".to_owned());
    }
}

fn banned(code: &str, fault: &mut impl FnMut(String)) {
    for (what, instead) in BANNED.iter().filter(|(what, _)| code.contains(what)) {
        fault(format!("{what}…): {instead}"));
    }
}

fn atomics(path: &str, code: &str, fault: &mut impl FnMut(String)) {
    let imported = ["std::sync::atomic", "core::sync::atomic"]
        .iter()
        .any(|name| code.contains(name));
    let product = !path.contains("/tests/") && !path.contains("/benches/");
    if imported && product && !allowed(ATOMICS, path) {
        fault("take atomics from simurgh_core::sync, so that loom can model them".to_owned());
    }
}

fn unsafe_code(path: &str, code: &str, fault: &mut impl FnMut(String)) {
    let word = concat!("un", "safe");
    let found = ["{", "fn ", "impl ", "extern ", "trait "].iter().any(|next| {
        code.split_once(&format!("{word} "))
            .is_some_and(|(_, rest)| rest.starts_with(next))
    });
    if found && !allowed(UNSAFE, path) {
        fault(format!(
            "{word} code is confined to the paths listed in xtask/src/tidy/exceptions.rs"
        ));
    }
}

fn allowed(places: &[(&str, &str)], path: &str) -> bool {
    places.iter().any(|(prefix, _)| path.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        faults(&Source { path, text })
            .iter()
            .map(Fault::to_string)
            .collect()
    }

    #[test]
    fn a_clean_file_has_no_faults() {
        assert!(messages("crates/mpi/src/lib.rs", "//! A crate.\n\nfn main() {}\n").is_empty());
    }

    #[test]
    fn each_rule_finds_its_fault() {
        let wide = "a".repeat(MAX_COLUMNS + 1);
        let banned = BANNED[0].0;
        let text = format!("{wide}\nuse std::sync::atomic::AtomicU8;\nfn f() {{ {banned}) }}\nlet x = 1; \n");
        let found = messages("crates/mpi/src/lib.rs", &text);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].starts_with("1: 121 columns"));
        assert!(found[1].starts_with("2: take atomics"));
        assert_eq!(messages("src/lib.rs", &"x\n".repeat(601)).len(), 1);
    }

    #[test]
    fn a_module_lies_in_its_folder() {
        let of = |paths: &[&'static str]| {
            let sources: Vec<_> = paths.iter().map(|path| Source { path, text: "" }).collect();
            modules_outside_of_folders(&sources).len()
        };
        assert_eq!(
            of(&[
                "src/a/mod.rs",
                "src/a/b.rs",
                "src/c.rs",
                "tests/a.rs",
                "tests/a/b.rs"
            ]),
            0
        );
        assert_eq!(of(&["src/a.rs", "src/a/b.rs"]), 1);
    }

    #[test]
    fn a_file_of_tests_is_part_of_a_program() {
        let of = |main: &'static str, paths: &[&'static str]| {
            let main = Source {
                path: "crates/a/tests/main.rs",
                text: main,
            };
            let others = paths.iter().map(|path| Source { path, text: "" });
            let sources: Vec<_> = std::iter::once(main).chain(others).collect();
            tests_outside_of_programs(&sources, |path| {
                assert_eq!(path, "crates/a/Cargo.toml");
                "[[test]]\nname = \"alone\"\n".to_owned()
            })
            .len()
        };
        let files = [
            "crates/a/tests/folder/main.rs",
            "crates/a/tests/one.rs",
            "crates/a/tests/alone.rs",
            "crates/a/tests/one/part.rs",
            "tests/other.rs",
        ];
        assert_eq!(of("mod folder;\nmod one;\n", &files), 0);
        assert_eq!(of("mod two;\n", &files), 2);
    }

    #[test]
    fn raw_memory_is_confined() {
        let code = concat!("let x = un", "safe { f() };");
        assert_eq!(messages("crates/launcher/src/main.rs", code).len(), 1);
        assert!(messages("crates/core/src/stack.rs", code).is_empty());
        assert!(messages("src/lib.rs", concat!("// un", "safe { in a comment }")).is_empty());
    }
}
