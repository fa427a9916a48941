//! `./x test numa`: jobs on machines with several NUMA nodes, which qemu imitates.
//!
//! A guest boots a kernel of Debian with a file system in memory (`guest`): our staged installation, the test programs,
//! and `tests/numa/init`, which runs the tests and prints a line for each on the serial console. `kernel` fetches the
//! kernel, `machine` is the imitated machine.

use std::time::Instant;

use simurgh_testing::Stage;

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

mod guest;
mod kernel;
mod machine;

use guest::Guest;
use machine::Machine;

/// The machines: numbers of nodes.
const NODES: [usize; 2] = [2, 4];

/// Runs the tests on each of the machines.
pub(crate) fn test(workspace: &Workspace, stage: &Stage) -> Result<()> {
    let kernel = kernel::fetched(&workspace.target("numa"))?;
    let guest = Guest::made(workspace, stage)?;
    for nodes in NODES {
        let start = Instant::now();
        let machine = Machine { nodes };
        let console = machine.run(&kernel, guest.image())?;
        let passed = judged(&console, nodes)?;
        eprintln!(
            "x: {nodes} nodes: {passed} tests passed in {:.0?}",
            start.elapsed()
        );
    }
    Ok(())
}

/// The number of tests that have passed, by what the guest has printed. An error if one has failed or the guest has not
/// come to its end.
fn judged(console: &str, nodes: usize) -> Result<usize> {
    let lines = || {
        console
            .lines()
            .filter_map(|line| line.trim().strip_prefix("numa: "))
    };
    let passed = lines().filter(|line| line.starts_with("passed ")).count();
    let failed = lines().filter(|line| line.starts_with("failed ")).count();
    let is_complete = lines().any(|line| line == format!("all done on {nodes} nodes"));
    match is_complete && failed == 0 && passed > 0 {
        true => Ok(passed),
        false => Err(Failure::Faults(format!(
            "{console}\n{nodes} nodes: {failed} tests failed, {passed} passed; the guest has {}come to its end",
            if is_complete { "" } else { "not " }
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::judged;

    #[test]
    fn a_guest_that_fails_or_stops_is_a_fault() {
        let good = "boot\r\nnuma: passed a\r\nnuma: passed b\r\nnuma: all done on 2 nodes\r\n";
        assert_eq!(judged(good, 2).expect("all passed"), 2);
        assert!(judged(good, 4).is_err());
        assert!(judged(&good.replace("passed b", "failed b"), 2).is_err());
        assert!(judged("numa: passed a", 2).is_err() && judged("numa: all done on 2 nodes", 2).is_err());
    }
}
