//! The other nodes of a job, whose processes have servers of their own.

use crate::{ERR_NOT_FOUND, SUCCESS, Status};
use std::ffi::{c_char, c_void};
use std::ptr::null;

/// Exchanges data with the servers of other nodes. It is called on a thread of the library's, and must not block there.
pub trait RemoteNodes: Send + Sync {
    /// Does a fence of ranks of several nodes; of all ranks of the job if none are named. Those of this node have come,
    /// and publish `shown`. The reply is what those of all nodes publish, concatenated.
    fn fence(&self, ranks: Vec<u32>, shown: Vec<u8>, reply: Reply);

    /// Fetches what a rank of another node has published, for a process of this node.
    fn fetch(&self, rank: u32, reply: Reply);
}

/// `pmix_modex_cbfunc_t`.
pub(super) type Told =
    unsafe extern "C" fn(Status, *const c_char, usize, *mut c_void, Option<Release>, *mut c_void);
/// `pmix_release_cbfunc_t`.
pub(super) type Release = unsafe extern "C" fn(*mut c_void);

/// The reply to a request, which is given once.
pub struct Reply {
    told: Told,
    data: *mut c_void,
}

// SAFETY:
// - the library takes what it is told on any thread; the data is its own, and nobody else looks at it.
unsafe impl Send for Reply {}

impl Reply {
    /// # Safety
    ///
    /// * The library has given both arguments, and waits for one reply.
    pub(super) unsafe fn new(told: Told, data: *mut c_void) -> Self {
        Self { told, data }
    }

    /// Gives the bytes, or the answer that there are none.
    pub fn give(self, bytes: Option<Vec<u8>>) {
        let Some(bytes) = bytes else {
            // SAFETY:
            // - by the word of who has made this; there are no bytes.
            return unsafe { (self.told)(ERR_NOT_FOUND, null(), 0, self.data, None, std::ptr::null_mut()) };
        };
        let bytes = Box::new(bytes);
        let (start, length) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY:
        // - by the word of who has made this; the bytes stay until the function that is given along frees them.
        unsafe {
            (self.told)(
                SUCCESS,
                start,
                length,
                self.data,
                Some(release),
                Box::into_raw(bytes).cast(),
            );
        }
    }
}

unsafe extern "C" fn release(bytes: *mut c_void) {
    // SAFETY:
    // - this is what `Reply::give` has made, and the library has done with it.
    drop(unsafe { Box::from_raw(bytes.cast::<Vec<u8>>()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores the status and the bytes, and gives the bytes back.
    unsafe extern "C" fn note(
        status: Status,
        bytes: *const c_char,
        length: usize,
        noted: *mut c_void,
        release: Option<Release>,
        memory: *mut c_void,
    ) {
        // SAFETY:
        // - the test gives the place; bytes come with the function that frees them.
        unsafe {
            let noted = &mut *noted.cast::<(Status, Vec<u8>)>();
            noted.0 = status;
            if let Some(release) = release {
                noted.1 = std::slice::from_raw_parts(bytes.cast(), length).to_vec();
                release(memory);
            }
        }
    }

    #[test]
    fn who_waits_is_told() {
        for (given, status) in [
            (Some(vec![1, 2]), SUCCESS),
            (Some(Vec::new()), SUCCESS),
            (None, ERR_NOT_FOUND),
        ] {
            let mut noted: (Status, Vec<u8>) = (1, Vec::new());
            // SAFETY:
            // - the function takes the place for what it is, and is called once.
            let reply = unsafe { Reply::new(note, (&raw mut noted).cast()) };
            reply.give(given.clone());
            assert_eq!(noted, (status, given.unwrap_or_default()));
        }
    }
}
