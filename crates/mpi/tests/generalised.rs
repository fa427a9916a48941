//! Generalised requests: completed by others, given up and completed in any order.

use crate::common::{Runner, run, run_with};
use simurgh_mpi::{Callbacks, ErrorClass, ErrorCode, Request, Status, wait_any};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts what it is asked.
#[derive(Default)]
struct Counts {
    queried: AtomicU32,
    freed: AtomicU32,
}

struct Operation(Arc<Counts>);

impl Callbacks for Operation {
    fn query(&self) -> Status {
        self.0.queried.fetch_add(1, Ordering::Relaxed);
        Status {
            tag: 5,
            ..Status::EMPTY
        }
    }

    fn free(&self) -> ErrorCode {
        self.0.freed.fetch_add(1, Ordering::Relaxed);
        ErrorCode::SUCCESS
    }

    fn cancel(&self, complete: bool) -> ErrorCode {
        ErrorCode::new(i32::from(complete))
    }
}

fn begin() -> (Arc<Request>, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    (
        Request::generalised(Box::new(Operation(Arc::clone(&counts)))),
        counts,
    )
}

fn asked(counts: &Counts) -> (u32, u32) {
    (
        counts.queried.load(Ordering::Relaxed),
        counts.freed.load(Ordering::Relaxed),
    )
}

#[test]
fn a_request_is_completed_once_and_asked_in_order() {
    run(1, |world| {
        let (request, counts) = begin();
        assert!(!request.is_done() && request.peek().is_none());
        assert_eq!(request.cancel(world.process()), Ok(()));
        assert_eq!(request.complete(), Ok(false));
        assert_eq!(request.complete().unwrap_err().class(), ErrorClass::Request);
        assert_eq!(
            request.cancel(world.process()).unwrap_err().code(),
            ErrorCode::new(1)
        );
        assert_eq!(request.peek().map(|status| status.tag), Some(5));
        assert_eq!(asked(&counts), (1, 0));
        assert_eq!(request.wait().tag, 5);
        assert_eq!(asked(&counts), (2, 1));
        world.process().release(request);
        assert_eq!(asked(&counts), (2, 1));

        let (request, counts) = begin();
        assert_eq!(request.give_up(), Ok(true));
        assert_eq!(request.complete(), Ok(true));
        assert_eq!(asked(&counts), (0, 0));
        request.dispose().unwrap();
        assert_eq!(asked(&counts), (0, 1));
        let (request, counts) = begin();
        request.complete().unwrap();
        assert_eq!(request.give_up(), Ok(false));
        assert_eq!(asked(&counts), (0, 1));
        assert_eq!(begin().0.start().unwrap_err().class(), ErrorClass::Request);
    });
}

/// Another thread completes while this one begins to wait.
#[test]
fn a_waiter_is_woken_whenever_the_completion_comes() {
    run_with(Runner::Threads, 1, |_| {
        for round in 0..300 {
            let (request, counts) = begin();
            let (other, _) = begin();
            let completer = {
                let request = Arc::clone(&request);
                std::thread::spawn(move || request.complete())
            };
            if round % 2 == 0 {
                assert_eq!(request.wait().tag, 5);
            } else {
                let both = [Some(&*other), Some(&*request)];
                assert!(matches!(
                    wait_any(both.into_iter()),
                    simurgh_mpi::Outcome::Complete(1, _)
                ));
            }
            assert_eq!(completer.join().unwrap(), Ok(false));
            assert_eq!(asked(&counts), (1, 1));
        }
    });
}

/// One thread gives the request up while another completes it: it is freed once, by either.
#[test]
fn giving_up_and_completing_race_for_the_end() {
    run_with(Runner::Threads, 1, |_| {
        for _ in 0..300 {
            let (request, counts) = begin();
            let completer = {
                let request = Arc::clone(&request);
                std::thread::spawn(move || {
                    if request.complete().unwrap() {
                        request.dispose().unwrap();
                    }
                })
            };
            request.give_up().unwrap();
            completer.join().unwrap();
            assert_eq!(asked(&counts), (0, 1));
        }
    });
}
