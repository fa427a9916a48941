//! An open file, as the ranks of a host share it, and what keeps their accesses apart.
//!
//! * In atomic mode an access locks the bytes from its first to its last one: in a table, because all ranks of the host
//!   have this one open file, and in the system, against other hosts and programs.
//! * Data sieving writes bytes back that were read a moment before, and that others may have written meanwhile. So
//!   whoever does it is alone with the bytes ([`SharedFile::rewrite`]): no other write of this process to them, through
//!   whatever open file, is under way at that time, nor one of another process that locks them in the system. Whether
//!   the other processes lock them, the hosts have to agree ([`SharedFile::agree_to_lock`]). Where they do not, nothing
//!   is rewritten.
//! * Writes look for those that rewrite only if somebody may: the ranks of a file say so before they sieve
//!   ([`SharedFile::expect_rewrites`]). A write that is under way at that moment, through another open file, is not
//!   looked for. The standard leaves open what becomes of it (section 14.6.1: accesses of separate collective opens).
//!
//! Order of locks: the table of the open file, the lock in the system, and in the end the table of the process. Whoever
//! has a lock of the last one does not wait for any other, so all go on in the end.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError, Weak};

use simurgh_core::sync::{Arc, AtomicBool, Ordering};

use crate::lock_table::LockTable;
use crate::storage::{Access, Storage};
use crate::whole::{read_whole, write_whole};

/// What keeps the writers of a file in this process apart.
#[derive(Default)]
struct Writers {
    /// Whether bytes may be rewritten.
    rewrite: AtomicBool,
    /// What is being rewritten, and what is being written.
    ranges: LockTable,
}

/// Files by their identity, with what keeps their writers in this process apart.
type Files = HashMap<(u64, u64), Weak<Writers>>;

/// All files that are open, and some that were.
static FILES: Mutex<Option<Files>> = Mutex::new(None);

/// An open file.
pub struct SharedFile {
    storage: Box<dyn Storage>,
    access: Access,
    /// Whether all that write to the file at the same time are in this process.
    alone: bool,
    /// Whether all writers lock the bytes that they write in the system.
    locking: AtomicBool,
    is_atomic: AtomicBool,
    /// What is locked in the system, which does not keep the ranks of the open file apart.
    ranges: LockTable,
    writers: Arc<Writers>,
}

impl SharedFile {
    /// A file that was opened for this access. `alone` says whether all that write to it at the same time are in this
    /// process.
    pub fn new(storage: Box<dyn Storage>, access: Access, alone: bool) -> Self {
        let writers = storage.identity().map(writers_of).unwrap_or_default();
        Self {
            storage,
            access,
            alone,
            locking: AtomicBool::new(false),
            is_atomic: AtomicBool::new(false),
            ranges: LockTable::default(),
            writers,
        }
    }

    /// The file of the file system. Bytes are not to be written through it.
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Whether accesses are atomic.
    pub fn is_atomic(&self) -> bool {
        // Relaxed: it is set between meetings of the ranks.
        self.is_atomic.load(Ordering::Relaxed)
    }

    /// Sets whether accesses are atomic, while there are none.
    pub fn set_atomic(&self, atomic: bool) {
        self.is_atomic.store(atomic, Ordering::Relaxed);
    }

    /// Makes an access to these bytes. In atomic mode no other access to them, of whatever host, is made meanwhile.
    ///
    /// The ranks of a host exclude each other also if all only read, because they have one lock against other hosts.
    ///
    /// # Errors
    ///
    /// When the system has no locks.
    pub fn exclusively<T>(
        &self,
        bytes: Range<u64>,
        writes: bool,
        access: impl FnOnce() -> T,
    ) -> io::Result<T> {
        if !self.is_atomic() || bytes.is_empty() {
            return Ok(access());
        }
        let _locked = self.ranges.lock(bytes.clone(), true);
        self.storage.lock(&bytes, writes)?;
        let result = access();
        self.storage.unlock(&bytes)?;
        Ok(result)
    }

    /// Whether the system has locks for the file.
    pub fn has_locks(&self) -> bool {
        let first = 0..1;
        let locked = self.storage.lock(&first, true);
        locked.and_then(|()| self.storage.unlock(&first)).is_ok()
    }

    /// From now on writes lock their bytes in the system. Whoever else writes to the file does so, too.
    pub fn agree_to_lock(&self) {
        // Relaxed: ranks agree when they open the file.
        self.locking.store(true, Ordering::Relaxed);
    }

    fn is_locking(&self) -> bool {
        // Relaxed: as above.
        self.locking.load(Ordering::Relaxed)
    }

    /// Whether bytes can be rewritten, if the file system has locks: they can be read, too, and nobody writes without
    /// a lock.
    pub fn can_rewrite(&self) -> bool {
        self.access == Access::Both && (self.alone || self.is_locking())
    }

    /// From now on bytes may be rewritten, if they can. All ranks of the open file know before they write anything.
    pub fn expect_rewrites(&self) {
        if self.can_rewrite() {
            // Relaxed: the ranks meet before the next access.
            self.writers.rewrite.store(true, Ordering::Relaxed);
        }
    }

    /// Whether bytes are rewritten.
    pub(crate) fn expects_rewrites(&self) -> bool {
        // Relaxed: as above.
        self.writers.rewrite.load(Ordering::Relaxed)
    }

    /// Reads until the memory is full or the file ends; returns the bytes read, also where an error has ended it.
    pub(crate) fn read(&self, into: &mut [u8], position: u64) -> (usize, io::Result<()>) {
        read_whole(&*self.storage, into, position)
    }

    /// Writes all bytes; returns the bytes written, also where an error has ended it.
    pub(crate) fn write(&self, from: &[u8], position: u64) -> (usize, io::Result<()>) {
        let write = || write_whole(&*self.storage, from, position);
        let bytes = position..position + from.len() as u64;
        // An atomic access has its lock already.
        if self.is_locking() && !self.is_atomic() {
            let written = self.alone(&bytes, write);
            return written.unwrap_or_else(|reason| (0, Err(reason)));
        }
        if !self.expects_rewrites() {
            return write();
        }
        let _writing = self.writers.ranges.lock(bytes, false);
        write()
    }

    /// Rewrites bytes: reads them into `content`, has `change` change some, and writes all back. What the file does not
    /// have yet is read as zeros. Returns the bytes written, also where an error has ended it.
    ///
    /// Returns `None` if that cannot be, and then nothing has been written: nobody expects it, the bytes cannot be
    /// read, or not be locked, or the caller has locked more of them (atomic mode).
    pub(crate) fn rewrite(
        &self,
        position: u64,
        content: &mut [u8],
        change: impl FnOnce(&mut [u8]),
    ) -> Option<(usize, io::Result<()>)> {
        if !self.can_rewrite() || !self.expects_rewrites() || self.is_atomic() {
            return None;
        }
        let bytes = position..position + content.len() as u64;
        let rewritten = self.alone(&bytes, || {
            let (got, outcome) = self.read(content, position);
            outcome.ok()?;
            content[got..].fill(0);
            change(content);
            Some(write_whole(&*self.storage, content, position))
        });
        rewritten.ok()?
    }

    /// Calls `work` while no other write to these bytes is under way in this process, nor in another process that locks
    /// them.
    fn alone<T>(&self, bytes: &Range<u64>, work: impl FnOnce() -> T) -> io::Result<T> {
        let _locked = self.ranges.lock(bytes.clone(), true);
        self.storage.lock(bytes, true)?;
        let alone = self.writers.ranges.lock(bytes.clone(), true);
        let result = work();
        drop(alone);
        self.storage.unlock(bytes)?;
        Ok(result)
    }
}

/// What keeps the writers of a file in this process apart.
fn writers_of(identity: (u64, u64)) -> Arc<Writers> {
    let mut all = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    all.retain(|_, writers| writers.strong_count() > 0);
    if let Some(known) = all.get(&identity).and_then(Weak::upgrade) {
        return known;
    }
    let writers = Arc::default();
    all.insert(identity, Arc::downgrade(&writers));
    writers
}
