//! Starting the hosts of a job.

use super::binding::NodePlacement;
use super::resources::{SharedResources, inherit};
use super::{SharedMemories, memory_limit};
use crate::error::LaunchError;
use crate::host_wrapper::HostWrapper;
use crate::installation::Installation;
use crate::pmi::{PmiSocket, PmixService};
use crate::program::fit::{self, Wanted};
use rustix::fs::MemfdFlags;
use simurgh_image::number_in_proc;
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::encoding::Text;
use simurgh_net::job::{self, Control, FD_VARIABLE, JobSpec, Mode, OutputFiles};
use simurgh_settings::Id;
use std::cell::RefMut;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

/// Where the standard streams of a host lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streams {
    /// To the standard streams of this process.
    Inherited,
    /// To pipes, whose other ends this process has.
    Piped,
}

/// Everything that is needed to start the hosts of a job.
pub(crate) struct Starter {
    spec: JobSpec,
    pub(super) executable: PathBuf,
    pub(super) library: PathBuf,
    pub(super) wrapper: HostWrapper,
    shared: Rc<SharedResources>,
    /// The PMIx server, if there are programs of Open MPI.
    pmix: Option<PmixService>,
    /// Where ranks live on this node.
    pub(super) placement: NodePlacement,
    /// The executable, if it is a copy made for this job.
    _patched: Option<File>,
    /// The environment of the hosts, if it is not that of this process.
    pub(crate) environment: Option<Vec<(Text, Text)>>,
}

impl Starter {
    /// The starter of a job whose hosts show the secret.
    pub(crate) fn new(spec: JobSpec, wrapper: HostWrapper, secret: Secret) -> Result<Self, LaunchError> {
        Self::of(spec, wrapper, Rc::new(SharedResources::new(secret)?))
    }

    /// The starter of a job that runs already, and has these resources.
    pub(crate) fn of_running(spec: JobSpec, shared: SharedResources) -> Result<Self, LaunchError> {
        Self::of(spec, HostWrapper::default(), Rc::new(shared))
    }

    /// The starter of a job that ranks of this one have asked for.
    pub(crate) fn beside(&self, spec: JobSpec) -> Result<Self, LaunchError> {
        let mut starter = Self::of(spec, self.wrapper.clone(), Rc::clone(&self.shared))?;
        starter.environment = self.environment.clone();
        Ok(starter)
    }

    fn of(spec: JobSpec, wrapper: HostWrapper, shared: Rc<SharedResources>) -> Result<Self, LaunchError> {
        let installation = Installation::of_this_tool()?;
        let library = installation.library()?;
        let reservation = fit::reservation(&wanted_as_threads(&spec))?;
        let host = installation.host()?;
        let patched = reservation.map(|need| patched_copy(&host, need)).transpose()?;
        Ok(Self {
            executable: patched.as_ref().map_or(host, path_of),
            library,
            shared,
            wrapper,
            pmix: PmixService::of(&spec)?,
            spec,
            placement: NodePlacement::default(),
            _patched: patched,
            environment: None,
        })
    }

    /// The PMIx server, if there are programs of Open MPI.
    pub(crate) fn pmix(&self) -> Option<&PmixService> {
        self.pmix.as_ref()
    }

    /// The PMIx server, before the first host is started.
    pub(crate) fn pmix_mut(&mut self) -> Option<&mut PmixService> {
        self.pmix.as_mut()
    }

    /// The job.
    pub(crate) fn spec(&self) -> &JobSpec {
        &self.spec
    }

    /// The command through which the hosts are started.
    pub(crate) fn wrapper(&self) -> &HostWrapper {
        &self.wrapper
    }

    /// The secret that hosts have to show.
    pub(crate) fn secret(&self) -> &Secret {
        &self.shared.secret
    }

    /// The memory that hosts share, of this job and of those started beside it.
    pub(crate) fn memories(&self) -> RefMut<'_, SharedMemories> {
        self.shared.memories.borrow_mut()
    }

    /// Starts a host of the job, with `channel` as its end of the control channel. A program may be linked with another
    /// MPI, so every program is offered a socket for PMI; the launcher's end of it is returned.
    ///
    /// No other thread may start processes meanwhile: descriptors are made to survive `exec` for this host alone.
    ///
    /// # Errors
    ///
    /// When the job description is not valid, or the process cannot be started.
    pub(crate) fn start(
        &self,
        host: HostId,
        channel: &OwnedFd,
        streams: Streams,
    ) -> Result<(Child, Option<PmiSocket>), LaunchError> {
        let output = &self.shared.output;
        inherit(channel, true)?;
        inherit(output, true)?;
        let mut spec = self.spec_of(host);
        let memory = self.memories().of_node(&spec)?;
        memory.iter().try_for_each(|memory| inherit(memory, true))?;
        spec.control = Some(Control {
            channel: channel.as_raw_fd(),
            output: output.as_raw_fd(),
            memory: memory.as_ref().map(AsRawFd::as_raw_fd),
            secret: self.shared.secret.clone(),
            processors: self.shared.processors,
        });
        spec.validate()?;
        let description = job::seal(&spec)?;
        let mut command = self.command_of(&spec)?;
        command.env(FD_VARIABLE, description.as_raw_fd().to_string());
        let pmi = self.offer_pmi(&spec, &mut command)?;
        redirect(&spec, streams, &mut command)?;
        let bound = self.placement.bind(&spec)?;
        let child = command.spawn().map_err(|source| LaunchError::Start {
            host: command.get_program().into(),
            source,
        })?;
        drop(bound);
        memory_limit::set(&child, &spec)?;
        inherit(output, false)?;
        memory.iter().try_for_each(|memory| inherit(memory, false))?;
        Ok((child, pmi.map(|(socket, _)| socket)))
    }

    /// The job description as a host gets it.
    fn spec_of(&self, host: HostId) -> JobSpec {
        let mut spec = self.spec.clone();
        spec.host = host;
        if self.wrapper.is_given() || spec.mode_of(host).starts_program() {
            // Another process may stand between this one and the host, and be its parent. The host learns of the end of
            // this process by its channel instead.
            spec.parent = None;
        }
        spec
    }

    /// Offers PMI to a program: the launcher's end of the socket, and the program's. Where PMIx serves the job, the
    /// server writes to the program's end in its place.
    fn offer_pmi(
        &self,
        spec: &JobSpec,
        command: &mut Command,
    ) -> Result<Option<(PmiSocket, OwnedFd)>, LaunchError> {
        if spec.mode_of(spec.host) != Mode::Processes {
            return Ok(None);
        }
        let (own, end) = offer_pmi(spec, command)?;
        if let Some(pmix) = &self.pmix {
            let end = end.try_clone().map_err(LaunchError::Supervise)?;
            command.envs(pmix.admit(spec.ranks().first, end)?);
        }
        Ok(Some((own, end)))
    }

    /// The line that tells the user the processors of a host, if `--report-bindings` asks for it.
    pub(crate) fn report(&self, host: HostId) -> Result<Option<String>, LaunchError> {
        if !self.spec.settings.is_on(Id::ReportBindings) {
            return Ok(None);
        }
        let mut spec = self.spec.clone();
        spec.host = host;
        self.placement.report(&spec)
    }
}

/// Puts the socket for PMI into the environment of a program: the launcher's end, and the program's.
fn offer_pmi(spec: &JobSpec, command: &mut Command) -> Result<(PmiSocket, OwnedFd), LaunchError> {
    let (own, end) = PmiSocket::pair().map_err(|error| LaunchError::Supervise(error.into()))?;
    inherit(&end, true)?;
    let (place, on_node) = spec.place_on_node();
    let variables = [
        ("PMI_FD", end.as_raw_fd().to_string()),
        ("PMI_RANK", spec.ranks().first.to_string()),
        ("PMI_SIZE", spec.total_ranks()?.to_string()),
        // Programs of MPICH and Intel MPI look for these two.
        ("MPI_LOCALRANKID", place.to_string()),
        ("MPI_LOCALNRANKS", on_node.to_string()),
    ];
    command.env_remove("PMI_PORT").envs(variables);
    Ok((own, end))
}

/// Leads the standard streams of a host where they belong: to pipes, into files of `--output-dir`, or nowhere.
fn redirect(spec: &JobSpec, streams: Streams, command: &mut Command) -> Result<(), LaunchError> {
    if streams == Streams::Piped {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }
    let files = OutputFiles::of_host(spec).filter(|_| spec.mode_of(spec.host).starts_program());
    if let Some(files) = files {
        let made = files.create();
        let [output, errors] = made.map_err(|(path, source)| LaunchError::OutputFile { path, source })?;
        command.stdout(output).stderr(errors);
    }
    if spec.host > 0 || spec.origin.parent.is_some() {
        // Only rank 0 of the command line's job reads.
        command.stdin(Stdio::null());
    }
    Ok(())
}

/// The programs of a job that hosts are to load, each with its libraries.
fn wanted_as_threads(spec: &JobSpec) -> Vec<Wanted<'_>> {
    let libraries = |preload: &[Text]| {
        preload
            .iter()
            .map(|library| library.as_path().to_path_buf())
            .collect()
    };
    spec.sections
        .iter()
        .filter(|section| section.mode == Mode::Threads)
        .map(|section| Wanted {
            program: section.program.as_path(),
            preload: libraries(&section.preload),
        })
        .collect()
}

/// A copy of the host executable that reserves more thread-local storage. It is a memory file of this process.
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

/// The path by which other processes can execute an open file of this one.
fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/{}/fd/{}", number_in_proc(), file.as_raw_fd()))
}
