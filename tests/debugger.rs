//! Debuggers and ranks that share a process.

use simurgh_testing::{Compile, Scratch, Stage};

/// A script that stops in a function which is not loaded yet when it is named, and goes on.
const COMMANDS: &str = "set pagination off
set confirm off
set breakpoint pending on
set debuginfod enabled off
break stop_here
commands
silent
printf \"stop of rank %d, value %d\\n\", rank, value
bt 2
continue
end
run
";

#[test]
fn a_breakpoint_stops_every_rank() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/breakpoint.c")
        .flags(["-g", "-O1", "-Wall", "-Wextra"])
        .against(&stage)
        .build();
    let folder = Scratch::new("debugger");
    let commands = folder.write("commands", COMMANDS);
    let wrapper = format!("gdb -q -nx -batch -x {} --args", commands.display());
    let run = stage
        .mpiexec(3)
        .options(["--host-wrapper", &wrapper])
        .run(&program);
    let count = |text: &str| run.stdout.matches(text).count();
    for rank in 0..3 {
        for value in [5, 5 + rank] {
            let times = if rank == 0 { 2 } else { 1 };
            let stop = format!("stop of rank {rank}, value {value}\n");
            assert_eq!(count(&stop), times, "{stop}{run}");
        }
        let caller = format!("stop_here (rank={rank})");
        assert_eq!(count(&caller), 2, "{run}");
    }
    assert_eq!(count(" in main (argc="), 6, "{run}");
}
