//! Collectives of ranks on several hosts: what differs from those on one.
#![allow(missing_docs, reason = "a test")]

mod common;

use common::{carry_out, into, out, recv_one, run_hosts, send_one};
use simurgh_mpi::op::{BuiltinOp, Op};
use simurgh_mpi::{Collective, Comm, ErrorClass, Result};

const SUM: Op = Op::Builtin(BuiltinOp::Sum);

/// Ranks on each host, of which there are two.
const RANKS: u32 = 2;

fn on_first_host(comm: &Comm) -> bool {
    comm.rank() < RANKS.cast_signed()
}

fn fault(outcome: Result<()>) -> ErrorClass {
    outcome.expect_err("it is a mistake").class()
}

fn total(comm: &Comm, mine: &[i32]) -> Result<Vec<i32>> {
    let mut sum = vec![0; mine.len()];
    comm.allreduce(Some(&out(mine)), &into(&mut sum), &SUM)
        .and_then(carry_out)?;
    Ok(sum)
}

#[test]
fn hosts_notice_that_they_are_in_different_calls() {
    run_hosts(2, RANKS, |comm| {
        for _ in 0..4 {
            let outcome = match on_first_host(comm) {
                true => carry_out(comm.barrier()),
                false => total(comm, &[1]).map(drop),
            };
            assert_eq!(fault(outcome), ErrorClass::Other);
            assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
        }
    });
}

#[test]
fn lengths_that_differ_between_hosts_are_told() {
    run_hosts(2, RANKS, |comm| {
        for len in [10, 3000] {
            let mine = vec![1; if on_first_host(comm) { len } else { len + 1 }];
            assert_eq!(fault(total(comm, &mine).map(drop)), ErrorClass::Truncate);
            assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
        }
    });
}

#[test]
fn nobody_waits_for_a_host_whose_ranks_disagree() {
    run_hosts(2, RANKS, |comm| {
        for _ in 0..4 {
            let outcome = match comm.rank() {
                0 => total(comm, &[1]).map(drop),
                _ => carry_out(comm.barrier()),
            };
            assert_eq!(fault(outcome), ErrorClass::Other);
            assert_eq!(total(comm, &[1]).unwrap(), [comm.size() as i32]);
        }
    });
}

#[test]
fn who_starts_a_collective_waits_for_no_other_host() {
    run_hosts(2, RANKS, |comm| {
        let (rank, size) = (comm.rank(), comm.size() as i32);
        let (mine, mut sum) = ([rank], [0]);
        if on_first_host(comm) {
            let all = comm
                .allreduce(Some(&out(&mine)), &into(&mut sum), &SUM)
                .and_then(Collective::start);
            send_one(comm, rank, rank + RANKS.cast_signed(), 0);
            all.unwrap().wait();
        } else {
            assert_eq!(
                recv_one(comm, rank - RANKS.cast_signed(), 0),
                rank - RANKS.cast_signed()
            );
            let all = comm
                .allreduce(Some(&out(&mine)), &into(&mut sum), &SUM)
                .and_then(Collective::start);
            all.unwrap().wait();
        }
        assert_eq!(sum, [size * (size - 1) / 2]);
    });
}

#[test]
fn many_collectives_are_under_way_between_hosts() {
    const MANY: usize = 40;
    run_hosts(3, RANKS, |comm| {
        let mine: Vec<[i32; 1]> = (0..MANY).map(|index| [comm.rank() + index as i32]).collect();
        let mut sums = vec![[0]; MANY];
        let started: Vec<_> = mine
            .iter()
            .zip(&mut sums)
            .map(|(mine, sum)| {
                comm.allreduce(Some(&out(mine)), &into(sum), &SUM)
                    .and_then(Collective::start)
                    .unwrap()
            })
            .collect();
        comm.barrier().run().unwrap();
        for request in started.iter().rev() {
            request.result(request.wait()).unwrap();
        }
        let size = comm.size() as i32;
        for (index, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, [size * (size - 1) / 2 + size * index as i32]);
        }
    });
}
