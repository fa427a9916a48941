//! Values of options.

use super::{ArgError, Mode};
use simurgh_net::job::{EnvChange, Policy, Settings, Text};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// A value and where it comes from, for messages.
pub(super) struct Value<'a> {
    /// The option or environment variable.
    pub(super) origin: &'a str,
    /// Its value.
    pub(super) text: &'a OsStr,
}

impl Value<'_> {
    fn bad(&self, expected: impl Into<String>) -> ArgError {
        let value = self.text.to_string_lossy().into_owned();
        ArgError::BadValue {
            origin: self.origin.to_owned(),
            value,
            expected: expected.into(),
        }
    }

    fn str(&self) -> &str {
        self.text.to_str().unwrap_or("")
    }

    /// A number of things, at least one of them.
    pub(super) fn count(&self, what: &str, most: u32) -> Result<u32, ArgError> {
        match self.str().parse() {
            Ok(count) if (1..=most).contains(&count) => Ok(count),
            _ => Err(self.bad(format!("a number of {what} from 1 to {most}"))),
        }
    }

    /// Any unsigned number, decimal or hexadecimal.
    pub(super) fn number(&self) -> Result<u64, ArgError> {
        let text = self.str();
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        parsed.map_err(|_| self.bad("a number"))
    }

    /// A size in bytes with an optional unit.
    pub(super) fn stack_size(&self) -> Result<u64, ArgError> {
        let text = self.str().to_ascii_lowercase();
        let text = text.strip_suffix('b').unwrap_or(&text);
        let text = text.strip_suffix('i').unwrap_or(text);
        let digits = text.trim_end_matches(['k', 'm', 'g']);
        let shift = match &text[digits.len()..] {
            "" => 0,
            "k" => 10,
            "m" => 20,
            "g" => 30,
            _ => 64,
        };
        let size = digits
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(1u64.checked_shl(shift)?));
        match size {
            Some(size) if (Settings::MIN_STACK..=Settings::MAX_STACK).contains(&size) => Ok(size),
            _ => Err(self.bad("a size from 64K to 64G, such as 512K or 64M")),
        }
    }

    /// A time in seconds, as milliseconds.
    pub(super) fn milliseconds(&self) -> Result<u64, ArgError> {
        /// A year and more: a longer limit is a slip of the keyboard.
        const LONGEST: f64 = 1e8;
        let text = self.str();
        match text.strip_suffix('s').unwrap_or(text).parse::<f64>() {
            Ok(seconds) if (0.001..=LONGEST).contains(&seconds) => Ok((seconds * 1000.0) as u64),
            _ => Err(self.bad("a time in seconds, more than 0")),
        }
    }

    /// Whether an environment variable switches something on.
    pub(super) fn flag(&self) -> Result<bool, ArgError> {
        match self.str() {
            "1" | "yes" | "true" | "on" => Ok(true),
            "0" | "no" | "false" | "off" | "" => Ok(false),
            _ => Err(self.bad("0 or 1")),
        }
    }

    /// Threads or processes.
    pub(super) fn mode(&self) -> Result<Mode, ArgError> {
        match self.str() {
            "auto" => Ok(Mode::Auto),
            "threads" => Ok(Mode::Threads),
            _ => Err(self.bad("one of auto, threads")),
        }
    }

    /// A scheduling policy.
    pub(super) fn policy(&self) -> Result<Policy, ArgError> {
        match self.str() {
            "wq" => Ok(Policy::WorkQueue),
            _ => Err(self.bad("a scheduling policy: wq")),
        }
    }

    /// `NAME=VALUE`, or `NAME` alone: the variable as it is.
    pub(super) fn assignment(
        &self,
        current: impl Fn(&OsStr) -> Option<OsString>,
    ) -> Result<Option<EnvChange>, ArgError> {
        let bytes = self.text.as_bytes();
        match bytes.iter().position(|&b| b == b'=') {
            Some(at) => self
                .variable(
                    OsStr::from_bytes(&bytes[..at]),
                    OsStr::from_bytes(&bytes[at + 1..]),
                )
                .map(Some),
            None => match current(self.text) {
                Some(value) => self.variable(self.text, &value).map(Some),
                None => Ok(None),
            },
        }
    }

    /// A change of the environment.
    pub(super) fn variable(&self, name: &OsStr, value: &OsStr) -> Result<EnvChange, ArgError> {
        let valid = !name.is_empty() && !name.as_bytes().contains(&b'=');
        let text = |s: &OsStr| Text::new(OsString::from_vec(s.as_bytes().to_vec()));
        match (text(name), text(value)) {
            (Some(name), Some(value)) if valid => Ok(EnvChange {
                name,
                value: Some(value),
            }),
            _ => Err(self.bad("the name of an environment variable, with or without =VALUE")),
        }
    }
}
