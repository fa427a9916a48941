//! Providers of libfabric, as `fi_getinfo` lists them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use simurgh_fabric_sys as sys;
use sys::Library;

use super::error::OfiError;
use super::options::{Candidate, OfiOptions, core_of};
use crate::transport::is_local_only;

/// The capabilities that are asked for, from the most to the least: remote memory, and buffers that take many packets.
const WANTED: [u64; 4] = [
    sys::FI_MSG | sys::FI_RMA | sys::FI_MULTI_RECV,
    sys::FI_MSG | sys::FI_RMA,
    sys::FI_MSG | sys::FI_MULTI_RECV,
    sys::FI_MSG,
];
/// The choice of [`WANTED`] that every provider can meet that meets one.
const LEAST: usize = WANTED.len() - 1;

/// The modes of memory registration that we support.
const MR_MODES: u64 = sys::FI_MR_LOCAL
    | sys::FI_MR_VIRT_ADDR
    | sys::FI_MR_ALLOCATED
    | sys::FI_MR_PROV_KEY
    | sys::FI_MR_ENDPOINT;

/// One entry of the list (`fi_info`), made by the library.
pub(super) struct ProviderInfo {
    library: Library,
    info: *mut sys::fi_info,
}

// SAFETY:
// - the entry is memory that nothing changes after it has been made.
unsafe impl Send for ProviderInfo {}
// SAFETY:
// - as above.
unsafe impl Sync for ProviderInfo {}

impl ProviderInfo {
    /// The best entry that fits the options.
    ///
    /// To list the entries of all providers takes the library milliseconds. So that is done once, with what every
    /// provider must have, to find the best provider there is. Only that one is asked for more.
    pub(super) fn find(library: Library, options: &OfiOptions) -> Result<Self, OfiError> {
        let provider = match options.provider.as_deref().map(core_of) {
            Some(named) => Some(named.to_owned()),
            None => List::ask(library, LEAST, None).best_provider(options),
        };
        let provider = provider.and_then(|name| CString::new(name).ok());
        let found = provider.and_then(|name| {
            (0..WANTED.len()).find_map(|lacking| List::ask(library, lacking, Some(&name)).best(options))
        });
        found.ok_or_else(|| OfiError::NoProvider {
            asked: options.asked(),
            there: names(List::ask(library, LEAST, None).candidates()),
        })
    }

    /// A copy for an endpoint with few operations under way, which gets smaller queues.
    pub(super) fn small(&self, operations: usize) -> Self {
        // SAFETY:
        // - the entry is the library's; the copy is ours alone.
        let info = unsafe {
            let info = self.library.fi_dupinfo(self.info);
            assert!(!info.is_null(), "libfabric has no memory");
            (*(*info).tx_attr).size = operations.min((*(*info).tx_attr).size);
            (*(*info).rx_attr).size = operations.min((*(*info).rx_attr).size);
            info
        };
        Self {
            library: self.library,
            info,
        }
    }

    /// The library.
    pub(super) fn library(&self) -> Library {
        self.library
    }

    /// The entry, as the library takes it.
    pub(super) fn as_ptr(&self) -> *mut sys::fi_info {
        self.info
    }

    /// The name of the provider.
    pub(super) fn provider(&self) -> String {
        // SAFETY:
        // - the entry is the library's, whole and unchanged.
        unsafe { text((*(*self.info).fabric_attr).prov_name) }
    }

    /// Whether it has these capabilities.
    pub(super) fn has(&self, capability: u64) -> bool {
        // SAFETY:
        // - as above.
        unsafe { (*self.info).caps & capability == capability }
    }

    /// Whether it demands one of these modes of memory registration.
    pub(super) fn demands(&self, mode: u64) -> bool {
        // SAFETY:
        // - as above.
        let modes = unsafe { (*(*self.info).domain_attr).mr_mode };
        u64::from(modes.unsigned_abs()) & mode != 0
    }

    /// Bytes of the keys of registered memory.
    pub(super) fn key_size(&self) -> usize {
        // SAFETY:
        // - as above.
        unsafe { (*(*self.info).domain_attr).mr_key_size }
    }

    /// Most bytes that can be sent without a buffer of ours.
    pub(super) fn inject_size(&self) -> usize {
        // SAFETY:
        // - as above.
        unsafe { (*(*self.info).tx_attr).inject_size }
    }

    /// Most operations under way: sends and transfers; posted receive buffers.
    pub(super) fn queue_sizes(&self) -> (usize, usize) {
        // SAFETY:
        // - as above.
        unsafe { ((*(*self.info).tx_attr).size, (*(*self.info).rx_attr).size) }
    }

    /// The longest transfer in bytes.
    pub(super) fn longest(&self) -> usize {
        // SAFETY:
        // - as above.
        unsafe { (*(*self.info).ep_attr).max_msg_size }
    }

    /// Whether the provider can report when data is in remote memory.
    pub(super) fn tells_delivery(&self) -> bool {
        // SAFETY:
        // - the copy is ours, made and freed by the library, as is the list.
        unsafe {
            let hints = self.library.fi_dupinfo(self.info);
            if hints.is_null() {
                return false;
            }
            (*(*hints).tx_attr).op_flags |= sys::FI_DELIVERY_COMPLETE;
            let list = self.library.fi_getinfo(hints);
            self.library.fi_freeinfo(hints);
            list.map(|list| self.library.fi_freeinfo(list)).is_ok()
        }
    }
}

impl Drop for ProviderInfo {
    fn drop(&mut self) {
        // SAFETY:
        // - it is ours, and nobody uses it any more.
        unsafe { self.library.fi_freeinfo(self.info) };
    }
}

/// The list of entries that have one choice of [`WANTED`].
struct List {
    library: Library,
    first: *mut sys::fi_info,
    lacking: usize,
    interfaces: Interfaces,
}

impl List {
    /// Asks the library for the entries with `WANTED[lacking]`: those of one provider and of what is layered on it, or
    /// of all.
    fn ask(library: Library, lacking: usize, provider: Option<&CStr>) -> Self {
        // SAFETY:
        // - the hints are made by the library, which makes their parts too; they are freed after use, and with them the
        //   name, which the library frees as the C library does.
        let first = unsafe {
            let hints = library.fi_dupinfo(std::ptr::null());
            assert!(!hints.is_null(), "libfabric has no memory");
            (*hints).caps = WANTED[lacking];
            (*hints).mode = sys::FI_CONTEXT | sys::FI_CONTEXT2;
            (*(*hints).ep_attr).type_ = sys::FI_EP_RDM;
            (*(*hints).tx_attr).msg_order = sys::FI_ORDER_SAS;
            (*(*hints).rx_attr).msg_order = sys::FI_ORDER_SAS;
            (*(*hints).domain_attr).mr_mode = MR_MODES as i32;
            (*(*hints).domain_attr).threading = sys::FI_THREAD_SAFE;
            (*(*hints).domain_attr).resource_mgmt = sys::FI_RM_ENABLED;
            if let Some(provider) = provider {
                (*(*hints).fabric_attr).prov_name = libc::strdup(provider.as_ptr());
            }
            let list = library.fi_getinfo(hints);
            library.fi_freeinfo(hints);
            list.unwrap_or(std::ptr::null_mut())
        };
        Self {
            library,
            first,
            lacking,
            interfaces: Interfaces::default(),
        }
    }

    /// The best entry that fits the options.
    fn best(&self, options: &OfiOptions) -> Option<ProviderInfo> {
        let graded = self
            .entries()
            .filter_map(|(described, info)| Some((options.grade(&described)?, info)));
        let (_, best) = graded.min_by(|(a, _), (b, _)| a.cmp(b))?;
        // SAFETY:
        // - the entry is one of the library's.
        let info = unsafe { self.library.fi_dupinfo(best) };
        assert!(!info.is_null(), "libfabric has no memory");
        Some(ProviderInfo {
            library: self.library,
            info,
        })
    }

    /// The provider of the best entry that fits the options, without what is layered on it.
    fn best_provider(&self, options: &OfiOptions) -> Option<String> {
        let best = self.best(options)?.provider();
        Some(core_of(&best).to_owned())
    }

    fn candidates(&self) -> impl Iterator<Item = Candidate> {
        self.entries().map(|(described, _)| described)
    }

    fn entries(&self) -> impl Iterator<Item = (Candidate, *mut sys::fi_info)> {
        let some = |info: *mut sys::fi_info| (!info.is_null()).then_some(info);
        // SAFETY:
        // - the list is the library's and lives as long as this.
        let list = std::iter::successors(some(self.first), move |info| some(unsafe { (**info).next }));
        list.map(|info| {
            // SAFETY:
            // - as above.
            (unsafe { describe(info, self.lacking, &self.interfaces) }, info)
        })
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY:
        // - it is ours, and nobody uses it any more.
        unsafe { self.library.fi_freeinfo(self.first) };
    }
}

/// Describes an entry.
///
/// # Safety
///
/// * The entry is one of the library's.
unsafe fn describe(info: *const sys::fi_info, lacking: usize, interfaces: &Interfaces) -> Candidate {
    // SAFETY:
    // - entries of the library have all their parts; strings end with zero or are null; an address has the length told.
    unsafe {
        let address = (!(*info).src_addr.is_null())
            .then(|| std::slice::from_raw_parts((*info).src_addr.cast::<u8>(), (*info).src_addrlen));
        let interface = text((*(*info).domain_attr).name);
        Candidate {
            provider: text((*(*info).fabric_attr).prov_name),
            local_only: interfaces.is_local_only(&interface),
            interface,
            address: address.and_then(|bytes| internet((*info).addr_format, bytes)),
            lacking,
        }
    }
}

/// A string of the library; empty if there is none.
///
/// # Safety
///
/// * It ends with zero, or is null.
unsafe fn text(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY:
        // - the caller's word.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

/// What has been found of interfaces. A list has dozens of entries for each, and the kernel's files are slow.
#[derive(Default)]
struct Interfaces(RefCell<HashMap<String, bool>>);

impl Interfaces {
    /// As [`is_local_only`].
    fn is_local_only(&self, name: &str) -> bool {
        let mut known = self.0.borrow_mut();
        *known
            .entry(name.to_owned())
            .or_insert_with(|| is_local_only(name))
    }
}

/// The internet address in a socket address.
fn internet(format: u32, bytes: &[u8]) -> Option<IpAddr> {
    match format {
        sys::FI_SOCKADDR_IN => Some(Ipv4Addr::from(*bytes.get(4..)?.first_chunk::<4>()?).into()),
        sys::FI_SOCKADDR_IN6 => Some(Ipv6Addr::from(*bytes.get(8..)?.first_chunk::<16>()?).into()),
        _ => None,
    }
}

/// The providers and interfaces, each once.
fn names(candidates: impl Iterator<Item = Candidate>) -> String {
    let mut names: Vec<String> = candidates
        .map(|offer| format!("{}/{}", offer.provider, offer.interface))
        .collect();
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best entry of the lists with all providers, and what it lacks.
    fn best_of_all(library: Library, options: &OfiOptions) -> Option<Candidate> {
        let lists = (0..WANTED.len()).map(|lacking| List::ask(library, lacking, None));
        let candidates: Vec<_> = lists
            .flat_map(|list| list.candidates().collect::<Vec<_>>())
            .collect();
        let graded = candidates
            .into_iter()
            .filter_map(|one| Some((options.grade(&one)?, one)));
        graded.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, best)| best)
    }

    /// What is found without asking all providers for everything is what would be found so.
    #[test]
    fn the_best_of_all_entries_is_found() {
        let Ok(library) = Library::load() else {
            eprintln!("skipped: no libfabric");
            return;
        };
        for provider in [
            None,
            Some("tcp"),
            Some("udp"),
            Some("udp;ofi_rxd"),
            Some("no such"),
        ] {
            let options = OfiOptions {
                provider: provider.map(str::to_owned),
                one_machine: true,
                ..OfiOptions::default()
            };
            let found = ProviderInfo::find(library, &options).ok();
            // SAFETY:
            // - the entry is the library's; what it lacks is not looked at.
            let found = found.map(|info| unsafe { describe(info.info, 0, &Interfaces::default()) });
            let expected = best_of_all(library, &options).map(|best| Candidate { lacking: 0, ..best });
            assert_eq!(found, expected, "{provider:?}");
        }
    }
}
