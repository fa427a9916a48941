//! Synchronisation between execution contexts: what suspends them, never their kernel thread, and what lets them leave
//! something without waiting.

mod barrier;
mod broadcast;
mod condvar;
mod cyclic_barrier;
mod event_count;
mod mutex;
mod ordered_lock;
mod shared_barrier;
mod shared_counter;
mod shared_lock;
mod shared_tally;
mod split_barrier;
mod wait_list;

pub use barrier::Barrier;
pub use broadcast::{BroadcastRing, Round, RoundGuard};
pub use condvar::Condvar;
pub use cyclic_barrier::{
    ArrivalError, Contributions, CyclicBarrier, FlagBarrier, FlagPhaseGuard, PhaseGuard, Wait,
};
pub use mutex::{Mutex, MutexGuard};
pub use ordered_lock::{Held, LockKind, LockQueue, LockRequest, LockWord};
pub use shared_barrier::{ArrivedPhase, BarrierCell, SharedBarrier};
pub use shared_counter::SharedCounter;
pub use shared_lock::{LockCell, SharedLock};
pub use shared_tally::SharedTally;
pub use split_barrier::{CompletedPhase, PhaseValues, ReleasedParties, SplitBarrier, WorkShare};
pub use wait_list::WaitList;
