//! The limit on the size of files (`ulimit -f`), which holds for memory files as well.
//!
//! The memory that a job shares lies in memory files. The kernel ends a process without a word when it lets a file grow
//! beyond the limit. A process that catches the signal gets an error instead, so that the user can be told why.

use signal_hook::consts::SIGXFSZ;
use signal_hook::iterator::Signals;

/// Advice to the user on this limit.
const HINT: &str =
    " (the limit on the size of files, `ulimit -f`, holds for memory that processes share, too: raise it)";

/// While it exists, growing a file beyond the limit is an error. Processes that this one starts do not inherit that.
#[derive(Debug)]
pub struct FileLimit(Option<Signals>);

impl FileLimit {
    /// Catches the signal from now on.
    #[must_use]
    pub fn watch() -> Self {
        // If the signal cannot be caught, the process ends by it, as it would have anyway.
        Self(Signals::new([SIGXFSZ]).ok())
    }

    /// An addition to an error message; empty unless a file has met the limit.
    pub fn hint(&mut self) -> &'static str {
        let met = self
            .0
            .as_mut()
            .is_some_and(|signals| signals.pending().next().is_some());
        if met { HINT } else { "" }
    }
}
