//! The commands that start hosts, with their arguments and environment.

use super::{Starter, openmp};
use crate::error::LaunchError;
use crate::program::preload::PRELOAD;
use simurgh_net::HostId;
use simurgh_net::encoding::Text;
use simurgh_net::job::{JobSpec, LIBRARY_VARIABLE, Mode, Origin, Section};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells a program its rank, also one that does not use MPI.
const RANK: &str = "SIMURGH_RANK";
/// Tells a program the number of ranks, also one that does not use MPI.
const SIZE: &str = "SIMURGH_SIZE";

/// The directories in which the dynamic loader looks first.
const SEARCH: &str = "LD_LIBRARY_PATH";

/// Settings for libraries of the hosts and of programs, where the user has made none.
///
/// - The rxm provider of libfabric looks at incoming connections only every 10 ms, and hosts wait for each other
///   meanwhile. 100 us let them connect without that delay.
/// - rxm has 4096 receive buffers of 16 KiB for each endpoint. A quarter of them takes 100 MiB less per host, and
///   messages are received no slower.
/// - The run-time of gfortran keeps standard output in a buffer where that is a file. It passes each record on at once
///   to a pipe, which other launchers give to ranks. So nothing is lost, however a rank ends.
/// - The C library keeps 40 MiB of the stacks of threads that have ended, as for one program, which is five of 8 MiB.
///   The ranks of a host share them. 1 GiB of addresses saves most of them mapping a stack and the faults of its pages
///   when they start threads again and again. The pages of such a stack, but for a few, are given back when its thread
///   ends.
const DEFAULTS: [(&str, &str); 4] = [
    ("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=1073741824"),
    ("GFORTRAN_UNBUFFERED_PRECONNECTED", "y"),
    ("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100"),
    ("FI_OFI_RXM_MSG_RX_SIZE", "1024"),
];

impl Starter {
    /// The command that starts a host, without its job description.
    pub(super) fn command_of(&self, spec: &JobSpec) -> Result<Command, LaunchError> {
        let mut command = match (spec.mode_of(spec.host), spec.section_of(spec.ranks().first)) {
            (mode, Some(section)) if mode.starts_program() => {
                self.program_process(spec.host, &spec.sections[section])
            }
            _ => self.host_process(spec.host),
        };
        command.envs(self.defaults(spec)?);
        Ok(command)
    }

    /// The value of a variable in the environment of the hosts.
    fn variable(&self, name: &str) -> Option<OsString> {
        let Some(variables) = &self.environment else {
            return std::env::var_os(name);
        };
        let set = variables.iter().find(|(set, _)| set.as_os_str() == name);
        set.map(|(_, value)| value.as_os_str().to_owned())
    }

    /// The values of a variable in the programs of the job.
    fn values(&self, name: &str) -> Vec<OsString> {
        let inherited = self.variable(name);
        let of_program = |section: &Section| {
            let changes = section.env.iter().rev();
            let mut changes = changes.filter(|change| change.name.as_os_str() == name);
            match changes.next() {
                Some(change) => change.value.as_ref().map(|value| value.as_os_str().to_owned()),
                None => inherited.clone(),
            }
        };
        self.spec().sections.iter().filter_map(of_program).collect()
    }

    /// The variables that the user has not set, for libraries of the hosts and of ranks.
    fn defaults(&self, spec: &JobSpec) -> Result<Vec<(&'static str, &'static str)>, LaunchError> {
        let of_hosts = DEFAULTS
            .into_iter()
            .filter(|(name, _)| self.variable(name).is_none());
        let of_ranks = openmp::variables(self.placement.processors(spec)?, |name| self.values(name));
        Ok(of_hosts.chain(of_ranks.iter().copied()).collect())
    }

    /// A command that runs an executable in the environment of the job, through the host wrapper if there is one.
    fn command(&self, host: HostId, executable: &Path) -> Command {
        let Origin {
            realm, first_host, ..
        } = &self.spec().origin;
        let number = first_host + host;
        let mut command = self
            .wrapper
            .command(realm.local(number).unwrap_or(number), executable);
        if let Some(environment) = &self.environment {
            let pair =
                |(name, value): &(Text, Text)| (name.as_os_str().to_owned(), value.as_os_str().to_owned());
            command.env_clear().envs(environment.iter().map(pair));
        }
        command
    }

    /// The host executable, for ranks that are threads.
    fn host_process(&self, host: HostId) -> Command {
        let mut command = self.command(host, &self.executable);
        if !self.wrapper.is_given() {
            command.arg0("simurgh-host");
        }
        command.env_remove(PRELOAD).env(LIBRARY_VARIABLE, &self.library);
        command
    }

    /// The program itself, for a single rank that is a process, or for the ranks of a native program.
    fn program_process(&self, host: HostId, section: &Section) -> Command {
        let mut command = self.command(host, section.program.as_path());
        if let (false, Some(name)) = (self.wrapper.is_given(), section.argv.first()) {
            command.arg0(name.as_path());
        }
        command.args(section.argv.iter().skip(1).map(|argument| argument.as_path()));
        if let Some(wdir) = &section.wdir {
            command.current_dir(wdir.as_path());
        }
        let ranks: u32 = self.spec().hosts.iter().map(|host| host.ranks).sum();
        if section.mode == Mode::Processes {
            command
                .env(RANK, self.spec().ranks_of(host).first.to_string())
                .env(SIZE, ranks.to_string());
        }
        for change in &section.env {
            match &change.value {
                Some(value) => command.env(change.name.as_path(), value.as_path()),
                None => command.env_remove(change.name.as_path()),
            };
        }
        if !section.preload.is_empty() {
            command.env(
                PRELOAD,
                joined(section.preload.iter().map(|library| library.as_path().into())),
            );
        }
        self.prefer_own_runtime(&mut command);
        command
    }

    /// Puts the runtime of this installation before others that the program may have been linked with.
    fn prefer_own_runtime(&self, command: &mut Command) {
        let own = self.library.parent().map(Path::to_path_buf);
        let changed = command.get_envs().find(|(name, _)| *name == SEARCH);
        let others = match changed {
            Some((_, value)) => value.map(OsStr::to_owned),
            None if self.environment.is_some() => None,
            None => std::env::var_os(SEARCH),
        };
        // An empty list is left out: an empty path would be the working directory.
        let others = others.filter(|others| !others.is_empty());
        let others = others.iter().flat_map(std::env::split_paths);
        let search = joined(own.into_iter().chain(others));
        command.env(SEARCH, search);
    }
}

/// Paths as a list separated by colons. None has a colon in it: each comes from such a list, or from an installation.
fn joined(paths: impl IntoIterator<Item = PathBuf>) -> OsString {
    let paths: Vec<_> = paths.into_iter().map(PathBuf::into_os_string).collect();
    paths.join(OsStr::new(":"))
}
