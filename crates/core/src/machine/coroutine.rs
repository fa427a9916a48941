//! Coroutines: a stack of their own, and the switch between it and the stack of whoever resumes it.
//!
//! A switch saves two registers and the place where the code goes on, and exchanges the stack pointer; the compiler
//! saves what else it needs. It neither calls nor returns, but jumps. A processor predicts where a return leads by the
//! calls before it. A call that no return follows, or a return without its call, would shift these predictions, and
//! each return from the frames of the coroutine would be predicted wrongly. Ranks that wait do so in the same functions
//! of the library, so what the calls of one rank have left there fits the returns of the next.
//!
//! The frame of `start` is the outermost one for unwinders and debuggers.
//!
//! Cost: two switches and the jumps between them, about 2 ns. Bench: `benches/switch.rs`.

use std::arch::{asm, naked_asm};
use std::cell::Cell;
use std::ptr;

/// The two stacks of a coroutine: its own and that of whoever resumes it. Each has the stack pointer of the one that
/// does not run.
pub(crate) struct Stacks {
    own: Cell<*mut u8>,
    other: Cell<*mut u8>,
}

/// What a coroutine does first.
struct Start {
    stacks: *const Stacks,
    body: Box<dyn FnOnce()>,
}

impl Stacks {
    /// No coroutine.
    pub(crate) fn none() -> Self {
        Self {
            own: Cell::new(ptr::null_mut()),
            other: Cell::new(ptr::null_mut()),
        }
    }

    /// Whether there is no coroutine.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.own.get().is_null()
    }

    /// Makes a coroutine that will run `body`, which must not unwind, on the stack that ends at `top`. After that it
    /// [leaves](Stacks::leave) for the last time.
    ///
    /// # Safety
    ///
    /// * `top` is a multiple of 16, and the memory below it is a stack that nobody else uses until the coroutine has
    ///   left for the last time, or for ever.
    /// * The stacks are at the same place as long as the coroutine exists.
    pub(crate) unsafe fn begin(&self, top: *mut u8, body: Box<dyn FnOnce()>) {
        let start = Box::new(Start { stacks: self, body });
        // SAFETY:
        // - the words lie on the new stack. A call aligns the stack before it to 16 bytes, and `start` begins with one.
        unsafe {
            let words = top.cast::<usize>().sub(3);
            words.write(start_of_coroutine as *const () as usize);
            self.own.set(words.cast());
        }
        self.other.set(Box::into_raw(start).cast());
    }

    /// Forgets the coroutine, which has left for the last time.
    pub(crate) fn end(&self) {
        self.own.set(ptr::null_mut());
    }

    /// Resumes the coroutine, until it leaves.
    ///
    /// # Safety
    ///
    /// There is a coroutine; it does not run, and has not left for the last time. The caller keeps no reference to
    /// anything thread-local that the coroutine may replace.
    #[inline(always)]
    pub(crate) unsafe fn enter(&self) {
        // SAFETY:
        // - as demanded of the caller. What is in `other` before the first time is the argument of `start`.
        unsafe { switch(&self.other, self.own.get(), self.other.get()) };
    }

    /// Leaves the coroutine, until it is entered again.
    ///
    /// # Safety
    ///
    /// The caller runs on the coroutine.
    #[inline(always)]
    pub(crate) unsafe fn leave(&self) {
        // SAFETY:
        // - the coroutine runs, so the other side is within `enter`.
        unsafe { switch(&self.own, self.other.get(), ptr::null_mut()) };
    }
}

/// Saves the stack pointer, and goes on where that of another stack says.
///
/// # Safety
///
/// `to` has been saved here and has not been used since, or was made by [`Stacks::begin`].
#[inline(always)]
unsafe fn switch(saved: &Cell<*mut u8>, to: *mut u8, argument: *mut u8) {
    // SAFETY:
    // - rbx and rbp are saved here, all others by the compiler; the control flow leaves at the jump and comes back at
    //   the label, with the stack as it was.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rsi], rsp",
            "mov rsp, rdx",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            in("rdi") argument,
            in("rsi") saved.as_ptr(),
            in("rdx") to,
            lateout("r12") _,
            lateout("r13") _,
            lateout("r14") _,
            lateout("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// Where a coroutine begins, with its argument in place.
#[unsafe(naked)]
unsafe extern "C" fn start_of_coroutine() -> ! {
    naked_asm!(
        ".cfi_startproc",
        // There is no frame above this one.
        ".cfi_undefined rip",
        "xor ebp, ebp",
        "call {main}",
        "ud2",
        ".cfi_endproc",
        main = sym main,
    )
}

/// The life of a coroutine.
unsafe extern "C" fn main(start: *mut Start) -> ! {
    let stacks = {
        // SAFETY:
        // - `begin` has made it for this coroutine, whose first steps are these.
        let start = unsafe { Box::from_raw(start) };
        (start.body)();
        start.stacks
    };
    loop {
        // SAFETY:
        // - the caller runs on this coroutine, whose stacks exist.
        unsafe { (*stacks).leave() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    /// Memory for a stack.
    fn stack() -> Vec<u128> {
        vec![0; 1 << 12]
    }

    #[test]
    fn a_coroutine_and_its_resumer_take_turns_and_what_it_owns_is_dropped_at_its_end() {
        let (mut memory, stacks, steps) = (stack(), Rc::new(Stacks::none()), Rc::new(Cell::new(0_u64)));
        assert!(stacks.is_none());
        let (own, counted) = (Rc::clone(&stacks), Rc::clone(&steps));
        let body = Box::new(move || {
            for step in 1..=3 {
                counted.set(counted.get() + step);
                // SAFETY:
                // - this runs on the coroutine.
                unsafe { own.leave() };
            }
        });
        // SAFETY:
        // - the memory outlives the coroutine, and so do the stacks.
        unsafe { stacks.begin(memory.as_mut_ptr_range().end.cast(), body) };
        assert!(!stacks.is_none());
        for sum in [1, 3, 6, 6] {
            // SAFETY:
            // - it has not left for the last time.
            unsafe { stacks.enter() };
            assert_eq!(steps.get(), sum);
        }
        assert_eq!((Rc::strong_count(&steps), Rc::strong_count(&stacks)), (1, 1));
        stacks.end();
        assert!(stacks.is_none());
    }

    #[test]
    fn registers_and_floating_point_numbers_survive_switches() {
        let (mut memory, stacks) = (stack(), Rc::new(Stacks::none()));
        let own = Rc::clone(&stacks);
        let body = Box::new(move || {
            let mut numbers: [f64; 32] = std::array::from_fn(|index| index as f64);
            loop {
                numbers
                    .iter_mut()
                    .for_each(|number| *number = number.mul_add(1.5, 1.0));
                std::hint::black_box(&mut numbers);
                // SAFETY:
                // - this runs on the coroutine.
                unsafe { own.leave() };
            }
        });
        // SAFETY:
        // - the memory outlives the last use of the coroutine, and so do the stacks.
        unsafe { stacks.begin(memory.as_mut_ptr_range().end.cast(), body) };
        let (mut sum, mut product) = (0_u64, 1.0_f64);
        for round in 0..100_u64 {
            // SAFETY:
            // - it never leaves for the last time.
            unsafe { stacks.enter() };
            sum += std::hint::black_box(round);
            product *= std::hint::black_box(1.01);
        }
        assert_eq!(sum, 4950);
        assert!((product - 1.01_f64.powi(100)).abs() < 1e-9);
    }
}
