//! Staging buffers: memory for data on its way between hosts.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::buffer::{Source, Target};
use super::pool;
use super::scratch::span;
use crate::datatype::{Basic, Datatype};

/// The unit of the memory, whose alignment is that of the strictest datatype.
type Word = u128;

/// Memory of the engine's own that is described like a user's buffer. A new buffer may hold old data.
///
/// Its sources and targets must not be used after it is dropped. While an operation writes to a part of it, no other
/// operation may use that part: the caller that asks for both sees to it.
pub struct StagingBuffer {
    words: NonNull<Word>,
    len: usize,
}

/// A staging buffer for elements of a datatype, in the layout of the datatype, gaps included.
pub struct ElementBuffer {
    store: StagingBuffer,
    origin: usize,
    count: usize,
    datatype: Datatype,
}

// SAFETY:
// - plain memory, owned by this; those that use it at the same time keep to what the documentation asks.
unsafe impl Send for StagingBuffer {}
// SAFETY:
// - as above.
unsafe impl Sync for StagingBuffer {}

impl StagingBuffer {
    /// A buffer of at least `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let kept = pool::take(bytes);
        kept.unwrap_or_else(|| Self::allocate(bytes))
    }

    fn allocate(bytes: usize) -> Self {
        let words = vec![0 as Word; bytes.div_ceil(size_of::<Word>())].into_boxed_slice();
        let len = words.len();
        let words = NonNull::from(Box::leak(words)).cast();
        Self { words, len }
    }

    /// Its size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.len * size_of::<Word>()
    }

    /// Frees the memory, which nobody uses any more.
    fn free(&mut self) {
        let words = std::ptr::slice_from_raw_parts_mut(self.words.as_ptr(), self.len);
        // SAFETY:
        // - the pointer and the length are those of the box that was leaked when this was made; this is called once,
        //   when nobody uses the memory.
        drop(unsafe { Box::from_raw(words) });
    }

    /// `bytes` bytes from `start` on, as far as they exist, to be read.
    #[inline]
    pub fn source(&self, start: usize, bytes: usize) -> Source {
        self.target(start, bytes).as_source()
    }

    /// As [`StagingBuffer::source`], to be written.
    #[inline]
    pub fn target(&self, start: usize, bytes: usize) -> Target {
        let room = self.bytes();
        let start = start.min(room);
        let address = self.words.as_ptr().cast::<u8>().wrapping_add(start);
        // SAFETY:
        // - the bytes lie within the memory; the caller keeps to what the documentation asks.
        unsafe { Target::new(address, bytes.min(room - start), Datatype::Basic(Basic::Byte)) }
    }
}

impl Drop for StagingBuffer {
    fn drop(&mut self) {
        if !pool::is_kept(self.bytes()) {
            return self.free();
        }
        let Self { words, len } = *self;
        for gone in pool::keep(Self { words, len }) {
            ManuallyDrop::new(gone).free();
        }
    }
}

impl ElementBuffer {
    /// Room for `count` elements of `datatype`.
    pub fn new(datatype: &Datatype, count: usize) -> Self {
        let (origin, bytes) = span(datatype, count);
        Self {
            store: StagingBuffer::new(bytes),
            origin,
            count,
            datatype: datatype.clone(),
        }
    }

    /// All of them, to be written.
    #[inline]
    pub fn target(&self) -> Target {
        let address = self.store.words.as_ptr().cast::<u8>().wrapping_add(self.origin);
        // SAFETY:
        // - the memory was made to hold so many elements from there on; the caller keeps to what the documentation
        //   asks.
        unsafe { Target::new(address, self.count, self.datatype.clone()) }
    }

    /// All of them, to be read.
    #[inline]
    pub fn source(&self) -> Source {
        self.target().as_source()
    }
}

/// Bytes as a source. It must not be used after the bytes are gone.
#[inline]
pub fn bytes_of(held: &[u8]) -> Source {
    // SAFETY:
    // - they are readable; the caller keeps to what the documentation asks.
    unsafe { Source::new(held.as_ptr(), held.len(), Datatype::Basic(Basic::Byte)) }
}

/// The same data as bytes, if it has no gaps.
#[inline]
pub fn as_bytes(target: &Target) -> Option<Target> {
    let plain = target.datatype().is_contiguous();
    // SAFETY:
    // - contiguous elements are `bytes()` bytes from the address on, for which the promise of the whole holds.
    plain.then(|| unsafe { Target::new(target.address(), target.bytes(), Datatype::Basic(Basic::Byte)) })
}

/// The same data as bytes, if it has no gaps.
#[inline]
pub fn source_as_bytes(source: &Source) -> Option<Source> {
    let plain = source.datatype().is_contiguous();
    // SAFETY:
    // - as above.
    plain.then(|| unsafe { Source::new(source.address(), source.bytes(), Datatype::Basic(Basic::Byte)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::SPARE_MEMORY;
    use crate::memory::{pack, transfer, unpack};

    #[test]
    fn what_is_stored_is_there() {
        let store = StagingBuffer::new(20);
        assert_eq!(
            (store.source(0, 100).bytes(), store.source(40, 1).bytes()),
            (32, 0)
        );
        unpack(&[1, 2, 3], &store.target(5, 3));
        let mut read = [9; 5];
        pack(&store.source(4, 5), &mut read);
        assert_eq!(read, [0, 1, 2, 3, 0]);
        assert_eq!(StagingBuffer::new(0).source(0, 1).bytes(), 0);
    }

    #[test]
    fn elements_keep_their_layout() {
        let int = Datatype::Basic(Basic::Int);
        let backwards = Datatype::vector(3, 2, -5, &int).unwrap();
        let elements = ElementBuffer::new(&backwards, 7);
        let data: Vec<u8> = (0..elements.source().bytes()).map(|byte| byte as u8).collect();
        unpack(&data, &elements.target());
        let packed = StagingBuffer::new(data.len());
        transfer(&elements.source(), &packed.target(0, data.len()));
        let mut read = vec![0; data.len()];
        pack(&packed.source(0, data.len()), &mut read);
        assert_eq!(read, data);
        assert!(as_bytes(&elements.target()).is_none());
        assert_eq!(
            as_bytes(&ElementBuffer::new(&int, 3).target()).unwrap().count(),
            12
        );
    }

    #[test]
    fn long_memory_is_used_again_and_no_more_is_kept_than_may_be() {
        let used = |store: &StagingBuffer| store.words;
        // So long that no other test uses it.
        let bytes = SPARE_MEMORY / 3 / 16 * 16;
        let first = StagingBuffer::new(bytes);
        let at = used(&first);
        drop(first);
        let again = StagingBuffer::new(bytes);
        assert_eq!((used(&again), again.bytes()), (at, bytes));
        drop(again);
        let many: Vec<StagingBuffer> = (0..9).map(|_| StagingBuffer::new(SPARE_MEMORY / 8)).collect();
        drop(many);
        drop(StagingBuffer::new(SPARE_MEMORY));
        assert!(pool::kept() <= SPARE_MEMORY);
    }
}
