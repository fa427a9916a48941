//! How loom checks the models of this crate and of those that build on it.

/// Explores all interleavings of the threads of `f` with at most three preemptions, which bounds the time and finds
/// nearly everything.
pub fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(f);
}
