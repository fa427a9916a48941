//! The facts about their start that the processes of a job know.

use simurgh_mpi::{Info, Launch, Process};
use simurgh_net::encoding::Text;
use simurgh_net::job::{JobSpec, Section};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// Tells each process how it was started. The processes of one program share the record.
pub(super) fn tell(spec: &JobSpec, processes: &[Arc<Process>]) {
    let launches: Vec<_> = (0..)
        .zip(&spec.sections)
        .map(|(application, section)| {
            Arc::new(Launch {
                application,
                program: section.program.as_path().to_owned(),
                info: info(section),
            })
        })
        .collect();
    for process in processes {
        if let Some(launch) = spec
            .section_of(process.rank())
            .and_then(|section| launches.get(section))
        {
            process.set_launch(Arc::clone(launch));
        }
    }
}

/// The keys of `MPI_INFO_ENV` that the job description decides.
fn info(section: &Section) -> Info {
    let mut info = Info::new();
    let bytes = |text: &Text| text.as_path().as_os_str().as_bytes().to_vec();
    let argv: Vec<_> = section.argv.iter().map(bytes).collect();
    let wdir = section.wdir.as_ref().map(bytes).or_else(working_directory);
    let values = [
        ("command", argv.first().cloned()),
        ("argv", argv.get(1..).map(|rest| rest.join(&b' '))),
        ("maxprocs", Some(section.ranks.to_string().into_bytes())),
        ("wdir", wdir),
    ];
    for (key, value) in values {
        if let Some(value) = value {
            // A value that is too long for an info object is left out: part of a command line would be worse than none.
            let _ = info.set(key, value);
        }
    }
    info
}

fn working_directory() -> Option<Vec<u8>> {
    let path = std::env::current_dir().ok()?;
    Some(path.as_os_str().as_bytes().to_vec())
}
