//! Hints (chapter 10 of the standard).

use simurgh_mpi::Info;

/// The keys and values of an info object. Bytes that are no text are replaced.
pub(crate) fn texts(info: &Info) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    info.iter().map(|(key, value)| (text(key), text(value))).collect()
}
