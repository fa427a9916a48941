//! Adopting an MPI singleton: a program that was started without `mpiexec` becomes the first world of a job.
//!
//! Such a program starts `mpiexec` when it asks for what only a launcher can do, such as spawning more processes (MPI
//! 5.0, section 11.10.2, singleton MPI initialization). The first word of the command line is the path of the job
//! description, beside which the open files of the process are found. The standard input is the launcher's end of the
//! control channel. Spawned programs start beside the singleton, and the job goes on and ends as if `mpiexec` had
//! started it. Only the exit status of the singleton is not known.

use crate::args::stack_limit;
use crate::describe::settled;
use crate::error::LaunchError;
use crate::hosts::{SharedMemories, SharedResources, Singleton, Starter};
use crate::supervise::{FirstHosts, supervise};
use simurgh_net::control::Channel;
use simurgh_net::job::{self, TAKE_OVER};
use simurgh_settings::{Id, Origin};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The path of the job description, if the command line asks for adopting a singleton.
pub fn wanted(words: &[OsString]) -> Option<PathBuf> {
    let place = words.first()?.to_str()?.strip_prefix(TAKE_OVER)?;
    Some(PathBuf::from(place))
}

/// Adopts the singleton with this job description, and runs the job to its end; the status is the launcher's.
///
/// # Errors
///
/// When the process has ended, or the description is not that of a singleton.
pub fn run(description: &Path) -> Result<u8, LaunchError> {
    let mut spec = job::unseal(open(description)?.into())?;
    let (Some(control), Some(process)) = (spec.control.take(), spec.parent) else {
        return Err(LaunchError::Adopt {
            place: description.to_path_buf(),
            source: io::Error::other("no process has written it that runs"),
        });
    };
    // Beside the description: the process may have another number in /proc than this process knows.
    let file = |descriptor: i32| open(&description.with_file_name(descriptor.to_string()));
    let output = file(control.output)?;
    let memory = control.memory.map(file).transpose()?;
    let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0);
    let channel = Channel::inherited(channel.map_err(|error| LaunchError::Supervise(error.into()))?)?;
    // The parent of the processes that are to come.
    spec.parent = Some(std::process::id());
    spec.settings = settled(spec.settings)?;
    if !spec.settings.is_given(Id::StackSize) {
        spec.settings.set(Id::StackSize, stack_limit(), Origin::Preset)?;
    }
    let memories = SharedMemories::of_one(spec.host_in_universe(), memory.map(Into::into));
    let starter = Starter::of_running(
        spec,
        SharedResources::with(control.secret, output.into(), memories),
    )?;
    supervise(
        &starter,
        FirstHosts::Singleton(Singleton { process, channel }),
        None,
    )
}

fn open(place: &Path) -> Result<File, LaunchError> {
    let file = File::options().read(true).write(true).open(place);
    file.map_err(|source| LaunchError::Adopt {
        place: place.to_path_buf(),
        source,
    })
}
