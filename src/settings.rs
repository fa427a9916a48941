//! Settings from the environment.

use simurgh_settings::{BadValue, Kind};
use std::ffi::OsString;

use crate::error::RANKS_MAX;

/// The variable with the number of ranks, which `mpiexec` takes from its command line.
const VARIABLE: &str = "SIMURGH_RANKS";

/// `SIMURGH_RANKS`: number of ranks.
pub(crate) fn ranks() -> Result<Option<usize>, BadValue> {
    std::env::var_os(VARIABLE).map(number).transpose()
}

fn number(text: OsString) -> Result<usize, BadValue> {
    let kind = Kind::Count {
        least: 1,
        most: RANKS_MAX as u64,
    };
    let parsed = text.to_str().and_then(|text| kind.parse(text));
    parsed
        .and_then(|ranks| usize::try_from(ranks).ok())
        .ok_or_else(|| BadValue {
            origin: VARIABLE.to_owned(),
            value: text.to_string_lossy().into_owned(),
            expected: kind.expected(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked() {
        assert_eq!(number("16".into()), Ok(16));
        for text in ["0", "-1", "two", "", "1e3"] {
            let error = number(text.into()).expect_err("no number of ranks");
            assert!(error.to_string().contains("SIMURGH_RANKS"), "{error}");
        }
    }
}
