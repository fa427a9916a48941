//! What a message is labelled with, and what a receive asks for.

use crate::constants::{ANY_SOURCE, ANY_TAG};

/// The label of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// Context of the communicator and the kind of its traffic.
    pub(crate) context: u32,
    /// Rank of the sender in the communicator.
    pub(crate) source: i32,
    /// Tag, not negative.
    pub(crate) tag: i32,
}

/// What a receive accepts: source and tag may be wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) context: u32,
    pub(crate) source: i32,
    pub(crate) tag: i32,
}

impl Pattern {
    /// Whether a message with this envelope satisfies the receive.
    #[inline]
    pub(crate) fn accepts(self, envelope: Envelope) -> bool {
        self.context == envelope.context
            && (self.source == envelope.source || self.source == ANY_SOURCE)
            && (self.tag == envelope.tag || self.tag == ANY_TAG)
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
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.folded());
    }
}

impl Envelope {
    /// The pattern that accepts nothing else.
    #[inline]
    pub(crate) fn exactly(self) -> Pattern {
        let Self { context, source, tag } = self;
        Pattern { context, source, tag }
    }

    /// The only patterns that accept this envelope, itself first.
    #[inline]
    pub(crate) fn generalisations(self) -> [Pattern; 4] {
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
        for pattern in envelope.generalisations() {
            assert!(pattern.accepts(envelope));
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
