//! Many ranks in one process.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use simurgh_testing::{Binary, Compile, Stage};

fn all_say_hello(ranks: usize) {
    let stage = Stage::locate();
    let program = Compile::c("benches/c/hello.c")
        .flags(["-O2"])
        .against(&stage)
        .build();
    let run = stage.mpiexec(ranks).run(&program);
    run.expect_success();
    let expected: BTreeSet<String> = (0..ranks)
        .map(|rank| format!("hello from rank {rank} of {ranks}"))
        .collect();
    let said: BTreeSet<String> = run.stdout.lines().map(str::to_owned).collect();
    assert!(
        said == expected && run.stdout.lines().count() == ranks,
        "{} lines of {ranks}",
        said.len()
    );
}

#[test]
fn a_thousand_ranks_start_and_end() {
    all_say_hello(1024);
}

#[test]
fn two_and_a_half_thousand_ranks_start_and_end() {
    all_say_hello(2500);
}

#[test]
fn a_thousand_waiting_ranks_use_no_processor() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/idle.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let run = stage.mpiexec(1000).run(&program);
    let used = run
        .expect_success()
        .stdout
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|number| number.parse::<f64>().ok());
    // There may be a tick now and then, but nothing that grows with the ranks or polls.
    assert!(used.is_some_and(|milliseconds| milliseconds < 50.0), "{run}");
}

#[test]
fn starting_a_rank_takes_as_long_as_starting_another() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/start_cost.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let milliseconds = |ranks| -> f64 {
        let run = stage.mpiexec(ranks).run(&program);
        run.expect_success().stdout.trim().parse().unwrap()
    };
    let (few, many) = (milliseconds(1000), milliseconds(4000));
    // Four times as many would take sixteen times as long if each had to look at all that came before.
    assert!(many < 8.0 * few, "1000 ranks take {few} ms, 4000 take {many} ms");
}

/// Profilers open the files that `/proc/self/maps` names to find the function at an address.
#[test]
fn code_is_mapped_from_files_and_the_loader_has_few_objects() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/pages.c")
        .flags(["-O2", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let objects = |ranks: usize, mode: &str| -> usize {
        let run = stage.mpiexec(ranks).mode(mode).run(&program);
        let lines: Vec<&str> = run.expect_success().stdout.lines().collect();
        let good = lines
            .iter()
            .filter(|line| **line == "executable pages OK, main's caller OK");
        assert_eq!(good.count(), ranks, "{run}");
        let counts = lines.iter().filter_map(|line| line.strip_prefix("objects "));
        counts.map(|count| count.parse().unwrap()).max().unwrap()
    };
    let few = objects(1, "threads");
    assert_eq!(
        few,
        objects(30, "threads"),
        "the loader's list grows with the ranks"
    );
    objects(2, "processes");
}

/// The memory of a process: its mappings, and what of them is written to.
struct Footprint {
    /// For each kind of mapping (its permissions and its file) how many there are, and their kB.
    kinds: BTreeMap<String, (f64, f64)>,
}

impl Footprint {
    /// Of the process of so many ranks of a program that prints it.
    fn of(stage: &Stage, program: &Binary, ranks: usize) -> Self {
        let mpiexec = stage.mpiexec(ranks).mode("threads");
        // By default there are as many arenas as eight times the cores, and each takes mappings, too.
        let run = mpiexec.env("MALLOC_ARENA_MAX", "8").run(program);
        let mut kinds = BTreeMap::<_, (f64, f64)>::new();
        let mut kind = String::new();
        for line in run.expect_success().stdout.lines() {
            let mut words = line.split_whitespace();
            if let Some(size) = line.strip_prefix("Anonymous:") {
                let size = size.trim().trim_end_matches(" kB");
                kinds.entry(kind.clone()).or_default().1 += size.parse::<f64>().unwrap();
            } else {
                // Addresses, permissions, offset, device, number of the file, path.
                let permissions = words.nth(1).unwrap();
                kind = format!("{permissions} {}", words.nth(3).unwrap_or("anonymous"));
                kinds.entry(kind.clone()).or_default().0 += 1.0;
            }
        }
        Self { kinds }
    }

    fn mappings(&self) -> f64 {
        self.kinds.values().map(|(mappings, _)| mappings).sum()
    }

    fn kilobytes(&self) -> f64 {
        self.kinds.values().map(|(_, kilobytes)| kilobytes).sum()
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, (mappings, kilobytes)) in &self.kinds {
            writeln!(text, "{mappings} mappings with {kilobytes} kB: {kind}")?;
        }
        Ok(())
    }
}

/// Checks what each further rank takes at most, in mappings and in kB.
fn check_a_rank_takes(what: &str, program: &Binary, most: (f64, f64)) {
    let (few, many) = (64, 264);
    let stage = Stage::locate();
    let of = |ranks| Footprint::of(&stage, program, ranks);
    let (begin, end) = (of(few), of(many));
    let for_each = |begin: f64, end: f64| (end - begin) / (many - few) as f64;
    let mappings = for_each(begin.mappings(), end.mappings());
    assert!(mappings >= 1.0, "a rank has its stack:\n{end}");
    let memory = for_each(begin.kilobytes(), end.kilobytes());
    println!("{what}: {mappings} mappings and {memory} kB for each rank");
    // The allocator takes some more when there are more ranks.
    assert!(
        mappings < most.0 + 0.3 && memory < most.1,
        "{what}: {mappings} mappings and {memory} kB for each rank, not {} and {}\n\
         {few} ranks:\n{begin}\n{many} ranks:\n{end}",
        most.0,
        most.1
    );
}

/// The kernel limits mappings, and the user's guide says how many ranks there may be.
#[test]
fn a_rank_takes_few_mappings_and_little_memory() {
    let stage = Stage::locate();
    let source = "tests/c/footprint.c";
    let fortran =
        Compile::by(stage.tool("mpifort"), "tests/fortran/footprint.f90").source("tests/c/footprint_parts.c");
    for (what, program, mappings, memory) in [
        ("C", Compile::c(source).against(&stage), 6.0, 50.0),
        ("C++", Compile::cxx(source).against(&stage), 9.0, 130.0),
        ("Fortran", fortran, 15.0, 130.0),
    ] {
        check_a_rank_takes(what, &program.flags(["-O2"]).build(), (mappings, memory));
    }
}
