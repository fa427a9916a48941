//! Words as the bytes that lie in them.

/// The bytes of words, as they lie in memory.
#[inline]
#[must_use]
pub fn bytes_of_words(words: &[u64]) -> &[u8] {
    // SAFETY:
    // - the bytes are those of the slice, which is borrowed as long as the result; bytes need no alignment.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// The bytes of words, as they lie in memory, to be written.
#[inline]
#[must_use]
pub fn bytes_of_words_mut(words: &mut [u64]) -> &mut [u8] {
    // SAFETY:
    // - as above; words have no values that are not allowed.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_lie_where_their_words_do() {
        let mut words = [1, 2];
        assert_eq!(bytes_of_words(&words).len(), 16);
        assert_eq!(bytes_of_words(&words)[..8], 1_u64.to_ne_bytes());
        bytes_of_words_mut(&mut words)[8..].copy_from_slice(&7_u64.to_ne_bytes());
        assert_eq!(words, [1, 7]);
    }
}
