//! The events of the library through the Rust interface.

use simurgh::{Builder, Communicator, ErrorClass, Result};

fn with_ranks(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let ended = Builder::new()
        .ranks(ranks)
        .vps(2)
        .run(f)
        .expect("the run succeeds");
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}

#[test]
fn events_tell_what_has_happened_to_their_rank() {
    with_ranks(2, |world| {
        let types = world.event_types();
        let names: Vec<_> = types.iter().map(|kind| kind.name()).collect();
        assert!(names.contains(&"message_unexpected"), "{names:?}");
        assert!(types.iter().all(|kind| !kind.description().is_empty()));

        let mut events = world.watch_events(&["message_unexpected", "message_matched"])?;
        // Before anything is sent, the receiver watches.
        world.barrier()?;
        if world.rank() == 1 {
            for tag in 0..3 {
                world.send(&vec![0_u8; 10 + tag], 0, tag as i32)?;
            }
            world.barrier()?;
            assert_eq!(events.next(), None);
            return Ok(());
        }
        // All messages have come.
        world.probe(1, 2)?;
        for tag in (0..3).rev() {
            world.recv(&mut [0_u8; 20][..], 1, tag)?;
        }
        world.barrier()?;
        let mut last = std::time::Duration::ZERO;
        let mut happened = Vec::new();
        for event in events.by_ref() {
            assert!(event.time() >= last, "{event:?}");
            last = event.time();
            assert_eq!(
                (event.element("source"), event.element("nothing")),
                (Some(1), None)
            );
            let tag = event.element("tag").expect("a message has a tag");
            assert_eq!(event.element("bytes"), Some(10 + tag));
            happened.push((event.kind().name(), tag));
        }
        let unexpected = (0..3).map(|tag| ("message_unexpected", tag));
        let matched = (0..3).rev().map(|tag| ("message_matched", tag));
        assert_eq!(happened, unexpected.chain(matched).collect::<Vec<_>>());
        assert_eq!(events.dropped(), 0);
        Ok(())
    });
}

#[test]
fn a_rank_watches_once_at_a_time() {
    with_ranks(1, |world| {
        let class = |names: &[&str]| world.watch_events(names).map(drop).map_err(|error| error.class());
        assert_eq!(class(&["message_matched", "flour"]), Err(ErrorClass::Arg));
        let mut events = world.watch_events(&["message_matched"])?;
        assert_eq!(class(&["message_matched"]), Err(ErrorClass::Other));
        let send = || world.send_receive(&1, 0, 0, &mut 0, 0, 0).map(drop);
        send()?;
        assert_eq!(events.by_ref().count(), 1);
        // More than there is room for.
        for _ in 0..1500 {
            send()?;
        }
        assert_eq!(
            (events.dropped(), events.by_ref().count(), events.dropped()),
            (476, 1024, 0)
        );
        send()?;
        drop(events);
        // What happens while nobody watches, or has been left, is not told.
        send()?;
        let mut events = world.watch_events(&["message_matched"])?;
        assert_eq!(events.next(), None);
        Ok(())
    });
}
