//! The limit on the size of files (`ulimit -f`), which holds for memory files as well.
//!
//! What a job shares lies in memory files. The kernel ends a process that lets a file grow beyond the limit, without a
//! word, unless it wants the signal; then the write fails, and the user can be told why.

use signal_hook::consts::SIGXFSZ;
use signal_hook::iterator::Signals;

/// What the user can do about it.
const HINT: &str =
    " (the limit on the size of files, `ulimit -f`, holds for memory that processes share, too: raise it)";

/// From its making on, what grows beyond the limit is an error. Processes that this one starts do not inherit that.
#[derive(Debug)]
pub struct FileLimit(Option<Signals>);

impl FileLimit {
    /// Begins.
    #[must_use]
    pub fn watch() -> Self {
        // If that cannot be, it is as without it.
        Self(Signals::new([SIGXFSZ]).ok())
    }

    /// What is to be said besides an error: something, if a file has met the limit.
    pub fn hint(&mut self) -> &'static str {
        let met = self
            .0
            .as_mut()
            .is_some_and(|signals| signals.pending().next().is_some());
        if met { HINT } else { "" }
    }
}
