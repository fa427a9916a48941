//! Operations as futures.
//!
//! A request is a future of its outcome. Whoever completes the operation wakes the task. Since the scope holds the
//! buffer whatever becomes of the request, a future may be dropped or leaked at any time.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use simurgh_core::sync::{AtomicBool, Ordering};
use simurgh_core::{EcRef, current, park};
use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;

use super::{CollectiveRequest, ReceiveRequest, SendRequest};
use crate::activity::Call;
use crate::{Communicator, Equivalence, Status};

impl Communicator {
    /// Runs a future to its end. While it waits, other ranks run.
    ///
    /// The requests of a [`Scope`](crate::Scope) are futures. Those of other crates may be awaited as well, and other
    /// executors may run requests. An executor's waker is called by whoever completes the operation, in the midst of
    /// that call: by another rank, or by what drives the network. So it should do little, and must not wait for a rank.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let (mine, mut theirs, mut sum) = (world.rank(), 0, 0);
    /// let partner = world.size() - 1 - world.rank();
    /// world.scope(|scope| {
    ///     world.block_on(async {
    ///         let (sending, receiving) = (scope.isend(&mine, partner, 0)?, scope.irecv(&mut theirs, partner, 0)?);
    ///         sending.await?;
    ///         let (received, _) = receiving.await?;
    ///         let total = scope.iall_reduce(&mine, &mut sum, &simurgh::Op::sum())?.await?;
    ///         assert_eq!((received[0], total[0]), (partner, 6));
    ///         Ok(())
    ///     })
    /// })
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// A future's buffer cannot go away before its scope ends, even if the future is leaked:
    ///
    /// ```compile_fail,E0597
    /// # simurgh::run(|world| {
    /// world.scope(|scope| {
    ///     let mut value = 0;
    ///     std::mem::forget(async { scope.irecv(&mut value, 0, 0)?.await });
    ///     Ok(())
    /// })
    /// # });
    /// ```
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let alarm = Arc::new(Alarm {
            has_rung: AtomicBool::new(false),
            sleeper: current(),
        });
        let waker = Waker::from(Arc::clone(&alarm));
        let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
        loop {
            self.check();
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            let _inside = self.enter(Call::Await, UNDEFINED, UNDEFINED);
            alarm.await_ring();
        }
    }
}

/// What wakes a rank that runs a future.
struct Alarm {
    has_rung: AtomicBool,
    sleeper: EcRef,
}

impl Alarm {
    fn await_ring(&self) {
        // Acquire pairs with the Release in `wake_by_ref`: the next poll sees what it is woken for.
        while !self.has_rung.swap(false, Ordering::AcqRel) {
            park();
        }
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Release pairs with the Acquire in `await_ring`.
        self.has_rung.store(true, Ordering::Release);
        self.sleeper.unpark();
    }
}

/// The outcome of the send, as [`SendRequest::wait`]. Polled again after it is ready, it panics.
impl Future for SendRequest<'_, '_> {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.communicator.check();
        self.flight.poll(context).map(|ended| ended.map(drop))
    }
}

/// The outcome of the receive, as [`ReceiveRequest::wait`]. Polled again after it is ready, it panics.
impl<'scope, T: Equivalence> Future for ReceiveRequest<'scope, '_, T> {
    type Output = Result<(&'scope mut [T], Status)>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.communicator.check();
        let received = self.flight.poll(context);
        received.map(|ended| ended.map(|(values, status)| (values, status.into())))
    }
}

/// The outcome of the collective, as [`CollectiveRequest::wait`]. Polled again after it is ready, it panics.
impl<'scope, T: Equivalence> Future for CollectiveRequest<'scope, '_, T> {
    type Output = Result<&'scope mut [T]>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.communicator.check();
        let received = self.flight.poll(context);
        received.map(|ended| ended.map(|(values, _)| values))
    }
}
