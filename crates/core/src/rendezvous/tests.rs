//! Meetings of attached threads.

use super::{Absence, Brought, Rendezvous};
use std::thread;

#[test]
fn everybody_sees_what_all_brought_and_the_result() {
    let place = Rendezvous::<usize, usize>::new(5);
    thread::scope(|scope| {
        for party in 0..5 {
            let place = &place;
            scope.spawn(move || {
                for round in 0..2000 {
                    let last = |brought: Brought<'_, usize>, agreed: bool, sum: &mut usize| {
                        assert!(agreed);
                        *sum = brought.iter().sum();
                    };
                    let visit = place
                        .meet(
                            party,
                            7,
                            |mine| *mine = party * round,
                            last,
                            |wait| wait.until_over(),
                        )
                        .expect("present once");
                    assert_eq!(*visit.result(), 10 * round);
                    assert_eq!(visit.brought()[(party + 1) % 5], (party + 1) % 5 * round);
                }
            });
        }
    });
}

#[test]
fn parties_that_came_for_different_things_are_told() {
    let place = Rendezvous::<(), bool>::new(9);
    thread::scope(|scope| {
        for party in 0..9 {
            let place = &place;
            scope.spawn(move || {
                for odd_one in 0..9 {
                    let topic = if party == odd_one { 2 } else { 3 };
                    let visit = place
                        .meet(
                            party,
                            topic,
                            |()| (),
                            |_, agreed, told| *told = agreed,
                            |wait| wait.until_over(),
                        )
                        .expect("present once");
                    assert!(!*visit.result());
                }
            });
        }
    });
}

#[test]
fn a_party_cannot_be_there_twice() {
    let place = Rendezvous::<u8, ()>::new(1);
    let visit = place
        .meet(0, 1, |_| (), |_, _, ()| (), |wait| wait.until_over())
        .expect("alone");
    assert_eq!(
        place
            .meet(0, 1, |_| (), |_, _, ()| (), |wait| wait.until_over())
            .err(),
        Some(Absence::Present)
    );
    assert_eq!(
        place
            .meet(1, 1, |_| (), |_, _, ()| (), |wait| wait.until_over())
            .err(),
        Some(Absence::Unknown)
    );
    drop(visit);
    place
        .meet(0, 1, |_| (), |_, _, ()| (), |wait| wait.until_over())
        .expect("left before");
}

#[test]
fn a_panic_of_the_last_party_reaches_all() {
    let place = Rendezvous::<u8, ()>::new(2);
    let outcomes = thread::scope(|scope| {
        let meet = |party| {
            let place = &place;
            scope.spawn(move || {
                let visit = place
                    .meet(party, 1, |_| (), |_, _, ()| panic!("the work fails"), |_| ())
                    .expect("present once");
                let () = visit.result();
            })
        };
        [meet(0), meet(1)].map(|thread| thread.join().is_err())
    });
    assert_eq!(outcomes, [true, true]);
}
