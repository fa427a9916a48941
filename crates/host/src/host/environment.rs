//! The environment of a rank's program.

use simurgh_net::job::{EnvChange, FD_VARIABLE, LIBRARY_VARIABLE};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;

/// Variables that only concern the launcher and the host.
const INTERNAL: &[&str] = &[FD_VARIABLE, LIBRARY_VARIABLE];

/// The variables `inherited` with the changes for one program, as `NAME=VALUE`.
pub(super) fn with_changes(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    changes: &[EnvChange],
) -> Vec<CString> {
    let mut variables: BTreeMap<OsString, OsString> = inherited.into_iter().collect();
    for name in INTERNAL {
        variables.remove(std::ffi::OsStr::new(name));
    }
    for change in changes {
        let name = change.name.as_os_str().to_owned();
        match &change.value {
            Some(value) => variables.insert(name, value.as_os_str().to_owned()),
            None => variables.remove(&name),
        };
    }
    let line = |(name, value): (OsString, OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
    variables
        .into_iter()
        .map(line)
        .filter_map(|line| CString::new(line).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_net::encoding::Text;

    #[test]
    fn changes_replace_add_and_remove() {
        let inherited = [("A", "1"), ("B", "2"), (FD_VARIABLE, "3")].map(|(n, v)| (n.into(), v.into()));
        let change = |name: &str, value: Option<&str>| EnvChange {
            name: Text::new(name).unwrap(),
            value: value.map(|value| Text::new(value).unwrap()),
        };
        let changes = [change("A", Some("x=y")), change("B", None), change("C", Some(""))];
        assert_eq!(
            with_changes(inherited, &changes),
            [c"A=x=y".into(), CString::from(c"C=")]
        );
    }
}
