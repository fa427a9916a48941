//! The record of a crash, which the signal handler fills.

use crate::host::state::{Host, Rank};
use libc::{c_int, c_void, siginfo_t};
use simurgh_core::StackBounds;
use simurgh_core::sync::{AtomicI32, Ordering};
use simurgh_mpi::Process;
use std::cell::UnsafeCell;

/// Longest backtrace, in functions.
pub(super) const DEPTH: usize = 48;

/// The facts about a crash.
pub(super) struct CrashRecord {
    /// The signal.
    pub(super) signal: c_int,
    /// The kernel's code for the reason.
    pub(super) code: c_int,
    /// The address that could not be accessed, or the instruction that could not be executed. `None` if the signal was
    /// sent, for example by the program itself.
    pub(super) address: Option<usize>,
    /// The rank that crashed; `None` if a thread of the runtime did.
    pub(super) rank: Option<u32>,
    /// The stack of the execution context; `None` for a stack of the system.
    pub(super) stack: Option<StackBounds>,
    /// The stack pointer.
    pub(super) stack_pointer: usize,
    /// The instruction that crashed, then the return addresses of its callers.
    pub(super) frames: [usize; DEPTH],
    /// The number of frames that are known.
    pub(super) depth: usize,
}

/// The storage of the one record.
struct Record(UnsafeCell<CrashRecord>);

// SAFETY:
// - it is written once, by the handler of the first crash, before the main thread is woken to read it.
unsafe impl Sync for Record {}

static RECORD: Record = Record(UnsafeCell::new(CrashRecord::EMPTY));

impl CrashRecord {
    /// The record before a crash.
    pub(super) const EMPTY: Self = Self {
        signal: 0,
        code: 0,
        address: None,
        rank: None,
        stack: None,
        stack_pointer: 0,
        frames: [0; DEPTH],
        depth: 0,
    };
}

/// The kernel thread that crashed first.
static THREAD: AtomicI32 = AtomicI32::new(0);

/// The number of the calling kernel thread.
pub(super) fn this_thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Whether the first crash was one of the calling thread.
pub(super) fn is_by_this_thread() -> bool {
    // Relaxed: the answer is only needed where the calling thread itself has written it.
    THREAD.load(Ordering::Relaxed) == this_thread()
}

/// The signal of the crash.
pub(super) fn signal() -> c_int {
    get().signal
}

/// The record, for callers that know that it has been written.
pub(super) fn get() -> &'static CrashRecord {
    // SAFETY:
    // - written before the wake-up or the alarm that makes somebody call this, and never again.
    unsafe { &*RECORD.0.get() }
}

/// Fills the record.
///
/// # Safety
///
/// `info` and `context` are what the kernel passed to the handler; called once.
pub(super) unsafe fn take(signal: c_int, info: *const siginfo_t, context: *const c_void) {
    THREAD.store(this_thread(), Ordering::Relaxed);
    // SAFETY:
    // - called once, and nobody reads before the main thread is woken.
    let record = unsafe { &mut *RECORD.0.get() };
    record.signal = signal;
    // SAFETY:
    // - the kernel's description of this signal has an address, or something else in its place;
    // - with SA_SIGINFO the context is a `ucontext_t`.
    let registers = unsafe {
        record.code = (*info).si_code;
        record.address = ((*info).si_code > 0).then(|| (*info).si_addr() as usize);
        &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs
    };
    record.stack_pointer = registers[libc::REG_RSP as usize] as usize;
    let instruction = registers[libc::REG_RIP as usize] as usize;
    if let Some(host) = Host::running() {
        record.rank = match host.is_one_rank() {
            // All threads of the process are the rank's.
            true => host.ranks().first().map(Rank::id),
            false => Process::with_current(|process| process.map(|process| process.rank())),
        };
        record.stack = simurgh_core::try_current().and_then(simurgh_core::EcRef::stack_bounds);
    }
    record.frames[0] = instruction;
    record.depth = 1;
    unwind(record, instruction);
}

/// Walks up the stack from the handler. The frames of the handler itself, below the crash, are left out.
fn unwind(record: &mut CrashRecord, instruction: usize) {
    let mut inside = false;
    let visit = |frame: &backtrace::Frame| {
        let ip = frame.ip() as usize;
        if inside {
            record.frames[record.depth] = ip;
            record.depth += 1;
        }
        inside |= ip == instruction;
        record.depth < DEPTH
    };
    // SAFETY:
    // - this thread is the only one that unwinds here, as the first crash is handled once.
    unsafe { backtrace::trace_unsynchronized(visit) };
}
