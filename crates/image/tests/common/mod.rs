//! Building test programs and running them as ranks in a host process of the tests' own.
#![allow(dead_code, reason = "each test uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use simurgh_image::{Program, TlsNeed, reserve_tls};
use simurgh_testing::{Input, LIMIT};

/// Where everything is built.
pub(crate) fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("image");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A source file of the tests.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Whether a compiler is there.
pub(crate) fn has(compiler: &str) -> bool {
    Command::new(compiler)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The library with the host's code: an example of this package, which cargo builds with the tests, but not if only
/// one of them is asked for.
fn host_library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.parent().unwrap().parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--quiet",
            "--package",
            "simurgh-image",
            "--example",
            "image_test_host",
        ]);
        cargo.arg("--target-dir").arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        succeed(&mut cargo);
        profile.join("examples/libimage_test_host.so")
    })
}

/// The host executable as it is compiled, with this room for thread-local variables.
pub(crate) fn host_with(room: TlsNeed) -> PathBuf {
    let host = folder().join(format!(
        "host-{}-{}-{}",
        std::process::id(),
        room.size,
        room.align
    ));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/host.c");
    let flags = [format!("-DSIZE={}", room.size), format!("-DALIGN={}", room.align)];
    succeed(
        Command::new("gcc")
            .args(["-O2", "-rdynamic"])
            .args(flags)
            .arg(source)
            .arg("-o")
            .arg(&host),
    );
    host
}

/// Where the hosts with the reservations that the tests of this process ask for are.
pub(crate) fn hosts() -> PathBuf {
    let folder = folder().join(format!("hosts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A host executable with the given reservation.
pub(crate) fn host(need: TlsNeed) -> PathBuf {
    static PLAIN: OnceLock<PathBuf> = OnceLock::new();
    let plain = PLAIN.get_or_init(|| {
        host_with(TlsNeed {
            size: 4096,
            align: 4096,
        })
    });
    let host = hosts().join(format!("{}-{}", need.size, need.align));
    if !host.exists() {
        let bytes = reserve_tls(&std::fs::read(plain).unwrap(), need).unwrap();
        // Written beside and renamed: another test may be starting it just now. Written by another process: what is
        // started meanwhile inherits files that this one writes, and nobody can start a program that is written to.
        let draft = host.with_extension(format!("{:?}", std::thread::current().id()));
        let mut install = Command::new("install");
        install.args(["-m", "755", "/dev/stdin"]).arg(&draft);
        let installed = simurgh_testing::run(&mut install, Input::Bytes(&bytes), LIMIT).unwrap();
        installed.expect_success();
        std::fs::rename(&draft, &host).unwrap();
    }
    host
}

/// One run.
pub(crate) struct Run {
    pub(crate) output: String,
    pub(crate) status: Option<i32>,
}

impl Run {
    /// The number of lines with this end.
    pub(crate) fn count(&self, end: &str) -> usize {
        self.output.lines().filter(|line| line.ends_with(end)).count()
    }

    /// The lines of a rank.
    pub(crate) fn of(&self, rank: usize) -> Vec<&str> {
        let front = format!("[{rank}] ");
        self.output
            .lines()
            .filter_map(|line| line.strip_prefix(front.as_str()))
            .collect()
    }
}

/// Runs a program as that many ranks; `options` go to the host, `arguments` to the program.
pub(crate) fn run(program: &Path, ranks: usize, options: &[&str], arguments: &[&str]) -> Run {
    let preload: Vec<PathBuf> = options
        .iter()
        .filter_map(|o| o.strip_prefix("preload="))
        .map(PathBuf::from)
        .collect();
    let fit = Program::open(program).unwrap().check(&preload).unwrap();
    run_in(&host(fit.tls), program, ranks, options, arguments)
}

/// As [`run`], in this host.
pub(crate) fn run_in(host: &Path, program: &Path, ranks: usize, options: &[&str], arguments: &[&str]) -> Run {
    let mut command = Command::new(host);
    command
        .arg(host_library())
        .arg(format!("ranks={ranks}"))
        .args(options)
        .arg(program)
        .args(arguments);
    let outcome = simurgh_testing::run(&mut command, Input::Empty, LIMIT).unwrap();
    Run {
        output: outcome.stdout + &outcome.stderr,
        status: outcome.status.code(),
    }
}
