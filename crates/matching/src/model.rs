//! Property tests of the queues against a list that is searched from its beginning.

use super::{Envelope, Pattern, PatternKinds, Place, Queue};
use proptest::prelude::*;
use simurgh_base::constants::{ANY_SOURCE, ANY_TAG};
use simurgh_testing::processor_time;

#[derive(Clone, Copy, Debug)]
enum Step {
    Post(Pattern),
    Arrive(Envelope, PatternKinds),
    /// Withdraws the n-th receive that is still posted.
    CancelReceive(usize),
    /// Withdraws the n-th message that still waits.
    CancelSend(usize),
    Probe(Pattern),
}

/// A model of matching that follows the rules of MPI as plainly as possible.
#[derive(Default)]
struct Model {
    posted: Vec<(Pattern, u32, Place)>,
    arrived: Vec<(Envelope, u32, Place)>,
}

fn envelope() -> impl Strategy<Value = Envelope> {
    (0..2_u32, 0..3, 0..4).prop_map(|(context, source, tag)| Envelope { context, source, tag })
}

/// Mostly all: promises are rare.
fn kinds() -> impl Strategy<Value = PatternKinds> {
    prop_oneof![
        3 => Just(PatternKinds::ALL),
        1 => any::<(bool, bool)>().prop_map(|(source, tag)| PatternKinds::without(source, tag)),
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let source = prop_oneof![3 => 0..3, 1 => Just(ANY_SOURCE)];
    let tag = prop_oneof![3 => 0..4, 1 => Just(ANY_TAG)];
    (0..2_u32, source, tag).prop_map(|(context, source, tag)| Pattern { context, source, tag })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => pattern().prop_map(Step::Post),
        4 => (envelope(), kinds()).prop_map(|(envelope, kinds)| Step::Arrive(envelope, kinds)),
        1 => (0..30_usize).prop_map(Step::CancelReceive),
        1 => (0..30_usize).prop_map(Step::CancelSend),
        1 => pattern().prop_map(Step::Probe),
    ]
}

fn post(
    model: &mut Model,
    posted: &mut Queue<u32, 2>,
    arrived: &mut Queue<u32, 5>,
    pattern: Pattern,
    id: u32,
) {
    let expected = model
        .arrived
        .iter()
        .position(|(envelope, ..)| pattern.accepts(*envelope));
    let expected = expected
        .map(|at| model.arrived.remove(at))
        .map(|(envelope, id, _)| (envelope, id));
    let found = arrived.take_match(pattern);
    assert_eq!(found, expected);
    if found.is_none() {
        model.posted.push((pattern, id, posted.post(pattern, id)));
    }
}

fn arrive(
    model: &mut Model,
    posted: &mut Queue<u32, 2>,
    arrived: &mut Queue<u32, 5>,
    (envelope, kinds): (Envelope, PatternKinds),
    id: u32,
) {
    let expected = model
        .posted
        .iter()
        .position(|(pattern, ..)| pattern.accepts(envelope));
    let expected = expected.map(|at| model.posted.remove(at).1);
    let found = posted.take_for(envelope);
    assert_eq!(found, expected);
    if found.is_none() {
        model
            .arrived
            .push((envelope, id, arrived.arrive(envelope, kinds, id)));
    }
}

proptest! {
    #[test]
    fn the_queues_match_in_mpi_order(steps in prop::collection::vec(step(), 0..400)) {
        let mut model = Model::default();
        let (mut posted, mut arrived) = (Queue::<u32, 2>::new(8), Queue::<u32, 5>::new(8));
        for (id, step) in (0_u32..).zip(steps) {
            match step {
                Step::Post(pattern) => post(&mut model, &mut posted, &mut arrived, pattern, id),
                Step::Arrive(envelope, kinds) => {
                    arrive(&mut model, &mut posted, &mut arrived, (envelope, kinds), id);
                },
                Step::CancelReceive(n) if n < model.posted.len() => {
                    let (_, id, place) = model.posted.remove(n);
                    prop_assert_eq!(posted.withdraw(place), Some(id));
                    prop_assert_eq!(posted.withdraw(place), None);
                }
                Step::CancelSend(n) if n < model.arrived.len() => {
                    let (_, id, place) = model.arrived.remove(n);
                    prop_assert_eq!(arrived.withdraw(place), Some(id));
                    prop_assert_eq!(arrived.withdraw(place), None);
                }
                Step::CancelReceive(_) | Step::CancelSend(_) => {}
                Step::Probe(pattern) => {
                    let expected = model.arrived.iter().find(|(envelope, ..)| pattern.accepts(*envelope));
                    let found = arrived.peek(pattern).map(|(envelope, &id)| (envelope, id));
                    prop_assert_eq!(found, expected.map(|&(envelope, id, _)| (envelope, id)));
                }
            }
            prop_assert_eq!(posted.len(), model.posted.len());
            prop_assert_eq!(arrived.len(), model.arrived.len());
        }
    }
}

/// Seconds to queue `count` messages with distinct tags and to match them from the last to the first.
fn reverse_order(count: i32, source: i32, kinds: PatternKinds) -> f64 {
    let start = processor_time();
    let mut arrived = Queue::<i32, 5>::new(8);
    for tag in 0..count {
        arrived.arrive(
            Envelope {
                context: 0,
                source: 1,
                tag,
            },
            kinds,
            tag,
        );
    }
    for tag in (0..count).rev() {
        let found = arrived
            .take_match(Pattern {
                context: 0,
                source,
                tag,
            })
            .map(|(_, value)| value);
        assert_eq!(found, Some(tag));
    }
    (processor_time() - start).as_secs_f64()
}

/// Ten times the entries may take up to fifty times as long, for caches miss; a quadratic search would take a hundred
/// times as long. The best of three, since other work on the machine, which fills the caches, only slows them down.
fn assert_linear(time: impl Fn(i32) -> f64) {
    let best = |count| (0..3).map(|_| time(count)).fold(f64::INFINITY, f64::min);
    let (few, many) = (best(10_000), best(100_000));
    assert!(many < few * 50.0, "10^4 entries took {few} s, 10^5 took {many} s");
}

#[test]
#[cfg_attr(miri, ignore = "measures time")]
fn messages_in_reverse_order_take_linear_time() {
    for source in [1, ANY_SOURCE] {
        assert_linear(|count| reverse_order(count, source, PatternKinds::ALL));
    }
    assert_linear(|count| reverse_order(count, 1, PatternKinds::without(true, true)));
}

/// A message under promises lies in fewer bins. `cargo test --release -p simurgh-mpi promises -- --nocapture` prints
/// what that saves.
#[test]
#[cfg_attr(miri, ignore = "measures time")]
fn promises_make_matching_cheaper() {
    const COUNT: i32 = 20_000;
    let best = |kinds| {
        let times = (0..10).map(|_| reverse_order(COUNT, 1, kinds));
        times.fold(f64::INFINITY, f64::min) * 1e9 / f64::from(COUNT)
    };
    let (all, some, few) = (
        best(PatternKinds::ALL),
        best(PatternKinds::without(true, false)),
        best(PatternKinds::without(true, true)),
    );
    println!(
        "a message queued and matched: {all:.0} ns; no any source: {some:.0} ns; nor any tag: {few:.0} ns"
    );
    assert!(few < all);
}

#[test]
#[cfg_attr(miri, ignore = "measures time")]
fn receives_in_reverse_order_take_linear_time() {
    assert_linear(|count| {
        let start = processor_time();
        let mut posted = Queue::<i32, 2>::new(8);
        (0..count).for_each(|tag| {
            _ = posted.post(
                Pattern {
                    context: 0,
                    source: ANY_SOURCE,
                    tag,
                },
                tag,
            )
        });
        for tag in (0..count).rev() {
            assert_eq!(
                posted.take_for(Envelope {
                    context: 0,
                    source: 5,
                    tag
                }),
                Some(tag)
            );
        }
        (processor_time() - start).as_secs_f64()
    });
}
