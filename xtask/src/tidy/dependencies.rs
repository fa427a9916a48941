//! The rule that every dependency has a line in docs/architecture.md that says why it is needed.

/// The dependencies that a root manifest names and a document does not, each as a fault.
pub(super) fn undocumented(manifest: &str, document: &str) -> Vec<String> {
    let table = manifest
        .split("[workspace.dependencies]")
        .nth(1)
        .unwrap_or_default();
    let names = table
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let name = line.split_once(" = ")?.0;
            (!line.starts_with('#') && !name.starts_with("simurgh")).then_some(name)
        });
    names
        .filter(|name| !document.contains(&format!("`{name}`")))
        .map(|name| {
            format!("Cargo.toml: `{name}` has no line in docs/architecture.md that says what it is for")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_needs_a_reason() {
        let manifest =
            "[workspace.dependencies]\nsimurgh = {}\n# x = 1\na = \"1\"\nb = \"2\"\n\n[c]\nd = 1\n";
        let faults = undocumented(manifest, "| `a` | for this |");
        assert_eq!(faults.len(), 1);
        assert!(faults[0].contains("`b`"));
    }
}
