//! The floating-point environment: rounding, traps, treatment of denormals, and the exceptions raised so far.
//!
//! By the ABI, the control bits of MXCSR and the x87 control word are preserved across a function call, so each
//! execution context has its own. It also has its own flags, which programs test and clear. A worker reads the
//! environment after a context has left its stack, and loads that of the next one where the two differ: loading costs
//! more than reading, and most contexts agree. The rest of the floating-point unit (data registers, masks, tiles) is
//! not preserved across a call.
//!
//! Cost of a switch: `stmxcsr`, `fnstcw`, `fnstsw`, a store and a comparison, off the critical path. Bench:
//! `benches/switch.rs`.

use std::arch::asm;

use crate::sync::{AtomicU64, Ordering};

/// The flags of exceptions, in MXCSR and in the x87 status word.
const FLAGS: u64 = 0x3f;
/// The bits that keep exceptions from trapping. They are the lowest in the x87 control word, and shifted in MXCSR.
const MASKS: u64 = 0x3f;
const MXCSR_MASKS_SHIFT: u32 = 7;
const CONTROL_SHIFT: u32 = 32;
const STATUS_SHIFT: u32 = 48;

/// MXCSR in the lower half; above it the x87 control word and the flags of the x87 status word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatEnvironment(u64);

/// A place for an environment that one thread writes and others may look at.
pub(crate) struct FloatEnvironmentCell(AtomicU64);

impl FloatEnvironmentCell {
    /// With this environment.
    pub(crate) fn new(environment: FloatEnvironment) -> Self {
        Self(AtomicU64::new(environment.0))
    }

    /// The environment.
    #[inline]
    pub(crate) fn get(&self) -> FloatEnvironment {
        // Relaxed: it is one word, and whoever hands on its owner orders it.
        FloatEnvironment(self.0.load(Ordering::Relaxed))
    }

    /// Changes the environment.
    #[inline]
    pub(crate) fn set(&self, environment: FloatEnvironment) {
        self.0.store(environment.0, Ordering::Relaxed);
    }
}

/// The 28 bytes that `fnstenv` writes and `fldenv` reads.
#[repr(C)]
#[derive(Default)]
struct X87Environment {
    control: u32,
    status: u32,
    others: [u32; 5],
}

impl FloatEnvironment {
    /// Stands for an environment that is still to be read. No environment has these bits.
    pub(crate) const UNSAVED: Self = Self(u64::MAX);

    /// The environment of the caller.
    #[inline(always)]
    pub(crate) fn read() -> Self {
        if cfg!(miri) {
            // Miri runs no assembly, and switches no contexts.
            return Self(MASKS << MXCSR_MASKS_SHIFT | MASKS << CONTROL_SHIFT);
        }
        let (mut mxcsr, mut control) = (0_u32, 0_u16);
        let status: u16;
        // SAFETY:
        // - writes two variables of this function and a register.
        unsafe {
            asm!(
                "stmxcsr dword ptr [{mxcsr}]",
                "fnstcw word ptr [{control}]",
                "fnstsw ax",
                mxcsr = in(reg) &raw mut mxcsr,
                control = in(reg) &raw mut control,
                out("ax") status,
                options(nostack, preserves_flags),
            );
        }
        let flags = u64::from(status) & FLAGS;
        Self(u64::from(mxcsr) | u64::from(control) << CONTROL_SHIFT | flags << STATUS_SHIFT)
    }

    /// Loads the environment on the calling thread, where `now` is the present one.
    #[inline(always)]
    pub(crate) fn load(self, now: Self) {
        if self != now {
            self.replace(now);
        }
    }

    /// Calls `f`, which computes on behalf of the owner of this environment, with its rounding and its treatment of
    /// denormals. Nothing traps in `f`, and the flags that it raises are dropped. `f` must not suspend or panic.
    pub(crate) fn lend<R>(self, f: impl FnOnce() -> R) -> R {
        let own = Self::read();
        self.untrapped().load(own);
        let result = f();
        own.load(Self::read());
        result
    }

    /// The same environment, with all exceptions masked and no flags.
    fn untrapped(self) -> Self {
        let cleared = self.0 & !(FLAGS | FLAGS << STATUS_SHIFT);
        Self(cleared | MASKS << MXCSR_MASKS_SHIFT | MASKS << CONTROL_SHIFT)
    }

    fn mxcsr(self) -> u32 {
        self.0 as u32
    }

    fn x87(self) -> u32 {
        (self.0 >> CONTROL_SHIFT) as u32
    }

    #[cold]
    fn replace(self, now: Self) {
        if self.mxcsr() != now.mxcsr() {
            let mxcsr = self.mxcsr();
            // SAFETY:
            // - the value has been read from the register, or differs from such a one in masks and flags only.
            unsafe { asm!("ldmxcsr dword ptr [{}]", in(reg) &raw const mxcsr, options(nostack, readonly)) };
        }
        if self.x87() != now.x87() {
            self.replace_x87(now);
        }
    }

    fn x87_control(self) -> u16 {
        self.x87() as u16
    }

    fn x87_flags(self) -> u32 {
        self.x87() >> 16
    }

    /// Whether an exception is pending, so that the next x87 instruction that checks would trap.
    fn is_pending(self) -> bool {
        u64::from(self.x87_flags()) & !(u64::from(self.x87_control()) & MASKS) != 0
    }

    /// Loads the x87 part in the cheapest way: loading the control word takes a few cycles, loading flags a hundred.
    fn replace_x87(self, now: Self) {
        let control = self.x87_control();
        if self.x87_flags() == 0 {
            // SAFETY:
            // - nothing is pending once it is cleared, which belongs to the other environment, and that has been read.
            unsafe { asm!("fnclex", "fldcw word ptr [{}]", in(reg) &raw const control, options(nostack)) };
        } else if self.x87_flags() == now.x87_flags() && !now.is_pending() {
            // SAFETY:
            // - nothing is pending that would trap here.
            unsafe { asm!("fldcw word ptr [{}]", in(reg) &raw const control, options(nostack)) };
        } else {
            self.load_x87();
        }
    }

    fn load_x87(self) {
        let control = u32::from(self.x87_control());
        let flags = self.x87_flags();
        let mut environment = X87Environment::default();
        // SAFETY:
        // - the structure is as large as what is written and read;
        // - the register stack stays as it is: its top is part of what is written back. An exception that is pending is
        //   cleared first, so that it does not trap here: it belongs to the other environment, which was read before.
        unsafe {
            asm!("fnstenv [{}]", "fnclex", in(reg) &raw mut environment, options(nostack));
            environment.control = environment.control & !0xffff | control;
            // The bits that summarise the flags have to be clear, too; the processor sets them anew.
            environment.status = environment.status & !0x80ff | flags;
            asm!("fldenv [{}]", in(reg) &raw const environment, options(nostack, readonly));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FloatEnvironment;

    /// The environment at the start of a thread: to nearest, double extended precision, nothing traps, no flags.
    const DEFAULT: FloatEnvironment = FloatEnvironment(0x037f_0000_1f80);
    /// Downwards everywhere, denormals are zero, division by zero has happened on x87, inexact on SSE.
    const STRANGE: FloatEnvironment = FloatEnvironment(0x0004_077f_0000_bfe0);

    /// One third by SSE and by x87, as their bits.
    fn thirds() -> (u64, u64) {
        let (one, three) = (std::hint::black_box(1.0_f64), std::hint::black_box(3.0_f64));
        let (mut sse, mut x87) = (one, 0.0_f64);
        // SAFETY:
        // - computes with variables of this function; the register stack is as before in the end.
        unsafe {
            std::arch::asm!(
                "divsd {sse}, {three}",
                "fld qword ptr [{one_at}]",
                "fdiv qword ptr [{three_at}]",
                "fstp qword ptr [{x87}]",
                sse = inout(xmm_reg) sse,
                three = in(xmm_reg) three,
                one_at = in(reg) &raw const one,
                three_at = in(reg) &raw const three,
                x87 = in(reg) &raw mut x87,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        (sse.to_bits(), x87.to_bits())
    }

    /// Runs `f` on a thread of its own, whose environment it may change.
    fn apart<R: Send>(f: impl FnOnce() -> R + Send) -> R {
        std::thread::scope(|scope| scope.spawn(f).join().expect("no panic"))
    }

    #[test]
    fn a_loaded_environment_is_read_back() {
        let (found, back) = apart(|| {
            let before = FloatEnvironment::read();
            STRANGE.load(before);
            let found = FloatEnvironment::read();
            before.load(found);
            (found, FloatEnvironment::read() == before)
        });
        assert_eq!(found, STRANGE);
        assert!(back);
    }

    #[test]
    fn every_environment_follows_every_other() {
        let control = [0x037f_u64, 0x077f, 0x0b40, 0x037b].map(|control| control << 32);
        let flags = [0_u64, 0x04, 0x20, 0x25].map(|flags| flags << 48);
        let mxcsr = [0x1f80_u64, 0x5fa0];
        let all: Vec<_> = control
            .iter()
            .flat_map(|control| flags.iter().map(move |flags| control | flags))
            .flat_map(|x87| mxcsr.map(|mxcsr| FloatEnvironment(x87 | mxcsr)))
            .collect();
        let wrong = apart(|| {
            let own = FloatEnvironment::read();
            let mut now = own;
            let mut wrong = 0;
            for &first in &all {
                for &second in &all {
                    for next in [first, second] {
                        next.load(now);
                        now = FloatEnvironment::read();
                        wrong += usize::from(now != next);
                    }
                }
            }
            own.load(now);
            wrong
        });
        assert_eq!(wrong, 0);
    }

    #[test]
    fn a_lent_environment_rounds_but_does_not_trap_and_leaves_no_trace() {
        // Upwards, and everything traps.
        let upwards = FloatEnvironment(0x0b40_0000_4000);
        let (lent, after, own) = apart(|| {
            DEFAULT.load(FloatEnvironment::read());
            let lent = upwards.lend(thirds);
            (lent, FloatEnvironment::read(), thirds())
        });
        let nearest = 0x3fd5_5555_5555_5555_u64;
        assert_eq!(lent, (nearest + 1, nearest + 1));
        assert_eq!(own, (nearest, nearest));
        assert_eq!(after, DEFAULT);
    }
}
