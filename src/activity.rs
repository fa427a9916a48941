//! The call that each rank is in, for the report of a deadlock.
//!
//! A rank writes its call to a cache line of its own: three plain stores on the way in, one on the way out.

use simurgh_core::sync::{AtomicI32, AtomicU8, Ordering};
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG, UNDEFINED};
use std::fmt;

macro_rules! calls {
    ($($call:ident = $name:literal,)*) => {
        /// A call that may block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Call {
            $($call,)*
        }

        const NAMES: &[&str] = &[$($name),*];
    };
}

calls! {
    Send = "send",
    SyncSend = "ssend",
    ReadySend = "rsend",
    BufferedSend = "bsend",
    FlushBuffer = "flush of a buffer for sends",
    Receive = "recv",
    SendReceive = "sendrecv",
    Probe = "probe",
    MatchedProbe = "mprobe",
    Wait = "wait for an operation of a scope",
    Await = "await of a future",
    WaitPersistent = "wait for a persistent operation",
    Barrier = "barrier",
    Broadcast = "broadcast",
    Gather = "gather",
    AllGather = "all_gather",
    Scatter = "scatter",
    AllToAll = "all_to_all",
    Reduce = "reduce",
    AllReduce = "all_reduce",
    ReduceScatter = "reduce_scatter",
    Scan = "scan",
    Exscan = "exscan",
    NeighborAllGather = "neighbor_all_gather",
    NeighborAllToAll = "neighbor_all_to_all",
    CreateTopology = "creation of a topology",
    Create = "create",
    Dup = "dup",
    CreateFromGroup = "creation of a communicator from a group",
    Split = "split",
    InterCreate = "inter_create",
    Merge = "merge",
    Spawn = "spawn",
    Accept = "accept",
    Connect = "connect",
    Join = "join",
    Disconnect = "disconnect",
    AskLauncher = "question to the launcher",
    AllocateWindow = "allocate_window",
    FenceEpoch = "fence_epoch",
    LockEpoch = "lock_epoch",
    ReadEpoch = "read_epoch",
    StartAccess = "start of accesses to a window",
    WaitExposure = "wait for accesses to a window",
    LockWindow = "lock of a window",
    OpenFile = "opening of a file",
    CloseFile = "close of a file",
    FileAccess = "access to a file",
    SetView = "view of a file",
}

/// No call.
const OUTSIDE: u8 = u8::MAX;

/// The rank has ended.
const ENDED: u8 = u8::MAX - 1;

/// The call a rank is in.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Activity {
    call: AtomicU8,
    peer: AtomicI32,
    tag: AtomicI32,
}

impl Activity {
    /// Outside any call.
    pub(crate) fn new() -> Self {
        Self {
            call: AtomicU8::new(OUTSIDE),
            peer: AtomicI32::new(UNDEFINED),
            tag: AtomicI32::new(UNDEFINED),
        }
    }

    /// Notes that the rank enters a call. The rank has left the call when the result is dropped.
    #[inline]
    pub(crate) fn enter(&self, call: Call, peer: i32, tag: i32) -> Inside<'_> {
        // Relaxed here and below: the fields are read only when all ranks are known to be blocked, which orders
        // everything before.
        self.peer.store(peer, Ordering::Relaxed);
        self.tag.store(tag, Ordering::Relaxed);
        self.call.store(call as u8, Ordering::Relaxed);
        Inside(self)
    }

    /// Notes that the rank has ended.
    pub(crate) fn end(&self) {
        self.call.store(ENDED, Ordering::Relaxed);
    }

    /// Where the rank waits; `None` if it has ended.
    pub(crate) fn wait(&self, rank: usize) -> Option<Wait> {
        let number =
            |value: &AtomicI32| Some(value.load(Ordering::Relaxed)).filter(|value| *value != UNDEFINED);
        let call = self.call.load(Ordering::Relaxed);
        (call != ENDED).then(|| match NAMES.get(usize::from(call)) {
            Some(name) => Wait {
                rank,
                call: Some(name),
                peer: number(&self.peer),
                tag: number(&self.tag),
            },
            None => Wait {
                rank,
                call: None,
                peer: None,
                tag: None,
            },
        })
    }
}

/// A rank is inside a call.
pub(crate) struct Inside<'a>(&'a Activity);

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.call.store(OUTSIDE, Ordering::Relaxed);
    }
}

/// Where a blocked rank waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    rank: usize,
    call: Option<&'static str>,
    peer: Option<i32>,
    tag: Option<i32>,
}

impl Wait {
    /// The rank in the world.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The call that it waits in; `None` if it waits for something that does not belong to MPI.
    #[must_use]
    pub fn call(&self) -> Option<&'static str> {
        self.call
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rank {} in {}",
            self.rank,
            self.call.unwrap_or("no call of MPI")
        )?;
        match self.peer {
            Some(ANY_SOURCE) => write!(f, " (any rank")?,
            Some(peer) => write!(f, " (rank {peer} of the communicator")?,
            None => return Ok(()),
        }
        match self.tag {
            Some(ANY_TAG) => write!(f, ", any tag)"),
            Some(tag) => write!(f, ", tag {tag})"),
            None => write!(f, ")"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_says_where_and_for_whom() {
        let activity = Activity::new();
        let text = || activity.wait(3).map(|wait| wait.to_string());
        assert_eq!(text().as_deref(), Some("rank 3 in no call of MPI"));
        let inside = activity.enter(Call::Receive, 1, ANY_TAG);
        assert_eq!(
            text().as_deref(),
            Some("rank 3 in recv (rank 1 of the communicator, any tag)")
        );
        drop(inside);
        let inside = activity.enter(Call::Split, UNDEFINED, UNDEFINED);
        assert_eq!(text().as_deref(), Some("rank 3 in split"));
        drop(inside);
        assert_eq!(text().as_deref(), Some("rank 3 in no call of MPI"));
        activity.end();
        assert_eq!(text(), None);
    }
}
