//! Settings from the environment.

use std::env;
use std::ffi::OsString;
use std::sync::Arc;

use simurgh_sched::policy::{Policy, by_name};

use crate::error::RunError;

/// `SIMURGH_RANKS`: number of ranks.
pub(crate) fn ranks() -> Result<Option<usize>, RunError> {
    number("SIMURGH_RANKS", env::var_os("SIMURGH_RANKS"))
}

/// `SIMURGH_VPS`: number of virtual processors.
pub(crate) fn vps() -> Result<Option<usize>, RunError> {
    number("SIMURGH_VPS", env::var_os("SIMURGH_VPS"))
}

/// `SIMURGH_POLICY`: name of the scheduling policy.
pub(crate) fn policy() -> Result<Option<Arc<dyn Policy>>, RunError> {
    let name = env::var_os("SIMURGH_POLICY").map(|name| name.to_string_lossy().into_owned());
    Ok(name.map(|name| by_name(&name)).transpose()?)
}

fn number(name: &'static str, value: Option<OsString>) -> Result<Option<usize>, RunError> {
    let Some(value) = value else { return Ok(None) };
    let parsed = value
        .to_str()
        .and_then(|text| text.parse().ok())
        .filter(|&number| number > 0);
    parsed.map(Some).ok_or_else(|| RunError::Setting {
        name,
        value: value.to_string_lossy().into_owned(),
        expected: "a number from 1 on",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked() {
        let read = |text: &str| number("SIMURGH_RANKS", Some(text.into()));
        assert_eq!(number("SIMURGH_RANKS", None).ok(), Some(None));
        assert_eq!(read("16").ok(), Some(Some(16)));
        for text in ["0", "-1", "two", "", "1e3"] {
            let error = read(text).expect_err("no number of ranks");
            assert!(error.to_string().contains("SIMURGH_RANKS"), "{error}");
        }
    }
}
