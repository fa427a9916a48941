//! Interrupting the kernel thread that runs an execution context, so that the context attends to a signal of its rank.
//!
//! A rank's shim keeps all that the program says about signals. The kernel only knows two signals, which threads of the
//! host send each other: after one of them a system call goes on, after the other it fails with EINTR, as the program's
//! handler wants it. Both are signals that do nothing by default and that debuggers pass on.
//!
//! The kernel's handler finds out which execution context it has interrupted, and whether that has a signal to attend
//! to. If the program was interrupted and not the runtime, it runs the program's handlers on the stack of the execution
//! context, as the kernel would.
//!
//! Such a handler may wait in MPI and go on on another kernel thread. Therefore the kernel's mask is not changed while
//! it runs, and the frame that the kernel restores at its end is fitted to the thread that it ends on.

use crate::host::state::{Host, Rank};
use libc::{c_int, c_void, siginfo_t, ucontext_t};
use simurgh_core::EcRef;
use simurgh_mpi::Process;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// The signal after which a system call is restarted.
pub(super) const RESTARTING: c_int = libc::SIGURG;
/// The signal after which a system call fails with EINTR.
pub(super) const INTERRUPTING: c_int = libc::SIGWINCH;

/// Installs the handlers.
pub(super) fn install() -> io::Result<()> {
    super::handle(RESTARTING, on_interrupt, libc::SA_NODEFER | libc::SA_RESTART)?;
    super::handle(INTERRUPTING, on_interrupt, libc::SA_NODEFER)
}

/// Makes an execution context attend to its pending signals. `kernel_thread` is the thread of a context that has one of
/// its own, or 0.
pub(super) fn interrupt(ec: EcRef, kernel_thread: i32, restarts: bool) {
    let running = simurgh_core::interrupt(ec);
    let own = (kernel_thread != 0).then_some(kernel_thread);
    if let Some(thread) = own.or(running) {
        let signal = if restarts { RESTARTING } else { INTERRUPTING };
        // SAFETY:
        // - the signal has a handler; a thread that has ended gets none.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, signal) };
    }
}

/// The rank of the calling execution context.
pub(in crate::host) fn current_rank() -> Option<&'static Rank> {
    let id = Process::with_current(|process| process.map(|process| process.rank()))?;
    Host::running()?.ranks().iter().find(|rank| rank.id() == id)
}

extern "C" fn on_interrupt(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY:
    // - the kernel passes the description of the signal and the context that it has interrupted.
    let (is_ours, frame) = unsafe { (is_ours(&*info), &mut *context.cast::<ucontext_t>()) };
    if !is_ours {
        return super::process_directed::forward(signal);
    }
    let stack_pointer = frame.uc_mcontext.gregs[libc::REG_RSP as usize] as usize;
    let interrupted = simurgh_core::try_current()
        // Relaxed: the shim looks under its lock.
        .filter(|ec| ec.attention().load(simurgh_core::sync::Ordering::Relaxed) != 0)
        .filter(|ec| ec.is_in_program(stack_pointer));
    let signals = interrupted.and_then(|_| current_rank()).and_then(Rank::signals);
    if let Some(signals) = signals {
        // SAFETY:
        // - the calling execution context is the rank's, and its program was interrupted; the frame is the kernel's.
        unsafe { signals.attend(context) };
        fit_to_thread(frame);
    }
}

/// Whether a thread of this process has sent the signal to this one.
unsafe fn is_ours(info: &siginfo_t) -> bool {
    // SAFETY:
    // - a signal of this kind tells who has sent it.
    info.si_code == libc::SI_TKILL && unsafe { info.si_pid() == libc::getpid() }
}

/// Fits the frame that the kernel restores to the calling thread: a wait in the program's handler may have ended on
/// another thread than the one that was interrupted.
fn fit_to_thread(frame: &mut ucontext_t) {
    let mut ours = MaybeUninit::<libc::sigset_t>::uninit();
    let mut mask = 0_u64;
    // SAFETY:
    // - the calls initialise the set, and write a mask of the kernel's size and the description of a stack;
    // - the kernel's frame has room for that mask, which is shorter than what the C library declares.
    unsafe {
        libc::sigemptyset(ours.as_mut_ptr());
        libc::sigaddset(ours.as_mut_ptr(), RESTARTING);
        libc::sigaddset(ours.as_mut_ptr(), INTERRUPTING);
        // Until the end of the handler no other handler may run that would take the execution context elsewhere.
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_BLOCK,
            ours.as_ptr(),
            &raw mut mask,
            size_of::<u64>(),
        );
        (&raw mut frame.uc_sigmask).cast::<u64>().write(mask);
        libc::sigaltstack(ptr::null(), &raw mut frame.uc_stack);
    }
}
