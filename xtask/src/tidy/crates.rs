//! The rules that the table of crates in docs/architecture.md has the same dependencies as the manifests, and that the
//! manifests have what a registry shows.

/// The beginning of the names of the workspace's packages.
const PREFIX: &str = "simurgh-";

/// A crate by its folder in `crates`, with its manifest.
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) manifest: String,
}

/// The faults of the table, one for each wrong place.
pub(super) fn faults(document: &str, crates: &[Crate]) -> Vec<String> {
    let rows: Vec<_> = document.lines().filter_map(row).collect();
    let mut faults = Vec::new();
    for Crate { name, manifest } in crates {
        let Some(place) = rows.iter().position(|row| row.name == name) else {
            faults.push(format!("docs/architecture.md: crates/{name} has no row"));
            continue;
        };
        let used = dependencies(name, manifest);
        let mut told = rows[place].needs.clone();
        told.sort_unstable();
        if told != used {
            faults.push(format!(
                "docs/architecture.md: crates/{name} depends on {}, not on {}",
                used.join(", "),
                told.join(", ")
            ));
        }
        let above = |other: &str| rows[..place].iter().any(|row| row.name == other);
        faults.extend(used.iter().filter(|other| !above(other)).map(|other| {
            format!("docs/architecture.md: crates/{name} depends on {other}, which is not above it")
        }));
    }
    faults
}

/// The keys that tell a registry's users of a crate.
const SHOWN: &[&str] = &[
    "description",
    "license.workspace",
    "repository.workspace",
    "readme",
    "documentation",
    "keywords",
    "categories",
];

/// The faults of a manifest that lacks what a registry shows.
pub(super) fn unfit_for_a_registry(path: &str, manifest: &str) -> Vec<String> {
    let package = manifest.split("[package]\n").nth(1).unwrap_or_default();
    let lines: Vec<_> = package
        .lines()
        .take_while(|line| !line.starts_with('['))
        .collect();
    if lines.contains(&"publish = false") {
        return Vec::new();
    }
    let has = |key: &str| lines.iter().any(|line| line.starts_with(key));
    let missing = SHOWN.iter().filter(|key| !has(key));
    missing
        .map(|key| format!("{path}: no `{key}`, which a registry shows"))
        .collect()
}

/// A row of the table, which describes a crate.
struct Row<'a> {
    name: &'a str,
    needs: Vec<&'a str>,
}

/// The row in a line, if there is one: the name, the description, the dependencies, and more.
fn row(line: &str) -> Option<Row<'_>> {
    let (name, rest) = line.strip_prefix("| `crates/")?.split_once("` |")?;
    let needs = rest.split('|').nth(1)?.trim();
    let needs = needs.split(", ").filter(|need| *need != "–").collect();
    Some(Row { name, needs })
}

/// The crates of the workspace on which a crate depends, sorted, without those in its own folder.
fn dependencies<'a>(name: &str, manifest: &'a str) -> Vec<&'a str> {
    let tables = manifest.split("\n[").skip(1);
    // With or without a condition, as in `[target.'cfg(not(loom))'.dependencies]`.
    let tables = tables.filter_map(|table| table.split_once("dependencies]\n"));
    let of_library = tables.filter(|(condition, _)| condition.is_empty() || condition.ends_with("'."));
    let lines = of_library.flat_map(|(_, table)| table.lines());
    let keys = lines.filter_map(|line| line.split(['.', ' ', '=']).next()?.strip_prefix(PREFIX));
    let inner = format!("{name}-");
    let mut names: Vec<_> = keys.filter(|key| !key.starts_with(&inner)).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str =
        "| crate | what | depends on | more |\n| `crates/a` | x | – | |\n| `crates/b` | y | a | |\n";

    #[test]
    fn a_manifest_says_what_a_registry_shows() {
        let keys = "description = \"\"\nlicense.workspace = true\nrepository.workspace = true\nreadme = \"\"\n\
                    documentation = \"\"\nkeywords = []\ncategories = []\n";
        let of = |keys: &str| unfit_for_a_registry("Cargo.toml", &format!("[package]\n{keys}\n[lints]\n"));
        assert!(of(keys).is_empty() && of("publish = false").is_empty());
        assert_eq!(of(&keys.replace("keywords", "words")).len(), 1);
    }

    fn faults_of(name: &str, dependencies: &str) -> Vec<String> {
        let name = name.to_owned();
        let manifest = format!("[package]\n\n[dependencies]\n{dependencies}\n[lints]\nsimurgh-x = 1\n");
        faults(DOCUMENT, &[Crate { name, manifest }])
    }

    #[test]
    fn the_table_says_what_manifests_say() {
        let right =
            "libc.workspace = true\nsimurgh-a.workspace = true\nsimurgh-b-macros = { path = \"macros\" }\n";
        assert_eq!(faults_of("b", right), [""; 0]);
        assert_eq!(faults_of("a", ""), [""; 0]);
        let under_a_condition = "\n[target.'cfg(not(loom))'.dependencies]\nsimurgh-a.workspace = true\n";
        assert_eq!(faults_of("b", under_a_condition), [""; 0]);
        assert_eq!(faults_of("a", "\n[dev-dependencies]\nsimurgh-b = 1\n"), [""; 0]);
        assert!(faults_of("b", "")[0].contains("depends on , not on a"));
        assert!(faults_of("c", "")[0].contains("crates/c has no row"));
        assert!(faults_of("a", "simurgh-b = 1\n")[1].contains("b, which is not above it"));
    }
}
