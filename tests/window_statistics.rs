//! What is counted of windows: the variables of tools, and what `--stats` prints.

use simurgh_testing::{Compile, Stage, passed};

/// Operations, bytes and synchronisation by the name of the window, by kind and by where the target's memory is.
#[test]
fn operations_are_counted_by_window_kind_and_place() {
    let stage = Stage::locate();
    let compile = Compile::c("tests/c/window_statistics.c").flags(["-O1", "-Wall", "-Werror"]);
    let program = compile.against(&stage).build();
    // Ranks, hosts, how many of the ranks of a host have their target there, and options.
    let ways: [(usize, usize, usize, &[&str]); 3] = [
        (3, 1, 3, &[]),
        (2, 2, 0, &["--mode", "processes"]),
        (4, 2, 1, &["--hosts-per-node", "2"]),
    ];
    for (ranks, hosts, near, options) in ways {
        let run = stage.mpiexec(ranks).options(options).options(["--stats"]);
        let outcome = run.run(&program);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
        let (here, far) = (ranks / hosts, ranks / hosts - near);
        let places = |own: usize, others: usize, elsewhere: &str| {
            let part = |count: usize, place: &str| match count {
                0 => String::new(),
                _ => format!(", {count} {place}"),
            };
            part(own, "in the process") + &part(others, elsewhere)
        };
        let expect = |line: String| {
            let found = outcome
                .stderr
                .lines()
                .filter(|told| told.trim_start().starts_with(&line));
            assert_eq!(found.count(), hosts, "{line}\n{outcome}");
        };
        expect(format!(
            "window \"halo\": put {} B in {} operations{}",
            here * 32,
            here * 4,
            places(4 * near, 4 * far, "in shared memory")
        ));
        expect(format!(
            "window \"halo\": compared and swapped {} B in {here} operations{}",
            here * 8,
            places(near, far, "in shared memory")
        ));
        expect(format!("window \"halo\": synchronised by {} fences ", here * 2));
        expect(format!(
            "windows without a name: put {} B in {here} operations{}",
            here * 5,
            places(near, far, "by messages")
        ));
        expect(format!("windows without a name: synchronised by {here} posts "));
    }
}
