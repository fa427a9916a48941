//! Taking over a process that runs, as the job of a command line.
//!
//! A program that has been started without `mpiexec` starts one when it asks for what only a launcher can do, such as
//! more processes. Its first word says where the description of the job is, which names files that the process has
//! open; the standard input is the launcher's end of the channel. What the process asks for starts beside it, and all
//! goes on and ends as if `mpiexec` had started the process, but that nobody learns how that one ends.

use crate::args::stack_limit;
use crate::describe::settled;
use crate::error::LaunchError;
use crate::hosts::{Memories, SharedResources, Singleton, Starter};
use crate::supervise::{FirstHosts, supervise};
use simurgh_net::control::Channel;
use simurgh_net::job::{self, TAKE_OVER};
use simurgh_settings::{Id, Origin};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Where the description is of the job that is to be taken over, if that is wanted.
pub fn wanted(words: &[OsString]) -> Option<PathBuf> {
    let place = words.first()?.to_str()?.strip_prefix(TAKE_OVER)?;
    Some(PathBuf::from(place))
}

/// Takes over the process that has this description of its job, and runs the job to its end.
///
/// # Errors
///
/// When the process is gone, or is no such process.
pub fn run(description: &Path) -> Result<u8, LaunchError> {
    let mut spec = job::unseal(open(description)?.into())?;
    let (Some(control), Some(process)) = (spec.control.take(), spec.parent) else {
        return Err(LaunchError::Adopt {
            place: description.to_path_buf(),
            source: io::Error::other("no process has written it that runs"),
        });
    };
    // Beside the description: /proc may know the process by another number.
    let file = |descriptor: i32| open(&description.with_file_name(descriptor.to_string()));
    let output = file(control.output)?;
    let memory = control.memory.map(file).transpose()?;
    let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0);
    let channel = Channel::inherited(channel.map_err(|error| LaunchError::Supervise(error.into()))?)?;
    // That of the processes that are to come.
    spec.parent = Some(std::process::id());
    spec.settings = settled(spec.settings)?;
    if !spec.settings.is_given(Id::StackSize) {
        spec.settings.set(Id::StackSize, stack_limit(), Origin::Preset)?;
    }
    let memories = Memories::of_one(spec.host_in_universe(), memory.map(Into::into));
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
