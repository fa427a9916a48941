//! Digests of type signatures, by which two signatures are compared without walking through their elements.
//!
//! The digest of a sequence is a polynomial in its elements modulo a prime. The digest of a concatenation or of a
//! repetition follows from the digests of its parts, so its cost does not grow with the number of elements.

use super::basic::Basic;
use super::signature::Signature;
use simurgh_base::portable::portable;

/// 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// The point at which the polynomial is evaluated. Any large number will do.
const POINT: u64 = 0x0e37_79b9_7f4a_7c15;

/// The digest of a sequence of predefined elements. Equal sequences have equal digests; different sequences have
/// different ones, except with a probability of about 2^-61.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    value: u64,
    /// The point raised to the number of elements.
    power: u64,
}

portable! {
    Digest { value, power }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

impl Digest {
    const EMPTY: Self = Self { value: 0, power: 1 };

    fn of(basic: Basic) -> Self {
        Self {
            value: basic as u64,
            power: POINT,
        }
    }

    fn then(self, next: Self) -> Self {
        Self {
            value: (times(self.value, next.power) + next.value) % PRIME,
            power: times(self.power, next.power),
        }
    }

    fn repeat(self, mut count: usize) -> Self {
        let (mut all, mut step) = (Self::EMPTY, self);
        while count > 0 {
            if count % 2 == 1 {
                all = all.then(step);
            }
            step = step.then(step);
            count /= 2;
        }
        all
    }
}

impl Signature {
    /// The digest of its elements.
    pub fn digest(&self) -> Digest {
        match self {
            Signature::Empty => Digest::EMPTY,
            Signature::Run { basic, count } => Digest::of(*basic).repeat(*count),
            Signature::Repeat { count, inner } => inner.signature().digest().repeat(*count),
            Signature::Sequence(components) => components.iter().fold(Digest::EMPTY, |all, component| {
                all.then(component.signature().digest())
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(parts: &[(Basic, usize)]) -> Signature {
        Signature::sequence(parts.iter().map(|&(basic, count)| (Signature::of(basic), count)))
    }

    #[test]
    fn equal_sequences_built_differently_have_equal_fingerprints() {
        let pair = signature(&[(Basic::Double, 1), (Basic::Int, 2)]);
        let two = Signature::sequence([(pair.clone(), 1), (pair.clone(), 1)]);
        assert_eq!(pair.repeat(2).digest(), two.digest());
        let long = pair.repeat(1_000_000_006);
        assert_eq!(long.digest(), pair.repeat(2).repeat(500_000_003).digest());
        let value_and_index = signature(&[(Basic::Double, 1), (Basic::Int, 1)]);
        assert_eq!(Signature::of(Basic::DoubleInt).digest(), value_and_index.digest());
        assert_eq!(Signature::Empty.digest(), pair.repeat(0).digest());
    }

    #[test]
    fn other_sequences_have_other_fingerprints() {
        let (ints, unsigned) = (&[(Basic::Int, 6)], &[(Basic::Unsigned, 6)]);
        let all = [
            signature(ints),
            signature(unsigned),
            signature(&[(Basic::Int, 7)]),
            signature(&[(Basic::Int, 3), (Basic::Unsigned, 3)]),
            signature(&[(Basic::Unsigned, 3), (Basic::Int, 3)]),
            signature(&[(Basic::Int, 1), (Basic::Unsigned, 1)]).repeat(3),
            Signature::Empty,
        ];
        for (place, left) in all.iter().enumerate() {
            for right in &all[..place] {
                assert_ne!(left.digest(), right.digest(), "{left} {right}");
            }
        }
    }
}
