//! Another process of the node, and the ways to its memory.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::cross_memory::{self, Probe};
use super::memory_file::MemoryFile;
use crate::transport::Access;

/// The most data that is read by way of the [`MemoryFile`].
const SHORT: usize = 2 << 10;

/// What a packet and its reply take, if the other process looks for packets.
const ANSWER: Duration = Duration::from_nanos(700);

/// Bytes of data in a packet that take a nanosecond more to copy than the kernel takes to copy them.
const BYTES_PER_NANOSECOND: u64 = 8;

/// More data goes in several packets: one is read while the next is written, which takes no longer than the kernel.
const PACKET: usize = 8 << 10;

/// So often the access to the probe is timed.
const TRIES: u32 = 8;

/// A process, and the access to its memory outside of the segment.
pub(super) struct RemoteProcess {
    process: i32,
    /// The address and the value of its probe.
    probe: [u64; 2],
    access: Access,
    /// What the access to a few bytes takes.
    cost: Duration,
    /// Its memory as a file, once short data has been read; none if it cannot be opened.
    file: OnceLock<Option<MemoryFile>>,
}

impl RemoteProcess {
    /// That with this number and this probe, which is tried out.
    pub(super) fn of((process, probe): (u32, [u64; 2])) -> Self {
        let process = i32::try_from(process).unwrap_or(0);
        let (read, write) = Probe::try_out(process, probe);
        let timed = |_| {
            let began = Instant::now();
            Probe::try_out(process, probe);
            // That is a read and a write.
            began.elapsed() / 2
        };
        let cost = (0..TRIES).map(timed).min().unwrap_or_default();
        Self {
            process,
            probe,
            access: Access { read, write },
            cost,
            file: OnceLock::new(),
        }
    }

    pub(super) fn access(&self) -> Access {
        self.access
    }

    /// Whether the access to so many bytes takes longer than to send them in packets, if the process looks for these.
    pub(super) fn takes_longer_than_packets(&self, length: usize) -> bool {
        let more = length.min(PACKET) as u64 / BYTES_PER_NANOSECOND;
        self.cost > ANSWER + Duration::from_nanos(more)
    }

    /// Reads its memory.
    ///
    /// # Safety
    ///
    /// * `to` has room for `length` bytes, which nobody else uses meanwhile.
    pub(super) unsafe fn read(&self, address: u64, to: *mut u8, length: usize) -> io::Result<()> {
        match self.file_for(length) {
            // SAFETY:
            // - the caller's promise.
            Some(file) => unsafe { file.read(address, to, length) },
            // SAFETY:
            // - as above.
            None => unsafe { cross_memory::read(self.process, address, to, length) },
        }
    }

    /// Writes its memory.
    ///
    /// # Safety
    ///
    /// * `from` has `length` bytes, which nobody changes meanwhile.
    /// * The process has allowed its memory to be written there.
    pub(super) unsafe fn write(&self, address: u64, from: *const u8, length: usize) -> io::Result<()> {
        // SAFETY:
        // - the caller's promise.
        unsafe { cross_memory::write(self.process, address, from, length) }
    }

    /// Its memory as a file, where that is the faster way for so many bytes.
    #[inline]
    fn file_for(&self, length: usize) -> Option<&MemoryFile> {
        let may_be = length <= SHORT && self.access.read;
        let open = || MemoryFile::open(self.process, self.probe);
        may_be.then(|| self.file.get_or_init(open).as_ref()).flatten()
    }
}
