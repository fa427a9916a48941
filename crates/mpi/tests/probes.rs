//! The probe family.

use crate::common::{into, out, recv_one, run, send_one};
use simurgh_mpi::Comm;
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG};

#[test]
fn a_probe_waits_and_tells_of_the_message_to_come() {
    run(3, |world| {
        for length in [1, 100, 9000] {
            if world.rank() > 0 {
                let data = vec![world.rank(); length];
                world.send(&out(&data), 0, length as i32).unwrap();
                continue;
            }
            let first = world.probe(2, ANY_TAG).unwrap();
            assert_eq!(
                (first.source, first.tag, first.bytes),
                (2, length as i32, 4 * length as u64)
            );
            for _ in 0..2 {
                let status = world.probe(ANY_SOURCE, length as i32).unwrap();
                let mut data = vec![0; length];
                assert_eq!(world.recv(into(&mut data), status.source, status.tag), Ok(status));
                assert_eq!(data, vec![status.source; length]);
            }
        }
    });
}

#[test]
fn polling_probes_let_the_sender_run() {
    run(2, |world| {
        if world.rank() == 0 {
            assert_eq!(recv_one(world, 1, 0), 5);
            send_one(world, 6, 1, 9);
        } else {
            assert_eq!(world.iprobe(0, 9), Ok(None));
            send_one(world, 5, 0, 0);
            let status = loop {
                if let Some(status) = world.iprobe(ANY_SOURCE, 9).unwrap() {
                    break status;
                }
            };
            assert_eq!((status.source, status.bytes), (0, 4));
            assert_eq!(recv_one(world, 0, 9), 6);
            assert_eq!(world.iprobe(0, 9), Ok(None));
        }
    });
}

fn mprobe(world: &Comm, polling: bool) -> (simurgh_mpi::Message, simurgh_mpi::Status) {
    if !polling {
        return world.mprobe(ANY_SOURCE, 4).unwrap();
    }
    loop {
        if let Some(found) = world.improbe(ANY_SOURCE, 4).unwrap() {
            return found;
        }
    }
}

#[test]
fn a_matched_probe_takes_the_message_away() {
    run(2, |world| {
        for (length, polling) in [(1, false), (5000, true), (1, true), (5000, false)] {
            if world.rank() == 0 {
                world.send(&out(&vec![1; length]), 1, 4).unwrap();
                world.send(&out(&vec![2; length]), 1, 4).unwrap();
                continue;
            }
            let (message, status) = mprobe(world, polling);
            assert_eq!((status.source, status.bytes), (0, 4 * length as u64));
            let (mut first, mut second) = (vec![0; length], vec![0; length]);
            // The message probed is ours: this receive gets the next one.
            let request = world.irecv(&into(&mut second), 0, 4).unwrap();
            if polling {
                assert_eq!(message.irecv(world.process(), &into(&mut first)).wait(), status);
            } else {
                assert_eq!(message.recv(&into(&mut first)), Ok(status));
            }
            request.wait();
            assert_eq!((first[0], second[length - 1]), (1, 2));
        }
    });
}
