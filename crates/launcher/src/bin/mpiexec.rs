//! Runs MPI programs; also installed as `mpirun`.

use simurgh_launcher::VERSION;
use simurgh_launcher::args::{self, Request};
use simurgh_launcher::error::LaunchError;
use simurgh_launcher::mpiexec::{self, singleton};
use simurgh_launcher::process::{FileLimit, monitor};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut limit = FileLimit::watch();
    let mut words = std::env::args_os();
    let tool = name(words.next());
    match launch(&tool, &words.collect::<Vec<_>>()) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            // If the standard error cannot be written, the status has to do.
            let _ = writeln!(std::io::stderr(), "{tool}: {error}{}", limit.hint());
            ExitCode::from(error.status())
        }
    }
}

fn launch(tool: &str, words: &[OsString]) -> Result<u8, LaunchError> {
    let behind = monitor::monitored(words)?;
    let said = behind.unwrap_or(words);
    if let Some(description) = singleton::wanted(said) {
        return match behind {
            Some(_) => singleton::run(&description),
            None => monitor(tool, words),
        };
    }
    match args::parse(said.iter().cloned(), |name| std::env::var_os(name))? {
        Request::Run(run) if behind.is_some() => return mpiexec::run(*run),
        Request::Run(_) => return monitor(tool, words),
        Request::Help => print!("{}", args::help(tool)),
        Request::Version => println!("{tool} (Simurgh) {VERSION}"),
    }
    Ok(0)
}

/// Monitors the process that supervises the job.
fn monitor(tool: &str, words: &[OsString]) -> Result<u8, LaunchError> {
    let role = format!("the process of {tool} that supervises the job");
    monitor::run(tool, &role, words)
}

/// The name by which the tool was called.
fn name(argv0: Option<OsString>) -> String {
    let name = argv0.as_deref().and_then(|path| Path::new(path).file_name());
    name.map_or_else(
        || "mpiexec".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}
