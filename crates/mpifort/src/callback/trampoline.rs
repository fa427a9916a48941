//! C functions without a place for state that stand for procedures of Fortran.
//!
//! C calls an operation or an error handler with nothing by which the library could find the procedure. So the code of
//! this library holds a row of small functions, the trampolines. Each of them adds its own number to the arguments and
//! jumps to [`dispatch`], which finds the procedure in a slot of [`TABLE`]. The code is fixed and shared by all ranks;
//! the table is in the library's data, which each rank has for itself.
//!
//! A slot belongs to a procedure, and to the adapter that converts its arguments, for as long as the rank lives. All
//! operations and error handlers that are made of this procedure share it. This has two reasons. MPI goes on to call a
//! function after the program has freed its handle, from collectives that are under way and from communicators that
//! have the handler, and does not say when it has done so for the last time. And a program has a fixed number of
//! procedures, so a loop that makes operations, and never frees them, does not use up the table.

use core::arch::global_asm;
use core::ffi::c_void;
use core::mem::transmute;
use core::ptr::{self, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

/// The address of a procedure of Fortran.
pub(super) type Procedure = *mut c_void;

/// Converts the arguments of a C callback, and calls the procedure with them. A callback with fewer than four arguments
/// leaves the last ones undefined.
pub(super) type Adapter = unsafe fn(procedure: Procedure, arguments: [*mut c_void; 4]);

/// Number of trampolines.
const NUMBER: usize = 1024;

/// Number of bytes of the code of a trampoline.
const SIZE: usize = 16;

// Four arguments are in registers; the number becomes the fifth. The stack stays as it is, so the rule by which
// unwinders find the caller is the one that holds at the start of any function.
#[cfg(target_arch = "x86_64")]
global_asm!(
    ".pushsection .text.simurgh_mpifort_trampolines,\"ax\",@progbits",
    ".globl simurgh_mpifort_trampolines",
    ".hidden simurgh_mpifort_trampolines",
    ".type simurgh_mpifort_trampolines, @function",
    ".balign {size}",
    "simurgh_mpifort_trampolines:",
    ".cfi_startproc",
    ".set simurgh_mpifort_trampoline, 0",
    ".rept {number}",
    "movl $simurgh_mpifort_trampoline, %r8d",
    "jmp {dispatch}",
    ".balign {size}",
    ".set simurgh_mpifort_trampoline, simurgh_mpifort_trampoline + 1",
    ".endr",
    ".cfi_endproc",
    ".size simurgh_mpifort_trampolines, . - simurgh_mpifort_trampolines",
    ".popsection",
    size = const SIZE,
    number = const NUMBER,
    dispatch = sym dispatch,
    options(att_syntax)
);
#[cfg(target_arch = "aarch64")]
global_asm!(
    ".pushsection .text.simurgh_mpifort_trampolines,\"ax\",@progbits",
    ".globl simurgh_mpifort_trampolines",
    ".hidden simurgh_mpifort_trampolines",
    ".type simurgh_mpifort_trampolines, @function",
    ".balign {size}",
    "simurgh_mpifort_trampolines:",
    ".cfi_startproc",
    ".set simurgh_mpifort_trampoline, 0",
    ".rept {number}",
    "mov w4, #simurgh_mpifort_trampoline",
    "b {dispatch}",
    ".balign {size}",
    ".set simurgh_mpifort_trampoline, simurgh_mpifort_trampoline + 1",
    ".endr",
    ".cfi_endproc",
    ".size simurgh_mpifort_trampolines, . - simurgh_mpifort_trampolines",
    ".popsection",
    size = const SIZE,
    number = const NUMBER,
    dispatch = sym dispatch,
);

unsafe extern "C" {
    /// The code of the first trampoline.
    #[link_name = "simurgh_mpifort_trampolines"]
    static FIRST: [u8; SIZE];
}

/// The procedures of the trampolines.
static TABLE: Table<NUMBER> = Table::new();

/// What a trampoline stands for.
///
/// A slot is free while it has no adapter, claimed while it has an adapter and no procedure, and in use when it has
/// both, which does not change any more.
struct Slot {
    /// An [`Adapter`], or null.
    adapter: AtomicPtr<c_void>,
    procedure: AtomicPtr<c_void>,
}

/// Slots that are claimed in order.
struct Table<const N: usize>([Slot; N]);

impl<const N: usize> Table<N> {
    const fn new() -> Self {
        Self(
            [const {
                Slot {
                    adapter: AtomicPtr::new(null_mut()),
                    procedure: AtomicPtr::new(null_mut()),
                }
            }; N],
        )
    }

    /// The number of the slot for this procedure and this adapter, which is claimed if there is none yet; none if all
    /// slots belong to others. Two threads that come at once with the same new procedure may get two slots.
    fn slot_of(&self, adapter: Adapter, procedure: Procedure) -> Option<usize> {
        let wanted = adapter as *mut c_void;
        self.0.iter().position(|slot| {
            let claim =
                slot.adapter
                    .compare_exchange(null_mut(), wanted, Ordering::Relaxed, Ordering::Relaxed);
            match claim {
                Ok(_) => {
                    slot.procedure.store(procedure, Ordering::Release);
                    true
                }
                Err(found) => {
                    ptr::eq(found, wanted) && ptr::eq(slot.procedure.load(Ordering::Acquire), procedure)
                }
            }
        })
    }

    /// What the slot stands for, if it is in use.
    fn get(&self, slot: usize) -> Option<(Adapter, Procedure)> {
        let slot = self.0.get(slot)?;
        let procedure = slot.procedure.load(Ordering::Acquire);
        let adapter = slot.adapter.load(Ordering::Relaxed);
        // SAFETY:
        // - what is not null is an adapter.
        let adapter = unsafe { transmute::<*mut c_void, Option<Adapter>>(adapter) };
        Some((adapter?, procedure))
    }
}

/// A C function that calls `procedure` through `adapter`; none if too many different procedures have been passed.
pub(super) fn trampoline(adapter: Adapter, procedure: Procedure) -> Option<*mut c_void> {
    let slot = TABLE.slot_of(adapter, procedure)?;
    let first = &raw const FIRST;
    Some(first.wrapping_add(slot).cast_mut().cast())
}

/// Where all trampolines lead to.
///
/// # Safety
///
/// The caller is a trampoline that has been given out by [`trampoline`], with the arguments of its callback.
unsafe extern "C" fn dispatch(
    first: *mut c_void,
    second: *mut c_void,
    third: *mut c_void,
    fourth: *mut c_void,
    number: u32,
) {
    // The slot of a trampoline that has been given out is in use.
    if let Some((adapter, procedure)) = TABLE.get(number as usize) {
        // SAFETY:
        // - the adapter is for callbacks of the kind that this trampoline was given out for.
        unsafe { adapter(procedure, [first, second, third, fourth]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe fn one(_: Procedure, _: [*mut c_void; 4]) {}

    /// Adds the address of its procedure to the number behind its first argument.
    unsafe fn adding(procedure: Procedure, [first, ..]: [*mut c_void; 4]) {
        // SAFETY:
        // - the test passes the address of a number.
        unsafe { *first.cast::<usize>() += procedure.addr() };
    }

    fn procedure(number: usize) -> Procedure {
        ptr::without_provenance_mut(number)
    }

    #[test]
    fn a_procedure_has_one_slot_for_each_adapter() {
        let table = Table::<3>::new();
        assert_eq!(table.slot_of(one, procedure(1)), Some(0));
        assert_eq!(table.slot_of(one, procedure(2)), Some(1));
        assert_eq!(table.slot_of(one, procedure(1)), Some(0));
        assert_eq!(table.slot_of(adding, procedure(1)), Some(2));
        assert_eq!(table.get(1).unwrap().1, procedure(2));
        assert!(Table::<3>::new().get(0).is_none());
    }

    #[test]
    fn a_full_table_refuses_new_procedures_only() {
        let table = Table::<2>::new();
        assert_eq!(table.slot_of(one, procedure(1)), Some(0));
        assert_eq!(table.slot_of(one, procedure(2)), Some(1));
        assert_eq!(table.slot_of(one, procedure(3)), None);
        assert_eq!(table.slot_of(one, procedure(2)), Some(1));
    }

    #[test]
    fn each_trampoline_calls_its_own_procedure() {
        for number in 1..=NUMBER {
            let made = trampoline(adding, procedure(number)).expect("there is one for each number");
            // SAFETY:
            // - the trampoline is a C function, whose adapter takes one argument.
            let function: unsafe extern "C" fn(*mut usize) = unsafe { transmute(made) };
            let mut sum = 1000;
            // SAFETY:
            // - the adapter adds to the number.
            unsafe { function(&raw mut sum) };
            assert_eq!(sum, 1000 + number);
        }
        assert_eq!(trampoline(adding, procedure(NUMBER + 1)), None);
    }
}
