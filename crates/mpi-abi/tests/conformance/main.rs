//! The header and the library agree with the standard's ABI.
//!
//! `standard.txt` lists the facts of the standard's ABI, and `beside.txt` those of what it leaves out. They are turned
//! into a C file of static assertions. The file is compiled with our headers and, where there are some, with reference
//! headers made by others (the variable `SIMURGH_REFERENCE_HEADER`, or PyPI's mpich package in a virtual environment
//! below `target/`), so that the facts are checked as well. The symbols of the library are compared with both.

mod assertions;
mod facts;
mod reference;
mod symbols;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use facts::Facts;

const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/mpi.h");
const REMOVED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/mpi_removed.h");
const SCRATCH: &str = env!("CARGO_TARGET_TMPDIR");

/// Compiles `source` without linking; fails with the compiler's messages.
fn compile(compiler: &str, name: &str, source: &str) {
    compile_with(&[], compiler, name, source);
}

/// The same with more options.
fn compile_with(options: &[String], compiler: &str, name: &str, source: &str) {
    let file = Path::new(SCRATCH).join(format!("{name}.c"));
    fs::write(&file, source).expect("the scratch folder is writable");
    let output = Command::new(compiler)
        .args(["-std=gnu11", "-Wall", "-Werror", "-fsyntax-only"])
        .args(options)
        .arg(&file)
        .output()
        .unwrap_or_else(|error| panic!("{compiler} cannot be started: {error}; install a C compiler"));
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{} does not hold:\n{report}",
        file.display()
    );
}

fn compiler() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// The functions that our headers declare.
fn declared() -> BTreeSet<String> {
    let headers = [HEADER, REMOVED].map(|header| symbols::declared(Path::new(header)));
    headers.into_iter().flatten().collect()
}

#[test]
fn our_header_declares_what_the_standard_declares() {
    let facts = Facts::all();
    let declared = declared();
    let foreign: Vec<_> = declared
        .iter()
        .filter(|name| !facts.functions.contains_key(*name))
        .collect();
    assert!(
        foreign.is_empty(),
        "the standard has no such functions: {foreign:?}"
    );
    compile(
        &compiler(),
        "ours",
        &assertions::source(&facts, HEADER, &declared),
    );
}

#[test]
fn our_header_is_accepted_by_cxx_and_old_c() {
    let file = Path::new(SCRATCH).join("include.cc");
    fs::write(
        &file,
        format!("#include \"{HEADER}\"\nint main() {{ return MPI_COMM_WORLD == MPI_COMM_NULL; }}\n"),
    )
    .expect("the scratch folder is writable");
    for options in [
        &["-x", "c++", "-std=c++98"][..],
        &["-x", "c++", "-std=c++20"],
        &["-x", "c", "-std=gnu90"],
    ] {
        let status = Command::new(compiler())
            .args(options)
            .args(["-Wall", "-Werror", "-fsyntax-only"])
            .arg(&file)
            .status();
        assert!(status.expect("a compiler is installed").success(), "{options:?}");
    }
}

/// Programs that ask for nothing else see the ABI and the conversion functions.
#[test]
fn what_was_removed_can_be_left_out() {
    let kept = symbols::declared(Path::new(HEADER));
    assert!(kept.contains("MPI_Attr_get") && !kept.contains("MPI_Type_struct"));
    let mut source =
        format!("#define MPI_NO_REMOVED\n#include \"{HEADER}\"\ntypedef double MPI_Handler_function;\n");
    for name in symbols::declared(Path::new(REMOVED)) {
        source.push_str(&format!("double {name}, P{name};\n"));
    }
    compile(&compiler(), "without_removed", &source);
}

#[test]
fn the_facts_are_those_of_the_reference_header() {
    let facts = Facts::standard();
    let Some(reference) = reference::header() else {
        println!(
            "not checked: no reference header here; set SIMURGH_REFERENCE_HEADER to an mpi.h of the standard ABI"
        );
        return;
    };
    println!("reference header: {}", reference.display());
    let all = facts.functions.keys().cloned().collect();
    compile(
        &compiler(),
        "reference",
        &assertions::source(&facts, &reference.display().to_string(), &all),
    );
    let declared = symbols::declared(&reference);
    let unlisted: Vec<_> = declared
        .difference(&all)
        .filter(|name| !name.starts_with("MPIX_"))
        .collect();
    assert!(unlisted.is_empty(), "standard.txt lacks {unlisted:?}");

    // Each implementation chooses the types and values that the ABI leaves out.
    let beside = Facts {
        functions: Facts::beside().functions,
        ..Facts::default()
    };
    let all = beside.functions.keys().cloned().collect();
    let folder = reference.parent().expect("a file is in a folder");
    compile_with(
        &[format!("-I{}", folder.display())],
        &compiler(),
        "reference_beside",
        &assertions::source(&beside, "mpi.h", &all),
    );
}

#[test]
fn the_library_exports_each_function_weak_and_strong_and_nothing_else() {
    let facts = Facts::all();
    let library = symbols::library();
    assert_eq!(library.soname, "libmpi_abi.so.1");

    let declared = declared();
    let exported: BTreeSet<_> = library.functions().into_iter().collect();
    assert_eq!(
        exported, declared,
        "the library and the header have the same functions"
    );
    for name in &exported {
        let (weak, strong) = (&library.symbols[name], &library.symbols[&format!("P{name}")]);
        assert!(weak.weak, "{name} is weak");
        assert!(!strong.weak, "P{name} is strong");
        assert_eq!(
            weak.address, strong.address,
            "{name} and P{name} are one function"
        );
    }
    let leaked: Vec<_> = library
        .others()
        .into_iter()
        .filter(|name| name != "simurgh_host_main")
        .collect();
    assert!(leaked.is_empty(), "symbols that nobody should see: {leaked:?}");

    let absent: Vec<_> = facts
        .functions
        .keys()
        .filter(|name| !exported.contains(*name))
        .cloned()
        .collect();
    println!(
        "{} of {} functions of the standard are present",
        exported.len(),
        facts.functions.len()
    );
    println!("absent: {}", absent.join(" "));
}
