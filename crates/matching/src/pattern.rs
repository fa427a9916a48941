//! The envelopes of messages, and the patterns of receives.

use simurgh_base::constants::{ANY_SOURCE, ANY_TAG};

/// The envelope of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Context of the communicator and the kind of its traffic.
    pub context: u32,
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// Tag, not negative.
    pub tag: i32,
}

/// The pattern of a receive: source and tag may be wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The context, which is that of the message.
    pub context: u32,
    /// Rank of the sender, or `ANY_SOURCE`.
    pub source: i32,
    /// Tag, or `ANY_TAG`.
    pub tag: i32,
}

impl Pattern {
    /// The pattern of an entry that is not in use.
    pub(super) const NONE: Self = Self {
        context: 0,
        source: 0,
        tag: 0,
    };

    /// Whether a message with this envelope satisfies the receive.
    #[inline]
    pub fn accepts(self, envelope: Envelope) -> bool {
        self.context == envelope.context
            && (self.source == envelope.source || self.source == ANY_SOURCE)
            && (self.tag == envelope.tag || self.tag == ANY_TAG)
    }

    /// Which of an envelope's generalisations it is, by its wildcards.
    #[inline]
    pub fn kind(self) -> usize {
        usize::from(self.source == ANY_SOURCE) | usize::from(self.tag == ANY_TAG) << 1
    }

    /// The same pattern as a number for hashing.
    #[inline]
    fn folded(self) -> u64 {
        // Odd multipliers spread the fields over the high bits, which the table uses.
        let source = u64::from(self.source.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let tag = u64::from(self.tag.cast_unsigned()).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        let context = u64::from(self.context).wrapping_mul(0x1656_67B1_9E37_79F9);
        let mixed = source ^ tag.rotate_left(21) ^ context.rotate_left(42);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}

impl std::hash::Hash for Pattern {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.folded());
    }
}

/// The kinds of patterns under which a message is to be found quickly: a bit for each of its generalisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternKinds(u8);

impl PatternKinds {
    /// Every receive may ask for it.
    pub const ALL: Self = Self(0b1111);

    /// Receives without certain wildcards may ask for it.
    #[inline]
    pub fn without(any_source: bool, any_tag: bool) -> Self {
        let absent = (u8::from(any_source) * 0b1010) | (u8::from(any_tag) * 0b1100);
        Self(Self::ALL.0 & !absent)
    }

    /// As a number that another host can read.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The inverse of [`PatternKinds::bits`]; none for a number that it cannot return.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: u8) -> Option<Self> {
        // The first generalisation is the envelope itself, which every message has.
        (bits & 1 != 0 && bits & !Self::ALL.0 == 0).then_some(Self(bits))
    }

    #[inline]
    pub(super) fn has(self, kind: usize) -> bool {
        self.0 >> kind & 1 != 0
    }
}

impl Envelope {
    /// The pattern that accepts nothing else.
    #[inline]
    pub fn exactly(self) -> Pattern {
        let Self { context, source, tag } = self;
        Pattern { context, source, tag }
    }

    /// The only patterns that accept this envelope, itself first, in the order of their [kinds](Pattern::kind).
    #[inline]
    pub fn generalisations(self) -> [Pattern; 4] {
        let Self { context, source, tag } = self;
        [
            self.exactly(),
            Pattern {
                context,
                source: ANY_SOURCE,
                tag,
            },
            Pattern {
                context,
                source,
                tag: ANY_TAG,
            },
            Pattern {
                context,
                source: ANY_SOURCE,
                tag: ANY_TAG,
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_generalisations_accept() {
        let envelope = Envelope {
            context: 7,
            source: 3,
            tag: 9,
        };
        for (kind, pattern) in envelope.generalisations().into_iter().enumerate() {
            assert!(pattern.accepts(envelope));
            assert_eq!(pattern.kind(), kind);
            let without = PatternKinds::without(pattern.source == ANY_SOURCE, pattern.tag == ANY_TAG);
            assert!(PatternKinds::ALL.has(kind) && without.has(kind) == (kind == 0) && without.has(0));
        }
        let others = [
            (6, 3, 9),
            (7, 4, 9),
            (7, 3, 8),
            (7, ANY_SOURCE, 8),
            (7, 4, ANY_TAG),
            (8, ANY_SOURCE, ANY_TAG),
        ];
        for (context, source, tag) in others {
            assert!(!Pattern { context, source, tag }.accepts(envelope));
        }
    }
}
