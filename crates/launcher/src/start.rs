//! From a command line to a running host.

use crate::args::{Run, SectionArgs};
use crate::error::LaunchError;
use crate::fit::{self, Wanted};
use crate::installation::Installation;
use crate::{preload, program, supervise};
use simurgh_net::job::{self, EnvChange, FD_VARIABLE, JobSpec, LIBRARY_VARIABLE, RankRange, Section, Text};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable whose libraries go into the ranks' programs.
const PRELOAD: &str = "LD_PRELOAD";

/// Runs a job to its end; the status is the launcher's.
pub fn run(run: Run) -> Result<u8, LaunchError> {
    let installation = Installation::of_this_tool()?;
    let library = installation.library()?;
    let spec = describe(&run)?;
    let wanted: Vec<Wanted<'_>> = spec
        .sections
        .iter()
        .map(|section| Wanted {
            program: section.program.as_path(),
            preload: section
                .preload
                .iter()
                .map(|library| library.as_path().to_path_buf())
                .collect(),
        })
        .collect();
    let reservation = fit::reservation(&wanted)?;
    let host = installation.host()?;
    let patched = reservation.map(|need| patched_copy(&host, need)).transpose()?;
    let fd = job::seal(&spec)?;
    let mut command = match &patched {
        Some(copy) => Command::new(format!("/proc/self/fd/{}", copy.as_raw_fd())),
        None => Command::new(&host),
    };
    command.arg0("simurgh-host").env_remove(PRELOAD);
    command
        .env(LIBRARY_VARIABLE, library)
        .env(FD_VARIABLE, fd.as_raw_fd().to_string());
    supervise::supervise(&mut command)
}

/// The job description of a command line.
fn describe(run: &Run) -> Result<JobSpec, LaunchError> {
    let wdir = working_directory(&run.sections)?;
    let sections: Vec<_> = run
        .sections
        .iter()
        .map(|args| section(args, &wdir))
        .collect::<Result<_, _>>()?;
    let mut spec = JobSpec {
        version: job::VERSION,
        sections,
        ranks: RankRange { first: 0, count: 0 },
        wdir: Some(text(wdir)?),
        settings: run.settings.clone(),
        parent: Some(std::process::id()),
    };
    spec.ranks.count = spec.total_ranks()?;
    spec.validate()?;
    Ok(spec)
}

fn section(args: &SectionArgs, wdir: &Path) -> Result<Section, LaunchError> {
    let (preloads, env): (Vec<_>, Vec<_>) = args
        .env
        .iter()
        .cloned()
        .partition(|change| change.name.as_os_str() == PRELOAD);
    let search = |name: &str| changed(&env, name).or_else(|| std::env::var_os(name));
    let preload = match changed(&preloads, PRELOAD).or_else(|| std::env::var_os(PRELOAD)) {
        Some(list) => preload::list(&list, search("LD_LIBRARY_PATH").as_deref(), wdir)?,
        None => Vec::new(),
    };
    let program = program::find(&args.command[0], wdir, search("PATH").as_deref())?;
    Ok(Section {
        program: text(program)?,
        argv: args.command.iter().cloned().map(text).collect::<Result<_, _>>()?,
        ranks: args.ranks,
        env,
        preload: preload.into_iter().map(text).collect::<Result<_, _>>()?,
    })
}

/// The value that a list of changes gives a variable.
fn changed(changes: &[EnvChange], name: &str) -> Option<OsString> {
    let last = changes
        .iter()
        .rev()
        .find(|change| change.name.as_os_str() == name)?;
    last.value.as_ref().map(|value| value.as_os_str().to_owned())
}

/// The one working directory of the job.
fn working_directory(sections: &[SectionArgs]) -> Result<PathBuf, LaunchError> {
    let here = std::env::current_dir().map_err(|source| LaunchError::WorkingDirectory {
        directory: PathBuf::from("."),
        source,
    })?;
    let absolute = |section: &SectionArgs| {
        let directory = section
            .wdir
            .as_ref()
            .map_or_else(|| here.clone(), |wdir| here.join(wdir));
        std::fs::canonicalize(&directory)
            .map_err(|source| LaunchError::WorkingDirectory { directory, source })
    };
    let directories: Vec<_> = sections.iter().map(absolute).collect::<Result<_, _>>()?;
    match directories.iter().find(|directory| **directory != directories[0]) {
        Some(second) => Err(LaunchError::WorkingDirectories {
            first: directories[0].clone(),
            second: second.clone(),
        }),
        None => Ok(directories.into_iter().next().unwrap_or(here)),
    }
}

/// The host with a larger room for thread-local storage, in a memory file that only this process can reach.
fn patched_copy(host: &Path, need: simurgh_image::TlsNeed) -> Result<File, LaunchError> {
    let start = |source| LaunchError::Start {
        host: host.to_path_buf(),
        source,
    };
    let elf = std::fs::read(host).map_err(start)?;
    let elf = simurgh_image::reserve_tls(&elf, need)?;
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    let copy = rustix::fs::memfd_create("simurgh-host", flags).map_err(|error| start(error.into()))?;
    let mut copy = File::from(copy);
    copy.write_all(&elf).map_err(start)?;
    Ok(copy)
}

fn text(value: impl AsRef<OsStr>) -> Result<Text, LaunchError> {
    let value = value.as_ref();
    Text::new(value).ok_or_else(|| LaunchError::Nul {
        text: value.to_string_lossy().into_owned(),
    })
}
