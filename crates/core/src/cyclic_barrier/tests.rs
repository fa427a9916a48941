//! Meetings of attached threads.

use super::{ArrivalError, Contributions, CyclicBarrier};
use std::thread;

#[test]
fn everybody_sees_what_all_brought_and_the_result() {
    let place = CyclicBarrier::<usize, usize>::new(5);
    thread::scope(|scope| {
        for party in 0..5 {
            let place = &place;
            scope.spawn(move || {
                for phase in 0..2000 {
                    let last = |brought: Contributions<'_, usize>, agreed: bool, sum: &mut usize| {
                        assert!(agreed);
                        *sum = brought.iter().sum();
                    };
                    let guard = place
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
fn parties_that_came_for_different_things_are_told() {
    let place = CyclicBarrier::<(), bool>::new(9);
    thread::scope(|scope| {
        for party in 0..9 {
            let place = &place;
            scope.spawn(move || {
                for odd_one in 0..9 {
                    let topic = if party == odd_one { 2 } else { 3 };
                    let guard = place
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
fn a_party_cannot_be_there_twice() {
    let place = CyclicBarrier::<u8, ()>::new(1);
    let guard = place
        .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
        .expect("alone");
    assert_eq!(
        place
            .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
            .err(),
        Some(ArrivalError::AlreadyArrived)
    );
    assert_eq!(
        place
            .arrive_and_wait(1, 1, |_| (), |_, _, ()| (), |wait| wait.block())
            .err(),
        Some(ArrivalError::UnknownParty)
    );
    drop(guard);
    place
        .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
        .expect("left before");
}

#[test]
fn a_panic_of_the_last_party_reaches_all() {
    let place = CyclicBarrier::<u8, ()>::new(2);
    let outcomes = thread::scope(|scope| {
        let meet = |party| {
            let place = &place;
            scope.spawn(move || {
                let guard = place
                    .arrive_and_wait(party, 1, |_| (), |_, _, ()| panic!("the work fails"), |_| ())
                    .expect("present once");
                let () = guard.result();
            })
        };
        [meet(0), meet(1)].map(|thread| thread.join().is_err())
    });
    assert_eq!(outcomes, [true, true]);
}
