//! Link arguments of the shared library: its name, and which symbols it shows.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let script = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("exports.map");
    // The weak names come from assembly, which rustc's own list of exports does not know: a second script adds them.
    // Only lld takes two scripts, and it is the default linker on x86-64; elsewhere it has to be asked for.
    fs::write(
        &script,
        "{ global: MPI_*; PMPI_*; simurgh_host_main; local: *; };\n",
    )
    .expect("OUT_DIR is writable");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
    // Where an installation brings libraries along that a system may lack; only the old kind of run path holds for what
    // these need in turn.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--disable-new-dtags,-rpath,$ORIGIN/simurgh");
    println!(
        "cargo::rustc-cdylib-link-arg=-Wl,--version-script={}",
        script.display()
    );
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch != "x86_64") {
        println!("cargo::rustc-cdylib-link-arg=-fuse-ld=lld");
    }
}
