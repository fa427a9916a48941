//! Generates the procedures, and compiles the shared library, which must not contain `std` (see `src/lib.rs`).
//!
//! A Cargo package cannot have one library that unwinds and one that does not, so the compiler is called here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use simurgh_mpifort_generator::{procedures, wrappers};

/// The declarations of the C functions, and the constants.
const ABI: &str = "../mpi-abi/src";

/// The files of constants that procedures need.
const CONSTANTS: [&str; 3] = ["values", "errors", "handles"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    for folder in ["functions", "constants"] {
        println!("cargo::rerun-if-changed={ABI}/{folder}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let functions = Path::new(ABI).join("functions");
    let model = procedures(&functions).unwrap_or_else(|error| panic!("{error}"));
    let constants: Vec<_> = CONSTANTS
        .iter()
        .flat_map(|file| {
            wrappers::constants(&Path::new(ABI).join("constants").join(file).with_extension("rs"))
        })
        .collect();
    let handles = wrappers::handles(&functions);
    for (file, text) in [
        ("procedures.rs", wrappers::procedures(&model)),
        ("foreign.rs", wrappers::foreign(&model, &handles, &constants)),
        ("sentinels.rs", wrappers::sentinels()),
        ("exports.map", EXPORTS.to_owned()),
    ] {
        fs::write(out.join(file), text).expect("OUT_DIR is writable");
    }
    compile(&out);
}

/// The weak names and the sentinels come from assembly, which rustc's own list of exports does not know: a second
/// script adds them. The sentinels must stay visible to the dynamic linker, which lets the program's variables take
/// their place.
const EXPORTS: &str = "{ global: MPI_*; PMPI_*; mpi_*; pmpi_*; local: *; };\n";

/// Compiles the shared library, and puts it where Cargo puts those that it makes: into the folder of the profile.
fn compile(out: &Path) {
    let library = out.join("libmpifort_abi.so");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args([
        "--edition=2024",
        "--crate-name=mpifort_abi",
        "--crate-type=cdylib",
    ]);
    rustc.args([
        "-Copt-level=3",
        "-Cpanic=abort",
        "-Ccodegen-units=1",
        "-Cdebuginfo=line-tables-only",
    ]);
    rustc.arg(format!("--target={}", variable("TARGET")));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    for argument in link_arguments(out) {
        rustc.arg(format!("-Clink-arg={argument}"));
    }
    let status = rustc.arg("-o").arg(&library).arg("src/lib.rs").status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "the shared library (src/lib.rs) does not compile: {status:?}"
    );
    // OUT_DIR is <programs>/build/<package>-<hash>/out.
    let programs = out
        .ancestors()
        .nth(3)
        .expect("OUT_DIR lies in the folder of a profile");
    // The rename leaves the file to programs that have it open.
    let beside = programs.join(format!("libmpifort_abi.so.{}", std::process::id()));
    fs::copy(&library, &beside).expect("the folder of programs is writable");
    fs::rename(&beside, programs.join("libmpifort_abi.so")).expect("the folder of programs is writable");
}

fn link_arguments(out: &Path) -> Vec<String> {
    let mut arguments = vec![
        "-Wl,-soname,libmpifort_abi.so.1".to_owned(),
        // The library lies beside the one that it needs; a program's own search path comes first.
        "-Wl,-rpath,$ORIGIN".to_owned(),
        format!("-Wl,--version-script={}", out.join("exports.map").display()),
        // Headers, constants and code keep their distances in the file: one mapping of it shows a rank all three.
        "-Wl,-z,separate-code".to_owned(),
        "-Wl,--no-as-needed".to_owned(),
        stand_in(out).display().to_string(),
        "-lc".to_owned(),
    ];
    // Only lld takes two scripts, and it is the default linker on x86-64; elsewhere it has to be asked for.
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch != "x86_64") {
        arguments.push("-fuse-ld=lld".to_owned());
    }
    arguments
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"))
}

/// An empty library with the name of the one that the procedures call, for the linker. Any implementation of the
/// standard ABI may take its place when the program starts.
fn stand_in(out: &Path) -> PathBuf {
    let (source, library) = (out.join("empty.c"), out.join("libmpi_abi.so"));
    fs::write(&source, "").expect("OUT_DIR is writable");
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(&compiler)
        .args(["-shared", "-nostdlib", "-Wl,-soname,libmpi_abi.so.1", "-o"])
        .args([&library, &source])
        .status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "{} cannot make a shared library: {status:?}",
        compiler.display()
    );
    library
}
