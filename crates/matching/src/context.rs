//! The contexts of messages: the communicator that a message belongs to, and for a partitioned message between hosts
//! the pair of operations as well.

/// Partitioned operations between two ranks of different hosts, of one label, that may be set up at a time.
pub const PARTITIONED_PAIRS: usize = 128;

/// Set in the contexts of partitioned messages; no communicator's has it.
const PARTITIONED: u32 = 1 << 31;
/// Where the number of the pair begins in such a context.
const PAIR_SHIFT: u32 = 24;

const _: () = assert!(PARTITIONED_PAIRS << PAIR_SHIFT == PARTITIONED as usize);

/// Communicators whose partitioned messages can be told apart: those with the first contexts.
pub const PARTITIONED_COMMUNICATORS: u32 = 1 << PAIR_SHIFT;

/// The context of the messages of a pair of partitioned operations; the communicator is one of the first
/// [`PARTITIONED_COMMUNICATORS`].
#[inline]
#[must_use]
pub fn partitioned_context(communicator: u32, pair: u32) -> u32 {
    PARTITIONED | pair << PAIR_SHIFT | communicator
}

/// The context of the communicator that a context of messages belongs to.
#[inline]
#[must_use]
pub fn communicator_of(context: u32) -> u32 {
    match is_partitioned(context) {
        false => context,
        true => context & (PARTITIONED_COMMUNICATORS - 1),
    }
}

/// Whether messages of this context are partitioned.
#[inline]
#[must_use]
pub fn is_partitioned(context: u32) -> bool {
    context & PARTITIONED != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_tells_its_communicator() {
        assert_eq!(communicator_of(12345), 12345);
        assert_eq!(communicator_of(partitioned_context(12345, 5)), 12345);
    }
}
