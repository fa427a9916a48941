//! Phases of attached threads.

use super::{ArrivalError, Contributions, CyclicBarrier};
use std::thread;

#[test]
fn everybody_sees_all_contributions_and_the_result() {
    let barrier = CyclicBarrier::<usize, usize>::new(5);
    thread::scope(|scope| {
        for party in 0..5 {
            let barrier = &barrier;
            scope.spawn(move || {
                for phase in 0..2000 {
                    let last = |contributions: Contributions<'_, usize>, agreed: bool, sum: &mut usize| {
                        assert!(agreed);
                        *sum = contributions.iter().sum();
                    };
                    let guard = barrier
                        .arrive_and_wait(party, 7, |mine| *mine = party * phase, last, |wait| wait.block())
                        .expect("present once");
                    assert_eq!(*guard.result(), 10 * phase);
                    assert_eq!(guard.contributions()[(party + 1) % 5], (party + 1) % 5 * phase);
                }
            });
        }
    });
}

#[test]
fn parties_with_different_topics_are_told() {
    let barrier = CyclicBarrier::<(), bool>::new(9);
    thread::scope(|scope| {
        for party in 0..9 {
            let barrier = &barrier;
            scope.spawn(move || {
                for odd_one in 0..9 {
                    let topic = if party == odd_one { 2 } else { 3 };
                    let guard = barrier
                        .arrive_and_wait(
                            party,
                            topic,
                            |()| (),
                            |_, agreed, told| *told = agreed,
                            |wait| wait.block(),
                        )
                        .expect("present once");
                    assert!(!*guard.result());
                }
            });
        }
    });
}

#[test]
fn a_party_cannot_arrive_twice() {
    let barrier = CyclicBarrier::<u8, ()>::new(1);
    let guard = barrier
        .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
        .expect("alone");
    assert_eq!(
        barrier
            .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
            .err(),
        Some(ArrivalError::AlreadyArrived)
    );
    assert_eq!(
        barrier
            .arrive_and_wait(1, 1, |_| (), |_, _, ()| (), |wait| wait.block())
            .err(),
        Some(ArrivalError::UnknownParty)
    );
    drop(guard);
    barrier
        .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
        .expect("left before");
}

#[test]
fn a_panic_of_the_last_party_reaches_all() {
    let barrier = CyclicBarrier::<u8, ()>::new(2);
    let outcomes = thread::scope(|scope| {
        let meet = |party| {
            let barrier = &barrier;
            scope.spawn(move || {
                let guard = barrier
                    .arrive_and_wait(party, 1, |_| (), |_, _, ()| panic!("the work fails"), |_| ())
                    .expect("present once");
                let () = guard.result();
            })
        };
        [meet(0), meet(1)].map(|thread| thread.join().is_err())
    });
    assert_eq!(outcomes, [true, true]);
}
