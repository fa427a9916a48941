//! What ranks say that their phases are about, and what the policy makes of it.

use simurgh::policy::{ByPurpose, DomainKind, Policy};
use simurgh::{Builder, Purpose, set_purpose, virtual_processor};
use simurgh_testing::{Compile, Scratch, Stage};
use std::io::{Read, Write};
use std::sync::Mutex;

#[test]
fn ranks_say_what_they_are_about_by_variables_and_info_keys() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/purposes.c").against(&stage).build();
    let mpiexec = stage.mpiexec(2).vps(2);
    mpiexec
        .options(["--policy", "purpose", "--stats"])
        .run(&program)
        .expect_success()
        .expect_stderr("I/O vp 2: ");
}

#[test]
fn a_policy_of_ones_own_makes_use_of_what_ranks_are_about() {
    let stage = Stage::locate();
    let scratch = Scratch::new("purposes");
    let policy = scratch.path().join("mine.so");
    Compile::c("tests/c/policy_purposes.c")
        .flags(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"])
        .flags([format!("-I{}", stage.include().display())])
        .output(&policy)
        .build();
    let program = Compile::c("tests/c/purposes.c").against(&stage).build();
    let policy = policy.to_str().expect("a path in UTF-8");
    let mpiexec = stage.mpiexec(2).vps(2);
    mpiexec
        .options(["--policy", policy, "--stats"])
        .run(&program)
        .expect_success()
        .expect_stderr("I/O vp 2: ");
}

#[test]
fn a_rank_that_waits_for_data_of_another_host_is_about_the_network() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/purposes_between.c").against(&stage).build();
    for rendezvous in ["write", "fragments"] {
        let scratch = Scratch::new("purposes");
        let base = scratch.path().join(rendezvous);
        let mpiexec = stage.mpiexec(4).vps(1);
        mpiexec
            .options(["--hosts-per-node", "2", "--rendezvous", rendezvous])
            .args([base.to_str().expect("a path in UTF-8")])
            .run(&program)
            .expect_success();
    }
}

/// A policy of a program, with a virtual processor for I/O.
struct Own;

impl Policy for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn network_first(&self) -> bool {
        true
    }

    fn io_processors(&self) -> usize {
        1
    }
}

#[test]
fn a_rank_that_blocks_in_a_system_call_keeps_no_virtual_processor_from_others() {
    blocks_apart_from_others(ByPurpose::with_io_processors(1));
    blocks_apart_from_others(Own);
}

fn blocks_apart_from_others(policy: impl Policy + 'static) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let ends = Mutex::new((Some(reader), Some(writer)));
    let run = Builder::new().ranks(2).vps(1).policy(policy);
    let results = run.run(move |world| {
        if world.rank() == 0 {
            let reader = ends.lock().expect("no panic").0.take();
            set_purpose(Purpose::Io);
            let (apart, mut byte) = (virtual_processor(), [0]);
            world.send(&1_u8, 1, 0)?;
            reader
                .expect("the end to read")
                .read_exact(&mut byte)
                .expect("a byte");
            set_purpose(Purpose::Compute);
            return Ok((apart, virtual_processor(), usize::from(byte[0])));
        }
        world.recv(&mut 0_u8, 0, 0)?;
        let about = world.ranks_about(Purpose::Io);
        let writer = ends.lock().expect("no panic").1.take();
        writer.expect("the end to write").write_all(&[9]).expect("a byte");
        Ok::<_, simurgh::Error>((None, virtual_processor(), about))
    });
    let results = results.expect("the run succeeds");
    assert_eq!(results, [Ok((Some(1), Some(0), 9)), Ok((None, Some(0), 1))]);
}

#[test]
fn a_rank_that_waits_for_the_receiver_of_a_message_is_about_the_network() {
    let results = Builder::new().ranks(2).vps(1).run(|world| {
        if world.rank() == 0 {
            world.ssend(&7_u8, 1, 0)?;
            return Ok(world.ranks_about(Purpose::Network));
        }
        while world.ranks_about(Purpose::Network) == 0 {
            world.iprobe(0, 1)?;
        }
        world.recv(&mut 0_u8, 0, 0)?;
        Ok::<_, simurgh::Error>(world.ranks_about(Purpose::Compute))
    });
    let results = results.expect("the run succeeds");
    assert_eq!(results[0], Ok(0));
}

#[test]
fn counters_of_domains_are_those_of_their_virtual_processors() {
    let results = Builder::new().ranks(4).vps(2).run(|world| {
        world.barrier()?;
        let sum = |kind| {
            let domains = world.domains(kind);
            let vps: usize = domains.iter().map(|domain| domain.vps).sum();
            let switches: u64 = domains.iter().map(|domain| domain.stats.switches).sum();
            (vps, switches > 0)
        };
        let kinds = [DomainKind::Machine, DomainKind::Package, DomainKind::L2];
        Ok::<_, simurgh::Error>(kinds.map(sum))
    });
    assert_eq!(
        results.expect("the run succeeds"),
        [const { Ok([(2, true); 3]) }; 4]
    );
}
