//! Hints (chapter 10 of the standard).

use simurgh_mpi::{Info, Result};

/// An info object with one hint.
///
/// # Errors
///
/// [`ErrorClass::InfoKey`](crate::ErrorClass::InfoKey) and [`ErrorClass::InfoValue`](crate::ErrorClass::InfoValue) if
/// the key or the value is longer than the standard allows.
pub(crate) fn one(key: &str, value: &str) -> Result<Info> {
    let mut info = Info::new();
    info.set(key, value)?;
    Ok(info)
}

/// The keys and values of an info object. Bytes that are no text are replaced.
pub(crate) fn texts(info: &Info) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    info.iter().map(|(key, value)| (text(key), text(value))).collect()
}
