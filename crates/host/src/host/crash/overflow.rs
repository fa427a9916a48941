//! Stack overflows, and what the user is to do about them.
//!
//! A stack that runs out by and by ends at its guard region, near the stack pointer. A function with large local
//! arrays, as in Fortran, may move the stack pointer by any distance at once, and then write anywhere between its old
//! and its new place.

use super::record::CrashRecord;
use crate::host::mappings;
use crate::host::state::Host;
use simurgh_core::StackBounds;

/// The farthest distance of a fault from the stack pointer at which it is taken for one of the stack's.
const NEAR: usize = 1 << 20;

/// The least stack that is recommended.
const LEAST: usize = 1 << 20;

/// Whether a fault is a stack overflow. Memory near the stack pointer can be accessed unless the stack has run out; and
/// the end of a rank's own stack is known.
pub(super) fn is_one(record: &CrashRecord) -> bool {
    record.address.is_some_and(|address| {
        let near = address.abs_diff(record.stack_pointer) < NEAR;
        let outside = record.stack.is_none_or(|stack| address < stack.low);
        near && outside || !is_writable(record.stack_pointer)
    })
}

/// Whether an address can be written to, as the kernel's list of mappings says. If that cannot be read, it can.
fn is_writable(address: usize) -> bool {
    mappings::read().map_or(true, |maps| {
        mappings::holding(&maps, address).is_some_and(|mapping| mapping.is_writable)
    })
}

/// The words for the user.
pub(super) fn words(host: &Host, record: &CrashRecord) -> String {
    match record.stack {
        Some(stack) => {
            let (has, needs) = ((stack.high - stack.low) >> 10, recommended(stack, record) >> 20);
            format!("has overflown its stack of {has} KiB: give it more with --stack-size {needs}M")
        }
        None if host.is_program() => {
            "has overflown its stack: give it more with ulimit -s, or, if it is that of one of its threads, where \
             the thread is made (OMP_STACKSIZE for those of OpenMP)"
                .to_owned()
        }
        None => "has overflown the stack of one of its threads: give it more where the thread is made \
                 (OMP_STACKSIZE for those of OpenMP)"
            .to_owned(),
    }
}

/// Four times the stack that there is, or more if the stack pointer is farther away.
fn recommended(stack: StackBounds, record: &CrashRecord) -> usize {
    let wanted = stack.high.saturating_sub(record.stack_pointer);
    // Other functions need stack, too.
    let wanted = wanted.saturating_add(wanted / 4).checked_next_power_of_two();
    wanted.unwrap_or(0).max((stack.high - stack.low) * 4).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_stack_is_recommended_as_the_function_wants() {
        let stack = StackBounds {
            guard: 1 << 39,
            low: 1 << 40,
            high: (1 << 40) + (8 << 20),
        };
        let at = |stack_pointer| {
            recommended(
                stack,
                &CrashRecord {
                    stack_pointer,
                    ..CrashRecord::EMPTY
                },
            )
        };
        assert_eq!(at(stack.low - 16), 32 << 20);
        assert_eq!(at(stack.high - (100 << 20)), 128 << 20);
    }
}
