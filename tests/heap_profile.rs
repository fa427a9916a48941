//! The heap profile: where ranks have allocated memory, as a file for pprof and as a flame graph.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use flate2::read::GzDecoder;
use prost::Message;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::pipe::fcntl_getpipe_size;
use rustix::process::Signal;
use simurgh_testing::{Binary, Compile, LIMIT, Scratch, Stage, Started, signal};

/// The messages of pprof's `profile.proto`, with the fields that are looked at.
#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<Numbers>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Numbers>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "12")]
    period: i64,
}

/// The kind of a value and its unit; the number of a function and its name; the number of a function and a line.
#[derive(Clone, Copy, PartialEq, Message)]
struct Numbers {
    #[prost(int64, tag = "1")]
    first: i64,
    #[prost(int64, tag = "2")]
    second: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "3")]
    num: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Numbers>,
}

impl Profile {
    fn read(path: &Path) -> Self {
        Self::of(File::open(path).expect("the profile has been written"))
    }

    fn of(compressed: impl Read) -> Self {
        let mut bytes = Vec::new();
        GzDecoder::new(compressed)
            .read_to_end(&mut bytes)
            .expect("it is compressed");
        Self::decode(&bytes[..]).expect("it is a profile")
    }

    fn string(&self, place: i64) -> &str {
        &self.string_table[place as usize]
    }

    /// The names of functions of a sample, the innermost first.
    fn stack(&self, sample: &Sample) -> Vec<&str> {
        let locations = sample.location_id.iter().map(|id| {
            let mut all = self.location.iter();
            all.find(|location| location.id == *id)
                .expect("each location is there")
        });
        let lines = locations.flat_map(|location| &location.line);
        lines
            .map(|line| {
                let mut all = self.function.iter();
                let function = all.find(|function| function.first == line.first);
                self.string(function.expect("each function is there").second)
            })
            .collect()
    }

    /// The sum of the values of a kind for the call sites with this function.
    fn sum(&self, kind: &str, function: &str) -> f64 {
        let place = self
            .sample_type
            .iter()
            .position(|found| self.string(found.first) == kind);
        let place = place.expect("the kind is there");
        let within = |sample: &&Sample| self.stack(sample).contains(&function);
        let all: i64 = (self.sample.iter().filter(within))
            .map(|sample| sample.value[place])
            .sum();
        all as f64 / f64::from(1 << 20)
    }
}

fn program() -> Binary {
    Compile::c("tests/c/heap_profile.c")
        .flags([
            "-O2",
            "-g",
            "-Wall",
            "-Wextra",
            "-fno-builtin",
            "-fno-optimize-sibling-calls",
        ])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build()
}

#[track_caller]
fn is_about(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < expected / 4.0,
        "{found} MiB for {expected}"
    );
}

#[test]
fn a_profile_says_where_memory_was_allocated() {
    let scratch = Scratch::new("heap-profile");
    let path = scratch.path().join("job.pb.gz");
    let file = path.display().to_string();
    // With samples so near to each other the estimates are good.
    let options = ["--heap-profile", &file, "--heap-sample", "16K"];
    let mpiexec = Stage::locate().mpiexec(2).mode("threads").options(options);
    mpiexec.run(&program()).expect_success();
    let profile = Profile::read(&path);
    assert_eq!(profile.period, 16 << 10);
    for kind in ["alloc_space", "inuse_space", "peak_space"] {
        is_about(profile.sum(kind, "keep_small"), 32.0 * 112.0 / 100.0);
        is_about(profile.sum(kind, "of_thread"), 8.0);
    }
    is_about(profile.sum("alloc_space", "use_long"), 20.0);
    is_about(profile.sum("peak_space", "use_long"), 2.0);
    assert!(profile.sum("inuse_space", "use_long") < 0.1);
    is_about(profile.sum("alloc_space", "outer"), 20.0 + 32.0 * 112.0 / 100.0);
    // The stack begins with the call of malloc, and ends with the program.
    let small = profile
        .sample
        .iter()
        .find(|sample| profile.stack(sample).contains(&"keep_small"));
    let small = small.expect("as above");
    let stack = profile.stack(small);
    let from = stack
        .iter()
        .position(|name| *name == "keep_small")
        .expect("as above");
    assert!(
        from <= 1 && stack[from..] == ["keep_small", "outer", "main"],
        "{stack:?}"
    );
    let rank = small
        .label
        .iter()
        .find(|label| profile.string(label.key) == "rank");
    assert_eq!(rank.map(|label| label.num), Some(1));
    let graph = std::fs::read_to_string(scratch.path().join("job.pb.gz.svg")).expect("a flame graph");
    for part in ["<svg", "rank 1", "keep_small", "use_long", "of_thread"] {
        assert!(graph.contains(part), "{part}");
    }
}

#[test]
fn each_host_writes_its_own() {
    let scratch = Scratch::new("heap-profile");
    let path = scratch.path().join("job");
    let file = path.display().to_string();
    let options = ["--heap-profile", &file, "--hosts-per-node", "2"];
    let mpiexec = Stage::locate().mpiexec(2).mode("threads").options(options);
    mpiexec.run(&program()).expect_success();
    let [first, second] = ["job.0", "job.1"].map(|name| Profile::read(&scratch.path().join(name)));
    assert_eq!(first.sum("alloc_space", "main"), 0.0);
    assert!(second.sum("alloc_space", "main") > 40.0);
}

/// A named pipe that is full, and so many bytes are in it.
fn full_pipe(path: &Path) -> (File, usize) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let mut pipe = File::options().read(true).write(true).open(path).expect("a pipe");
    let bytes = fcntl_getpipe_size(&pipe).expect("a size");
    pipe.write_all(&vec![0; bytes]).expect("room");
    (pipe, bytes)
}

/// A job that writes its profile there.
fn job_with_profile(program: &Binary, path: &Path) -> Started {
    let file = path.display().to_string();
    let mpiexec = Stage::locate()
        .mpiexec(2)
        .mode("threads")
        .options(["--heap-profile", &file]);
    Started::new(&mpiexec.command(program))
}

/// The profile is written to a pipe that is full for longer than processes have to end after a signal.
#[test]
fn a_profile_is_complete_however_long_it_takes_to_write() {
    let scratch = Scratch::new("heap-profile");
    let path = scratch.path().join("pipe");
    let (keeper, full) = full_pipe(&path);
    let mut reader = File::open(&path).expect("a pipe");
    let program = program();
    let job = job_with_profile(&program, &path);
    let profile = thread::spawn(move || {
        thread::sleep(Duration::from_millis(1500));
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map(|_| bytes)
    });
    job.ends(LIMIT).expect_success();
    drop(keeper);
    let bytes = profile.join().expect("no panic").expect("all bytes");
    assert!(Profile::of(&bytes[full..]).sum("alloc_space", "main") > 40.0);
}

/// Nobody reads the pipe.
#[test]
fn a_job_whose_profile_cannot_go_on_can_be_interrupted() {
    let scratch = Scratch::new("heap-profile");
    let path = scratch.path().join("pipe");
    let (_pipe, _) = full_pipe(&path);
    let program = program();
    let job = job_with_profile(&program, &path);
    let id = job.id();
    let interrupted = thread::spawn(move || {
        thread::sleep(Duration::from_millis(1500));
        signal(id, Signal::INT);
    });
    job.ends(LIMIT).expect_code(130);
    interrupted.join().expect("no panic");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let options = ["--heap-profile", "/nowhere/at/all"];
    let mpiexec = Stage::locate().mpiexec(1).mode("threads").options(options);
    let run = mpiexec.run(&program());
    run.expect_success();
    assert!(
        run.stderr
            .contains("the heap profile cannot be written to /nowhere/at/all: "),
        "{run}"
    );
}
