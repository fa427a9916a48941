//! The open file of a host, which its ranks share.

use super::Amode;
use super::gathering::Gatherings;
use super::line::Line;
use super::pointer::Pointer;
use crate::error::Error;
use simurgh_core::sync::{Arc, AtomicBool, Ordering};
use simurgh_file::{FileSystem, SharedFile, fault};
use std::io;
use std::path::PathBuf;

/// An open file.
pub(super) struct OpenFile {
    pub(super) file: SharedFile,
    pub(super) system: Arc<dyn FileSystem>,
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) amode: Amode,
    /// The shared file pointer, or where it is.
    pub(super) pointer: Pointer,
    /// All file pointers as the file was opened: its end, if it is to be appended to.
    pub(super) start: i64,
    pub(super) gatherings: Gatherings,
    pub(super) line: Line,
    pub(super) deletion: Deletion,
}

/// Whether this host has to delete the file when its ranks no longer use it.
#[derive(Default)]
pub(super) struct Deletion(AtomicBool);

impl Deletion {
    /// Demands it. A file that could not be opened everywhere stays.
    pub(super) fn demand(&self) {
        // Relaxed: each rank does this before it closes or drops the file.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the caller has to delete the file. Nobody else has to any more.
    pub(super) fn take(&self) -> bool {
        // Relaxed: it is asked where ranks meet, or by whoever has the last reference.
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl Drop for OpenFile {
    /// Deletes a file that was to be deleted when it is closed, but that the ranks have dropped. Nobody is there to
    /// hear of a failure.
    fn drop(&mut self) {
        if self.deletion.take() {
            let _ = self.system.delete(&self.path);
        }
    }
}

impl OpenFile {
    /// The error of an operation on the file: its name, what was to be done, and the system's reason.
    pub(super) fn fault(&self, action: &str, reason: &io::Error) -> Error {
        fault(&self.name, action, reason)
    }
}
