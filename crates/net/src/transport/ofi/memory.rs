//! Memory that others may access, or that transfers work on.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;

use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_fabric_sys as sys;

use super::endpoint::{Endpoint, Owned};
use crate::transport::{Region, TransferError};

/// What others may do.
const REMOTE: u64 = sys::FI_REMOTE_READ | sys::FI_REMOTE_WRITE | sys::FI_READ | sys::FI_WRITE;
/// What a transfer does.
const LOCAL: u64 = sys::FI_READ | sys::FI_WRITE;
/// Keys that are tried before it is given up to find a free one.
const KEYS: u32 = 8;

/// Registered memory.
pub(super) type Registration = Owned<sys::fid_mr>;

/// The memory that others may access now.
pub(super) struct Memory {
    exposed: SpinLock<HashMap<u64, Registration>>,
    /// Where the sequence of keys began, which nobody else knows.
    seed: u64,
    keys: AtomicU64,
    /// The bits that keys have.
    mask: u64,
    /// Whether addresses are those of this process, or count from the beginning of a region.
    virtual_addresses: bool,
    /// Whether transfers need registered memory on this side too.
    local: bool,
}

impl Memory {
    /// Nothing exposed. `seed` is a secret.
    pub(super) fn new(endpoint: &Endpoint, seed: u64) -> Self {
        let offer = endpoint.offer();
        Self {
            exposed: SpinLock::new(HashMap::new()),
            seed,
            keys: AtomicU64::new(0),
            mask: u64::MAX >> (64 - 8 * offer.key_size().clamp(1, 8)),
            virtual_addresses: offer.demands(sys::FI_MR_VIRT_ADDR),
            local: offer.demands(sys::FI_MR_LOCAL),
        }
    }

    /// Exposes memory.
    ///
    /// # Safety
    ///
    /// * It stays valid until it is concealed.
    pub(super) unsafe fn expose(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
    ) -> Result<Region, TransferError> {
        // SAFETY:
        // - by the caller's word: the registration is dropped when the memory is concealed.
        let registration = unsafe { self.register(endpoint, address, length, REMOTE) }?;
        // SAFETY:
        // - the registration is open.
        let key = unsafe { (*registration.as_ptr()).key };
        self.exposed.lock().insert(key, registration);
        Ok(Region {
            address: if self.virtual_addresses {
                address.addr() as u64
            } else {
                0
            },
            length: length as u64,
            key,
        })
    }

    /// Takes it back.
    pub(super) fn conceal(&self, region: Region) {
        let registration = self.exposed.lock().remove(&region.key);
        drop(registration);
    }

    /// Takes everything back.
    pub(super) fn clear(&mut self) {
        self.exposed.lock().clear();
    }

    /// Registers memory for a transfer, if the provider wants that.
    ///
    /// # Safety
    ///
    /// * It stays valid until the registration is dropped.
    pub(super) unsafe fn lend(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
    ) -> Result<Option<Registration>, TransferError> {
        if !self.local {
            return Ok(None);
        }
        // SAFETY:
        // - by the caller's word.
        unsafe { self.register(endpoint, address, length, LOCAL) }.map(Some)
    }

    unsafe fn register(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
        access: u64,
    ) -> Result<Registration, TransferError> {
        let mut tries = 0..KEYS;
        loop {
            tries.next();
            // SAFETY:
            // - by the caller's word.
            match unsafe { endpoint.register(address, length, access, self.key()) } {
                Ok(registration) => return Ok(registration),
                Err(error) if tries.is_empty() => return Err(TransferError::Refused(error.to_string())),
                Err(_) => {}
            }
        }
    }

    /// A key that others cannot guess, for providers that do not make keys themselves.
    fn key(&self) -> u64 {
        // Relaxed: only that no number comes twice matters.
        let step = self.keys.fetch_add(1, Ordering::Relaxed);
        mix(self.seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15))) & self.mask
    }
}

/// What a provider wants to be told with a registration.
pub(super) fn descriptor(registration: Option<&Registration>) -> *mut c_void {
    match registration {
        // SAFETY:
        // - the registration is open.
        Some(registration) => unsafe { (*registration.as_ptr()).mem_desc },
        None => null_mut(),
    }
}

/// A permutation that leaves no pattern (the finaliser of SplitMix64).
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
