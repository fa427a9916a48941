//! A job description in a memory file.

use super::{JobError, JobSpec, MAX_BYTES};
use rustix::fs::{MemfdFlags, SealFlags};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::OwnedFd;

/// The environment variable with the number of the descriptor.
pub const FD_VARIABLE: &str = "SIMURGH_JOB_FD";

/// The environment variable with the path of the runtime, which the host's executable loads.
pub const LIBRARY_VARIABLE: &str = "SIMURGH_LIBRARY";

/// The beginning of the first argument of an `mpiexec` that a running process has started to be taken over by it. The
/// path of the description of the process's job follows. The standard input is the launcher's end of the channel.
pub const TAKE_OVER: &str = "--take-over=";

/// Makes the file whose lock the hosts of a node hold while they write output. Its descriptor does not survive `exec`.
pub fn output_lock() -> std::io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create("simurgh-output", MemfdFlags::CLOEXEC)?)
}

/// Writes a job description into a memory file that nobody can change afterwards. The descriptor survives `exec`.
pub fn seal(spec: &JobSpec) -> Result<OwnedFd, JobError> {
    let flags = MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(rustix::fs::memfd_create("simurgh-job", flags).map_err(std::io::Error::from)?);
    file.write_all(&spec.to_json())?;
    file.rewind()?;
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals).map_err(std::io::Error::from)?;
    Ok(file.into())
}

/// Reads and checks the job description in a descriptor made by [`seal`], and closes it.
pub fn unseal(fd: OwnedFd) -> Result<JobSpec, JobError> {
    let mut json = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    let mut file = File::from(fd);
    // Another process with this descriptor may have read it.
    file.rewind()?;
    file.take(limit).read_to_end(&mut json)?;
    JobSpec::parse(&json)
}
