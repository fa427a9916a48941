//! Buffers for data on its way between files and memory that does not lie in one piece. A few are kept.

use simurgh_core::sync::SpinLock;

use crate::limits::{STAGING, THREADS};

static KEPT: SpinLock<Vec<Vec<u8>>> = SpinLock::new(Vec::new());

/// Calls `user` with a buffer of `bytes` bytes, which may hold old data.
pub(crate) fn with_buffer<R>(bytes: usize, user: impl FnOnce(&mut [u8]) -> R) -> R {
    let kept = if bytes <= STAGING { KEPT.lock().pop() } else { None };
    let mut buffer = kept.unwrap_or_default();
    if buffer.len() < bytes {
        buffer = vec![0; bytes];
    }
    let result = user(&mut buffer[..bytes]);
    if buffer.len() <= STAGING {
        let mut kept = KEPT.lock();
        if kept.len() < THREADS {
            kept.push(buffer);
        }
    }
    result
}
