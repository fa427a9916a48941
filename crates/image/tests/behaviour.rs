//! Tests of other things that each rank has to itself, of the ways in which ranks end, and of the costs of ranks.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{folder, has, run, source, succeed};

/// Compiles a C program plainly.
fn compile(name: &str, flags: &[&str]) -> PathBuf {
    // A name of its own for each: tests run at the same time.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let program = folder().join(format!("{name}-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    succeed(
        Command::new("gcc")
            .arg("-O2")
            .arg(source(&format!("{name}.c")))
            .args(flags)
            .arg("-o")
            .arg(&program),
    );
    program
}

fn shared_library(name: &str, flags: &[&str]) -> PathBuf {
    let library = folder().join(format!("lib{name}.so"));
    let mut command = Command::new("gcc");
    command
        .args(["-O2", "-fPIC", "-shared"])
        .arg(source(&format!("{name}.c")))
        .args(flags)
        .arg("-o")
        .arg(&library);
    succeed(&mut command);
    library
}

#[test]
fn libc_state_is_private() {
    for flags in [["-O2", "-w"], ["-O2", "-D_FORTIFY_SOURCE=2"]] {
        let program = compile("library", &flags);
        for ranks in [1, 8, 32] {
            let run = run(&program, ranks, &[], &[]);
            for line in [
                "library OK",
                "a line in several parts",
                "a line by puts",
                "a line on stderr 1",
                "status 0",
            ] {
                assert_eq!(run.count(line), ranks, "{line}: {}", run.output);
            }
        }
    }
}

#[test]
fn options_are_read_as_by_libc() {
    let program = compile("options", &["-w"]);
    let native = Command::new(&program).output().unwrap().stdout;
    let native = String::from_utf8(native).unwrap();
    let run = run(&program, 4, &[], &[]);
    assert_eq!(run.count(native.trim()), 4, "{native} {}", run.output);
}

#[test]
fn output_is_the_ranks_own() {
    let program = compile("output", &["-w"]);
    let run = run(&program, 6, &[], &[]);
    for rank in 0..6 {
        let lines = run.of(rank);
        let out = [
            "printf 1, puts",
            "pqrs",
            "write",
            "writev",
            "before freopen, ",
            "status 0",
        ];
        let plain: Vec<_> = lines.iter().filter(|line| out.contains(line)).copied().collect();
        assert_eq!(plain, out, "{}", run.output);
        assert!(
            lines.contains(&"end of output") && lines.iter().any(|l| l.starts_with("perror: ")),
            "{}",
            run.output
        );
        assert_eq!(lines.len(), 8, "{}", run.output);
    }
}

#[test]
fn every_way_to_end_is_seen() {
    let program = compile("ending", &["-w", "-rdynamic"]);
    let end = "destructor, not a whole line";
    let handlers = |status: i32| {
        vec![
            format!("on_exit {status} argument"),
            "atexit handler".into(),
            end.into(),
        ]
    };
    let front =
        |lines: &[&str], status| [lines.iter().map(|l| (*l).to_owned()).collect(), handlers(status)].concat();
    let name = program.file_name().unwrap().to_str().unwrap();
    let complaint = format!("{name}: says errx");
    let cases: Vec<(&str, i32, Vec<String>)> = vec![
        ("return", 4, handlers(4)),
        ("deep", 5, handlers(5)),
        ("_exit", 6, vec![]),
        ("quick", 7, vec!["quick handler".into()]),
        ("err", 8, front(&[&complaint], 8)),
        ("pthread_exit", 0, front(&["late thread"], 0)),
    ];
    for (way, status, lines) in cases {
        let run = run(&program, 3, &[], &[way]);
        for rank in 0..3 {
            let expected = [lines.clone(), vec![format!("status {status}")]].concat();
            assert_eq!(run.of(rank), expected, "{way}: {}", run.output);
        }
    }
}

#[test]
fn forked_children_end_as_processes() {
    let program = compile("ending", &["-w", "-rdynamic"]);
    let run = run(&program, 3, &[], &["fork"]);
    // The child writes past the host, in front of a line of the host's.
    for (end, count) in [
        ("child's status 11", 3),
        ("on_exit 11 argument", 3),
        ("atexit handler", 6),
        ("status 4", 3),
    ] {
        assert_eq!(run.count(end), count, "{end}: {}", run.output);
    }
}

#[test]
fn exit_on_another_thread_ends_the_rank() {
    let program = compile("ending", &["-w", "-rdynamic"]);
    let run = run(&program, 3, &[], &["thread"]);
    for line in ["on_exit 9 argument", "atexit handler", "elsewhere 9", "status 9"] {
        assert_eq!(run.count(line), 3, "{line}: {}", run.output);
    }
}

#[test]
fn tools_come_before_the_library() {
    let library = shared_library("answer", &[]);
    let tool = shared_library("tool", &[]);
    let program = compile(
        "question",
        &[
            "-L",
            library.parent().unwrap().to_str().unwrap(),
            "-lanswer",
            "-Wl,-rpath,$ORIGIN",
        ],
    );
    let plain = run(&program, 2, &[], &[]);
    assert_eq!(plain.count("answers 41 41"), 2, "{}", plain.output);
    let with_tool = run(&program, 2, &[&format!("preload={}", tool.display())], &[]);
    for line in ["tool call 1", "tool call 2", "answers 42 42", "status 0"] {
        assert_eq!(with_tool.count(line), 2, "{}", with_tool.output);
    }
}

#[test]
fn nested_functions_work() {
    let program = compile("nested", &["-w"]);
    assert!(
        simurgh_image::Program::open(&program)
            .unwrap()
            .check(&[])
            .unwrap()
            .needs_exec_stack
    );
    let run = run(&program, 4, &[], &[]);
    assert_eq!(run.count("nested OK"), 4, "{}", run.output);
}

#[test]
fn openmp_teams_are_private() {
    let program = compile("teams", &["-fopenmp"]);
    let run = run(&program, 6, &[], &[]);
    assert_eq!(run.count("teams OK"), 6, "{}", run.output);
}

#[test]
fn indirect_functions_are_resolved_while_loading() {
    let program = compile("indirect", &[]);
    let run = run(&program, 6, &[], &[]);
    assert_eq!(run.count("indirect OK"), 6, "{}", run.output);
}

#[test]
fn runtime_of_cxx_may_be_static() {
    let program = folder().join("static-stream");
    let flags = ["-O2", "-static-libstdc++", "-static-libgcc"];
    succeed(
        Command::new("g++")
            .args(flags)
            .arg(source("stream.cpp"))
            .arg("-o")
            .arg(&program),
    );
    let run = run(&program, 6, &[], &[]);
    assert_eq!(run.count("stream OK"), 6, "{}", run.output);
}

#[test]
fn addresses_belong_to_the_original_file() {
    let program = compile("where", &["-w"]);
    let run = run(&program, 3, &[], &[]);
    let path = std::fs::canonicalize(&program).unwrap();
    assert_eq!(
        run.count(&format!("main is in {}", path.display())),
        3,
        "{}",
        run.output
    );
}

#[test]
fn names_mean_what_they_mean_in_a_process() {
    let place = |name: &str| folder().join(format!("liblinking{name}.so"));
    let script = folder().join("linking.versions");
    std::fs::write(&script, "FIRST { global: versioned; };\nSECOND { } FIRST;\n").unwrap();
    let script = format!("-Wl,--version-script={}", script.display());
    for (name, flags) in [("first", vec![]), ("second", vec!["-Wl,-Bsymbolic", &script])] {
        let output = place(name);
        let soname = format!("-Wl,-soname,liblinking{name}.so");
        let mut command = Command::new("gcc");
        command.args(["-O1", "-fPIC", "-shared", &soname]).args(flags);
        succeed(
            command
                .arg(source(&format!("linking_{name}.c")))
                .arg("-o")
                .arg(output),
        );
    }
    let libraries = folder().display().to_string();
    for more in [
        &["-rdynamic"][..],
        &["-rdynamic", "-fPIE", "-Wl,--hash-style=sysv"],
    ] {
        let mut flags = vec![
            "-w",
            "-L",
            &libraries,
            "-llinkingfirst",
            "-llinkingsecond",
            "-Wl,-rpath,$ORIGIN",
        ];
        flags.extend(more);
        let program = compile("linking", &flags);
        let native = Command::new(&program).output().unwrap();
        let native = String::from_utf8(native.stdout).unwrap();
        assert!(native.contains("told once 1 0"), "{native}");
        let run = run(&program, 3, &[], &[]);
        for rank in 0..3 {
            let expected: Vec<&str> = native.lines().chain(["status 0"]).collect();
            assert_eq!(run.of(rank), expected, "{}", run.output);
        }
    }
}

#[test]
fn missing_symbols_are_named() {
    let library = folder().join("libincomplete.so");
    let program = folder().join("incomplete");
    let code = |name: &str, text: &str| {
        let file = folder().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let part = code(
        "incomplete.c",
        "int absent(void); int part(void) { return absent(); }",
    );
    let main = code(
        "incomplete_main.c",
        "int part(void); int main(void) { return part(); }",
    );
    let gcc = |flags: &[&str], output: &Path| {
        succeed(Command::new("gcc").args(flags).arg("-o").arg(output));
    };
    let (part, main) = (part.display().to_string(), main.display().to_string());
    gcc(&["-fPIC", "-shared", &part], &library);
    let library = library.display().to_string();
    gcc(
        &["-Wl,--unresolved-symbols=ignore-all", &main, &library],
        &program,
    );
    let run = run(&program, 2, &[], &[]);
    assert!(
        run.output.contains("libincomplete.so: undefined symbol: absent") && run.status != Some(0),
        "{}",
        run.output
    );
}

#[test]
fn executable_pages_come_from_files() {
    let program = compile("pages", &[]);
    let objects = |ranks| {
        let run = run(&program, ranks, &[], &[]);
        assert_eq!(
            run.count("executable pages OK, main's caller OK"),
            ranks,
            "{}",
            run.output
        );
        let lines = run.output.lines().filter_map(|line| line.split_once("objects "));
        let counts: Vec<usize> = lines.map(|(_, count)| count.parse().unwrap()).collect();
        assert_eq!(counts.len(), ranks, "{}", run.output);
        counts.into_iter().max().unwrap()
    };
    // Whatever is in the loader's list is looked at each time that something is loaded.
    assert_eq!(objects(1), objects(20), "the loader's list grows with the ranks");
}

#[test]
fn constants_cannot_be_written_to_and_take_few_mappings() {
    let layouts: [(&[&str], usize); 4] = [
        (&[], 3),
        (&["-Wl,-z,noseparate-code"], 3),
        (&["-Wl,-z,max-page-size=0x200000"], 3),
        // Its segments are shifted against each other, so that they share pages of the file.
        (&["-fuse-ld=lld"], 4),
    ];
    for (flags, mappings) in layouts {
        if flags.contains(&"-fuse-ld=lld") && !has("ld.lld") {
            continue;
        }
        let run = run(&compile("constants", flags), 3, &[], &[]);
        let line = format!("constants OK, mappings {mappings}");
        assert_eq!(run.count(&line), 3, "{flags:?}: {}", run.output);
    }
}

/// Memory of each rank in kB.
fn cost(program: &Path, ranks: usize) -> f64 {
    let run = run(program, ranks, &["stats"], &[]);
    assert_eq!(
        run.count("status 0") + run.count("status 3"),
        ranks,
        "{}",
        run.output
    );
    let line = run
        .output
        .lines()
        .find_map(|line| line.strip_prefix("stats: "))
        .unwrap()
        .to_owned();
    println!("{}: {line}", program.display());
    line.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn many_ranks_cost_little_memory() {
    // The figures to hold are 51 and 132 kB; in builds without optimisation the loader's own stack comes on top.
    let allowance = if cfg!(debug_assertions) { 30.0 } else { 6.0 };
    let c = cost(&compile("hello", &[]), 256);
    assert!(c < 51.0 + allowance, "a rank of a C program costs {c} kB");
    let cxx = folder().join("stream");
    succeed(
        Command::new("g++")
            .arg("-O2")
            .arg(source("stream.cpp"))
            .arg("-o")
            .arg(&cxx),
    );
    let cxx = cost(&cxx, 256);
    assert!(cxx < 132.0 + allowance, "a rank of a C++ program costs {cxx} kB");
}

/// A library that a rank loads is its own, and finds the definitions of its program first.
#[test]
fn libraries_that_are_loaded_later_are_as_in_a_process() {
    let library = |name: &str, source_file: &str| {
        let library = folder().join(format!("lib{name}.so"));
        let mut command = Command::new("gcc");
        command.args(["-O2", "-fPIC", "-shared"]).arg(source(source_file));
        command
            .arg(format!("-Wl,-soname,lib{name}.so"))
            .arg("-o")
            .arg(&library);
        succeed(&mut command);
        library.to_string_lossy().into_owned()
    };
    let first = library("loadingfirst", "loading_first.c");
    let second = library("loadingsecond", "loading_second.c");
    library("loadingthird", "loading_third.c");
    let common = ["loadingone", "loadingtwo"].map(|name| library(name, "loading_common.cpp"));
    let program = compile("loading", &["-rdynamic", "-pthread"]);
    // Another library, with the same name inside.
    let elsewhere = folder().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let copy = elsewhere.join("libloadingfirst.so");
    std::fs::copy(&first, &copy).unwrap();
    for scope in ["local", "global"] {
        let libraries = [&first, &second, copy.to_str().unwrap(), &common[0], &common[1]];
        let arguments = [libraries.as_slice(), &[scope]].concat();
        let native = Command::new(&program).args(&arguments).output().unwrap().stdout;
        let native = String::from_utf8(native).unwrap();
        assert!(native.contains("first ends after"), "{native}");
        let mut expected: Vec<&str> = native.lines().chain(["status 0"]).collect();
        expected.sort_unstable();
        let ranks = 6;
        let run = run(&program, ranks, &[], &arguments);
        for rank in 0..ranks {
            let mut lines = run.of(rank);
            lines.sort_unstable();
            assert_eq!(lines, expected, "{scope}: {}", run.output);
        }
    }
}
