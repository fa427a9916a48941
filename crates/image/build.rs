//! Compiles the per-rank shim (shim/*.c) into a shared object; the library embeds it.

use std::path::PathBuf;
use std::process::Command;

const FLAGS: [&str; 25] = [
    "-std=gnu11",
    "-Os",
    "-g0",
    "-Wall",
    "-Wextra",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-nostartfiles",
    // Nothing may be turned into a call of a library function, and thread-local variables must not need one.
    "-fvisibility=hidden",
    "-fno-builtin",
    "-ftls-model=initial-exec",
    "-fno-stack-protector",
    "-foptimize-sibling-calls",
    "-fcf-protection=none",
    "-fasynchronous-unwind-tables",
    "-U_FORTIFY_SOURCE",
    "-Wl,-Bsymbolic-functions",
    "-Wl,-z,norelro",
    // Each rank has two mappings of it, not four.
    "-Wl,-z,noseparate-code",
    "-Wl,-z,now",
    "-Wl,-z,defs",
    "-Wl,--build-id=sha1",
    "-Wl,--hash-style=gnu",
    "-Wl,-soname,simurgh-shim.so",
];

/// The files whose variables every rank writes as it starts. The variables of files are laid out in the order of the
/// files, so these are on one page of the rank's own; most ranks never touch the next one. The table comes first: it is
/// aligned to a page, so that the others do not move to the next one when the code grows.
const FIRST: [&str; 5] = ["table.c", "signal_thread.c", "standard.c", "start.c", "stdio.c"];

fn main() {
    println!("cargo:rerun-if-changed=shim");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let target = out.join("simurgh-shim.so");
    let mut sources: Vec<PathBuf> = std::fs::read_dir("shim")
        .expect("the folder shim")
        .map(|entry| entry.expect("an entry of the folder shim").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    let place = |path: &PathBuf| FIRST.iter().position(|first| path.ends_with(first));
    sources.sort_by_key(|path| (place(path).unwrap_or(FIRST.len()), path.clone()));
    let compiler = cc::Build::new().get_compiler();
    let status = Command::new(compiler.path())
        .args(FLAGS)
        .arg("-o")
        .arg(&target)
        .args(&sources)
        .status()
        .expect("start the C compiler (apt install gcc)");
    assert!(
        status.success(),
        "the C compiler could not build the per-rank shim"
    );
}
