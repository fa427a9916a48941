//! A program compiled against another MPI's standard ABI, which has never seen our header, runs the same under both.
//!
//! `SIMURGH_REFERENCE_PREFIX` names that MPI's installation; `./x test` fetches MPICH from PyPI for it.

use std::path::PathBuf;

use simurgh_testing::{Binary, Compile, Mpiexec, Outcome, Scratch, Stage};

/// The other MPI, with its ABI header under the name that programs include.
struct Reference {
    prefix: PathBuf,
    headers: Scratch,
}

impl Reference {
    fn locate() -> Option<Self> {
        let Some(prefix) = std::env::var_os("SIMURGH_REFERENCE_PREFIX").map(PathBuf::from) else {
            eprintln!("not tested: SIMURGH_REFERENCE_PREFIX does not name another MPI");
            return None;
        };
        let headers = Scratch::new("reference");
        std::fs::copy(prefix.join("include/mpi_abi.h"), headers.path().join("mpi.h")).unwrap();
        Some(Reference { prefix, headers })
    }

    fn compile(&self, source: &str) -> Binary {
        Compile::c(source)
            .flags(["-O2".to_owned(), format!("-I{}", self.headers.path().display())])
            .libraries([
                format!("-L{}", self.prefix.join("lib").display()),
                "-lmpi_abi".into(),
                "-lm".into(),
            ])
            .build()
    }

    /// The other MPI's mpiexec, which yields when ranks outnumber cores.
    fn mpiexec(&self, ranks: usize) -> Mpiexec {
        Mpiexec::new(&self.prefix.join("bin/mpiexec.gforker"), ranks)
            .env("LD_LIBRARY_PATH", self.prefix.join("lib"))
            .env("MPIR_CVAR_DEVICE_COLLECTIVES", "none")
            .env("MPIR_CVAR_POLLS_BEFORE_YIELD", "1")
    }
}

fn lines_but_times(outcome: &Outcome) -> Vec<&str> {
    outcome
        .expect_success()
        .sorted_lines()
        .into_iter()
        .filter(|line| !line.starts_with("seconds"))
        .collect()
}

fn runs_alike(source: &str, ranks: usize, arguments: &[&str]) {
    let Some(reference) = Reference::locate() else {
        return;
    };
    let program = reference.compile(source);
    let theirs = reference.mpiexec(ranks).args(arguments).run(&program);
    let ours = Stage::locate().mpiexec(ranks).args(arguments).run(&program);
    assert_eq!(lines_but_times(&ours), lines_but_times(&theirs));
}

#[test]
fn hello() {
    runs_alike("benches/c/hello.c", 8, &[]);
}

#[test]
fn heat_conduction() {
    runs_alike("examples/heat2d.c", 4, &["-n", "100", "-s", "20"]);
}
