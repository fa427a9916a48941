//! The functions of the host that a rank's shim calls.

use std::ffi::c_void;

/// Callbacks from a rank. `user` is [`RankContext::user`](crate::RankContext::user).
///
/// They run on the thread of the rank that caused them, on the rank's stack and with its thread pointer. `write` is
/// called with a lock of C's stdio held, so it must not suspend the rank.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Takes output of stream 1 (stdout) or 2 (stderr): whole lines or parts of lines as the rank flushes them, and
    /// everything that the rank writes to descriptors 1 and 2 itself. A length of 0 says that the rank has closed the
    /// stream; from then on nothing may be held back. Gives 0, or the error (`ENOSPC`, …) for the rank.
    pub write: unsafe extern "C" fn(user: *mut c_void, stream: i32, bytes: *const u8, length: usize) -> i32,
    /// Called first on a thread that the rank has created, which belongs to the rank from now on.
    pub thread_started: unsafe extern "C" fn(user: *mut c_void),
    /// Called last on such a thread, after the destructors of its C++ thread-local objects.
    pub thread_ended: unsafe extern "C" fn(user: *mut c_void),
    /// Suspends the rank until the word is no longer the value. Called on the stack of
    /// [`Instance::run`](crate::Instance::run). The word changes before `thread_ended` or `wake` is called.
    pub await_thread: unsafe extern "C" fn(user: *mut c_void, word: *mut u32, value: u32),
    /// Tells that the word has changed for which the rank is suspended in `await_thread`. Called on a thread of the
    /// rank's shim that nobody else knows.
    pub wake: unsafe extern "C" fn(user: *mut c_void),
    /// Tells that another thread of the rank than the one in [`Instance::run`](crate::Instance::run) has called `exit`
    /// or a relative. Exit handlers have run and stdout is flushed; the rank counts as ended with this status. `run`
    /// returns the same status if the rank's main thread exits later, too, which it need not do (it may be blocked).
    pub exited_elsewhere: unsafe extern "C" fn(user: *mut c_void, status: i32),
    /// Lets other ranks run. Called on the stack of [`Instance::run`](crate::Instance::run), between short waits in the
    /// kernel for a thread, a lock or a time.
    pub yield_now: unsafe extern "C" fn(user: *mut c_void),
    /// Gives the calling execution context of the rank, and the address of its attention word, which is not zero while
    /// there is a signal for it.
    pub context: unsafe extern "C" fn(user: *mut c_void, attention: *mut *const u32) -> *mut c_void,
    /// Asks that the execution context be woken by `interrupt` when it waits in the runtime.
    pub listen: unsafe extern "C" fn(context: *mut c_void),
    /// Wakes or interrupts an execution context whose attention word is set, so that it handles its signals
    /// ([`Signals::attend`](crate::Signals::attend)). `kernel_thread` is the thread that runs it, or 0 if it has none
    /// in particular. `restarts` says whether an interrupted system call goes on.
    pub interrupt: unsafe extern "C" fn(context: *mut c_void, kernel_thread: i32, restarts: bool),
    /// Suspends the calling execution context until it is interrupted, or for a moment without a reason.
    pub wait: unsafe extern "C" fn(user: *mut c_void),
    /// Tells that an event is expected that may wake the rank's execution contexts, or that none is expected any more.
    pub expect: unsafe extern "C" fn(user: *mut c_void, expects: bool),
    /// Gives the kernel thread to which timers are to report that they have expired. They do so with the signal whose
    /// number is stored, and the address of a function (`struct simurgh_event` of the shim).
    pub signal_thread: unsafe extern "C" fn(user: *mut c_void, number: *mut i32) -> i32,
    /// Asks to be told when this signal comes, or no longer to be told.
    pub take_signal: unsafe extern "C" fn(user: *mut c_void, number: i32),
    /// Tells that a signal for which the rank has no handler has ended it.
    pub killed: unsafe extern "C" fn(user: *mut c_void, number: i32),
}

/// A set of processors, by the operating system's numbers; as C's `cpu_set_t`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorSet([u64; PROCESSOR_WORDS]);

const PROCESSOR_WORDS: usize = 16;

impl FromIterator<usize> for ProcessorSet {
    /// Processors whose numbers are too large for the set are left out.
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

/// The properties of a rank's main thread, as the shim reports them to the program.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MainThread {
    /// The lowest address of its stack; 0 if glibc knows it.
    pub stack: usize,
    /// The size of its stack.
    pub stack_size: usize,
    /// The processors on which the rank may run, and on which threads that it starts begin. If empty, the system
    /// decides.
    pub processors: ProcessorSet,
}

/// The identity of a rank towards its image.
#[derive(Clone, Copy, Debug)]
pub struct RankContext {
    /// Its number. Rank 0 reads the standard input of the process, the others find theirs empty.
    pub rank: u32,
    /// The signals that are ignored at its start; the lowest bit is signal 1.
    pub ignored_signals: u64,
    /// The callbacks.
    pub hooks: &'static Hooks,
    /// Passed to each callback. Must be valid on every thread of the rank for as long as one of them runs.
    pub user: *mut c_void,
    /// Its main thread.
    pub main: MainThread,
    /// The number of its range of addresses, if the program has been prepared for such
    /// ([`Options::ranges`](crate::Options)). No other rank has the same.
    pub range: usize,
}
