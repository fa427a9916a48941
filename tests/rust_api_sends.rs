//! Buffered and ready sends of the Rust interface, with different numbers of ranks on two virtual processors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use simurgh::{BSEND_OVERHEAD, Builder, Communicator, ErrorClass, Result};

/// Runs `f` with 1, 2, 7 and 64 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    [1, 2, 7, 64].into_iter().for_each(|ranks| with(ranks, f.clone()));
}

fn with(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
    let ended = builder.run(f).expect("the run succeeds");
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}

#[test]
fn buffered_sends_wait_for_nobody() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let buffer = world.attach_buffer(3 * (800 + BSEND_OVERHEAD))?;
        let second = world.attach_automatic_buffer().map(drop);
        assert_eq!(second.map_err(|error| error.class()), Err(ErrorClass::Buffer));
        for number in 0..3 {
            buffer.bsend(&[rank + number; 100][..], next, number as i32)?;
        }
        let full = buffer.bsend(&0_u8, next, 3).map_err(|error| error.class());
        assert_eq!(full, Err(ErrorClass::Buffer));
        world.barrier()?;
        for number in (0..3).rev() {
            let mut theirs = [0; 100];
            world.recv(&mut theirs[..], before, number as i32)?;
            assert_eq!(theirs, [before + number; 100]);
        }
        buffer.flush();
        buffer.bsend(&rank, next, 3)?;
        let mut theirs = 0;
        world.recv(&mut theirs, before, 3)?;
        assert_eq!(theirs, before);
        buffer.detach()?;

        let buffer = world.attach_automatic_buffer()?;
        buffer.bsend(&vec![rank; 50_000], next, 4)?;
        let mut theirs = vec![0; 50_000];
        world.recv(&mut theirs, before, 4)?;
        assert!(theirs.iter().all(|&value| value == before));
        Ok(())
    });
}

#[test]
fn a_buffer_is_detached_when_its_messages_have_been_received() {
    let may_receive = Arc::new(AtomicBool::new(false));
    with(2, move |world| {
        if world.rank() == 0 {
            let buffer = world.attach_automatic_buffer()?;
            buffer.bsend(&[7_u8; 5000][..], 1, 0)?;
            world.send(&1_u8, 1, 1)?;
            drop(buffer);
            assert!(may_receive.load(Ordering::Relaxed));
        } else {
            world.recv(&mut 0_u8, 0, 1)?;
            may_receive.store(true, Ordering::Relaxed);
            world.recv(&mut [0_u8; 5000][..], 0, 0)?;
        }
        Ok(())
    });
}

#[test]
fn ready_sends_find_their_receives() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let (mut one, mut two) = (0, 0);
        world.scope(|scope| {
            scope.irecv(&mut one, before, 1)?;
            scope.irecv(&mut two, before, 2)?;
            world.barrier()?;
            world.rsend(&rank, next, 1)?;
            scope.irsend(&rank, next, 2)?.wait()
        })?;
        assert_eq!((one, two), (before, before));
        Ok(())
    });
}

#[test]
fn nonblocking_buffered_sends_are_complete_before_their_receives() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let (first, second) = (vec![rank; 20_000], [rank + 1; 3]);
        // The scope is that of another communicator.
        let own = world.dup()?;
        let buffer = own.attach_automatic_buffer()?;
        world.scope(|scope| {
            let send = buffer.ibsend(scope, &first, next, 0)?;
            buffer.ibsend(scope, &second[..], next, 1)?;
            send.wait()
        })?;
        world.barrier()?;
        let (mut large, mut small) = (vec![0; 20_000], [0; 3]);
        own.recv(&mut small[..], before, 1)?;
        own.recv(&mut large, before, 0)?;
        assert!(large.iter().all(|value| *value == before));
        assert_eq!(small, [before + 1; 3]);
        buffer.detach()?;

        let buffer = own.attach_buffer(8 + BSEND_OVERHEAD)?;
        let full = own.scope(|scope| buffer.ibsend(scope, &first, next, 2).map(drop));
        assert_eq!(full.map_err(|error| error.class()), Err(ErrorClass::Buffer));
        Ok(())
    });
}
