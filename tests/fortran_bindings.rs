//! Every procedure of the three bindings of Fortran, with gfortran and flang, in both modes.
//!
//! The programs of `tests/fortran/bindings` are written for all bindings: they are compiled with `mpif.h`, with the
//! module `mpi`, and with `mpi_f08` for plain and for large counts. They are compiled together, as subroutines of one
//! program: most of a compiler's time goes into its start and the modules. Procedures with procedures of the program as
//! arguments have programs of their own (`fortran_callbacks.rs`). The symbols of the linker say whether the programs
//! together call all procedures of a binding.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fortran_callbacks;
use simurgh_mpifort_generator::model::{Procedure, Width};
use simurgh_mpifort_generator::procedures;
use simurgh_testing::{Binary, Compile, Input, LIMIT, Scratch, Stage, passed, run};

/// The programs.
const PROGRAMS: [&str; 18] = [
    "point_to_point",
    "completion",
    "status_queries",
    "buffers",
    "buffers_of_communicators",
    "collectives",
    "neighbors",
    "datatypes",
    "communicators",
    "topologies",
    "infos",
    "sessions",
    "partitioned",
    "windows",
    "environment",
    "files",
    "mpi5",
    "ports",
];

/// Programs that are written for one binding, some of which pass procedures to MPI.
const WITH_MPIF: [&str; 6] = [
    "mpif_attributes",
    "mpif_errhandlers",
    "mpif_files",
    "mpif_operations",
    "mpif_requests",
    "mpif_spawn",
];
const WITH_F08: [&str; 6] = [
    "f08_attributes",
    "f08_errhandlers",
    "f08_files",
    "f08_operations",
    "f08_requests",
    "f08_spawn",
];

/// A way to compile a program.
#[derive(Clone, Copy)]
struct Binding {
    definitions: &'static [&'static str],
    /// Further programs for it.
    others: &'static [&'static str],
    /// The symbols that a call of a procedure may refer to. There is none if the binding does not have the procedure.
    symbols: fn(&Procedure) -> Vec<String>,
}

const MPIF: Binding = Binding {
    definitions: &["-DMPIF_H"],
    others: &WITH_MPIF,
    symbols: |procedure| match procedure.bindings.mpif {
        true => vec![procedure.symbol()],
        false => Vec::new(),
    },
};

/// Programs with callbacks have the same symbols with the module as with the include file. MPI_Sizeof is that of
/// `mpi_f08`.
const MODULE: Binding = Binding {
    definitions: &["-DMPI_MODULE"],
    others: &WITH_MPIF,
    symbols: |procedure| match procedure.bindings.mpi {
        true if procedure.name == "Sizeof" => vec![procedure.specific().symbol],
        true => vec![procedure.symbol()],
        false => Vec::new(),
    },
};

const F08: Binding = Binding {
    definitions: &["-DF08"],
    others: &WITH_F08,
    symbols: |procedure| match procedure.bindings.f08 && !is_large(procedure) {
        true if procedure.specific().bind_c => symbols_in_f08(procedure),
        true => [symbols_in_f08(procedure), vec![procedure.symbol()]].concat(),
        false => Vec::new(),
    },
};

const LARGE: Binding = Binding {
    definitions: &["-DF08", "-DLARGE"],
    others: &WITH_F08,
    symbols: |procedure| match procedure.bindings.f08 && is_large(procedure) {
        true => symbols_in_f08(procedure),
        false => Vec::new(),
    },
};

/// The symbol of a procedure that is bound to C, or the one that compilers make of its name. What is in `mpif.h` as
/// well may be the same procedure.
fn symbols_in_f08(procedure: &Procedure) -> Vec<String> {
    let specific = procedure.specific();
    let made = format!("{}_", specific.name.to_lowercase());
    vec![specific.symbol, made]
}

fn is_large(procedure: &Procedure) -> bool {
    procedure.width == Width::Large
}

/// A compiler with a folder for its files.
struct Compiler {
    name: &'static str,
    scratch: Scratch,
}

impl Compiler {
    fn new(name: &'static str) -> Self {
        Compiler {
            name,
            scratch: Scratch::new("bindings"),
        }
    }

    /// The beginning of a compilation by the wrapper.
    fn compile(&self, source: impl AsRef<Path>) -> Compile {
        let modules = if self.name == "gfortran" {
            "-J"
        } else {
            "-module-dir"
        };
        let more: &[&str] = match self.name {
            "gfortran" => &["-ffree-line-length-none"],
            _ => &[],
        };
        Compile::by(Stage::locate().tool("mpifort"), source)
            .flags([&format!("-fc={}", self.name), modules])
            .flags([self.scratch.path()])
            // Optimisation would take half of the compilers' time. Other tests have programs that are optimised.
            .flags(["-O0"])
            .flags(more)
    }

    /// A program that is each of the programs for all bindings, by its argument.
    fn programs(&self, binding: Binding, common: &Path) -> Binary {
        let source = self.scratch.write("programs.F90", &as_subroutines());
        let socket = self.scratch.path().join("fortran_socket.o");
        Compile::c("tests/c/fortran_socket.c")
            .flags(["-O1", "-c", "-Wall", "-Wextra"])
            .output(&socket)
            .build();
        self.compile(source)
            .flags(binding.definitions)
            .source(common)
            .source(socket)
            .output(self.scratch.path().join("programs"))
            .build()
    }

    /// The common module of programs for a binding.
    fn common(&self, binding: Binding) -> PathBuf {
        let object = self.scratch.path().join("bindings.o");
        self.compile("tests/fortran/bindings/bindings.F90")
            .flags(["-c"])
            .flags(binding.definitions)
            .output(&object)
            .build();
        object
    }
}

/// The source of a program that has the programs as subroutines and calls the one that its argument names.
fn as_subroutines() -> String {
    let folder = Stage::workspace().join("tests/fortran/bindings");
    let each = |line: &dyn Fn(&str) -> String| PROGRAMS.map(line).concat();
    let included = each(&|name| {
        format!(
            "#include \"{}\"\n",
            folder.join(name).with_extension("F90").display()
        )
    });
    let cases = each(&|name| format!("  case ('{name}')\n    call {name}()\n"));
    format!(
        "\
#define program subroutine
{included}#undef program
program programs
  character(len=64) :: name
  call get_command_argument(1, name)
  select case (name)
{cases}  case default
    error stop 'no such program'
  end select
end program
"
    )
}

/// The symbols that a program takes from shared libraries.
fn symbols(program: &Path) -> BTreeSet<String> {
    let mut command = Command::new("nm");
    command
        .args(["--dynamic", "--undefined-only", "--format=posix"])
        .arg(program);
    let outcome = run(&mut command, Input::Empty, LIMIT).unwrap_or_else(|e| panic!("cannot run nm: {e}"));
    outcome.expect_success();
    let names = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split([' ', '@']).next());
    names.map(str::to_owned).collect()
}

fn passes(programs: &Binary, name: &str) {
    for mode in ["threads", "processes"] {
        let mpiexec = Stage::locate().mpiexec(4).vps(2).mode(mode);
        let outcome = mpiexec.args([name]).run(programs);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(4), "{name}, {mode}: {outcome}");
    }
}

/// Runs all programs, and looks whether they call all procedures.
fn every_procedure_is_called(compiler: &'static str, binding: Binding) {
    let compiler = Compiler::new(compiler);
    let common = compiler.common(binding);
    let programs = compiler.programs(binding, &common);
    PROGRAMS.iter().for_each(|name| passes(&programs, name));
    let mut called = symbols(programs.path());
    for name in binding.others {
        let program = fortran_callbacks::build(compiler.name, name, &[]);
        called.append(&mut symbols(program.path()));
    }
    let declarations = Stage::workspace().join("crates/mpi-abi/src/functions");
    let procedures = procedures(&declarations).expect("a model");
    let wanted = procedures
        .iter()
        .map(binding.symbols)
        .filter(|symbols| !symbols.is_empty());
    let wanted: Vec<Vec<String>> = wanted.collect();
    assert!(wanted.len() > 100, "{wanted:?}");
    let is_idle = |symbols: &&Vec<String>| symbols.iter().all(|symbol| !called.contains(symbol));
    let idle: Vec<_> = wanted.iter().filter(is_idle).collect();
    assert!(idle.is_empty(), "no program calls {idle:?}");
}

#[test]
fn gfortran_with_mpif_h() {
    every_procedure_is_called("gfortran", MPIF);
}

#[test]
fn gfortran_with_the_module_mpi() {
    every_procedure_is_called("gfortran", MODULE);
}

#[test]
fn gfortran_with_mpi_f08() {
    every_procedure_is_called("gfortran", F08);
}

#[test]
fn gfortran_with_large_counts() {
    every_procedure_is_called("gfortran", LARGE);
}

#[test]
fn flang_with_mpif_h() {
    every_procedure_is_called("flang-new-19", MPIF);
}

#[test]
fn flang_with_the_module_mpi() {
    every_procedure_is_called("flang-new-19", MODULE);
}

#[test]
fn flang_with_mpi_f08() {
    every_procedure_is_called("flang-new-19", F08);
}

#[test]
fn flang_with_large_counts() {
    every_procedure_is_called("flang-new-19", LARGE);
}
