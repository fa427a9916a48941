//! Expected panics.

/// Panics without a message. An expected panic needs no report, and its backtrace would be taken for that of a failure.
/// (On an execution context, which has its own thread pointer, the test harness does not capture the output.)
pub fn panic_quietly(message: &'static str) -> ! {
    std::panic::resume_unwind(Box::new(message))
}
