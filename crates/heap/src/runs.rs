//! Runs of bits that are set: free slices of a segment.

/// The number of bits.
const BITS: usize = u64::BITS as usize;
/// The number of binary logarithms of lengths.
const LOGARITHMS: usize = BITS.ilog2() as usize + 1;

/// So many bits from the first one on.
pub(crate) fn mask(first: usize, count: usize) -> u64 {
    (u64::MAX >> (BITS - count)) << first
}

/// The first of `count` bits in a row that are set.
pub(crate) fn find_run(mut bits: u64, count: usize) -> Option<usize> {
    let mut length = 1;
    while length < count && bits != 0 {
        let step = length.min(count - length);
        bits &= bits >> step;
        length += step;
    }
    (bits != 0).then(|| bits.trailing_zeros() as usize)
}

/// The runs of bits that are set: the first one of each, and their number.
pub(crate) fn runs(mut bits: u64) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        let count = ((!(bits >> first)).trailing_zeros() as usize).min(BITS - first);
        bits &= !mask(first, count);
        Some((first, count))
    })
}

/// The binary logarithm of the length of the longest run of bits that are set, rounded down; `None` if none is.
pub(crate) fn log_of_longest(mut bits: u64) -> Option<usize> {
    let mut log = None;
    for next in 0..LOGARITHMS {
        if bits == 0 {
            break;
        }
        log = Some(next);
        // From now on, each bit says that twice as many follow.
        bits &= bits.checked_shr(1 << next).unwrap_or(0);
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_of_bits_is_known_to_a_power_of_two() {
        assert_eq!(log_of_longest(0), None);
        assert_eq!(log_of_longest(0b1001_0101), Some(0));
        assert_eq!(log_of_longest(0b1011_0111_0110), Some(1));
        assert_eq!(log_of_longest(u64::MAX), Some(LOGARITHMS - 1));
        for count in 1..=BITS {
            for first in 0..=BITS - count {
                assert_eq!(log_of_longest(mask(first, count)), Some(count.ilog2() as usize));
            }
        }
    }

    #[test]
    fn runs_of_bits_are_found() {
        let all = |bits| runs(bits).collect::<Vec<_>>();
        assert_eq!(all(0b1011_0110), [(1, 2), (4, 2), (7, 1)]);
        assert_eq!(all(u64::MAX << 3), [(3, BITS - 3)]);
        assert_eq!((all(0), all(u64::MAX)), (vec![], vec![(0, BITS)]));
        assert_eq!(find_run(0b1011_0111_0110, 3), Some(4));
        assert_eq!(find_run(0b1011_0111_0110, 4), None);
        assert_eq!(find_run(0b110, 1), Some(1));
        assert_eq!(find_run(0, 1), None);
        assert_eq!(find_run(u64::MAX, BITS), Some(0));
        assert_eq!(find_run(u64::MAX << 1, BITS), None);
        for count in 1..=BITS {
            assert_eq!(find_run(mask(BITS - count, count), count), Some(BITS - count));
        }
    }
}
