//! How a process was started.

use crate::info::Info;
use std::path::PathBuf;

/// How the launcher has started a process; the processes of one program share it.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The number of the program among those of the job (the attribute `MPI_APPNUM`).
    pub application: u32,
    /// The executable, by absolute path.
    pub program: PathBuf,
    /// The arguments of the start, in the keys of `MPI_INFO_ENV`.
    pub info: Info,
}
