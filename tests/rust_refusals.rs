//! What must not compile: buffers that are used while operations may still use them, values that cannot be sent,
//! objects of a rank in other ranks and threads.
//!
//! The programs are compiled as those of users, against the crates that the tests are linked with (so nothing but these
//! programs is compiled here). The compiler must refuse each line that is marked `//~ CODE`, with this code, and no
//! other line.

use std::collections::BTreeSet;
use std::fs;
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

#[test]
fn the_compiler_refuses_what_would_be_wrong() {
    let workspace = Stage::workspace().canonicalize().expect("the sources are there");
    let root = workspace.display();
    let scratch = Scratch::new("refusals");
    let mut manifest = format!(
        "[package]\nname = \"refusals\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nndarray = {{ version = \"0.17\", default-features = false }}\n\
         simurgh = {{ path = \"{root}\", features = [\"ndarray\", \"serde\"] }}\n"
    );
    for program in PROGRAMS {
        let bin =
            format!("[[bin]]\nname = \"{program}\"\npath = \"{root}/tests/rust/refused/{program}.rs\"\n");
        manifest.push_str(&bin);
    }
    fs::write(scratch.path().join("Cargo.toml"), manifest).expect("the manifest can be written");
    fs::copy(workspace.join("Cargo.lock"), scratch.path().join("Cargo.lock"))
        .expect("the lock file is there");
    let mut build = Command::new("cargo");
    build
        .args(["build", "--offline", "--keep-going", "--message-format", "short"])
        .current_dir(scratch.path())
        .env("CARGO_TARGET_DIR", workspace.join("target"));
    let outcome = run(&mut build, Input::Bytes(b""), LIMIT).expect("cargo can be started");
    for program in PROGRAMS {
        let source = workspace.join(format!("tests/rust/refused/{program}.rs"));
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
