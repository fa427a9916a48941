//! The job's reports of operations that wait for each other.

use crate::common;
use crate::common::{into, meet, out, recv_one, run_with, send_one, start_send};
use simurgh_mpi::Mode;
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG};

#[test]
fn operations_without_counterpart_are_told() {
    run_with(common::Runner::Contexts(1, None), 2, |world| {
        let job = world.process().job();
        if world.rank() == 1 {
            meet(world);
            // Rank 0 waits in this receive when we look.
            assert_eq!(recv_one(world, 0, 8), 1);
            let told: Vec<_> = job.unmatched(10).iter().map(ToString::to_string).collect();
            assert_eq!(
                told,
                [
                    "rank 0 has started a receive from any rank with any tag",
                    "rank 0 waits in a receive from rank 1 with tag 9",
                    "rank 0 has started a send to rank 1 with tag 7",
                ]
            );
            assert_eq!(job.unmatched(2).len(), 2);
            assert_eq!(recv_one(world, 0, 7), 1);
            send_one(world, 3, 0, 9);
            send_one(world, 3, 0, 9);
            return;
        }
        meet(world);
        let mut number = [0];
        let first = world.irecv(&into(&mut number), ANY_SOURCE, ANY_TAG).unwrap();
        let second = start_send(world, Mode::Synchronous, &out(&[1]), 1, 7);
        send_one(world, 1, 1, 8);
        assert_eq!(recv_one(world, 1, 9), 3);
        first.wait();
        second.wait();
        assert!(job.unmatched(10).is_empty());
    });
}
