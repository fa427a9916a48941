//! Sizes of buffers, and lengths from which on something is worth its while.

/// Bytes up to which an access is made by the caller: it takes less time than to wake an I/O thread.
pub const SHORT: usize = 128 << 10;

/// Bytes of the buffer through which data goes that does not lie in one piece in memory.
pub(crate) const STAGING: usize = 1 << 20;

/// Bytes of a block that is read with its gaps, without a hint.
pub(crate) const READ_BLOCK: usize = 1 << 20;

/// Bytes of a block that is rewritten with its gaps, without a hint. Nobody else writes meanwhile.
pub(crate) const WRITE_BLOCK: usize = 512 << 10;

/// Mean gap between pieces up to which reading the gaps along costs less than a system call for each piece.
pub(crate) const SIEVED_GAP: usize = 4 << 10;

/// Mean distance from one piece to the next up to which rewriting both with the gap costs less than a system call for
/// each. The costs of one writer in memory are equal at 4 KiB; several exclude each other.
pub(crate) const SIEVED_STRIDE: usize = 2 << 10;

/// The pieces whose gaps are looked at before it is decided whether to sieve.
pub(crate) const SAMPLE: usize = 64;

/// The most I/O threads.
pub(crate) const THREADS: usize = 4;

/// Bytes of the stack of an I/O thread.
pub(crate) const STACK: usize = 256 << 10;

/// Mean bytes of the ranks' parts up to which they are put together even if they do not interleave.
pub(crate) const TOGETHER: usize = 16 << 10;

/// Mean bytes of pieces from which on each part is moved by itself, even if the ranks' parts interleave.
pub(crate) const LONG_PIECE: usize = 512 << 10;

/// Mean bytes of pieces from which on a read of several ranks puts each where it belongs, without a buffer between: a
/// system call takes less time than a copy.
pub(crate) const SCATTERED: usize = 16 << 10;

/// Mean bytes without a gap from which on a host writes or reads them in less time than it takes to bring them to
/// another host: as long as a block of the file system is not longer.
pub(crate) const LONG_RUN: u64 = 8 << 10;
