//! Hollow threads: thread control blocks without a kernel thread.
//!
//! `pthread_create` on a stack of the runtime makes a thread control block, its static TLS and its entry in glibc's
//! thread list at the top of that stack. The new kernel thread then removes itself from all that the kernel has
//! registered about it, and exits by the bare system call. What stays is a block that every part of glibc takes for a
//! live thread. A coroutine runs below it, with the thread pointer set to it.

use std::arch::asm;
use std::ops::Range;
use std::sync::OnceLock;

use simurgh_alloc::page_size;

use crate::sync::{AtomicU32, Ordering};

/// Thread ids that no kernel thread can have: above any `pid_max`, and below the bits that the futex protocol uses.
const FIRST_TID: u32 = 1 << 23;
const LAST_TID: u32 = (1 << 30) - 1;
/// The offset of the thread id in `struct pthread` of glibc 2.34 to 2.40; other offsets are tried if it is not there.
const TID_OFFSET_USUAL: usize = 720;
const TID_OFFSETS: Range<usize> = 256..2048;
/// The offset of the address of the table of thread-local variables (`dtv`), which the ABI gives.
const DTV: usize = 8;
/// The size of the place in the list of threads (`list_t`), which comes before the thread id.
const LIST_SIZE: usize = 16;
/// The size of the red zone. It stays untouched, with the frames of the ended kernel thread, above the first frame of
/// the coroutine.
const RED_ZONE: usize = 256;
const RSEQ_UNREGISTER: libc::c_int = 1;
const RSEQ_SIGNATURE: u32 = 0x5305_3053;
const RSEQ_AREA_SIZE: u32 = 32;

/// Why a hollow thread could not be made.
#[derive(Debug, thiserror::Error)]
pub enum HollowError {
    /// The C library refused the thread.
    #[error(
        "pthread_create for an execution context failed: {0} (is the stack larger than the thread-local storage?)"
    )]
    Create(std::io::Error),
    /// The C library keeps the thread id at an unknown offset.
    #[error(
        "this C library keeps the thread id at an unknown place: execution contexts need glibc 2.34 or later"
    )]
    UnknownLibc,
}

/// The thread control block that the short-lived kernel thread leaves behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hollow {
    /// Its thread pointer.
    pub(crate) thread_pointer: u64,
    /// The highest address a coroutine may use on the same stack, aligned to 16.
    pub(crate) stack_top: usize,
    tid_offset: usize,
}

/// The pages of a stack that hold the thread control block and the thread-local variables: what glibc knows of a hollow
/// thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadBlock {
    /// The pages, with the end of the stack that the coroutine uses.
    pub pages: Range<usize>,
    /// The words that belong to the process and not to the thread: the address of the table of thread-local variables,
    /// and the place in the list of all threads, in ascending order. glibc may read or change them at any time, as when
    /// another thread begins or ends.
    pub words: [Range<usize>; 2],
}

impl Hollow {
    /// The block, whose stack ends at `high`; none if it is not laid out as expected.
    pub(crate) fn block(&self, high: usize) -> Option<ThreadBlock> {
        let pointer = self.thread_pointer as usize;
        let list = place_before(pointer + self.tid_offset)?;
        Some(ThreadBlock {
            pages: self.stack_top / page_size() * page_size()..high,
            words: [pointer + DTV..pointer + DTV + 8, list..list + LIST_SIZE],
        })
    }
}

/// Shared by the maker and the short-lived kernel thread.
struct Birth {
    /// Non-zero until the kernel thread has ended.
    alive: AtomicU32,
    tid: u32,
    rseq_offset: Option<isize>,
    thread_pointer: u64,
    stack_top: usize,
    tid_offset: Option<usize>,
}

/// Makes a thread control block at the top of the memory from `low` to `high`.
///
/// # Safety
///
/// The memory is mapped, readable and writable, used by nobody, and stays mapped for the rest of the process: glibc's
/// thread list runs through it from now on.
pub(crate) unsafe fn create(low: usize, high: usize) -> Result<Hollow, HollowError> {
    let mut birth = Birth {
        alive: AtomicU32::new(1),
        tid: next_tid(),
        rseq_offset: rseq_offset(),
        thread_pointer: 0,
        stack_top: 0,
        tid_offset: None,
    };
    let signals = SignalsBlocked::new();
    // SAFETY:
    // - the caller vouches for the memory;
    // - `birth` outlives the thread: this function waits below until the kernel has cleared `alive`, its last act.
    let created = unsafe { start_thread(low, high, &mut birth) };
    drop(signals);
    created.map_err(HollowError::Create)?;
    // Acquire: the kernel's store comes after all that the thread did.
    while birth.alive.load(Ordering::Acquire) != 0 {
        // The kernel wakes with a shared futex, so a private wait would sleep for ever.
        futex_wait_shared(&birth.alive, 1);
    }
    let Some(tid_offset) = birth.tid_offset else {
        return Err(HollowError::UnknownLibc);
    };
    Ok(Hollow {
        thread_pointer: birth.thread_pointer,
        stack_top: birth.stack_top,
        tid_offset,
    })
}

fn futex_wait_shared(word: &AtomicU32, expected: u32) {
    use rustix::thread::futex;
    // The caller's loop handles early returns.
    let _ = futex::wait(word, futex::Flags::empty(), expected, None);
}

fn next_tid() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(FIRST_TID);
    let tid = NEXT.fetch_add(1, Ordering::Relaxed);
    assert!(
        tid < LAST_TID,
        "more execution contexts with stacks than thread ids"
    );
    tid
}

/// The offset from the thread pointer at which glibc has registered restartable sequences; none before glibc 2.35.
fn rseq_offset() -> Option<isize> {
    static OFFSET: OnceLock<Option<isize>> = OnceLock::new();
    *OFFSET.get_or_init(|| {
        // SAFETY:
        // - the names are terminated; the symbols, if present, are an `unsigned int` and a `ptrdiff_t`.
        unsafe {
            let size = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_size".as_ptr()).cast::<u32>();
            let offset = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_offset".as_ptr()).cast::<isize>();
            (!size.is_null() && !offset.is_null() && *size != 0).then(|| *offset)
        }
    })
}

/// Keeps all signals blocked while it lives, so that the new thread never takes one.
struct SignalsBlocked(libc::sigset_t);

impl SignalsBlocked {
    fn new() -> Self {
        // SAFETY:
        // - both sets are valid for the calls; an all-zero set is a valid one.
        unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Self(before)
        }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY:
        // - restores the mask that was in force before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

/// Starts the short-lived thread.
///
/// # Safety
///
/// As for [`create`]; `birth` lives until its `alive` is zero.
unsafe fn start_thread(low: usize, high: usize, birth: &mut Birth) -> std::io::Result<()> {
    let check = |code: libc::c_int| match code {
        0 => Ok(()),
        code => Err(std::io::Error::from_raw_os_error(code)),
    };
    // SAFETY:
    // - the attributes are initialised before use and destroyed once;
    // - `hollow_out` has the signature of a start routine and never returns.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        check(libc::pthread_attr_init(&raw mut attributes))?;
        let mut thread: libc::pthread_t = 0;
        let created = check(libc::pthread_attr_setstack(
            &raw mut attributes,
            low as *mut _,
            high - low,
        ))
        .and_then(|()| {
            let argument = std::ptr::from_mut(birth).cast();
            check(libc::pthread_create(
                &raw mut thread,
                &raw const attributes,
                hollow_out,
                argument,
            ))
        });
        libc::pthread_attr_destroy(&raw mut attributes);
        created
    }
}

/// The start routine of the kernel thread: leaves the control block behind and exits without telling glibc.
extern "C" fn hollow_out(argument: *mut libc::c_void) -> *mut libc::c_void {
    let frame = 0_usize;
    // SAFETY:
    // - `argument` is the `Birth` of `create`, which waits for the end of this thread before it reads or frees it.
    let birth = unsafe { &mut *argument.cast::<Birth>() };
    birth.thread_pointer = super::thread_pointer::ThreadPointer::get();
    birth.stack_top = (std::ptr::from_ref(&frame) as usize - RED_ZONE) & !15;
    birth.tid_offset = replace_tid(birth.thread_pointer, birth.tid);
    // SAFETY:
    // - the system calls only detach this thread from the kernel's lists;
    // - `alive` is a word the kernel may clear when the thread has ended: the maker waits for that;
    // - nothing on this stack is used after SYS_exit.
    unsafe {
        if let Some(offset) = birth.rseq_offset {
            let area = birth.thread_pointer.wrapping_add_signed(offset as i64);
            libc::syscall(
                libc::SYS_rseq,
                area,
                RSEQ_AREA_SIZE,
                RSEQ_UNREGISTER,
                RSEQ_SIGNATURE,
            );
        }
        libc::syscall(libc::SYS_set_robust_list, 0_usize, 24_usize);
        libc::syscall(libc::SYS_set_tid_address, &raw const birth.alive);
        asm!("syscall", in("rax") libc::SYS_exit, in("rdi") 0, options(noreturn, nostack));
    }
}

/// Writes a thread id that no kernel thread has into the control block, so that locks that remember their owner tell
/// execution contexts apart. Returns where that is.
fn replace_tid(thread_pointer: u64, fake: u32) -> Option<usize> {
    // SAFETY:
    // - gettid has no preconditions.
    let tid = unsafe { libc::gettid() };
    let holds_tid = |offset: &usize| {
        // SAFETY:
        // - the offsets lie within glibc's `struct pthread`, which starts at the thread pointer and is over 2 KiB.
        unsafe { *((thread_pointer as usize + offset) as *const libc::pid_t) == tid }
    };
    let offset = std::iter::once(TID_OFFSET_USUAL)
        .chain(TID_OFFSETS.step_by(4))
        .find(holds_tid);
    if let Some(offset) = offset {
        // SAFETY:
        // - the word holds the thread id, as just seen, and only this thread uses it now.
        unsafe { *((thread_pointer as usize + offset) as *mut u32) = fake };
    }
    offset
}

/// The place in the list of threads, if it is before the thread id, which lies at this address.
fn place_before(tid: usize) -> Option<usize> {
    /// Other threads may be changing the list.
    const ATTEMPTS: usize = 1000;
    let place = tid - LIST_SIZE;
    let is_linked = || {
        // SAFETY:
        // - the words lie within glibc's `struct pthread`. If they are a place in a list, the first one leads to
        //   another such place, which stays mapped: those of threads that begin and end now are on stacks that glibc
        //   keeps.
        unsafe {
            let next = (place as *const usize).read_volatile();
            let is_address = next > page_size() && next.is_multiple_of(8) && next >> 47 == 0;
            is_address && ((next + 8) as *const usize).read_volatile() == place
        }
    };
    (0..ATTEMPTS).any(|_| is_linked()).then_some(place)
}
