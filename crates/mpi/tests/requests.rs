//! Nonblocking and persistent operations, and the calls that complete them.

use crate::common::{Runner, into, meet, out, recv_one, run, run_with, send_one, start_send};
use simurgh_core::sync::{AtomicBool, Ordering};
use simurgh_core::yield_now;
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use simurgh_mpi::{
    Comm, ErrorClass, Mode, Outcome, Request, Status, test_all, test_any, test_some, wait_all, wait_any,
    wait_some,
};
use std::sync::Arc;

fn refs(requests: &[Option<Arc<Request>>]) -> impl Iterator<Item = Option<&Request>> + Clone {
    requests.iter().map(Option::as_deref)
}

/// `count` receives from the other rank with tags from zero, into `numbers`.
fn post(world: &Comm, numbers: &mut [i32]) -> Vec<Option<Arc<Request>>> {
    let receive = |(tag, number): (usize, &mut i32)| {
        Some(
            world
                .irecv(&into(std::slice::from_mut(number)), 1 - world.rank(), tag as i32)
                .unwrap(),
        )
    };
    numbers.iter_mut().enumerate().map(receive).collect()
}

#[test]
fn operations_started_by_both_complete() {
    run(2, |world| {
        let other = 1 - world.rank();
        for length in [1, 2000, 60_000] {
            let (mine, mut theirs) = (vec![world.rank(); length], vec![-1; length]);
            let receive = world.irecv(&into(&mut theirs), other, 1).unwrap();
            let sends = [
                start_send(world, Mode::Standard, &out(&mine), other, 1),
                start_send(world, Mode::Synchronous, &out(&mine), other, 2),
                start_send(world, Mode::Ready, &out(&mine), other, 3),
            ];
            let mut more = vec![-1; 2 * length];
            let (second, third) = more.split_at_mut(length);
            world.recv(into(second), other, 2).unwrap();
            world.recv(into(third), other, 3).unwrap();
            let status = receive.wait();
            assert_eq!(
                (status.source, status.tag, status.bytes),
                (other, 1, 4 * length as u64)
            );
            for send in sends {
                assert_eq!(send.wait().error, ErrorClass::Success);
                world.process().release(send);
            }
            world.process().release(receive);
            assert_eq!((theirs, more), (vec![other; length], vec![other; 2 * length]));
        }
    });
}

#[test]
fn waiting_for_all_reports_each() {
    run(2, |world| {
        const COUNT: usize = 40;
        if world.rank() == 0 {
            (0..COUNT as i32)
                .rev()
                .for_each(|tag| send_one(world, tag * tag, 1, tag));
            assert_eq!(recv_one(world, 1, 0), 1);
            return;
        }
        let mut numbers = [0; COUNT];
        let mut requests = post(world, &mut numbers);
        requests.push(None);
        let mut seen = Vec::new();
        assert!(wait_all(refs(&requests), |position, status| seen.push((position, status))));
        for (position, status) in seen {
            let expected = if position == COUNT {
                Status::EMPTY.tag
            } else {
                position as i32
            };
            assert_eq!(status.tag, expected);
        }
        assert_eq!(
            numbers.map(i64::from),
            std::array::from_fn(|tag| (tag * tag) as i64)
        );
        assert_eq!(test_all(refs(&requests), |_, _| {}), Some(true));
        send_one(world, 1, 0, 0);
    });
}

#[test]
fn waiting_for_any_gives_one_after_the_other() {
    run(2, |world| {
        // More than are waited for without a list.
        const COUNT: usize = 20;
        if world.rank() == 0 {
            for tag in (0..COUNT as i32).rev() {
                send_one(world, tag, 1, tag);
                assert_eq!(recv_one(world, 1, 100), tag);
            }
            return;
        }
        let mut numbers = [-1; COUNT];
        let mut requests = post(world, &mut numbers);
        for expected in (0..COUNT).rev() {
            let Outcome::Complete(position, status) = wait_any(refs(&requests)) else {
                panic!("one completes")
            };
            assert_eq!((position, status.tag), (expected, expected as i32));
            requests[position] = None;
            send_one(world, status.tag, 0, 100);
        }
        assert_eq!(wait_any(refs(&requests)), Outcome::Inactive);
        assert_eq!(test_any(refs(&requests)), Outcome::Inactive);
        assert_eq!(wait_some(refs(&requests), |_, _| {}), None);
        assert_eq!(test_some(refs(&requests), |_, _| {}), None);
    });
}

#[test]
fn testing_for_some_tells_what_has_come_though_another_request_is_complete() {
    let (posted, sent) = (AtomicBool::new(false), AtomicBool::new(false));
    run_with(Runner::Blocks(2), 2, move |world| {
        // The receiver waits here at times, so messages may come through the ring of its virtual processor.
        for _ in 0..100 {
            meet(world);
        }
        if world.rank() == 0 {
            while !posted.load(Ordering::Acquire) {
                yield_now();
            }
            send_one(world, 2, 1, 2);
            sent.store(true, Ordering::Release);
            return;
        }
        let mut numbers = [0; 2];
        let requests: Vec<_> = (0..)
            .zip(&mut numbers)
            .map(|(source, number)| world.irecv(&into(std::slice::from_mut(number)), 1 - source, 1 + source))
            .map(|request| Some(request.expect("it is posted")))
            .collect();
        send_one(world, 1, 1, 1);
        posted.store(true, Ordering::Release);
        while !sent.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
        assert_eq!(test_some(refs(&requests), |_, _| {}), Some(2));
        drop(requests);
        assert_eq!(numbers, [1, 2]);
    });
}

#[test]
fn testing_makes_others_run_and_waiting_for_some_gives_all_that_are_done() {
    run(2, |world| {
        if world.rank() == 0 {
            assert_eq!(recv_one(world, 1, 0), 0);
            (0..4).for_each(|tag| send_one(world, tag, 1, tag));
            return;
        }
        let mut numbers = [-1; 4];
        let mut requests = post(world, &mut numbers);
        assert_eq!(test_all(refs(&requests), |_, _| panic!("none is done")), None);
        assert_eq!(test_any(refs(&requests)), Outcome::Pending);
        assert_eq!(test_some(refs(&requests), |_, _| panic!("none is done")), Some(0));
        assert_eq!(requests[0].as_ref().unwrap().test(), None);
        send_one(world, 0, 0, 0);
        while requests[0].as_ref().unwrap().peek().is_none() {}
        assert_eq!(
            requests[0].as_ref().unwrap().test().map(|status| status.tag),
            Some(0)
        );
        requests[0] = None;
        let mut done = 1;
        while done < 4 {
            let mut positions = Vec::new();
            let count = wait_some(refs(&requests), |position, _| positions.push(position));
            assert_eq!(count, Some(positions.len()));
            done += positions.len();
            positions
                .into_iter()
                .for_each(|position| requests[position] = None);
        }
        assert_eq!(numbers, [0, 1, 2, 3]);
    });
}

#[test]
fn an_operation_that_has_not_been_matched_can_be_cancelled() {
    run(2, |world| {
        let (process, other) = (world.process(), 1 - world.rank());
        let mut number = [7];
        let receive = world.irecv(&into(&mut number), ANY_SOURCE, 5).unwrap();
        let send = start_send(world, Mode::Synchronous, &out(&[1]), other, 6);
        for request in [&receive, &send] {
            request.cancel(process).unwrap();
            assert!(request.wait().cancelled);
        }
        meet(world);
        send_one(world, 3, other, 5);
        assert_eq!(recv_one(world, other, 5), 3);
        assert_eq!(number, [7]);
        // The other's cancelled send is gone: this receive gets the next.
        send_one(world, 4, other, 6);
        assert_eq!(recv_one(world, other, ANY_TAG), 4);
        // A complete request stays complete.
        let done = start_send(world, Mode::Standard, &out(&[1]), PROC_NULL, 0);
        done.cancel(process).unwrap();
        assert!(!done.wait().cancelled);
    });
}

#[test]
fn persistent_operations_run_again_and_again() {
    run(2, |world| {
        let other = 1 - world.rank();
        for length in [1, 5000] {
            let (mut mine, mut theirs) = (vec![0; length], vec![0; length]);
            let receive = world.recv_init(&into(&mut theirs), other, 3).unwrap();
            let sends = [
                world.send_init(Mode::Standard, &out(&mine), other, 3).unwrap(),
                world.send_init(Mode::Synchronous, &out(&mine), other, 3).unwrap(),
                world.send_init(Mode::Ready, &out(&mine), other, 3).unwrap(),
            ];
            assert!(receive.is_persistent() && !receive.is_active());
            assert_eq!(receive.wait(), Status::EMPTY);
            assert_eq!(
                receive.cancel(world.process()).unwrap_err().class(),
                ErrorClass::Request
            );
            for round in 0..30 {
                let send = &sends[round % 3];
                mine.fill(round as i32 * 2 + world.rank());
                Request::start_all([&receive, send]).unwrap();
                assert_eq!(send.start().unwrap_err().class(), ErrorClass::Request);
                let both = [Some(Arc::clone(&receive)), Some(Arc::clone(send))];
                assert!(wait_all(refs(&both), |_, _| {}));
                assert_eq!(theirs[length - 1], round as i32 * 2 + other);
                assert!(!receive.is_active() && !send.is_active());
            }
        }
        let once = start_send(world, Mode::Standard, &out(&[1]), PROC_NULL, 0);
        assert_eq!(once.start().unwrap_err().class(), ErrorClass::Request);
    });
}

#[test]
fn a_persistent_receive_can_be_cancelled_and_started_again() {
    run(1, |world| {
        let mut number = [0];
        let receive = world.recv_init(&into(&mut number), 0, 3).unwrap();
        receive.start().unwrap();
        receive.cancel(world.process()).unwrap();
        assert!(receive.wait().cancelled);
        receive.start().unwrap();
        send_one(world, 8, 0, 3);
        assert!(!receive.wait().cancelled);
        assert_eq!(number, [8]);
    });
}

#[test]
fn freed_requests_complete_before_finalize_ends() {
    run(2, |world| {
        let data = vec![world.rank(); 10_000];
        if world.rank() == 0 {
            let request = start_send(world, Mode::Standard, &out(&data), 1, 1);
            world.process().release(request);
            // Finalize waits for the send, whose memory lives as long as the test.
            std::mem::forget(data);
        } else {
            let mut theirs = vec![-1; 10_000];
            world.recv(into(&mut theirs), 0, 1).unwrap();
            assert_eq!(theirs, vec![0; 10_000]);
        }
    });
}
