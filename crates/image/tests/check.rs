//! Programs that cannot run in threads mode are refused with the reason and a remedy. For the others the check reports
//! what they need.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{folder, succeed};
use simurgh_image::{ImageError, MpiLink, Program, Reason, TlsNeed, reserve_tls};

fn build(name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let input = folder().join(format!("check-{name}.c"));
    let output = folder().join(format!("check-{name}"));
    std::fs::write(&input, text).unwrap();
    succeed(
        Command::new("gcc")
            .args(["-O1", "-w"])
            .arg(&input)
            .args(flags)
            .arg("-o")
            .arg(&output),
    );
    output
}

const MAIN: &str = "#include <stdio.h>\nint main(void) { puts(\"x\"); return 0; }\n";

fn reasons(program: &Path) -> Vec<Reason> {
    Program::open(program).unwrap().check(&[]).unwrap_err()
}

/// A library with this soname, in a folder of its own.
fn library(soname: &str) -> Vec<String> {
    let place = folder().join(format!("with-{soname}"));
    std::fs::create_dir_all(&place).unwrap();
    let input = place.join("empty.c");
    std::fs::write(&input, "int MPI_Init(void) { return 0; }").unwrap();
    let name = format!("-Wl,-soname,{soname}");
    succeed(
        Command::new("gcc")
            .args(["-shared", "-fPIC", &name])
            .arg(&input)
            .arg("-o")
            .arg(place.join(soname)),
    );
    vec![
        place.join(soname).display().to_string(),
        format!("-Wl,-rpath,{}", place.display()),
    ]
}

#[test]
fn unsuitable_programs_are_refused() {
    let fixed = build("fixed", MAIN, &["-no-pie"]);
    assert_eq!(reasons(&fixed), [Reason::NotPositionIndependent]);
    assert_eq!(reasons(&build("static", MAIN, &["-static"])), [Reason::Static]);
    assert_eq!(
        reasons(&build("static-pie", MAIN, &["-static-pie"])),
        [Reason::Static]
    );
    assert!(matches!(
        reasons(&build("profiled", MAIN, &["-pg"]))[..],
        [Reason::Profiled(_)]
    ));
    assert!(matches!(
        reasons(&build("asan", MAIN, &["-fsanitize=address"]))[0],
        Reason::Sanitizer(_)
    ));
    let allocator = "#include <argz.h>\nvoid *malloc(unsigned long n) { return (void *)n; }\n\
                     int main(void) { char *a = 0; size_t n = 0; return argz_add(&a, &n, \"x\"); }";
    assert!(matches!(
        &reasons(&build("allocator", allocator, &["-fno-builtin"]))[..],
        [Reason::OwnAllocator { function, .. }] if function == "argz_add"
    ));
    let aligned =
        "static __thread char a[8192] __attribute__((aligned(8192)));\nint main(void) { return a[5]; }";
    assert!(matches!(
        reasons(&build("aligned", aligned, &["-O0"]))[..],
        [Reason::TlsAlignment { align: 8192, .. }]
    ));
    let code = "extern int environ; int main(void)\n\
                { __asm__(\".pushsection .text; .quad main; .popsection\"); return environ; }";
    let text = build("textrel", code, &["-pie", "-Wl,-z,notext"]);
    assert!(matches!(reasons(&text)[..], [Reason::TextRelocations(_)]));
    let privileged = build("privileged", MAIN, &[]);
    std::fs::set_permissions(&privileged, PermissionsExt::from_mode(0o4755)).unwrap();
    assert_eq!(reasons(&privileged), [Reason::Privileged]);
}

#[test]
fn unknown_relocations_are_refused() {
    let code = ".data\\n.globl distance\\n.type distance,@object\\n.size distance,8\\n\
                distance: .quad environ - .\\n";
    let text = format!("__asm__(\"{code}\");");
    let library = build("libdistance.so", &text, &["-shared", "-fPIC"]);
    let library = library.display().to_string();
    let text = "extern long distance; int main(void) { return distance != 0; }";
    let program = build("distance", text, &[&library]);
    // R_X86_64_PC64
    assert!(
        matches!(&reasons(&program)[..], [Reason::Relocation { object, kind: 24 }] if object == "check-libdistance.so"),
        "{:?}",
        reasons(&program)
    );
}

#[test]
fn another_mpi_is_named() {
    for (soname, name) in [("libmpi.so.12", "MPICH"), ("libmpi.so.40", "Open MPI")] {
        let flags = library(soname);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let program = build(
            soname,
            "int MPI_Init(void); int main(void) { return MPI_Init(); }",
            &flags,
        );
        let reasons = reasons(&program);
        let text = reasons[0].to_string();
        assert!(
            text.contains(name) && text.contains(soname) && text.contains("-lmpi_abi"),
            "{text}"
        );
    }
}

#[test]
fn the_standard_mpi_is_recognised_and_never_copied() {
    let flags = library("libmpi_abi.so.1");
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let program = build(
        "abi",
        "int MPI_Init(void); int main(void) { return MPI_Init(); }",
        &flags,
    );
    let fit = Program::open(&program).unwrap().check(&[]).unwrap();
    assert!(matches!(fit.links_mpi, MpiLink::Abi(Some(_))), "{fit:?}");
    assert!(fit.libraries.iter().all(|library| !library.private), "{fit:?}");
    // Nor does it matter that it is missing: ours takes its place.
    std::fs::remove_file(flags[0]).unwrap();
    let fit = Program::open(&program).unwrap().check(&[]).unwrap();
    assert_eq!(fit.links_mpi, MpiLink::Abi(None));
}

#[test]
fn missing_libraries_are_named() {
    let flags = library("libgone.so.3");
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let program = build(
        "gone",
        "int MPI_Init(void); int main(void) { return MPI_Init(); }",
        &flags,
    );
    std::fs::remove_file(flags[0]).unwrap();
    assert_eq!(
        reasons(&program),
        [Reason::MissingLibrary("libgone.so.3".to_owned())]
    );
}

#[test]
fn wrong_files_are_told_apart() {
    let file = |name: &str, bytes: &[u8], mode: u32| {
        let path = folder().join(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    };
    let open = |path: &Path| Program::open(path).unwrap_err();
    assert!(matches!(
        open(Path::new("/nonexistent/program")),
        ImageError::NotFound(_)
    ));
    assert!(matches!(open(Path::new("/usr")), ImageError::Directory(_)));
    assert!(matches!(
        open(&file("wrong-mode", b"\x7fELF", 0o644)),
        ImageError::NotExecutable(_)
    ));
    assert!(matches!(
        open(&file("wrong-empty", b"", 0o755)),
        ImageError::Empty(_)
    ));
    assert!(matches!(
        open(&file("wrong-text", b"hello", 0o755)),
        ImageError::NotElf(_)
    ));
    assert!(matches!(
        open(&file("wrong-elf", b"\x7fELF\x02\x01 and no more", 0o755)),
        ImageError::Damaged { .. }
    ));
    let script = open(&file("wrong-script", b"#! /bin/sh -e\necho\n", 0o755)).to_string();
    assert!(
        script.ends_with("is a script for /bin/sh -e, not a compiled program"),
        "{script}"
    );
}

#[test]
fn needs_are_stated() {
    let text = "static __thread char a[200000] __attribute__((aligned(1024)));\n\
                int main(int n) { a[n] = 1; return a[5]; }";
    let program = build("large", text, &[]);
    let fit = Program::open(&program).unwrap().check(&[]).unwrap();
    assert!(
        fit.tls.size >= 200_000 && fit.tls.size < 210_000 && fit.tls.align == 1024,
        "{fit:?}"
    );
    assert_eq!(fit.links_mpi, MpiLink::None);
    assert!(!fit.needs_exec_stack);
    let run = common::run(&program, 4, &[], &[]);
    assert_eq!(run.count("status 0"), 4, "{}", run.output);
}

#[test]
fn reservations_are_checked() {
    let need = TlsNeed {
        size: 100_000,
        align: 128,
    };
    assert!(reserve_tls(b"nonsense", need).is_err());
    // A program with initialised thread-local variables is no host.
    let host = build(
        "no-host",
        "static __thread int a = 5;\nint main(void) { return a; }",
        &["-O0"],
    );
    assert!(reserve_tls(&std::fs::read(host).unwrap(), need).is_err());
}
