//! What must not compile: buffers that are used while operations may still use them, values that cannot be sent,
//! objects of a rank in other ranks and threads.
//!
//! The programs are compiled as those of users, against the crates that the tests are linked with, so that nothing but
//! these programs is compiled here. The compiler must refuse each line that is marked `//~ CODE`, with this code, and
//! no other line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use simurgh_testing::{Input, LIMIT, Scratch, Stage, run};

const PROGRAMS: [&str; 2] = ["borrows", "types"];

/// A line of a program, and the code of an error.
type Refusal = (usize, String);

fn marked(text: &str) -> BTreeSet<Refusal> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            let (_, code) = line.split_once("//~ ")?;
            Some((index + 1, code.trim().to_owned()))
        })
        .collect()
}

/// The errors in a program that the compiler has told, one a line: `path:line:column: error[code]: message`.
fn told(messages: &str, program: &str) -> BTreeSet<Refusal> {
    let file = format!("/{program}.rs:");
    let errors = messages.lines().filter_map(|message| {
        let (_, place) = message.split_once(&file)?;
        let (line, rest) = place.split_once(':')?;
        let (_, error) = rest.split_once(": error[")?;
        let (code, _) = error.split_once(']')?;
        Some((line.parse().ok()?, code.to_owned()))
    });
    errors.collect()
}

/// The files with the crates that the tests are linked with, as cargo names them: what an example is built with. All
/// packages are selected, as for the tests, since cargo would choose other features of the crates otherwise, and
/// compile all of them anew.
fn crates() -> String {
    let mut build = Command::new("cargo");
    build
        .args([
            "build",
            "--workspace",
            "--example",
            "template",
            "--offline",
            "--quiet",
        ])
        .args(["--message-format", "json"])
        .current_dir(Stage::workspace());
    let outcome = run(&mut build, Input::Bytes(b""), LIMIT).expect("cargo can be started");
    outcome.expect_success().stdout.clone()
}

/// The file with a crate of this name among what cargo says.
fn library<'a>(crates: &'a str, name: &str) -> &'a str {
    let target = format!("\"name\":\"{name}\",\"src_path\"");
    let paths = crates.lines().filter(|line| line.contains(&target));
    let mut libraries = paths
        .flat_map(|line| line.split('"'))
        .filter(|word| word.ends_with(".rlib"));
    libraries
        .next()
        .unwrap_or_else(|| panic!("cargo has not built {name}: {crates}"))
}

#[test]
fn the_compiler_refuses_what_would_be_wrong() {
    let workspace = Stage::workspace().canonicalize().expect("the sources are there");
    let scratch = Scratch::new("refusals");
    let crates = crates();
    let folder = Path::new(library(&crates, "simurgh"))
        .parent()
        .expect("a file is in a folder");
    for program in PROGRAMS {
        let source = workspace.join(format!("tests/rust/refused/{program}.rs"));
        let mut compiler = Command::new("rustc");
        compiler.args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata"]);
        compiler.args(["--error-format", "short", "-L"]).arg(folder);
        for name in ["simurgh", "ndarray"] {
            let library = library(&crates, name);
            compiler.args(["--extern", &format!("{name}={library}")]);
        }
        compiler.arg("-o").arg(scratch.path().join(program)).arg(&source);
        let outcome = run(&mut compiler, Input::Bytes(b""), LIMIT).expect("the compiler can be started");
        let text = fs::read_to_string(source).expect("the program is there");
        let (marked, told) = (marked(&text), told(&outcome.stderr, program));
        let accepted: Vec<_> = marked.difference(&told).collect();
        let refused: Vec<_> = told.difference(&marked).collect();
        assert!(
            accepted.is_empty() && refused.is_empty() && !marked.is_empty(),
            "{program}: not refused: {accepted:?}\nrefused besides: {refused:?}\n{outcome}"
        );
    }
}
