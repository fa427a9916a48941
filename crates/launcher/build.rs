//! Compiles the host executable, which must not contain `std` (see `host/main.rs`).
//!
//! A Cargo package cannot have one program that unwinds and one that does not, so the compiler is called here. The
//! result is put where Cargo puts programs, beside `mpiexec`, as `simurgh-host`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "host/main.rs";

/// The symbols that libraries find in the executable before they look elsewhere (`host/objects.rs`, `host/blocks.rs`).
const EXPORTS: [&str; 7] = [
    "_dl_find_object",
    "dl_iterate_phdr",
    "simurgh_host_interposed",
    "free",
    "realloc",
    "malloc_usable_size",
    "simurgh_host_blocks",
];

fn main() {
    println!("cargo:rerun-if-changed=host");
    println!("cargo:rerun-if-changed=build.rs");
    let out_dir = PathBuf::from(variable("OUT_DIR"));
    let host = out_dir.join("simurgh-host");
    compile(&host);
    // OUT_DIR is <programs>/build/<package>-<hash>/out.
    let programs = out_dir
        .ancestors()
        .nth(3)
        .expect("OUT_DIR lies in the folder of a profile");
    // The rename leaves a host that is running its file.
    let beside = programs.join(format!("simurgh-host.{}", std::process::id()));
    std::fs::copy(&host, &beside).expect("the folder of programs is writable");
    std::fs::rename(&beside, programs.join("simurgh-host")).expect("the folder of programs is writable");
    println!("cargo:rustc-env=SIMURGH_HOST={}", host.display());
    // Users preload tools that need libmpi_abi, and the loader looks for it in mpiexec, too. Only the old kind of run
    // path, DT_RPATH, applies to the needs of other libraries.
    println!("cargo:rustc-link-arg-bin=mpiexec=-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib");
    // The libraries that an installation contains.
    println!("cargo:rustc-link-arg-bin=simurgh=-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib/simurgh");
}

fn compile(host: &Path) {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition=2024", "--crate-name=simurgh_host", "--crate-type=bin"]);
    rustc.args(["-Copt-level=s", "-Cpanic=abort", "-Cstrip=symbols", "-Dwarnings"]);
    rustc.arg(format!("--target={}", variable("TARGET")));
    for name in EXPORTS {
        rustc.arg(format!("-Clink-arg=-Wl,--export-dynamic-symbol={name}"));
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let status = rustc
        .arg("-o")
        .arg(host)
        .arg(SOURCE)
        .status()
        .expect("the Rust compiler can be started");
    assert!(
        status.success(),
        "the host executable ({SOURCE}) does not compile"
    );
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"))
}
