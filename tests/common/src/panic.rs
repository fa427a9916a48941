//! Panics that tests are about.

/// Panics without a word: a panic that is expected is no news, and its backtrace would be taken for a failure's. (On an
/// execution context, which has its own thread pointer, the test harness does not catch what is printed.)
pub fn panic_quietly(message: &'static str) -> ! {
    std::panic::resume_unwind(Box::new(message))
}
