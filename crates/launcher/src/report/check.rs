//! The output of `simurgh check`: whether a program can run, and if not, why and what to do.

use crate::error::LaunchError;
use simurgh_image::{Fit, MpiLink, Program};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The verdict on one program.
#[derive(Debug)]
pub struct Verdict {
    /// Whether it can run.
    pub fits: bool,
    /// The verdict in words.
    pub text: String,
}

/// Checks a program with the libraries that `LD_PRELOAD` would put before its own.
///
/// # Errors
///
/// When the program cannot be read.
pub fn check(path: &Path, preload: &[PathBuf]) -> Result<Verdict, LaunchError> {
    let program = Program::open(path)?;
    let shown = path.display();
    if program.is_native() {
        let text = format!("{shown}: a Rust program, whose ranks are closures of its processes\n");
        return Ok(Verdict { fits: true, text });
    }
    Ok(match program.check(preload) {
        Ok(fit) => Verdict {
            fits: true,
            text: format!("{shown}: runs in threads mode\n{}", details(&fit)),
        },
        Err(reasons) => {
            let mut text = format!("{shown}: cannot run in threads mode\n");
            for reason in reasons {
                let _ = writeln!(text, "  {reason}");
            }
            Verdict { fits: false, text }
        }
    })
}

fn details(fit: &Fit) -> String {
    let mut text = String::new();
    let mpi = match &fit.links_mpi {
        MpiLink::None => "none: its ranks are processes, unless mpiexec is given --mode threads",
        _ => "the standard ABI",
    };
    let _ = writeln!(text, "  MPI: {mpi}");
    let _ = writeln!(
        text,
        "  thread-local storage: {} bytes, alignment {}",
        fit.tls.size, fit.tls.align
    );
    if fit.needs_exec_stack {
        let _ = writeln!(text, "  needs executable stacks");
    }
    for library in &fit.libraries {
        let owner = if library.private {
            "a copy for each rank"
        } else {
            "shared by all ranks"
        };
        let _ = writeln!(text, "  {}: {owner}", library.name);
    }
    text
}
