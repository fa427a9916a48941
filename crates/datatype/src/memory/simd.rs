//! The loops of reductions, compiled for several instruction sets. The best that the machine has is chosen at run time.

use std::arch::is_x86_feature_detected;
use std::sync::LazyLock;

use super::elements::Element;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Level {
    /// The instructions that every x86-64 has: vectors of 16 bytes.
    Baseline,
    /// AVX2 with conversions of 16-bit numbers: vectors of 32 bytes.
    Avx2,
    /// AVX-512 with its extensions for bytes, words and shorter vectors: vectors of 64 bytes.
    Avx512,
}

/// One look instead of one for each feature.
static BEST: LazyLock<Level> = LazyLock::new(Level::detect);

impl Level {
    /// The best that this machine has.
    #[inline]
    pub(super) fn best() -> Self {
        *BEST
    }

    fn detect() -> Self {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (avx2, avx512) {
            (true, true) => Level::Avx512,
            (true, false) => Level::Avx2,
            (false, _) => Level::Baseline,
        }
    }

    /// All that this machine has.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Level::Baseline, Level::Avx2, Level::Avx512]
            .into_iter()
            .filter(|level| *level <= Self::best())
    }
}

/// [`Element::fold`] with the instructions of a level, which is at most the best this machine has. Elements that gain
/// nothing by vectors have the baseline only.
#[inline]
pub(super) fn fold<E: Element, const N: usize>(
    level: Level,
    inputs: [&[E]; N],
    inout: &mut [E],
    operation: impl Fn(E::Value, E::Value) -> E::Value + Copy,
) {
    if !E::VECTORS {
        return fold_baseline(inputs, inout, operation);
    }
    match level {
        Level::Baseline => fold_baseline(inputs, inout, operation),
        // SAFETY:
        // - the machine has what the level needs: see `Level::best`.
        Level::Avx2 => unsafe { fold_avx2(inputs, inout, operation) },
        // SAFETY:
        // - as above.
        Level::Avx512 => unsafe { fold_avx512(inputs, inout, operation) },
    }
}

macro_rules! compiled_for {
    ($($(#[$feature:meta])? $name:ident, $f16c:literal;)*) => { $(
        // Never inlined, so that `inout` is an argument, known to overlap nothing.
        $(#[$feature])?
        #[inline(never)]
        fn $name<E: Element, const N: usize>(
            inputs: [&[E]; N],
            inout: &mut [E],
            operation: impl Fn(E::Value, E::Value) -> E::Value + Copy,
        ) {
            E::fold::<$f16c, N>(inputs, inout, operation);
        }
    )* };
}

compiled_for! {
    fold_baseline, false;
    #[target_feature(enable = "avx2,f16c")]
    fold_avx2, true;
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
    fold_avx512, true;
}
