//! From a command line to running hosts.

use crate::args::Run;
use crate::describe::{PRELOAD, describe};
use crate::error::LaunchError;
use crate::fit::{self, Wanted};
use crate::installation::Installation;
use crate::prefix::Prefix;
use crate::supervise;
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use simurgh_net::control::Secret;
use simurgh_net::job::{self, Control, FD_VARIABLE, JobSpec, LIBRARY_VARIABLE};
use simurgh_net::transport::HostId;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// What libraries of the hosts are told, unless the user does: rxm of libfabric looks at connections that others want
/// to make every 10 ms only, in which the hosts wait for each other; now every 100 us.
const DEFAULTS: [(&str, &str); 1] = [("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100")];

/// Runs a job to its end; the status is the launcher's.
pub fn run(run: Run) -> Result<u8, LaunchError> {
    let installation = Installation::of_this_tool()?;
    let library = installation.library()?;
    let spec = describe(&run)?;
    let reservation = fit::reservation(&wanted(&spec))?;
    let host = installation.host()?;
    let patched = reservation.map(|need| patched_copy(&host, need)).transpose()?;
    let starter = Starter {
        executable: patched.as_ref().map_or(host, path_of),
        library,
        wiring: Wiring::of(&spec, &run.host_wrapper)?,
        prefix: run.host_wrapper,
        spec,
    };
    supervise::supervise(&starter)
}

/// What is needed to start the hosts of a job.
pub(crate) struct Starter {
    spec: JobSpec,
    executable: PathBuf,
    library: PathBuf,
    prefix: Prefix,
    wiring: Option<Wiring>,
}

/// What hosts share that find each other; a single host that mpiexec itself starts needs nothing of it.
struct Wiring {
    secret: Secret,
    /// The file whose lock a host holds while it writes output.
    output: OwnedFd,
}

impl Starter {
    /// The job.
    pub(crate) fn spec(&self) -> &JobSpec {
        &self.spec
    }

    /// What the hosts are started through.
    pub(crate) fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The secret that hosts have to show; none if they need not report.
    pub(crate) fn secret(&self) -> Option<&Secret> {
        self.wiring.as_ref().map(|wiring| &wiring.secret)
    }

    /// Starts a host, with its end of its channel if it has to report.
    ///
    /// No other thread may start processes meanwhile: descriptors are made to survive `exec` for this host alone.
    pub(crate) fn start(&self, host: HostId, channel: Option<OwnedFd>) -> Result<Child, LaunchError> {
        let mut spec = self.spec.clone();
        spec.host = host;
        if let (Some(wiring), Some(channel)) = (&self.wiring, &channel) {
            inherit(channel, true)?;
            inherit(&wiring.output, true)?;
            spec.control = Some(Control {
                channel: channel.as_raw_fd(),
                output: wiring.output.as_raw_fd(),
                secret: wiring.secret.clone(),
            });
        }
        if self.prefix.is_given() {
            // Whatever stands between may be the host's parent; the channel tells of our end.
            spec.parent = None;
        }
        spec.validate()?;
        let description = job::seal(&spec)?;
        let mut command = self.prefix.command(host, &self.executable);
        command
            .env_remove(PRELOAD)
            .env(LIBRARY_VARIABLE, &self.library)
            .env(FD_VARIABLE, description.as_raw_fd().to_string());
        if self.wiring.is_some() {
            let unset = |(name, _): &(&str, _)| std::env::var_os(name).is_none();
            command.envs(DEFAULTS.into_iter().filter(unset));
        }
        if spec.ranks().first > 0 {
            // Only rank 0 reads.
            command.stdin(Stdio::null());
        }
        let child = command.spawn().map_err(|source| LaunchError::Start {
            host: command.get_program().into(),
            source,
        })?;
        if let Some(wiring) = &self.wiring {
            inherit(&wiring.output, false)?;
        }
        Ok(child)
    }
}

impl Wiring {
    fn of(spec: &JobSpec, prefix: &Prefix) -> Result<Option<Self>, LaunchError> {
        if spec.hosts.len() == 1 && !prefix.is_given() {
            return Ok(None);
        }
        let output = rustix::fs::memfd_create("simurgh-output", MemfdFlags::CLOEXEC);
        Ok(Some(Self {
            secret: Secret::random().map_err(LaunchError::Supervise)?,
            output: output.map_err(|error| LaunchError::Supervise(error.into()))?,
        }))
    }
}

/// Decides whether a descriptor survives `exec`.
fn inherit(fd: impl AsFd, inherited: bool) -> Result<(), LaunchError> {
    let flags = if inherited {
        FdFlags::empty()
    } else {
        FdFlags::CLOEXEC
    };
    rustix::io::fcntl_setfd(fd, flags).map_err(|error| LaunchError::Supervise(error.into()))
}

/// The programs of a job, each with its libraries.
fn wanted(spec: &JobSpec) -> Vec<Wanted<'_>> {
    let libraries = |preload: &[job::Text]| {
        preload
            .iter()
            .map(|library| library.as_path().to_path_buf())
            .collect()
    };
    spec.sections
        .iter()
        .map(|section| Wanted {
            program: section.program.as_path(),
            preload: libraries(&section.preload),
        })
        .collect()
}

/// The host with a larger room for thread-local storage, in a memory file that only this process can reach.
fn patched_copy(host: &Path, need: simurgh_image::TlsNeed) -> Result<File, LaunchError> {
    let start = |source| LaunchError::Start {
        host: host.to_path_buf(),
        source,
    };
    let elf = std::fs::read(host).map_err(start)?;
    let elf = simurgh_image::reserve_tls(&elf, need)?;
    let copy =
        rustix::fs::memfd_create("simurgh-host", MemfdFlags::CLOEXEC).map_err(|error| start(error.into()))?;
    let mut copy = File::from(copy);
    copy.write_all(&elf).map_err(start)?;
    Ok(copy)
}

/// Where other processes find an open file of this one.
fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()))
}
