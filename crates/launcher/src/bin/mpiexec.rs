//! Runs MPI programs; also installed as `mpirun`.

use simurgh_launcher::args::{self, Request};
use simurgh_launcher::error::LaunchError;
use simurgh_launcher::{VERSION, start};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let tool = name(words.next());
    match launch(&tool, words) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("{tool}: {error}");
            ExitCode::from(error.status())
        }
    }
}

fn launch(tool: &str, words: impl Iterator<Item = OsString>) -> Result<u8, LaunchError> {
    match args::parse(words, |name| std::env::var_os(name))? {
        Request::Run(run) => return start::run(*run),
        Request::Help => print!("{}", args::help(tool)),
        Request::Version => println!("{tool} (Simurgh) {VERSION}"),
    }
    Ok(0)
}

/// The name by which the tool was called.
fn name(argv0: Option<OsString>) -> String {
    let name = argv0.as_deref().and_then(|path| Path::new(path).file_name());
    name.map_or_else(
        || "mpiexec".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}
