//! Short messages between virtual processors, which go through a ring, mixed with all others.

use simurgh_testing::{Compile, Stage, passed, seed};

/// Ranks, virtual processors, further options. Ranks that are alone on a virtual processor have a ring.
const JOBS: [(usize, usize, &[&str]); 6] = [
    (2, 2, &[]),
    (3, 2, &[]),
    (7, 2, &[]),
    (16, 1, &[]),
    (4, 2, &["--mode", "processes"]),
    (4, 2, &["--hosts-per-node", "2"]),
];

#[test]
fn messages_of_a_sender_come_in_order_whatever_their_lengths_and_modes() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/short_messages.c").against(&stage).build();
    for (ranks, vps, options) in JOBS {
        let mpiexec = stage.mpiexec(ranks).vps(vps).options(options);
        let run = mpiexec.args([seed().to_string(), "200".to_owned()]).run(&program);
        run.expect_success();
        assert_eq!(run.stdout, passed(ranks), "{run}");
    }
}

#[test]
fn a_thread_that_sleeps_gets_its_message_while_another_one_looks() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/short_threads.c").against(&stage).build();
    for (ranks, vps) in [(2, 2), (3, 2), (4, 2), (2, 1)] {
        let run = stage.mpiexec(ranks).vps(vps).run(&program);
        run.expect_success();
        assert_eq!(run.stdout, passed(ranks), "{run}");
    }
}

#[test]
fn sends_end_though_their_receiver_computes_until_there_is_no_room_for_more() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/sends_to_busy.c").against(&stage).build();
    let mpiexec = stage.mpiexec(2).vps(2).options(["--backlog-limit", "64K"]);
    let run = mpiexec.run(&program);
    run.expect_success();
    assert_eq!(run.stdout, passed(2), "{run}");
}
