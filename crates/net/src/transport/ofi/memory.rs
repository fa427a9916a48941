//! Memory that other hosts may access, or that transfers work on.
//!
//! For some providers a registration is an entry of a table: it is made when memory is exposed, and closed when it is
//! concealed. Others pin the pages, which is expensive, so their registrations are kept where possible
//! (`registration_cache`).

use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::null_mut;

use simurgh_core::sync::{Arc, AtomicU64, Ordering, SpinLock};
use simurgh_fabric_sys as sys;

use super::endpoint::{Endpoint, Owned};
use super::registration_cache::{Found, RegistrationCache};
use crate::transport::{Region, TransferError};

/// All kinds of access, local and remote, since one registration serves all.
const ACCESS: u64 = sys::FI_REMOTE_READ | sys::FI_REMOTE_WRITE | sys::FI_READ | sys::FI_WRITE;
/// The modes that a provider demands if it pins memory. One of them is enough.
const PINNING: u64 = sys::FI_MR_LOCAL | sys::FI_MR_ALLOCATED | sys::FI_MR_PROV_KEY;
/// How many keys are tried before the search for a free one is given up.
const KEYS: u32 = 8;

/// Registered memory.
pub(super) struct Registration {
    object: Owned<sys::fid_mr>,
    /// The beginning of the memory.
    start: usize,
}

/// A registration with several users.
pub(super) type SharedRegistration = Arc<Registration>;

impl Registration {
    fn key(&self) -> u64 {
        // SAFETY:
        // - the registration is open.
        unsafe { (*self.object.as_ptr()).key }
    }
}

/// The memory that others may access, and the cache of registrations.
pub(super) struct Memory {
    /// By key: a registration, and how often it has been exposed.
    exposed: SpinLock<HashMap<u64, (SharedRegistration, usize)>>,
    /// None for providers to which a registration costs nothing.
    cache: Option<SpinLock<RegistrationCache<Registration>>>,
    /// The secret beginning of the sequence of keys.
    seed: u64,
    keys: AtomicU64,
    /// The bits that keys have.
    mask: u64,
    /// Whether remote addresses are virtual addresses of this process; otherwise they count from the beginning of a
    /// registration.
    virtual_addresses: bool,
    /// Whether transfers need registered memory on this side, too.
    local: bool,
}

impl Memory {
    /// No memory is exposed. `seed` is a secret.
    pub(super) fn new(endpoint: &Endpoint, seed: u64) -> Self {
        let info = endpoint.info();
        Self {
            exposed: SpinLock::new(HashMap::new()),
            cache: info.demands(PINNING).then(SpinLock::default),
            seed,
            keys: AtomicU64::new(0),
            mask: u64::MAX >> (64 - 8 * info.key_size().clamp(1, 8)),
            virtual_addresses: info.demands(sys::FI_MR_VIRT_ADDR),
            local: info.demands(sys::FI_MR_LOCAL),
        }
    }

    /// As for a provider that pins memory.
    #[cfg(test)]
    pub(super) fn cached(mut self) -> Self {
        self.cache = Some(SpinLock::default());
        self.local = true;
        self
    }

    /// Promises that memory stays mapped until it is released.
    ///
    /// # Safety
    ///
    /// * The memory is not given back to the system before.
    pub(super) unsafe fn hold(&self, address: *const u8, length: usize) {
        if let Some(cache) = &self.cache {
            cache.lock().hold(range(address, length));
        }
    }

    /// Ends the promise about the memory that begins here.
    pub(super) fn release(&self, address: *const u8) {
        if let Some(cache) = &self.cache {
            // Dropped after the lock has been released.
            let removed = cache.lock().release(address.addr());
            drop(removed);
        }
    }

    /// Forgets memory that goes on to be held, but not with these pages.
    pub(super) fn withdraw(&self, address: *const u8, length: usize) {
        if let Some(cache) = &self.cache {
            // Dropped after the lock has been released.
            let removed = cache.lock().withdraw(&range(address, length));
            drop(removed);
        }
    }

    /// Exposes memory.
    ///
    /// # Safety
    ///
    /// * The memory stays valid until it is concealed.
    pub(super) unsafe fn expose(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
    ) -> Result<Region, TransferError> {
        // SAFETY:
        // - by the caller's word: the registration is held until the memory is concealed.
        let registration = unsafe { self.registered(endpoint, address, length) }?;
        let key = registration.key();
        let origin = if self.virtual_addresses {
            0
        } else {
            registration.start
        };
        self.exposed.lock().entry(key).or_insert((registration, 0)).1 += 1;
        Ok(Region {
            address: (address.addr() - origin) as u64,
            length: length as u64,
            key,
        })
    }

    /// Ends the access to a region, if it has been concealed as often as it was exposed.
    pub(super) fn conceal(&self, region: Region) {
        let mut exposed = self.exposed.lock();
        let Some((_, times)) = exposed.get_mut(&region.key) else {
            return;
        };
        *times -= 1;
        let over = *times == 0;
        let registration = over.then(|| exposed.remove(&region.key));
        // Dropped after the lock has been released.
        drop(exposed);
        drop(registration);
    }

    /// Ends all access, and empties the cache.
    pub(super) fn clear(&mut self) {
        self.exposed.lock().clear();
        self.cache = None;
    }

    /// Registers memory for a transfer, if the provider demands that.
    ///
    /// # Safety
    ///
    /// * The memory stays valid until the registration is dropped.
    pub(super) unsafe fn lend(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
    ) -> Result<Option<SharedRegistration>, TransferError> {
        if !self.local {
            return Ok(None);
        }
        // SAFETY:
        // - by the caller's word.
        unsafe { self.registered(endpoint, address, length) }.map(Some)
    }

    /// A registration of some memory, which may be of more and may have been used before.
    ///
    /// # Safety
    ///
    /// * The memory stays valid until the last reference is dropped, or until it is released if it is held.
    unsafe fn registered(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
    ) -> Result<SharedRegistration, TransferError> {
        let memory = range(address, length);
        let found = self
            .cache
            .as_ref()
            .map_or(Found::Unknown, |cache| cache.lock().find(&memory));
        match (found, &self.cache) {
            (Found::Hit(registration), _) => Ok(registration),
            (Found::Miss(miss), Some(cache)) => {
                let span = &miss.span;
                let start = address.wrapping_sub(memory.start - span.start);
                // SAFETY:
                // - all of the span is within memory that is held, and leaves the cache before its pages go.
                match unsafe { self.register(endpoint, start, span.len()) }.map(Arc::new) {
                    Ok(registration) => {
                        let removed = cache.lock().insert(miss, Arc::clone(&registration));
                        drop(removed);
                        Ok(registration)
                    }
                    // There may be a limit on memory that is pinned.
                    Err(_) if *span != memory => {
                        // SAFETY:
                        // - by the caller's word.
                        unsafe { self.register(endpoint, address, length) }.map(Arc::new)
                    }
                    Err(error) => Err(error),
                }
            }
            // SAFETY:
            // - by the caller's word.
            _ => unsafe { self.register(endpoint, address, length) }.map(Arc::new),
        }
    }

    /// Registers memory.
    ///
    /// # Safety
    ///
    /// * The memory stays valid until the registration is dropped.
    unsafe fn register(
        &self,
        endpoint: &Endpoint,
        address: *mut u8,
        length: usize,
    ) -> Result<Registration, TransferError> {
        let mut tries = 0..KEYS;
        loop {
            tries.next();
            // SAFETY:
            // - by the caller's word.
            match unsafe { endpoint.register(address, length, ACCESS, self.key()) } {
                Ok(object) => {
                    let start = address.addr();
                    return Ok(Registration { object, start });
                }
                Err(error) if tries.is_empty() => return Err(TransferError::Refused(error.to_string())),
                // Another registration has this key.
                Err(_) => {}
            }
        }
    }

    /// A new key that others cannot guess, for providers that do not make keys themselves.
    fn key(&self) -> u64 {
        // Relaxed: the numbers only have to differ.
        let step = self.keys.fetch_add(1, Ordering::Relaxed);
        mix(self.seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15))) & self.mask
    }
}

fn range(address: *const u8, length: usize) -> Range<usize> {
    address.addr()..address.addr() + length
}

/// The descriptor that the provider takes with registered memory; null if there is none.
pub(super) fn descriptor(lent: Option<&SharedRegistration>) -> *mut c_void {
    match lent {
        // SAFETY:
        // - the registration is open.
        Some(registration) => unsafe { (*registration.object.as_ptr()).mem_desc },
        None => null_mut(),
    }
}

/// A permutation that leaves no pattern (the finaliser of SplitMix64).
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
