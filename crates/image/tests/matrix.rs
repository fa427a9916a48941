//! The privatisation matrix: every kind of variable, in every place, built in every usual way, in 1, 8 and 64 ranks.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{folder, has, run, source, succeed};

/// A way to build: compilers and flags.
struct Build {
    name: &'static str,
    c: &'static str,
    cxx: &'static str,
    flags: &'static [&'static str],
    link: &'static [&'static str],
}

const BUILDS: &[Build] = &[
    Build {
        name: "gcc-O0",
        c: "gcc",
        cxx: "g++",
        flags: &["-O0", "-g"],
        link: &[],
    },
    Build {
        name: "gcc-O2",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &[],
    },
    Build {
        name: "gcc-O2-lto",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2", "-flto"],
        link: &[],
    },
    Build {
        name: "gcc-stripped",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-s"],
    },
    Build {
        name: "gcc-fPIC",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2", "-fPIC"],
        link: &[],
    },
    Build {
        name: "gcc-now",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-Wl,-z,now"],
    },
    Build {
        name: "gcc-lazy",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-Wl,-z,lazy", "-Wl,-z,norelro"],
    },
    Build {
        name: "gcc-noseparate",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-Wl,-z,noseparate-code"],
    },
    Build {
        name: "gcc-tlsdesc",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2", "-mtls-dialect=gnu2"],
        link: &[],
    },
    Build {
        name: "gcc-static-runtime",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-static-libgcc"],
    },
    Build {
        name: "gcc-fortified",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2", "-D_FORTIFY_SOURCE=2"],
        link: &[],
    },
    Build {
        name: "gcc-hash-sysv",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-Wl,--hash-style=sysv"],
    },
    Build {
        name: "gcc-relr",
        c: "gcc",
        cxx: "g++",
        flags: &["-O2"],
        link: &["-Wl,-z,pack-relative-relocs"],
    },
    Build {
        name: "clang-O0",
        c: "clang",
        cxx: "clang++",
        flags: &["-O0", "-g"],
        link: &[],
    },
    Build {
        name: "clang-O2",
        c: "clang",
        cxx: "clang++",
        flags: &["-O2", "-fPIE"],
        link: &["-pie"],
    },
    Build {
        name: "clang-lld",
        c: "clang",
        cxx: "clang++",
        flags: &["-O2", "-fPIE"],
        link: &["-pie", "-fuse-ld=lld"],
    },
    Build {
        name: "clang-lto",
        c: "clang",
        cxx: "clang++",
        flags: &["-O2", "-flto", "-fPIE"],
        link: &["-pie", "-fuse-ld=lld", "-s"],
    },
];

/// The folder of a program that is built in this way.
fn place(build: &Build, main: &str) -> PathBuf {
    folder().join(format!("{}-{main}", build.name))
}

/// Builds a program of three parts: in itself, in an archive, in a shared library. Ways that differ only in linking
/// have the objects of the first of them.
fn build(build: &Build, compiler: &str, main: &str, part: &str) -> PathBuf {
    let folder = place(build, main);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let first = BUILDS
        .iter()
        .find(|way| (way.c, way.cxx, way.flags) == (build.c, build.cxx, build.flags));
    let first = first.unwrap_or(build);
    let objects = place(first, main);
    let object = |input: &str, name: &str, extra: &[&str]| -> PathBuf {
        let output = objects.join(format!("{name}.o"));
        if first.name != build.name {
            return output;
        }
        let mut command = Command::new(compiler);
        command
            .args(build.flags)
            .args(extra)
            .arg("-c")
            .arg(source(input))
            .arg("-o")
            .arg(&output);
        succeed(&mut command);
        output
    };
    let shared = object(part, "shared", &["-fPIC", "-DPLACE=shared", "-DOWNS_FAILURE"]);
    let archive = object(part, "archive", &["-DPLACE=archive"]);
    let program = object(part, "program", &["-DPLACE=program"]);
    let main = object(main, "main", &[]);
    let library = folder.join("libshared.so");
    let linker_flags = || build.link.iter().filter(|flag| **flag != "-pie");
    succeed(
        Command::new(compiler)
            .args(build.flags)
            .args(linker_flags())
            .arg("-shared")
            .arg(shared)
            .arg("-o")
            .arg(&library),
    );
    let output = folder.join("program");
    let mut command = Command::new(compiler);
    command
        .args(build.flags)
        .args([&main, &program, &archive])
        .args(build.link)
        .arg("-L")
        .arg(&folder);
    command
        .args(["-lshared", "-lpthread", "-Wl,-rpath,$ORIGIN", "-o"])
        .arg(&output);
    succeed(&mut command);
    output
}

/// Runs in 1, 8 and 64 ranks; each rank must print all these lines and end well.
fn check(name: &str, program: &Path, lines: &[&str]) {
    for ranks in [1, 8, 64] {
        let run = run(program, ranks, &[], &[]);
        assert_eq!(run.status, Some(0), "{name} in {ranks} ranks: {}", run.output);
        for line in lines.iter().chain(&["status 0"]) {
            assert_eq!(
                run.count(line),
                ranks,
                "{name} in {ranks} ranks: {line:?}: {}",
                run.output
            );
        }
        assert!(
            !run.output.contains("BAD"),
            "{name} in {ranks} ranks: {}",
            run.output
        );
    }
}

#[test]
fn c_variables_are_private() {
    for way in BUILDS.iter().filter(|way| has(way.c)) {
        check(
            way.name,
            &build(way, way.c, "storage.c", "storage_part.c"),
            &["storage OK"],
        );
    }
}

#[test]
fn cxx_variables_are_private() {
    for way in BUILDS.iter().filter(|way| has(way.cxx)) {
        let lines = ["storagexx OK", "library destructor OK", "destructors OK"];
        check(
            way.name,
            &build(way, way.cxx, "storagexx.cpp", "storagexx_part.cpp"),
            &lines,
        );
    }
}
