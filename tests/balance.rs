//! Rebalancing: an unbalanced program under `mpiexec --policy balance`, and ranks that move on request.

use simurgh::VpStats;
use simurgh::policy::{Balance, Machine, Policy, Rebalancing};
use simurgh_testing::{Binary, Compile, Outcome, Stage};
use std::hint::black_box;
use std::time::Duration;

fn unbalanced() -> Binary {
    Compile::c("tests/c/unbalanced.c")
        .flags(["-O2", "-Wall", "-Wextra", "-Werror"])
        .against(&Stage::locate())
        .build()
}

/// The largest share of a virtual processor in percent of the ideal one.
fn share(outcome: &Outcome) -> u32 {
    let line = outcome.stdout.lines().find(|line| line.contains("largest share"));
    let words: Vec<_> = line.unwrap_or_default().split(' ').collect();
    let share = words.iter().rev().nth(1).and_then(|share| share.parse().ok());
    share.unwrap_or_else(|| panic!("no share: {outcome}"))
}

#[test]
fn an_unbalanced_program_comes_within_a_tenth_of_the_ideal() {
    let run = |options: &[&str], steps: &str| {
        let mpiexec = Stage::locate().mpiexec(16).vps(2).options(options);
        let outcome = mpiexec.args([steps]).run(&unbalanced());
        outcome.expect_success();
        outcome
    };
    let options = ["--policy", "balance", "--balance-period", "0.05", "--stats"];
    let balanced = run(&options, "5000");
    assert!(share(&balanced) <= 110, "{balanced}");
    balanced.expect_stderr("ranks were moved to even out the load");
    // Nobody moves where no gain is large enough.
    let kept = run(&["--policy", "balance", "--balance-gain", "90"], "30");
    assert_eq!(share(&kept), 150, "{kept}");
}

#[test]
fn an_unbalanced_rust_program_does_so_too() {
    const RANKS: usize = 16;
    let rule = Rebalancing {
        period: Duration::from_millis(50),
        least_gain: 0.05,
    };
    let run = simurgh::Builder::new()
        .ranks(RANKS)
        .vps(2)
        .policy(Balance::by(rule));
    let results = run.run(|world| {
        let units: usize = if world.rank() < RANKS / 2 { 3 } else { 1 };
        let mut good = 0;
        for step in 0..5000 {
            let spin = (0..units * 100_000).fold(0_u64, |sum, turn| black_box(sum ^ turn as u64));
            black_box(spin);
            let vp = simurgh::virtual_processor().expect("a rank has one");
            let mut all = vec![0; 2 * RANKS];
            world.all_gather(&[units, vp], &mut all)?;
            let mut done = [0; 2];
            all.chunks(2).for_each(|pair| done[pair[1]] += pair[0]);
            // A processor's ideal share is as many units as there are ranks.
            let is_good = done.iter().all(|done| *done * 10 <= RANKS * 11);
            good = if is_good { good + 1 } else { 0 };
            if good == 5 {
                return Ok(Some(step));
            }
        }
        Ok::<_, simurgh::Error>(None)
    });
    let results = results.expect("the run succeeds");
    assert!(
        results.iter().all(|result| matches!(result, Ok(Some(_)))),
        "{results:?}"
    );
}

#[test]
fn ranks_see_what_virtual_processors_have_done() {
    let results = simurgh::Builder::new().ranks(4).vps(2).run(|world| {
        let before = world.processors();
        world.barrier()?;
        let after = world.processors();
        let is_counted = |(before, after): (&VpStats, &VpStats)| {
            after.switches >= before.switches && after.compute_ns + after.idle_ns > before.compute_ns
        };
        Ok::<_, simurgh::Error>(after.len() == 2 && before.iter().zip(&after).all(is_counted))
    });
    assert_eq!(results.expect("the run succeeds"), [const { Ok(true) }; 4]);
}

/// Ranks stay where they start.
struct Staying;

impl Policy for Staying {
    fn name(&self) -> &str {
        "staying"
    }

    fn victims(&self, _vp: usize, _machine: &Machine<'_>) -> Vec<usize> {
        Vec::new()
    }
}

#[test]
fn a_rust_rank_moves_on_its_own_request() {
    let run = simurgh::Builder::new().ranks(4).vps(2).policy(Staying);
    let results = run.run(|world| {
        let first = simurgh::virtual_processor();
        let other = 1 - first.expect("a rank has one");
        let has_moved = simurgh::move_to(other);
        world.barrier()?;
        let has_failed = !simurgh::move_to(2);
        Ok::<_, simurgh::Error>((first, has_moved, simurgh::virtual_processor(), has_failed))
    });
    let results = results.expect("the run succeeds");
    let expected = [0, 0, 1, 1].map(|vp| Ok((Some(vp), true, Some(1 - vp), true)));
    assert_eq!(results, expected);
    assert!(!simurgh::move_to(0) && simurgh::virtual_processor().is_none());
}

#[test]
fn a_rank_moves_when_it_writes_the_control_variable() {
    let program = Compile::c("tests/c/move_request.c")
        .against(&Stage::locate())
        .build();
    let outcome = Stage::locate()
        .mpiexec(4)
        .vps(2)
        .options(["--policy", "balance"])
        .run(&program);
    let lines = outcome.expect_success().sorted_lines();
    assert_eq!(
        lines,
        [
            "0: 0 1 refused 0",
            "1: 0 1 refused 0",
            "2: 1 0 refused 1",
            "3: 1 0 refused 1"
        ]
    );
}
