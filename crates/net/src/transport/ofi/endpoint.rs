//! A libfabric endpoint with the objects that belong to it, opened and closed in the right order.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::ptr::{NonNull, null_mut};

use simurgh_fabric_sys as sys;
use sys::calls;

use super::error::OfiError;
use super::operation::{Key, Operation};
use super::provider::ProviderInfo;

/// Bytes of the longest address.
const LONGEST_ADDRESS: usize = 512;

/// An object of the library, closed when dropped.
pub(super) struct Owned<T>(NonNull<T>);

// SAFETY:
// - the domain has been opened for use by any threads.
unsafe impl<T> Send for Owned<T> {}
// SAFETY:
// - as above.
unsafe impl<T> Sync for Owned<T> {}

impl<T> Owned<T> {
    /// The object, as the library takes it.
    pub(super) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY:
        // - the object is open, and begins with its `fid`; what was made of it has been closed before: see `Endpoint`.
        unsafe { calls::fi_close(self.as_ptr().cast()) };
    }
}

/// An endpoint for reliable datagrams.
///
/// The fields are closed in their order, each before the object that it was made of.
pub(super) struct Endpoint {
    /// None after [`Endpoint::shut`].
    endpoint: Option<Owned<sys::fid_ep>>,
    /// The same endpoint, for the fast path.
    raw: *mut sys::fid_ep,
    queue: Owned<sys::fid_cq>,
    vector: Owned<sys::fid_av>,
    domain: Owned<sys::fid_domain>,
    fabric: Owned<sys::fid_fabric>,
    info: ProviderInfo,
    descriptor: Option<c_int>,
}

// SAFETY:
// - the domain has been opened for use by any threads.
unsafe impl Send for Endpoint {}
// SAFETY:
// - as above.
unsafe impl Sync for Endpoint {}

/// An entry of the completion queue.
pub(super) enum Completion {
    /// An operation is complete.
    Done {
        /// The operation.
        key: Key,
        /// Flags, as [`sys::FI_MULTI_RECV`].
        flags: u64,
        /// Where a packet has been put, and its length.
        data: (*const u8, usize),
    },
    /// An operation has failed.
    Failed {
        /// The operation, if the library knows it.
        key: Option<Key>,
        /// Flags, as [`sys::FI_MULTI_RECV`].
        flags: u64,
        /// The error number.
        error: c_int,
        /// The meaning of the error.
        message: String,
    },
}

impl Endpoint {
    /// Opens an endpoint. Packets have at most `packet` bytes; `operations` is the size of the completion queue.
    pub(super) fn open(info: ProviderInfo, packet: usize, operations: usize) -> Result<Self, OfiError> {
        let library = info.library();
        let check = |call, error| outcome(&info, call, error);
        // SAFETY:
        // - the info is the library's, and every object is made of one that is open.
        unsafe {
            let fabric = library
                .fi_fabric((*info.as_ptr()).fabric_attr)
                .map_err(|error| failure(&info, "fi_fabric", error as isize))?;
            let fabric = own(fabric);
            let mut domain = null_mut();
            check(
                "fi_domain",
                calls::fi_domain(fabric.as_ptr(), info.as_ptr(), &mut domain),
            )?;
            let domain = own(domain);
            let vector = open_vector(&info, &domain)?;
            let (queue, descriptor) = open_queue(&info, &domain, operations)?;
            let mut endpoint = null_mut();
            check(
                "fi_endpoint",
                calls::fi_endpoint(domain.as_ptr(), info.as_ptr(), &mut endpoint),
            )?;
            let endpoint = own(endpoint);
            let bind = |other, flags| calls::fi_ep_bind(endpoint.as_ptr(), other, flags);
            check("fi_ep_bind", bind(vector.as_ptr().cast(), 0))?;
            check(
                "fi_ep_bind",
                bind(queue.as_ptr().cast(), sys::FI_TRANSMIT | sys::FI_RECV),
            )?;
            if info.has(sys::FI_MULTI_RECV) {
                let (level, name) = (sys::FI_OPT_ENDPOINT as c_int, sys::FI_OPT_MIN_MULTI_RECV as c_int);
                check(
                    "fi_setopt",
                    calls::fi_setopt(endpoint.as_ptr(), level, name, packet),
                )?;
            }
            check("fi_enable", calls::fi_enable(endpoint.as_ptr()))?;
            Ok(Self {
                raw: endpoint.as_ptr(),
                endpoint: Some(endpoint),
                queue,
                vector,
                domain,
                fabric,
                info,
                descriptor,
            })
        }
    }

    /// The provider info it was opened with.
    pub(super) fn info(&self) -> &ProviderInfo {
        &self.info
    }

    /// The endpoint, as the library takes it.
    #[inline]
    pub(super) fn as_ptr(&self) -> *mut sys::fid_ep {
        self.raw
    }

    /// Closes the endpoint itself, so that the buffers and memory that it works on can be freed.
    ///
    /// It takes `&mut self`, so nobody else uses it any more. Nothing may be called on it afterwards but drop.
    pub(super) fn shut(&mut self) {
        self.endpoint = None;
    }

    /// Registers memory. `key` is ignored by providers that make keys themselves.
    ///
    /// # Safety
    ///
    /// * The memory stays valid until the registration is dropped, which happens before this endpoint is dropped.
    pub(super) unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: u64,
        key: u64,
    ) -> Result<Owned<sys::fid_mr>, OfiError> {
        let mut region = null_mut();
        let check = |call, error| outcome(&self.info, call, error);
        // SAFETY:
        // - the domain and the endpoint are open; the memory is valid by the caller's word.
        unsafe {
            check(
                "fi_mr_reg",
                calls::fi_mr_reg(
                    self.domain.as_ptr(),
                    address.cast(),
                    length,
                    access,
                    key,
                    &mut region,
                ),
            )?;
            let region = own(region);
            if self.info.demands(sys::FI_MR_ENDPOINT) {
                check("fi_mr_bind", calls::fi_mr_bind(region.as_ptr(), self.as_ptr()))?;
                check("fi_mr_enable", calls::fi_mr_enable(region.as_ptr()))?;
            }
            Ok(region)
        }
    }

    /// The error of a call.
    pub(super) fn failure(&self, call: &'static str, error: isize) -> OfiError {
        failure(&self.info, call, error)
    }

    /// The meaning of an error number of either sign.
    #[cold]
    pub(super) fn message(&self, error: isize) -> String {
        self.info.library().message(error as c_int)
    }

    /// The address by which others reach it.
    pub(super) fn address(&self) -> Result<Vec<u8>, OfiError> {
        let mut bytes = vec![0u8; LONGEST_ADDRESS];
        let mut length = bytes.len();
        // SAFETY:
        // - the endpoint is open; there is room for so many bytes.
        let error = unsafe { calls::fi_getname(self.as_ptr(), bytes.as_mut_ptr().cast(), &mut length) };
        outcome(&self.info, "fi_getname", error)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Inserts the address of another host into the address vector.
    pub(super) fn insert(&self, address: &[u8]) -> Result<sys::fi_addr_t, OfiError> {
        // The library reads as many bytes as addresses of this kind have.
        let mut bytes = address.to_vec();
        bytes.resize(LONGEST_ADDRESS, 0);
        let mut entry = sys::fi_addr_t::MAX;
        // SAFETY:
        // - the vector is open; the address is longer than any.
        let count =
            unsafe { calls::fi_av_insert(self.vector.as_ptr(), bytes.as_ptr().cast(), 1, &raw mut entry) };
        match count {
            1 => Ok(entry),
            error => Err(self.failure("fi_av_insert", error as isize)),
        }
    }

    /// Reads completions and gives them to `act`. False if there was none.
    pub(super) fn complete(&self, act: &mut dyn FnMut(Completion)) -> bool {
        const BATCH: usize = 16;
        // Not initialised: that would cost each poll that finds nothing as much as a short message.
        let mut entries = [const { MaybeUninit::<sys::fi_cq_data_entry>::uninit() }; BATCH];
        // SAFETY:
        // - the queue is open and was opened for entries of this form, for which there is room.
        let count = unsafe { calls::fi_cq_read(self.queue.as_ptr(), entries.as_mut_ptr().cast(), BATCH) };
        if count == -(sys::FI_EAVAIL as isize) {
            act(self.failed());
            return true;
        }
        for entry in entries.iter().take(usize::try_from(count).unwrap_or(0)) {
            // SAFETY:
            // - the library has written so many.
            let entry = unsafe { entry.assume_init_ref() };
            act(Completion::Done {
                // SAFETY:
                // - every operation that is completed was given one of ours as its context.
                key: unsafe { Operation::key(entry.op_context) },
                flags: entry.flags,
                data: (entry.buf.cast_const().cast(), entry.len),
            });
        }
        count > 0
    }

    /// Reads the entry of an operation that has failed.
    #[cold]
    fn failed(&self) -> Completion {
        let mut room = sys::ErrorEntry::default();
        // SAFETY:
        // - the queue is open; there is room for the entry, also if a newer library writes a longer one.
        unsafe { calls::fi_cq_readerr(self.queue.as_ptr(), (&raw mut room).cast()) };
        let entry = &room.entry;
        // SAFETY:
        // - the queue is open, and the entry the last read of it.
        let text = unsafe { calls::fi_cq_strerror(self.queue.as_ptr(), entry.prov_errno, entry.err_data) };
        let mut message = self.info.library().message(entry.err);
        if !text.is_null() && entry.prov_errno != 0 {
            // SAFETY:
            // - a text of the library that ends with zero.
            let more = unsafe { CStr::from_ptr(text) }.to_string_lossy();
            if *more != message {
                message = format!("{message} ({more})");
            }
        }
        Completion::Failed {
            // SAFETY:
            // - an operation's context is one of ours, or null if it has none.
            key: (!entry.op_context.is_null()).then(|| unsafe { Operation::key(entry.op_context) }),
            flags: entry.flags,
            error: entry.err,
            message,
        }
    }

    /// The descriptor that becomes readable when there is a completion, if the provider has one.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY:
        // - the descriptor belongs to the queue, which is open as long as this.
        self.descriptor
            .map(|descriptor| unsafe { BorrowedFd::borrow_raw(descriptor) })
    }

    /// Whether a thread may sleep on the descriptor. If not, there is a completion already.
    pub(super) fn try_wait(&self) -> bool {
        // SAFETY:
        // - both are open.
        unsafe { calls::fi_trywait(self.fabric.as_ptr(), self.queue.as_ptr()) == 0 }
    }
}

/// Takes an object that the library has made.
fn own<T>(object: *mut T) -> Owned<T> {
    Owned(NonNull::new(object).expect("libfabric gives an object when it says so"))
}

/// Opens the address vector.
unsafe fn open_vector(
    info: &ProviderInfo,
    domain: &Owned<sys::fid_domain>,
) -> Result<Owned<sys::fid_av>, OfiError> {
    let mut vector = null_mut();
    // SAFETY:
    // - the attributes are integers and a name, for which zero and null are values; the domain is open.
    let error = unsafe {
        let mut attributes: sys::fi_av_attr = std::mem::zeroed();
        attributes.type_ = (*(*info.as_ptr()).domain_attr).av_type;
        calls::fi_av_open(domain.as_ptr(), &mut attributes, &mut vector)
    };
    outcome(info, "fi_av_open", error)?;
    Ok(own(vector))
}

/// Providers whose descriptors cannot be relied on. That of `net` is not readable when `net` has already taken the data
/// from its socket, so that a sleeper would miss it. Without a descriptor, sleeps are naps.
const UNRELIABLE_DESCRIPTOR: &[&str] = &["net"];

/// Opens the completion queue, with a descriptor if the provider has one.
unsafe fn open_queue(
    info: &ProviderInfo,
    domain: &Owned<sys::fid_domain>,
    operations: usize,
) -> Result<(Owned<sys::fid_cq>, Option<c_int>), OfiError> {
    let open = |waiting| {
        let mut queue = null_mut();
        // SAFETY:
        // - the attributes are integers and pointers, for which zero and null are values; the domain is open.
        let error = unsafe {
            let mut attributes: sys::fi_cq_attr = std::mem::zeroed();
            attributes.size = operations;
            attributes.format = sys::FI_CQ_FORMAT_DATA;
            attributes.wait_obj = waiting;
            calls::fi_cq_open(domain.as_ptr(), &mut attributes, &mut queue)
        };
        outcome(info, "fi_cq_open", error).map(|()| own(queue))
    };
    if !UNRELIABLE_DESCRIPTOR.contains(&&*info.provider())
        && let Ok(queue) = open(sys::FI_WAIT_FD)
    {
        let mut descriptor = -1;
        // SAFETY:
        // - the queue is open.
        if unsafe { calls::fi_cq_descriptor(queue.as_ptr(), &mut descriptor) } == 0 {
            return Ok((queue, Some(descriptor)));
        }
    }
    Ok((open(sys::FI_WAIT_NONE)?, None))
}

fn outcome(info: &ProviderInfo, call: &'static str, error: c_int) -> Result<(), OfiError> {
    match error {
        0 => Ok(()),
        error => Err(failure(info, call, error as isize)),
    }
}

fn failure(info: &ProviderInfo, call: &'static str, error: isize) -> OfiError {
    OfiError::Call {
        provider: info.provider(),
        call,
        message: info.library().message(error as c_int),
    }
}
