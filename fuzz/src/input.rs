//! Bytes of the fuzzer, read as decisions.

/// The bytes that libFuzzer has invented and that have not been used yet.
#[derive(Debug)]
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// All of it.
    #[must_use]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether nothing is left.
    #[must_use]
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte; zero when there is none.
    pub(crate) fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    /// The next bytes; zeros where there are none.
    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let (now, later) = self.0.split_at(N.min(self.0.len()));
        self.0 = later;
        let mut array = [0; N];
        array[..now.len()].copy_from_slice(now);
        array
    }

    /// A number less than `limit`, which is at most 256.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// A number of two bytes.
    pub(crate) fn short(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    /// A number of eight bytes.
    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
}
