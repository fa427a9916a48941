//! The C test programs of `tests/c` with their ranks on several hosts, over shared memory and over libfabric.

#[macro_use]
mod programs;

use simurgh_testing::{Compile, Stage};

fn passes(program: &str) {
    let stage = Stage::locate();
    let binary = Compile::c(format!("tests/c/mpi_{program}.c"))
        .flags(["-O1", "-Wall", "-Werror", "-pthread"])
        .against(&stage)
        .build();
    for (ranks, hosts, transport) in [(4, "2", "shm"), (9, "4", "shm"), (4, "2", "ofi")] {
        let mpiexec = stage.mpiexec(ranks);
        let outcome = mpiexec
            .options(["--hosts-per-node", hosts, "--transport", transport])
            .run(&binary);
        outcome.expect_success();
        let passed = format!("passed with {ranks} ranks\n");
        assert_eq!(outcome.stdout, passed, "{outcome}");
    }
}

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            passes(stringify!($name));
        }
    )*};
}

programs!(tests);
