//! The host wrapper: a command through which hosts are started, for example into network namespaces, under a debugger,
//! or bound to memory.

use simurgh_net::HostId;
use simurgh_net::encoding::Text;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::Command;

/// The placeholder for the number of the host.
const NUMBER: &[u8] = b"{host}";

/// The words before the command of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostWrapper(Vec<OsString>);

impl HostWrapper {
    /// The words of a text, separated by spaces.
    pub fn new(text: &OsStr) -> Self {
        let words = text.as_bytes().split(u8::is_ascii_whitespace);
        Self(
            words
                .filter(|word| !word.is_empty())
                .map(|word| OsString::from_vec(word.to_vec()))
                .collect(),
        )
    }

    /// Whether there is a wrapper.
    pub fn is_given(&self) -> bool {
        !self.0.is_empty()
    }

    /// A wrapper of these words.
    pub(crate) fn of(words: Vec<OsString>) -> Self {
        Self(words)
    }

    /// Its words; none if one of them has a NUL byte.
    pub(crate) fn texts(&self) -> Option<Vec<Text>> {
        self.0.iter().map(Text::new).collect()
    }

    /// The command that starts a host.
    pub(crate) fn command(&self, host: HostId, executable: &Path) -> Command {
        let words: Vec<_> = self.0.iter().map(|word| numbered(word, host)).collect();
        match words.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(executable);
                command
            }
            None => Command::new(executable),
        }
    }
}

/// A word with the number of the host in the place of the placeholder.
fn numbered(word: &OsStr, host: HostId) -> OsString {
    let (mut rest, mut result) = (word.as_bytes(), Vec::new());
    while let Some(at) = rest.windows(NUMBER.len()).position(|window| window == NUMBER) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(host.to_string().as_bytes());
        rest = &rest[at + NUMBER.len()..];
    }
    result.extend_from_slice(rest);
    OsString::from_vec(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_gets_its_number() {
        let prefix = HostWrapper::new(OsStr::new(" ip netns exec h{host}  x{host}{host} "));
        let command = prefix.command(3, Path::new("/host"));
        let words: Vec<_> = std::iter::once(command.get_program())
            .chain(command.get_args())
            .collect();
        assert_eq!(words, ["ip", "netns", "exec", "h3", "x33", "/host"]);
        assert!(prefix.is_given() && !HostWrapper::new(OsStr::new(" ")).is_given());
    }
}
