//! What the library tells the ranks of a Rust program about itself.

use std::collections::BTreeSet;

use simurgh::{Builder, Communicator, ControlValue, PerformanceVariable, Result, Source, VariableClass};

/// Runs ranks that must succeed.
fn with(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let results = Builder::new()
        .ranks(ranks)
        .vps(2)
        .run(f)
        .expect("the run succeeds");
    for (rank, result) in results.into_iter().enumerate() {
        assert_eq!(result, Ok(()), "rank {rank}");
    }
}

fn variable(world: &Communicator, name: &str) -> PerformanceVariable {
    let found = world.performance_variable(name);
    found.unwrap_or_else(|| panic!("there is no variable {name}"))
}

#[test]
fn a_counter_tells_what_its_rank_has_done_since_its_start() {
    with(3, |world| {
        let sent = variable(world, "bytes_sent");
        assert_eq!(
            (sent.class(), sent.is_continuous()),
            (VariableClass::Aggregate, false)
        );
        let (next, before) = ((world.rank() + 1) % 3, (world.rank() + 2) % 3);
        let exchange = |length: usize| {
            world.send_receive(&vec![1_u8; length], next, 0, &mut vec![0_u8; length], before, 0)
        };
        exchange(1000)?;
        assert_eq!(sent.read().iter().sum::<u64>(), 0);
        sent.start();
        exchange(10)?;
        exchange(5000)?;
        let expected = [10, 0, 0, 5000, 0, 0, 0];
        assert_eq!(sent.read(), expected);
        sent.stop();
        exchange(7)?;
        assert_eq!(sent.read(), expected);
        sent.reset();
        assert_eq!(sent.read(), [0; 7]);
        world.barrier()
    });
}

#[test]
fn a_level_tells_what_is_at_present() {
    with(2, |world| {
        let other = world.dup()?;
        let [of_world, of_other] = [world, &other].map(|comm| variable(comm, "comm_unexpected_recvq_length"));
        assert!(of_world.is_continuous());
        if world.rank() == 0 {
            world.send(&1_u8, 1, 0)?;
            world.send(&2_u8, 1, 0)?;
            other.send(&3_u8, 1, 0)?;
        }
        world.barrier()?;
        let expected = if world.rank() == 0 { (0, 0) } else { (2, 1) };
        // Neither of these changes what is at present.
        of_world.start();
        of_world.reset();
        assert_eq!((of_world.read()[0], of_other.read()[0]), expected);
        if world.rank() == 1 {
            world.recv(&mut 0_u8, Source::Any, 0)?;
            assert_eq!((of_world.read()[0], of_other.read()[0]), (1, 1));
            world.recv(&mut 0_u8, Source::Any, 0)?;
            other.recv(&mut 0_u8, Source::Any, 0)?;
        }
        Ok(())
    });
}

#[test]
fn all_variables_have_names_and_can_be_read() {
    with(2, |world| {
        let variables = world.performance_variables();
        let names: BTreeSet<_> = variables.iter().map(PerformanceVariable::name).collect();
        assert!(names.len() == variables.len() && names.len() > 20);
        for variable in variables {
            variable.start();
            assert!(
                !variable.description().is_empty() && !variable.read().is_empty(),
                "{variable:?}"
            );
        }
        let controls = world.control_variables();
        assert!(controls.len() > 20 && controls.iter().all(|control| !control.description().is_empty()));
        assert!(world.control_variable("flour").is_none() && world.performance_variable("flour").is_none());
        Ok(())
    });
}

#[test]
fn control_variables_have_numbers_times_and_words() {
    with(2, |world| {
        let value = |name| {
            world
                .control_variable(name)
                .map(|control| control.value().clone())
        };
        assert_eq!(value("vps"), Some(ControlValue::Number(2)));
        assert_eq!(value("policy"), Some(ControlValue::Text("wq".to_owned())));
        let times = world
            .control_variables()
            .into_iter()
            .filter(|control| matches!(control.value(), ControlValue::Seconds(time) if *time >= 0.0));
        assert!(times.count() > 0);
        Ok(())
    });
}
