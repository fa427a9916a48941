//! Starting an `mpiexec` that takes over this running process as its job.
//!
//! It is the `mpiexec` of the installation that this library belongs to. It inherits the streams of the process, but
//! its standard input is its end of the channel. It is not a child of the process, which may wait for children of its
//! own.

use super::control::Control;
use super::description::own_job;
use super::error::HostError;
use super::mappings;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::FdFlags;
use simurgh_image::number_in_proc;
use simurgh_net::auth::Secret;
use simurgh_net::control::{Channel, ControlError, FromHost, Hello, Received, ToHost, VERSION};
use simurgh_net::job::{self, JobSpec, TAKE_OVER};
use simurgh_net::transport::shared_memory;
use simurgh_settings::Values;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Lets an `mpiexec` take this process over, as the only one of a job with these settings and this secret. Called once.
pub(super) fn begin(settings: Values, secret: &Secret) -> Result<(JobSpec, &'static Control), HostError> {
    let mpiexec = mpiexec()?;
    let output = job::output_lock().map_err(HostError::system("making a memory file"))?;
    let (channel, end) = Channel::pair()?;
    let memory = shared_memory(1)?;
    let spec = JobSpec {
        control: Some(job::Control {
            channel: channel.as_fd().as_raw_fd(),
            output: output.as_raw_fd(),
            memory: Some(memory.as_raw_fd()),
            secret: secret.clone(),
            processors: job::processors(),
        }),
        parent: Some(std::process::id()),
        ..own_job(0, &[0], settings).map_err(HostError::system("describing this process"))?
    };
    let description = job::seal(&spec)?;
    rustix::io::fcntl_setfd(&description, FdFlags::CLOEXEC)
        .map_err(HostError::system("making a memory file"))?;
    start(&mpiexec, &description, end).map_err(HostError::system("starting mpiexec"))?;
    simurgh_core::while_blocked(|| introduce(&channel, secret))?;
    let control = Control {
        channel,
        memory: Some(memory),
        secret: secret.clone(),
    };
    Ok((spec, control.begin(&output)?))
}

/// The `mpiexec` beside this library.
fn mpiexec() -> Result<PathBuf, HostError> {
    let library = own_library().map_err(HostError::system("finding this library"))?;
    let bin = library.ancestors().nth(2).unwrap_or(Path::new("/")).join("bin");
    let mpiexec = bin.join("mpiexec");
    match mpiexec.is_file() {
        true => Ok(mpiexec),
        false => Err(HostError::NoLauncher { place: bin }),
    }
}

/// The file that the code of this library has been loaded from.
fn own_library() -> io::Result<PathBuf> {
    let own = own_library as fn() -> io::Result<PathBuf> as usize;
    let maps = mappings::read()?;
    let file = mappings::holding(&maps, own).and_then(|mapping| mapping.file);
    file.map(Path::to_owned)
        .ok_or_else(|| io::Error::other("it is in no file"))
}

/// Starts `mpiexec` with the description of the job and this end of the channel.
fn start(mpiexec: &Path, description: &OwnedFd, end: OwnedFd) -> io::Result<()> {
    let (process, number) = (number_in_proc(), description.as_raw_fd());
    let mut command = Command::new(mpiexec);
    command
        .arg(format!("{TAKE_OVER}/proc/{process}/fd/{number}"))
        .stdin(Stdio::from(end));
    // SAFETY:
    // - the function makes system calls only, as it has to between `fork` and `exec`.
    unsafe { command.pre_exec(detach) };
    // The child in between has ended by now. The program may have waited for it, if it waits for any child.
    let _ = command.spawn()?.wait();
    Ok(())
}

/// Makes the calling process, which is about to execute another program, a child of nobody (a second `fork`).
fn detach() -> io::Result<()> {
    // SAFETY:
    // - the process has one thread; it and its child go on with nothing that another thread could have been using.
    // - the program may ignore the ends of its children, which who supervises processes must not.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(()),
            _ => libc::_exit(0),
        }
    }
}

/// Says hello to the launcher, and waits until it has taken this process over.
fn introduce(channel: &Channel, secret: &Secret) -> Result<(), HostError> {
    let hello = FromHost::Hello(Hello {
        version: VERSION,
        secret: secret.clone(),
        host: 0,
        addresses: Vec::new(),
    });
    channel.send(&hello).map_err(|_| HostError::TakeoverFailed)?;
    loop {
        match channel.receive_from_launcher() {
            Ok(Some(Received {
                message: ToHost::Go, ..
            })) => return Ok(()),
            Ok(Some(_)) => {}
            // An interrupted wait is repeated.
            Ok(None) => drop(poll(&mut [PollFd::new(channel, PollFlags::IN)], None)),
            Err(ControlError::Closed) => return Err(HostError::TakeoverFailed),
            Err(error) => return Err(error.into()),
        }
    }
}
