//! Cross-memory attach: the kernel copies between two processes, straight from buffer to buffer.
//!
//! Whether the kernel allows it depends on users, containers, seccomp and Yama, so each host tries it out with a
//! [`Probe`] of the other one. Costs: a system call, and one copy of the data, for which the kernel pins a few pages at
//! a time.

use std::io;

use simurgh_core::sync::AtomicU64;

/// Bytes copied per system call, so that a signal or the end of a peer is noticed in between.
const CHUNK: usize = 16 << 20;

/// Memory that others read and write to find out whether they can.
pub(super) struct Probe {
    value: u64,
    /// The word that others write.
    scratch: AtomicU64,
}

impl Probe {
    /// A probe with a value that nothing else is likely to have.
    pub(super) fn new() -> io::Result<Box<Self>> {
        let mut value = [0; 8];
        rustix::rand::getrandom(&mut value, rustix::rand::GetRandomFlags::empty())?;
        Ok(Box::new(Self {
            value: u64::from_ne_bytes(value),
            scratch: AtomicU64::new(0),
        }))
    }

    /// Its address and value, for others to try out.
    pub(super) fn advertise(&self) -> [u64; 2] {
        [std::ptr::from_ref(self).expose_provenance() as u64, self.value]
    }

    /// Lets the processes that this one's parent has started access its memory, which Yama may forbid otherwise.
    pub(super) fn permit() {
        // It fails where there is no Yama, and then there is no need.
        if let Some(parent) = rustix::process::getppid() {
            let _ = rustix::process::set_ptracer(rustix::process::PTracer::ProcessID(parent));
        }
    }

    /// Whether this process can read, and write, the probe with this address and value in process `pid`.
    pub(super) fn try_out(pid: i32, [address, value]: [u64; 2]) -> (bool, bool) {
        let (mut found, scratch) = (
            0u64,
            address.wrapping_add(std::mem::offset_of!(Self, scratch) as u64),
        );
        // SAFETY:
        // - `found` is a local word.
        let read = unsafe { read(pid, address, (&raw mut found).cast(), 8) };
        let readable = read.is_ok() && found == value;
        // SAFETY:
        // - `value` is a local word; the process was just found to have a probe there.
        let written = readable && unsafe { write(pid, scratch, (&raw const value).cast(), 8) }.is_ok();
        (readable, written)
    }

    /// Whether another process has tried out to write it.
    #[cfg(test)]
    pub(super) fn was_written(&self) -> bool {
        self.scratch.load(simurgh_core::sync::Ordering::SeqCst) == self.value
    }
}

/// Reads another process's memory.
///
/// # Safety
///
/// * `to` has room for `length` bytes, which nobody else uses meanwhile.
pub(super) unsafe fn read(pid: i32, address: u64, to: *mut u8, length: usize) -> io::Result<()> {
    // SAFETY:
    // - both vectors are one element long; the kernel checks the other process's; this one's is the caller's promise.
    let copy = |local: *const libc::iovec, remote: *const libc::iovec| unsafe {
        libc::process_vm_readv(pid, local, 1, remote, 1, 0)
    };
    in_chunks(address, to, length, copy)
}

/// Writes another process's memory.
///
/// # Safety
///
/// * `from` has `length` bytes, which nobody changes meanwhile.
/// * The other process has allowed its memory to be written there.
pub(super) unsafe fn write(pid: i32, address: u64, from: *const u8, length: usize) -> io::Result<()> {
    // SAFETY:
    // - both vectors are one element long; the kernel checks the other process's; this one's is only read, and the
    //   caller's promise.
    let copy = |local: *const libc::iovec, remote: *const libc::iovec| unsafe {
        libc::process_vm_writev(pid, local, 1, remote, 1, 0)
    };
    in_chunks(address, from.cast_mut(), length, copy)
}

fn in_chunks(
    address: u64,
    local: *mut u8,
    length: usize,
    copy: impl Fn(*const libc::iovec, *const libc::iovec) -> libc::ssize_t,
) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        let chunk = (length - done).min(CHUNK);
        let part = |base| libc::iovec {
            iov_base: base,
            iov_len: chunk,
        };
        let here = part(local.wrapping_add(done).cast());
        let there = part(std::ptr::with_exposed_provenance_mut(address as usize + done));
        match copy(&raw const here, &raw const there) {
            // A short copy ends where the other's memory ends, and the next turn fails.
            copied @ 1.. => done += copied as usize,
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_can_access_oneself_but_not_a_wrong_probe() {
        let own = std::process::id() as i32;
        let probe = Probe::new().expect("random bytes");
        let [address, value] = probe.advertise();
        assert_eq!(
            Probe::try_out(own, [address, value.wrapping_add(1)]),
            (false, false)
        );
        assert_eq!(Probe::try_out(own, [8, value]), (false, false));
        assert!(!probe.was_written());
        assert_eq!(Probe::try_out(own, [address, value]), (true, true));
        assert!(probe.was_written());
    }

    #[test]
    fn long_copies_are_whole() {
        let own = std::process::id() as i32;
        let source: Vec<u32> = (0..(5 << 20)).collect();
        let mut target = vec![0u32; source.len()];
        let address = source.as_ptr().expose_provenance() as u64;
        // SAFETY:
        // - `target` is as long as `source`, and both are whole vectors of this test's.
        unsafe { read(own, address, target.as_mut_ptr().cast(), size_of_val(&*source)) }.expect("own memory");
        assert!(source == target);
    }
}
