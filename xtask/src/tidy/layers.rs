//! The rule of layers: a module imports only from the modules that the `lib.rs` of its crate lists before it.
//!
//! The list is the section `# Layers` of the crate's documentation, lowest module first. Tests may import from
//! anywhere.

use std::collections::{BTreeMap, HashMap};

use super::Source;

/// The heading of the list of layers.
const HEADING: &str = "//! # Layers";

/// The beginnings of an item of the list, which may be a table.
const ITEMS: [&str; 2] = ["//! * ", "//! | "];

/// The crate whose list docs/architecture.md repeats, and the heading of that list there.
const DOCUMENTED: (&str, &str) = ("mpi", "## Layers of the engine");

/// A crate with its source files: their paths relative to `src`, and their texts.
pub(super) struct Crate<'a> {
    name: &'a str,
    files: Vec<(&'a str, &'a str)>,
}

/// The crates that lie in `crates`, each with the files in its `src`.
pub(super) fn of_crates<'a>(sources: &[Source<'a>]) -> Vec<Crate<'a>> {
    let mut crates = BTreeMap::<_, Vec<_>>::new();
    for source in sources {
        let inside = source
            .path
            .strip_prefix("crates/")
            .and_then(|path| path.split_once("/src/"));
        if let Some((name, path)) = inside
            && path.ends_with(".rs")
        {
            crates.entry(name).or_default().push((path, source.text));
        }
    }
    let crates = crates.into_iter();
    crates.map(|(name, files)| Crate { name, files }).collect()
}

/// The faults of a crate: imports from modules further down the list, modules that the list leaves out, and modules in
/// the list that do not exist.
pub(super) fn faults(Crate { name, files }: &Crate<'_>) -> Vec<String> {
    let Some((_, lib)) = files.iter().find(|(path, _)| *path == "lib.rs") else {
        return Vec::new();
    };
    let modules = modules(files);
    let order = order(lib);
    if modules.len() > 1 && order.is_empty() {
        return vec![format!(
            "crates/{name}/src/lib.rs: has no list of its modules under `{HEADING}`"
        )];
    }
    let mut faults: Vec<_> = modules
        .iter()
        .filter(|module| !order.is_empty() && !order.contains(module))
        .map(|module| format!("crates/{name}/src/lib.rs: `{module}` is not in the list of layers"))
        .collect();
    let gone = order.iter().filter(|module| !modules.contains(module));
    faults.extend(gone.map(|module| format!("crates/{name}/src/lib.rs: there is no module `{module}`")));
    let exported = exported(lib);
    for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
        let Some(place) = order.iter().position(|module| *module == module_of(path)) else {
            continue;
        };
        for import in imports(path, &without_tests(&code(text))) {
            let module = exported.get(import.as_str()).copied().unwrap_or(&import);
            if order[place + 1..].contains(&module) {
                faults.push(format!(
                    "crates/{name}/src/{path}: imports `{import}` from `{module}`, which comes later in the list"
                ));
            }
        }
    }
    faults
}

/// A fault if the architecture does not repeat the list of the engine.
pub(super) fn undocumented(crates: &[Crate<'_>], document: &str) -> Option<String> {
    let (name, heading) = DOCUMENTED;
    let documented = crates.iter().find(|found| found.name == name)?;
    let (_, lib) = documented.files.iter().find(|(path, _)| *path == "lib.rs")?;
    let section = document.lines().skip_while(|line| *line != heading).skip(1);
    let rows = section
        .take_while(|line| !line.starts_with('#'))
        .filter_map(|line| line.strip_prefix("| ")?.split('`').nth(1));
    let is_repeated = rows.eq(order(lib));
    (!is_repeated).then(|| {
        format!("docs/architecture.md: the table under `{heading}` is not that of crates/{name}/src/lib.rs")
    })
}

/// The modules directly under `src`, without modules of tests.
fn modules<'a>(files: &[(&'a str, &'a str)]) -> Vec<&'a str> {
    let mut modules: Vec<_> = files.iter().map(|(path, _)| module_of(path)).collect();
    modules.retain(|module| !["lib", "main", "bin", "tests"].contains(module));
    modules.sort_unstable();
    modules.dedup();
    modules
}

/// Whether a file contains only tests.
fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The module directly under `src` to which a file belongs.
fn module_of(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The modules that the list names, in its order.
fn order(lib: &str) -> Vec<&str> {
    let section = lib.lines().skip_while(|line| *line != HEADING).skip(1);
    let section = section.take_while(|line| line.starts_with("//!") && !line.starts_with("//! #"));
    section
        .filter_map(|line| {
            ITEMS
                .iter()
                .find_map(|item| line.strip_prefix(item))?
                .split('`')
                .nth(1)
        })
        .collect()
}

/// The names that `lib.rs` exports at the root of the crate, each with the module that it comes from.
fn exported(lib: &str) -> HashMap<&str, &str> {
    let mut exported = HashMap::new();
    for used in lib.split("use ").skip(1) {
        let Some((path, _)) = used.split_once(';') else {
            continue;
        };
        let path = path.trim_start_matches("crate::");
        let Some((module, names)) = path.split_once("::") else {
            continue;
        };
        let names = names.split(|c: char| !c.is_alphanumeric() && c != '_');
        exported.extend(names.map(|name| (name, module)));
    }
    exported
}

/// The text without comments.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The code without items that are compiled for tests only.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(place) = ["#[cfg(test)]", "#[cfg(all(test"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()
    {
        kept.push_str(&rest[..place]);
        rest = after_item(&rest[place..]);
    }
    kept + rest
}

/// The text behind the item with which it begins.
fn after_item(text: &str) -> &str {
    let mut depth = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (letter == ';' || letter == '}') {
            return &text[place + 1..];
        }
    }
    ""
}

/// The names at the root of the crate that a file uses, by `crate::` or by a path of `super::`.
fn imports(path: &str, code: &str) -> Vec<String> {
    let depth = path.trim_end_matches("/mod.rs").split('/').count();
    let root = "super::".repeat(depth);
    let mut names = Vec::new();
    for start in ["crate::", &root] {
        for (place, _) in code.match_indices(start) {
            let begins =
                !code[..place].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$');
            if begins {
                names.extend(first_names(&code[place + start.len()..]));
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The first names of the paths with which a text begins: one, or several between braces.
fn first_names(text: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        let text = text.trim_start();
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let Some(list) = text.strip_prefix('{') else {
        return vec![name(text)];
    };
    let mut names = vec![name(list)];
    let mut depth = 1_usize;
    for (place, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(name(&list[place + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "//! A crate.\n//!\n//! # Layers\n//!\n//! * `low`: x\n//! * [`high`]: y\n\n\
                       mod low;\npub mod high;\npub use high::{Roof, Wall};\n";

    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let usual = [
            ("lib.rs", LIB),
            ("low.rs", ""),
            ("high/mod.rs", "use crate::low::X;"),
        ];
        let replaced = |path: &str| files.iter().any(|(other, _)| *other == path);
        let kept = usual.into_iter().filter(|(path, _)| !replaced(path));
        let files = kept.chain(files.iter().copied()).collect();
        faults(&Crate { name: "a", files })
    }

    #[test]
    fn an_import_from_below_is_fine() {
        assert_eq!(of(&[]), [""; 0]);
        assert_eq!(
            of(&[("high/part.rs", "use super::Roof;\nuse super::super::low::X;")]),
            [""; 0]
        );
    }

    #[test]
    fn an_import_from_above_is_a_fault_however_it_is_written() {
        let forms = [
            "use crate::high::X;",
            "use crate::{low::{A, B}, high::X};",
            "use crate::Roof;",
            "fn f() { crate::high::f() }",
            "use super::high::X;",
        ];
        for form in forms {
            assert_eq!(of(&[("low.rs", form)]).len(), 1, "{form}");
        }
        assert_eq!(
            of(&[("low/part.rs", "use super::super::high::X;"), ("low.rs", "")]).len(),
            1
        );
    }

    #[test]
    fn comments_and_tests_may_name_anything() {
        assert_eq!(
            of(&[(
                "low.rs",
                "// crate::high\n#[cfg(test)]\nmod tests { use crate::high::X; }"
            )]),
            [""; 0]
        );
        assert_eq!(of(&[("low/tests.rs", "use crate::high::X;")]), [""; 0]);
    }

    #[test]
    fn the_architecture_repeats_the_list_of_the_engine() {
        let crates = [Crate {
            name: "mpi",
            files: vec![("lib.rs", LIB)],
        }];
        let of = |rows: &str| {
            undocumented(
                &crates,
                &format!("# A\n\n## Layers of the engine\n\n| module | |\n{rows}\n# B\n| `x` | |\n"),
            )
        };
        assert_eq!(of("| `low` | x |\n| `high` | y |\n"), None);
        assert!(of("| `high` | y |\n| `low` | x |\n").is_some());
        assert!(of("| `low` | x |\n").is_some());
    }

    #[test]
    fn the_list_names_what_is_there() {
        assert!(of(&[("other.rs", "")])[0].contains("`other` is not in the list"));
        assert!(
            of(&[(
                "lib.rs",
                "//! # Layers\n//! * `low`\n//! * `high`\n//! * `roof`\n"
            )])[0]
                .contains("no module `roof`")
        );
        assert!(of(&[("lib.rs", "//! A crate.\n")])[0].contains("has no list"));
        let table = "//! # Layers\n//!\n//! | module | what |\n//! |---|---|\n\
                     //! | `low` | x |\n//! | [`high`] | y |\n";
        assert_eq!(of(&[("lib.rs", table)]), [""; 0]);
    }
}
