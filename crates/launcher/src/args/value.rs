//! Values of options.

use super::table::Place;
use crate::error::ArgError;
use crate::nodes::{Launcher, NodesArgs};
use simurgh_net::encoding::Text;
use simurgh_net::job::{EnvChange, MAX_RANKS};
use simurgh_settings::placement::parse_processors;
use simurgh_settings::{BadValue, Kind};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// A value and its origin, for messages.
pub(super) struct Value<'a> {
    /// The option or environment variable.
    pub(super) origin: &'a str,
    /// Its value.
    pub(super) text: &'a OsStr,
}

impl Value<'_> {
    fn bad(&self, expected: impl Into<String>) -> ArgError {
        let value = self.text.to_string_lossy().into_owned();
        ArgError::BadValue(BadValue {
            origin: self.origin.to_owned(),
            value,
            expected: expected.into(),
        })
    }

    /// A number of ranks, at least 1.
    pub(super) fn ranks(&self) -> Result<u32, ArgError> {
        let kind = Kind::Count {
            least: 1,
            most: MAX_RANKS.into(),
        };
        let ranks = self.text.to_str().and_then(|text| kind.parse(text));
        ranks
            .and_then(|ranks| u32::try_from(ranks).ok())
            .ok_or_else(|| self.bad(kind.expected()))
    }

    /// Sets the value of an option that says where a job runs.
    pub(super) fn place(&self, place: Place, nodes: &mut NodesArgs) -> Result<(), ArgError> {
        let text = self.text.to_str().ok_or_else(|| self.bad("UTF-8"))?;
        let words = || text.split_whitespace().map(str::to_owned).collect();
        match place {
            Place::Hosts => nodes.hosts = Some(text.to_owned()),
            Place::File => nodes.file = Some(PathBuf::from(self.text)),
            Place::PerNode => nodes.per_node = Some(self.ranks()?),
            Place::Launcher => {
                let launcher = Launcher::named(text);
                nodes.launcher = launcher.ok_or_else(|| self.bad("auto, fork, ssh or slurm"))?;
            }
            Place::Command => nodes.command = words(),
            Place::Cpus => {
                let cpus = parse_processors(text);
                nodes.cpus = Some(cpus.ok_or_else(|| self.bad("a list of processors such as 0-3,6"))?);
            }
            Place::Width => nodes.width = Some(self.ranks()?),
        }
        Ok(())
    }

    /// `NAME=VALUE`, or `NAME` alone for the current value of the variable.
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
