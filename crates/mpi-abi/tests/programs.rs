//! The C test programs of `tests/c`, run without mpiexec: each is rank 0 of 1.
//!
//! With many ranks they run in `tests/abi.rs` of the root package, against a staged installation.

use std::env;
use std::os::unix::fs::symlink;
use std::process::Command;

use simurgh_testing::{Binary, Compile, Input, LIMIT, Outcome, Scratch, Stage, run};

/// A tree with the library that was built with this test, and the committed header.
struct Tree {
    prefix: Scratch,
}

impl Tree {
    fn new() -> Self {
        let prefix = Scratch::new("abi");
        let test = env::current_exe().expect("a test knows its own path");
        let library = test.with_file_name("libmpi_abi.so");
        let lib = prefix.path().join("lib");
        std::fs::create_dir(&lib).expect("the scratch folder is writable");
        for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
            symlink(&library, lib.join(name)).expect("the scratch folder is writable");
        }
        symlink(Stage::workspace().join("include"), prefix.path().join("include")).expect("likewise");
        Self { prefix }
    }

    fn compile(&self, program: &str) -> Binary {
        let stage = Stage::at(self.prefix.path());
        let source = format!("tests/c/{program}.c");
        Compile::c(source)
            .flags(["-O1", "-Wall", "-Werror", "-pthread"])
            .against(&stage)
            .build()
    }

    fn run(&self, program: &Binary, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("LD_LIBRARY_PATH", self.prefix.path().join("lib"));
        run(&mut command, Input::Empty, LIMIT).expect("the program starts")
    }
}

fn passes(program: &str) {
    let tree = Tree::new();
    let outcome = tree.run(&tree.compile(program), &[]);
    outcome.expect_success();
    assert_eq!(outcome.stdout, "passed with 1 ranks\n", "{outcome}");
}

macro_rules! programs {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            passes(concat!("mpi_", stringify!($name)));
        }
    )*};
}

programs! {
    collectives
    communicators
    completion
    datatypes
    environment
    errors
    large
    matching
    modes
    operations
    threads
}

#[test]
fn the_default_handler_says_on_one_line_what_was_wrong() {
    let tree = Tree::new();
    let program = tree.compile("mpi_fatal");
    for (mistake, call, class, code) in [
        ("before", "MPI_Comm_size", "MPI_ERR_OTHER", 16),
        ("after", "MPI_Comm_size", "MPI_ERR_OTHER", 16),
        ("rank", "MPI_Send", "MPI_ERR_RANK", 6),
        ("tag", "MPI_Send", "MPI_ERR_TAG", 4),
        ("comm", "MPI_Send", "MPI_ERR_COMM", 5),
        ("count", "MPI_Send", "MPI_ERR_COUNT", 2),
        ("type", "MPI_Send", "MPI_ERR_TYPE", 3),
        ("truncate", "MPI_Recv", "MPI_ERR_TRUNCATE", 15),
    ] {
        let outcome = tree.run(&program, &[mistake]);
        outcome.expect_code(code).expect_stderr(class).expect_stderr(call);
        assert!(outcome.stderr.starts_with("simurgh: "), "{outcome}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome}");
    }
    tree.run(&program, &["abort"])
        .expect_code(7)
        .expect_stderr("MPI_Abort");
    tree.run(&program, &[]).expect_success();
}

/// A tool is a library that defines some `MPI_` functions and calls the `PMPI_` ones.
#[test]
fn a_tool_sees_the_calls_of_a_program() {
    let tree = Tree::new();
    let program = tree.compile("mpi_modes");
    let tool = Compile::c("tests/c/mpi_tool.c")
        .flags(["-shared", "-fPIC"])
        .against(&Stage::at(tree.prefix.path()))
        .output(tree.prefix.path().join("tool.so"))
        .build();
    let mut command = Command::new(&program);
    command
        .env("LD_LIBRARY_PATH", tree.prefix.path().join("lib"))
        .env("LD_PRELOAD", tool.path());
    let outcome = run(&mut command, Input::Empty, LIMIT).expect("the program starts");
    outcome.expect_success().expect_stderr("tool: rank 0 sent ");
}
