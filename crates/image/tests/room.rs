//! Thread-local variables of any size and alignment have their room, and nobody else's variables lie in it.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{folder, host_with, hosts, run, run_in, source, succeed};
use simurgh_image::TlsNeed;

/// Sizes are those from 0 to 70,000 by this step.
const STEP: usize = 149;
const SIZES: usize = 70_000 / STEP + 1;
/// Alignments are 1, 2, 4, … 4096, in turn.
const ALIGNMENTS: usize = 13;

/// The size and alignment of the storage in one object of the program.
#[derive(Clone, Copy)]
struct Room {
    size: usize,
    alignment: usize,
}

/// Objects from which programs are linked: compiled once.
struct Parts {
    place: PathBuf,
    main: PathBuf,
    first: PathBuf,
    second: PathBuf,
}

impl Parts {
    fn compile(name: &str) -> Self {
        let place = folder().join(name);
        std::fs::create_dir_all(&place).unwrap();
        let compile = |input: &str, name: &str, flags: &[&str]| {
            let output = place.join(format!("{name}.o"));
            let mut gcc = Command::new("gcc");
            gcc.args(["-O2", "-fPIC", "-c"]).args(flags).arg(source(input));
            succeed(gcc.arg("-o").arg(&output));
            output
        };
        Parts {
            main: compile("room.c", "main", &[]),
            first: compile("room_part.c", "first", &["-DPLACE=first"]),
            second: compile("room_part.c", "second", &["-DPLACE=second"]),
            place,
        }
    }

    /// Links an object with so much room.
    fn link(&self, name: &str, object: &Path, room: Room, more: &[&str]) -> PathBuf {
        let output = self.place.join(name);
        let mut gcc = Command::new("gcc");
        gcc.arg(object).arg(source("room.s")).args([
            format!("-Wa,--defsym,SIZE={}", room.size),
            format!("-Wa,--defsym,ALIGN={}", room.alignment),
        ]);
        succeed(gcc.args(more).arg("-o").arg(&output));
        output
    }

    /// A library with so much room.
    fn library(&self, name: &str, object: &Path, room: Room) -> String {
        self.link(name, object, room, &["-shared"]).display().to_string()
    }
}

/// Runs the program, in two ranks, if it has this room and these libraries.
fn check(parts: &Parts, index: usize, room: Room, libraries: &[&str]) {
    let name = format!("program-{index}");
    let program = parts.link(&name, &parts.main, room, &[libraries, &["-lpthread"]].concat());
    let run = run(&program, 2, &[], &[]);
    let Room { size, alignment } = room;
    assert_eq!(
        run.count("room OK"),
        2,
        "{size} bytes, aligned to {alignment}, with {} libraries: {:?} {}",
        libraries.len(),
        run.status,
        run.output
    );
    std::fs::remove_file(program).unwrap();
}

#[test]
fn every_size_has_its_room() {
    let parts = Parts::compile("room");
    let of = |size, alignment| Room { size, alignment };
    let first = parts.library("libfirst.so", &parts.first, of(1234, 64));
    let second = parts.library("libsecond.so", &parts.second, of(777, 4096));
    let (next, parts) = (AtomicUsize::new(0), &parts);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                // Relaxed: only who takes which.
                while let index @ 0..SIZES = next.fetch_add(1, Ordering::Relaxed) {
                    let room = of(index * STEP, 1 << (index % ALIGNMENTS));
                    let libraries: &[&str] = match index % 3 {
                        0 => &[],
                        1 => &[&first],
                        _ => &[&first, &second],
                    };
                    check(parts, index, room, libraries);
                }
            });
        }
    });
    std::fs::remove_dir_all(hosts()).unwrap();
}

#[test]
fn a_host_in_whose_reservation_another_library_lies_runs_nothing() {
    let parts = Parts::compile("intruder");
    let room = Room {
        size: 4500,
        alignment: 1,
    };
    let program = parts.link("program", &parts.main, room, &["-lpthread"]);
    // Not a multiple of its alignment: the loader fills the gap.
    let host = host_with(TlsNeed {
        size: 5000,
        align: 4096,
    });
    let run = run_in(&host, &program, 1, &[], &[]);
    assert_eq!(run.status, Some(121), "{}", run.output);
    assert!(run.output.contains("libc.so.6 lie"), "{}", run.output);
    assert!(
        run.output.contains("within the 8192 bytes that are reserved"),
        "{}",
        run.output
    );
}
