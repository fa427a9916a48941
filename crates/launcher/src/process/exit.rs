//! The end of a process, for other programs and for users.

use signal_hook::consts::SIGXFSZ;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The status of a process as a shell would report it: 128+N for signal N.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// The end of a process in words that follow its name.
pub(crate) fn exit_words(status: ExitStatus) -> String {
    match status.signal() {
        Some(SIGXFSZ) => {
            format!("was killed by signal {SIGXFSZ}: a file has grown beyond the limit (ulimit -f)")
        }
        Some(signal) => format!("was killed by signal {signal}"),
        None => format!("ended with status {}", exit_code(status)),
    }
}
