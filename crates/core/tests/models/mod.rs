//! How the models are checked.

/// Explores all interleavings with at most three preemptions, which bounds the time and finds nearly everything.
pub(crate) fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(f);
}
