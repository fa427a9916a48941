//! The meeting place of a communicator, by itself, with operating system threads as ranks.

use simurgh_core::sync::Arc;
use simurgh_mpi::ErrorClass;
use simurgh_mpi::collective::IntraHost;

/// Runs `f` in a thread for each rank.
fn on_threads(size: usize, f: impl Fn(&IntraHost, usize) + Send + Sync) {
    let intra_host = IntraHost::new(size);
    std::thread::scope(|scope| {
        for rank in 0..size {
            let (intra_host, f) = (&intra_host, &f);
            scope.spawn(move || f(intra_host, rank));
        }
    });
}

#[test]
fn values_are_combined_once_in_rank_order() {
    for size in [1, 2, 7] {
        on_threads(size, |intra_host, rank| {
            for round in 0..200 {
                let all = intra_host
                    .exchange(rank, rank * 1000 + round, |values| values)
                    .expect("all make the same call");
                assert_eq!(
                    *all,
                    (0..size).map(|rank| rank * 1000 + round).collect::<Vec<_>>()
                );
            }
        });
    }
}

#[test]
fn everybody_gets_the_same_object() {
    on_threads(5, |intra_host, rank| {
        let own = intra_host
            .exchange(rank, (), |_: Vec<()>| 42)
            .expect("all make the same call");
        let all = intra_host
            .exchange(rank, Arc::clone(&own), |values| values)
            .expect("all make the same call");
        assert!(all.iter().all(|other| Arc::ptr_eq(other, &own)));
    });
}

#[test]
fn an_idle_board_keeps_nothing_alive() {
    let object = Arc::new(());
    on_threads(3, |intra_host, rank| {
        let made = intra_host
            .exchange(rank, (), |_: Vec<()>| Arc::clone(&object))
            .expect("all make the same call");
        drop(made);
        intra_host
            .exchange(rank, 0_u8, |_| ())
            .expect("all make the same call");
        assert_eq!(Arc::strong_count(&object), 1);
    });
}

#[test]
fn ranks_in_different_calls_are_told_and_can_go_on() {
    on_threads(3, |intra_host, rank| {
        let failed = if rank == 1 {
            intra_host
                .exchange(rank, 'x', |_| ())
                .map_err(|error| error.class())
        } else {
            intra_host
                .exchange(rank, 1.5, |_| ())
                .map_err(|error| error.class())
        };
        assert_eq!(failed.unwrap_err(), ErrorClass::Other);
        assert!(
            intra_host
                .exchange(rank, rank, |ranks| ranks.len() == 3)
                .is_ok_and(|all| *all)
        );
    });
}

#[test]
fn a_rank_that_does_not_exist_is_refused() {
    let intra_host = IntraHost::new(2);
    assert_eq!(intra_host.size(), 2);
    assert_eq!(
        intra_host.exchange(2, (), |_| ()).unwrap_err().class(),
        ErrorClass::Rank
    );
}
