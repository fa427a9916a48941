//! Operations of the Rust interface that own their buffers, sets of requests and futures, with different numbers of
//! ranks on two virtual processors.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use simurgh::{AnyRequest, Builder, Communicator, ErrorClass, Op, RequestSet, Result, RunError, Source};

/// Runs `f` with 1, 2, 7 and 64 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    [1, 2, 7, 64].into_iter().for_each(|ranks| with(ranks, f.clone()));
}

fn with(ranks: usize, f: impl Fn(&Communicator) -> Result<()> + Send + Sync + 'static) {
    let ended = run(ranks, f).expect("the run succeeds");
    ended.into_iter().for_each(|end| end.expect("no call fails"));
}

fn run<T: Send + 'static>(
    ranks: usize,
    f: impl Fn(&Communicator) -> T + Send + Sync + 'static,
) -> std::result::Result<Vec<T>, RunError> {
    let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
    builder.run(f).map(simurgh::Results::into_vec)
}

/// The ranks after and before this one.
fn around(world: &Communicator) -> (usize, usize) {
    let (rank, size) = (world.rank(), world.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

#[test]
fn persistent_messages_carry_what_the_values_are_at_each_start() {
    with_ranks(|world| {
        let (next, before) = around(world);
        for len in [1, 1000, 50_000] {
            let mut send = world.persistent_send(vec![0_u32; len], next, 1)?;
            let mut receive = world.persistent_recv(vec![0_u32; len + 1], before, 1)?;
            for round in 0..4 {
                send.values_mut().fill(world.rank() as u32 + 1000 * round);
                receive.start()?;
                send.start()?;
                let status = receive.wait()?;
                send.wait()?;
                assert_eq!(
                    (status.source(), status.count::<u32>()),
                    (Some(before), Some(len))
                );
                assert!(
                    receive.values()[..len]
                        .iter()
                        .all(|&value| value == before as u32 + 1000 * round)
                );
            }
        }
        Ok(())
    });
}

#[test]
fn values_of_a_persistent_operation_are_out_of_reach_while_it_is_under_way() {
    with(1, |world| {
        let mut receive = world.persistent_recv(vec![1], 0, 0)?;
        receive.start()?;
        let again = receive.start().map_err(|error| error.class());
        assert_eq!(again, Err(ErrorClass::Request));
        assert!(!receive.is_complete());
        let look = std::panic::AssertUnwindSafe(|| receive.values()[0]);
        assert!(std::panic::catch_unwind(look).is_err());
        assert!(receive.cancel()?);
        assert_eq!(receive.values(), [1]);
        Ok(())
    });
}

#[test]
fn operations_that_are_dropped_or_leaked_under_way_do_no_harm() {
    with(2, |world| {
        let other = 1 - world.rank();
        for _ in 0..10 {
            // Long messages are read from the sender's memory.
            let mut dropped = world.persistent_send(vec![world.rank(); 100_000], other, 0)?;
            let mut leaked = world.persistent_send(vec![world.rank(); 100_000], other, 1)?;
            let mut ignored = world.persistent_recv(vec![0_u8; 100], other, 2)?;
            let mut received = vec![9; 100_000];
            ignored.start()?;
            drop(ignored);
            leaked.start()?;
            std::mem::forget(leaked);
            world.scope(|scope| {
                scope.irecv(&mut received, other, 0)?;
                dropped.start()?;
                drop(dropped);
                Ok(())
            })?;
            assert!(received.iter().all(|&value| value == other));
            world.recv(&mut received, other, 1)?;
            assert!(received.iter().all(|&value| value == other));
            world.send(&[7_u8], other, 2)?;
            let (late, _) = world.recv_vec::<u8>(Source::Any, 2)?;
            assert_eq!(late, [7]);
        }
        Ok(())
    });
}

#[test]
fn collectives_and_partitions_that_are_dropped_under_way_go_on_without_their_rank() {
    with(2, |world| {
        let (next, before) = around(world);
        let mut sum = world.persistent_all_reduce(vec![1; 10_000], vec![0; 10_000], &Op::sum())?;
        let mut send = world.partitioned_send(vec![0_u64; 10_000], 2, next, 0)?;
        let mut receive = world.partitioned_recv(vec![0_u64; 10_000], 2, before, 0)?;
        if world.rank() == 0 {
            sum.start()?;
            send.start()?;
            send.fill(0, |values| values.fill(7))?;
            receive.start()?;
            drop((sum, send, receive));
            return world.barrier();
        }
        world.barrier()?;
        receive.start()?;
        while receive.arrived(0)?.is_none() {}
        assert_eq!(receive.arrived(0)?, Some(&[7; 5000][..]));
        assert!(receive.arrived(1)?.is_none());
        send.start()?;
        send.fill(0, |values| values.fill(1))?;
        send.fill(1, |values| values.fill(1))?;
        send.wait()?;
        sum.start()?;
        sum.wait()?;
        assert_eq!(sum.received(), [2; 10_000]);
        Ok(())
    });
}

#[test]
fn persistent_collectives_run_in_any_order() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let all = || vec![0; size];
        let mut barrier = world.persistent_barrier()?;
        let mut broadcast = world.persistent_broadcast(vec![0; 3], size - 1)?;
        let mut gather = world.persistent_gather(vec![rank], all(), 0)?;
        let mut all_gather = world.persistent_all_gather(vec![rank], all())?;
        let mut scatter = world.persistent_scatter(all(), vec![0], 0)?;
        let mut exchange = world.persistent_all_to_all(all(), all())?;
        let mut largest = world.persistent_reduce(vec![rank], vec![0], &Op::max(), 0)?;
        let mut sum = world.persistent_all_reduce(vec![0], vec![0], &Op::sum())?;
        for round in 1..4 {
            broadcast
                .received_mut()
                .fill(if rank == size - 1 { round } else { 0 });
            scatter
                .sent_mut()
                .iter_mut()
                .enumerate()
                .for_each(|(to, value)| *value = round * to);
            exchange
                .sent_mut()
                .iter_mut()
                .enumerate()
                .for_each(|(to, value)| *value = round + to * rank);
            sum.sent_mut()[0] = round;
            let mut started = [
                &mut broadcast,
                &mut gather,
                &mut all_gather,
                &mut scatter,
                &mut exchange,
            ];
            if rank % 2 == 0 {
                started.reverse();
            }
            started.iter_mut().try_for_each(|collective| collective.start())?;
            largest.start()?;
            sum.start()?;
            barrier.start()?;
            started.iter_mut().try_for_each(|collective| collective.wait())?;
            largest.wait()?;
            sum.wait()?;
            barrier.wait()?;
            assert_eq!(broadcast.received(), [round; 3]);
            assert!(all_gather.received().iter().copied().eq(0..size));
            assert_eq!(scatter.received(), [round * rank]);
            assert!(
                exchange
                    .received()
                    .iter()
                    .copied()
                    .eq((0..size).map(|from| round + rank * from))
            );
            assert_eq!(sum.received(), [round * size]);
            assert!(rank > 0 || largest.received() == [size - 1] && gather.received().len() == size);
        }
        Ok(())
    });
}

#[test]
fn partitions_arrive_one_by_one() {
    with_ranks(|world| {
        let (next, before) = around(world);
        let mut send = world.partitioned_send(vec![0_u64; 1200], 12, next, 0)?;
        let mut receive = world.partitioned_recv(vec![0_u64; 1200], 4, before, 0)?;
        for round in 0..3 {
            receive.start()?;
            send.start()?;
            let value = |rank: usize, part: usize| (10_000 * round + 100 * rank + part) as u64;
            for part in (0..12).map(|part| (5 * part + world.rank()) % 12) {
                send.fill(part, |values| values.fill(value(world.rank(), part)))?;
            }
            for part in 0..4 {
                while receive.arrived(part)?.is_none() {}
                let values = receive.arrived(part)?.expect("what has arrived stays");
                let wanted = |index: usize| value(before, 3 * part + index / 100);
                assert!(
                    values
                        .iter()
                        .enumerate()
                        .all(|(index, &got)| got == wanted(index))
                );
            }
            send.wait()?;
            receive.wait()?;
            assert_eq!(receive.values()[1199], value(before, 11));
        }
        Ok(())
    });
}

#[test]
fn wrong_uses_of_partitions_are_errors() {
    with(1, |world| {
        let class = |result: Result<()>| result.map_err(|error| error.class());
        let uneven = world.partitioned_send(vec![0; 10], 3, 0, 0).map(drop);
        assert_eq!(class(uneven), Err(ErrorClass::Count));
        let mut send = world.partitioned_send(vec![0; 10], 2, 0, 0)?;
        let mut receive = world.partitioned_recv(vec![0; 10], 2, 0, 0)?;
        assert_eq!(class(send.fill(0, |_| ())), Err(ErrorClass::Request));
        receive.start()?;
        send.start()?;
        send.fill(0, |values| values.fill(1))?;
        assert_eq!(class(send.fill(0, |values| values.fill(2))), Err(ErrorClass::Arg));
        assert_eq!(class(send.fill(2, |_| ())), Err(ErrorClass::Arg));
        let arrived = receive.arrived(2).map(drop);
        assert_eq!(class(arrived), Err(ErrorClass::Arg));
        send.fill(1, |values| values.fill(3))?;
        send.wait()?;
        receive.wait()?;
        assert_eq!(receive.values(), [1, 1, 1, 1, 1, 3, 3, 3, 3, 3]);
        Ok(())
    });
}

#[test]
fn a_set_gives_each_request_once_by_its_number() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut values = vec![[0; 2]; 3 * size];
        let mine: Vec<_> = (0..3).map(|tag| [rank, tag]).collect();
        world.scope(|scope| {
            let receives = values.iter_mut().enumerate();
            let receives = receives.map(|(index, value)| scope.irecv(value, index / 3, (index % 3) as i32));
            let mut receives: RequestSet<_> = receives.collect::<Result<_>>()?;
            let sends =
                (0..3 * size).map(|index| scope.isend(&mine[index % 3], index / 3, (index % 3) as i32));
            let sends: RequestSet<_> = sends.collect::<Result<_>>()?;
            let mut seen = vec![0; 3 * size];
            let mut note = |number: usize, value: [usize; 2]| {
                assert_eq!(value, [number / 3, number % 3]);
                seen[number] += 1;
            };
            for _ in 0..size {
                let (number, received) = receives.wait_any().expect("requests are left");
                note(number, received?.0[0]);
            }
            if let Some((number, received)) = receives.test_any() {
                note(number, received?.0[0]);
            }
            while !receives.is_empty() {
                let some = receives.wait_some();
                assert!(!some.is_empty());
                some.into_iter()
                    .try_for_each(|(number, received)| received.map(|(value, _)| note(number, value[0])))?;
            }
            assert!(receives.wait_any().is_none() && receives.wait_some().is_empty());
            assert_eq!(seen, vec![1; 3 * size]);
            assert_eq!(sends.len(), 3 * size);
            sends.wait_all().map(drop)
        })
    });
}

#[test]
fn a_set_may_have_requests_of_several_scopes_and_kinds() {
    with_ranks(|world| {
        let other = world.dup()?;
        let (mut first, mut second, mut sum) = (0, 0, 0);
        let (next, before) = around(world);
        let mine = world.rank();
        world.scope(|outer| {
            other.scope(|inner| {
                let mut set = RequestSet::<AnyRequest>::new();
                set.push(inner.irecv(&mut second, before, 0)?.into());
                set.push(outer.irecv(&mut first, before, 0)?.into());
                set.push(outer.iall_reduce(&mine, &mut sum, &Op::sum())?.into());
                set.push(inner.isend(&mine, next, 0)?.into());
                set.push(outer.isend(&mine, next, 0)?.into());
                while let Some((number, status)) = set.wait_any() {
                    assert_eq!(
                        status?.map(|status| status.source()),
                        (number < 2).then_some(Some(before))
                    );
                }
                Ok(())
            })
        })?;
        assert_eq!(
            (first, second, sum),
            (before, before, world.size() * (world.size() - 1) / 2)
        );
        Ok(())
    });
}

#[test]
fn an_error_in_a_set_names_the_request() {
    with(1, |world| {
        let mut values = [[0; 2], [0; 2]];
        world.scope(|scope| {
            let [short, fine] = &mut values;
            let mut set = RequestSet::new();
            set.push(scope.irecv(&mut short[..], 0, 0)?);
            set.push(scope.irecv(&mut fine[..], 0, 1)?);
            world.send(&[1; 3][..], 0, 0)?;
            world.send(&[2; 2][..], 0, 1)?;
            let mut ended = set.wait_some();
            assert_eq!((ended.len(), set.len()), (2, 0));
            assert!(matches!(ended.pop(), Some((1, Ok(([2, 2], _))))));
            assert!(matches!(ended.pop(), Some((0, Err(error))) if error.class() == ErrorClass::Truncate));
            Ok(())
        })
    });
}

#[test]
fn futures_of_operations_are_awaited_together() {
    with_ranks(|world| {
        let (next, before) = around(world);
        let size = world.size();
        for len in [1, 100_000] {
            let (mine, mut theirs) = (vec![world.rank(); len], vec![0; len]);
            let (one, mut sum) = (1, 0);
            world.scope(|scope| {
                let receiving = async {
                    let (values, status) = scope.irecv(&mut theirs, before, 0)?.await?;
                    assert_eq!((status.source(), values.len()), (Some(before), len));
                    Ok(values[len - 1])
                };
                let adding = async { Ok(scope.iall_reduce(&one, &mut sum, &Op::sum())?.await?[0]) };
                let sending = async { scope.isend(&mine, next, 0)?.await };
                let (received, added, sent): (Result<_>, Result<_>, Result<_>) =
                    world.block_on(join(receiving, adding, sending));
                sent?;
                assert_eq!((received?, added?), (before, size));
                Ok(())
            })?;
        }
        Ok(())
    });
}

/// Awaits three futures at the same time.
async fn join<A: Future, B: Future, C: Future>(a: A, b: B, c: C) -> (A::Output, B::Output, C::Output) {
    let (mut a, mut b, mut c) = (pin!(a), pin!(b), pin!(c));
    let mut ended = (None, None, None);
    poll_fn(move |context| {
        fn advance<F: Future>(
            future: std::pin::Pin<&mut F>,
            end: &mut Option<F::Output>,
            context: &mut Context<'_>,
        ) {
            if let (None, Poll::Ready(output)) = (&end, future.poll(context)) {
                *end = Some(output);
            }
        }
        if ended.0.is_none() {
            advance(a.as_mut(), &mut ended.0, context);
        }
        if ended.1.is_none() {
            advance(b.as_mut(), &mut ended.1, context);
        }
        if ended.2.is_none() {
            advance(c.as_mut(), &mut ended.2, context);
        }
        match &mut ended {
            (x @ Some(_), y @ Some(_), z @ Some(_)) => {
                let taken = (x.take(), y.take(), z.take());
                let (Some(x), Some(y), Some(z)) = taken else {
                    unreachable!("all are there")
                };
                Poll::Ready((x, y, z))
            }
            _ => Poll::Pending,
        }
    })
    .await
}

/// An executor that knows nothing of ranks: it blocks its thread.
struct Blocking {
    woken: Mutex<bool>,
    condition: Condvar,
}

impl Wake for Blocking {
    fn wake(self: Arc<Self>) {
        *self.woken.lock().unwrap() = true;
        self.condition.notify_one();
    }
}

fn block_thread_on<F: Future>(future: F) -> F::Output {
    let blocking = Arc::new(Blocking {
        woken: Mutex::new(false),
        condition: Condvar::new(),
    });
    let waker = Waker::from(Arc::clone(&blocking));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        let woken = blocking.woken.lock().unwrap();
        *blocking.condition.wait_while(woken, |woken| !*woken).unwrap() = false;
    }
}

#[test]
fn a_foreign_executor_runs_operations() {
    with(2, |world| {
        let other = 1 - world.rank();
        for round in 0..100 {
            let (mine, mut theirs) = (round + world.rank(), 0);
            world.scope(|scope| {
                let receiving = scope.irecv(&mut theirs, other, 0)?;
                block_thread_on(scope.isend(&mine, other, 0)?)?;
                assert_eq!(block_thread_on(receiving)?.0, [round + other]);
                Ok(())
            })?;
        }
        Ok(())
    });
}

#[test]
fn a_rank_awaits_what_a_thread_does() {
    with(4, |world| {
        let state = Arc::new(Mutex::new((false, None::<Waker>)));
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            loop {
                let mut state = shared.lock().unwrap();
                if let Some(waker) = state.1.take() {
                    state.0 = true;
                    waker.wake();
                    return;
                }
                drop(state);
                std::thread::yield_now();
            }
        });
        world.block_on(poll_fn(|context| {
            let mut state = state.lock().unwrap();
            state.1 = Some(context.waker().clone());
            if state.0 { Poll::Ready(()) } else { Poll::Pending }
        }));
        thread.join().expect("the thread ends");
        world.barrier()
    });
}

#[test]
fn futures_that_are_dropped_or_leaked_leave_their_operations_to_the_scope() {
    with(2, |world| {
        let other = 1 - world.rank();
        let (mine, mut dropped, mut leaked) = (vec![world.rank(); 50_000], vec![9; 50_000], vec![9; 50_000]);
        world.scope(|scope| {
            let poll_once = |mut future: std::pin::Pin<&mut dyn Future<Output = _>>| {
                assert!(
                    future
                        .as_mut()
                        .poll(&mut Context::from_waker(Waker::noop()))
                        .is_pending()
                );
            };
            poll_once(pin!(scope.irecv(&mut dropped, other, 0)?));
            let leaked = Box::leak(Box::new(scope.irecv(&mut leaked, other, 1)?));
            poll_once(pin!(leaked));
            world.barrier()?;
            scope.isend(&mine, other, 1)?;
            scope.isend(&mine, other, 0)?;
            Ok(())
        })?;
        assert_eq!((dropped, leaked), (vec![other; 50_000], vec![other; 50_000]));
        Ok(())
    });
}

#[test]
fn an_outcome_is_given_once() {
    with(1, |world| {
        let mut value = 0;
        world.scope(|scope| {
            let mut receiving = scope.irecv(&mut value, 0, 0)?;
            world.send(&5, 0, 0)?;
            world.block_on(&mut receiving)?;
            let again = std::panic::AssertUnwindSafe(|| receiving.wait().map(drop));
            assert!(std::panic::catch_unwind(again).is_err());
            Ok(())
        })
    });
}

/// Has both ranks receive messages for which they look, and are not told.
fn look_for_messages(world: &Communicator) -> Result<()> {
    let (other, mut value) = (1 - world.rank(), 0);
    for round in 0..100 {
        if world.rank() == 0 {
            world.send(&round, other, 0)?;
            world.recv(&mut value, other, 0)?;
        } else {
            world.recv(&mut value, other, 0)?;
            world.send(&round, other, 0)?;
        }
    }
    Ok(())
}

/// Sends a value to the other rank when that sleeps, most likely.
fn send_later(world: &Communicator, value: i32) -> Result<()> {
    std::thread::sleep(std::time::Duration::from_millis(20));
    world.send(&value, 1 - world.rank(), 1)
}

/// A message that comes while a rank sleeps in a future wakes it, also if earlier ones came while it looked for them.
#[test]
fn a_message_wakes_a_rank_that_has_looked_for_others_before() {
    with(2, |world| {
        look_for_messages(world)?;
        if world.rank() == 0 {
            return send_later(world, 700);
        }
        let mut value = 0;
        world.scope(|scope| world.block_on(scope.irecv(&mut value, 0, 1)?).map(drop))?;
        assert_eq!(value, 700);
        Ok(())
    });
}

#[test]
fn a_message_wakes_a_rank_whose_future_has_been_polled_before_it_looked_for_others() {
    with(2, |world| {
        if world.rank() == 0 {
            look_for_messages(world)?;
            return send_later(world, 701);
        }
        let (mut value, mut looked) = (0, None);
        world.scope(|scope| {
            let mut receiving = pin!(scope.irecv(&mut value, 0, 1)?);
            let received = world.block_on(poll_fn(|context| {
                let polled = receiving.as_mut().poll(context);
                looked.get_or_insert_with(|| look_for_messages(world));
                polled
            }));
            received.map(drop)
        })?;
        assert!(looked.expect("it has been polled").is_ok());
        assert_eq!(value, 701);
        Ok(())
    });
}
