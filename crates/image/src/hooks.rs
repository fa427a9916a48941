//! What a rank's shim asks of its host.

use std::ffi::c_void;

/// Callbacks from a rank. `user` is what [`RankContext::user`](crate::RankContext::user) says.
///
/// They run on the thread of the rank that caused them, on the rank's stack and with its thread pointer. `write` is
/// called with a lock of C's stdio held, so it must not suspend the rank.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Takes output of stream 1 (stdout) or 2 (stderr): whole lines or parts of lines, as the rank flushes them,
    /// and everything that the rank writes to descriptors 1 and 2 itself. No bytes, when it has closed the stream: then
    /// nothing more is held back. Gives 0, or the error (`ENOSPC`, …) that the rank is to be told.
    pub write: unsafe extern "C" fn(user: *mut c_void, stream: i32, bytes: *const u8, length: usize) -> i32,
    /// Called first on a thread that the rank has created: from now on it belongs to the rank.
    pub thread_started: unsafe extern "C" fn(user: *mut c_void),
    /// Called last on such a thread, after the destructors of its C++ thread-local objects.
    pub thread_ended: unsafe extern "C" fn(user: *mut c_void),
    /// Called on the stack of [`Instance::run`](crate::Instance::run): suspends the rank until the word is no longer
    /// the value. It changes before `thread_ended` or `wake` is called.
    pub await_thread: unsafe extern "C" fn(user: *mut c_void, word: *mut u32, value: u32),
    /// Called on a thread of the rank's shim that nobody else knows: the word has changed for which the rank is
    /// suspended in `await_thread`.
    pub wake: unsafe extern "C" fn(user: *mut c_void),
    /// Another thread of the rank than the one in [`Instance::run`](crate::Instance::run) has called `exit` or a
    /// relative. Handlers have run and stdout is flushed there; the rank counts as ended with this status. `run`
    /// returns the same status if the rank's main thread later exits too, which it need not do (it may be blocked).
    pub exited_elsewhere: unsafe extern "C" fn(user: *mut c_void, status: i32),
    /// Lets other ranks run. Called on the stack of [`Instance::run`](crate::Instance::run), between short waits in the
    /// kernel for a thread, a lock or a time.
    pub yield_now: unsafe extern "C" fn(user: *mut c_void),
    /// Names the calling execution context of the rank, and says where its attention is: a word that is not zero while
    /// there is a signal for it.
    pub context: unsafe extern "C" fn(user: *mut c_void, attention: *mut *const u32) -> *mut c_void,
    /// The execution context is to be woken by `interrupt` when it waits in the runtime.
    pub listen: unsafe extern "C" fn(context: *mut c_void),
    /// Has an execution context attend ([`Signals::attend`](crate::Signals::attend)), which has attention: wakes or
    /// interrupts it. It is that of a kernel thread, or (0) of none in particular. Whether a system call that is
    /// interrupted goes on.
    pub interrupt: unsafe extern "C" fn(context: *mut c_void, kernel_thread: i32, restarts: bool),
    /// Suspends the calling execution context until it is interrupted, or for no reason for a moment. Others are
    /// expected to see to that.
    pub wait: unsafe extern "C" fn(user: *mut c_void),
    /// From now on something is expected that may wake the rank's execution contexts, or no more.
    pub expect: unsafe extern "C" fn(user: *mut c_void, expects: bool),
    /// The kernel thread to which timers tell their ends, with the signal of this number and the address of a function
    /// (`struct simurgh_event` of the shim).
    pub signal_thread: unsafe extern "C" fn(user: *mut c_void, number: *mut i32) -> i32,
    /// The rank wants to be told when this signal comes, or wants nothing to be done about it.
    pub take_signal: unsafe extern "C" fn(user: *mut c_void, number: i32),
    /// A signal for which the rank has no handler has ended it.
    pub killed: unsafe extern "C" fn(user: *mut c_void, number: i32),
}

/// Processors by the operating system's numbers; as C's `cpu_set_t`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorSet([u64; PROCESSOR_WORDS]);

const PROCESSOR_WORDS: usize = 16;

impl FromIterator<usize> for ProcessorSet {
    /// Those whose numbers are too large for the set are left out.
    fn from_iter<T: IntoIterator<Item = usize>>(processors: T) -> Self {
        let mut set = Self::default();
        for processor in processors {
            if let Some(word) = set.0.get_mut(processor / u64::BITS as usize) {
                *word |= 1 << (processor % u64::BITS as usize);
            }
        }
        set
    }
}

/// What the main thread of a rank says of itself when it is asked.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MainThread {
    /// The lowest address of its stack, or 0: then glibc knows.
    pub stack: usize,
    /// The size of its stack.
    pub stack_size: usize,
    /// Where the rank may compute; the threads that it starts begin there. If empty, that is the system's affair.
    pub processors: ProcessorSet,
}

/// Who a rank is.
#[derive(Clone, Copy, Debug)]
pub struct RankContext {
    /// Its number; rank 0 reads the standard input of the process, the others find theirs empty.
    pub rank: u32,
    /// The signals that are ignored at its start, the first one as the lowest bit.
    pub ignored_signals: u64,
    /// The callbacks.
    pub hooks: &'static Hooks,
    /// Handed to each callback; must be valid on every thread of the rank for as long as one of them runs.
    pub user: *mut c_void,
    /// Its main thread.
    pub main: MainThread,
}
