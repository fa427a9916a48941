//! The inline functions of libfabric's headers: calls through the tables of functions that objects carry.
//!
//! Each has the name that it has in C. All give the library's number: 0, a count, or a negative error.
//!
//! # Safety
//!
//! For all of them: objects are open ones of the library, buffers have the length given and live as long as libfabric's
//! manual demands for this call, and contexts of operations stay where they are until their completion has been read.

#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "the module's documentation says it for all; the arguments are libfabric's"
)]

use std::ffi::{c_char, c_int, c_void};

use crate::{
    FI_ENABLE, FI_ENOSYS, FI_GETWAIT, fi_addr_t, fi_av_attr, fi_cq_attr, fi_cq_err_entry, fi_info,
    fi_msg_rma, fid, fid_av, fid_cq, fid_domain, fid_ep, fid_fabric, fid_mr,
};

// Every object begins with its `fid`, so a pointer to the one is a pointer to the other.

/// Calls an entry of a table; an entry that is absent is "not supported".
macro_rules! through {
    ($entry:expr, $($argument:expr),+ $(,)?) => {
        // SAFETY:
        // - the object is open by the caller's word, so its table is there; the arguments are what the caller answers
        //   for.
        unsafe {
            match $entry {
                Some(function) => function($($argument),+),
                None => -(FI_ENOSYS as i32) as _,
            }
        }
    };
}

/// Closes any object.
pub unsafe fn fi_close(object: *mut fid) -> c_int {
    through!((*(*object).ops).close, object)
}

/// Opens a domain of the fabric.
pub unsafe fn fi_domain(fabric: *mut fid_fabric, info: *mut fi_info, domain: &mut *mut fid_domain) -> c_int {
    through!(
        (*(*fabric).ops).domain,
        fabric,
        info,
        domain,
        std::ptr::null_mut()
    )
}

/// Opens an address vector.
pub unsafe fn fi_av_open(
    domain: *mut fid_domain,
    attributes: &mut fi_av_attr,
    vector: &mut *mut fid_av,
) -> c_int {
    through!(
        (*(*domain).ops).av_open,
        domain,
        attributes,
        vector,
        std::ptr::null_mut()
    )
}

/// Inserts addresses into a vector. Gives the number inserted.
pub unsafe fn fi_av_insert(
    vector: *mut fid_av,
    addresses: *const c_void,
    count: usize,
    to: *mut fi_addr_t,
) -> c_int {
    through!(
        (*(*vector).ops).insert,
        vector,
        addresses,
        count,
        to,
        0,
        std::ptr::null_mut()
    )
}

/// Opens a completion queue.
pub unsafe fn fi_cq_open(
    domain: *mut fid_domain,
    attributes: &mut fi_cq_attr,
    queue: &mut *mut fid_cq,
) -> c_int {
    through!(
        (*(*domain).ops).cq_open,
        domain,
        attributes,
        queue,
        std::ptr::null_mut()
    )
}

/// Reads completions. Gives the number read.
#[inline]
pub unsafe fn fi_cq_read(queue: *mut fid_cq, entries: *mut c_void, count: usize) -> isize {
    through!((*(*queue).ops).read, queue, entries, count)
}

/// Reads an error.
pub unsafe fn fi_cq_readerr(queue: *mut fid_cq, entry: *mut fi_cq_err_entry) -> isize {
    through!((*(*queue).ops).readerr, queue, entry, 0)
}

/// The provider's message for an error of its own.
pub unsafe fn fi_cq_strerror(queue: *mut fid_cq, error: c_int, data: *const c_void) -> *const c_char {
    // SAFETY:
    // - as `through` has it.
    match unsafe { (*(*queue).ops).strerror } {
        // SAFETY:
        // - as above; no buffer of ours is lent.
        Some(function) => unsafe { function(queue, error, data, std::ptr::null_mut(), 0) },
        None => std::ptr::null(),
    }
}

/// The descriptor on which a queue is waited for.
pub unsafe fn fi_cq_descriptor(queue: *mut fid_cq, descriptor: &mut c_int) -> c_int {
    let object = queue.cast::<fid>();
    through!(
        (*(*object).ops).control,
        object,
        FI_GETWAIT as c_int,
        (&raw mut *descriptor).cast()
    )
}

/// Whether one may wait for a queue's descriptor now.
pub unsafe fn fi_trywait(fabric: *mut fid_fabric, queue: *mut fid_cq) -> c_int {
    let mut object = queue.cast::<fid>();
    through!((*(*fabric).ops).trywait, fabric, &raw mut object, 1)
}

/// Opens an endpoint.
pub unsafe fn fi_endpoint(domain: *mut fid_domain, info: *mut fi_info, endpoint: &mut *mut fid_ep) -> c_int {
    through!(
        (*(*domain).ops).endpoint,
        domain,
        info,
        endpoint,
        std::ptr::null_mut()
    )
}

/// Binds an address vector or completion queue to an endpoint.
pub unsafe fn fi_ep_bind(endpoint: *mut fid_ep, other: *mut fid, flags: u64) -> c_int {
    let object = endpoint.cast::<fid>();
    through!((*(*object).ops).bind, object, other, flags)
}

/// Makes an endpoint ready.
pub unsafe fn fi_enable(endpoint: *mut fid_ep) -> c_int {
    let object = endpoint.cast::<fid>();
    through!(
        (*(*object).ops).control,
        object,
        FI_ENABLE as c_int,
        std::ptr::null_mut()
    )
}

/// Sets an option of an endpoint.
pub unsafe fn fi_setopt(endpoint: *mut fid_ep, level: c_int, name: c_int, value: usize) -> c_int {
    let object = endpoint.cast::<fid>();
    through!(
        (*(*endpoint).ops).setopt,
        object,
        level,
        name,
        (&raw const value).cast(),
        size_of::<usize>()
    )
}

/// The address of an endpoint.
pub unsafe fn fi_getname(endpoint: *mut fid_ep, address: *mut c_void, length: &mut usize) -> c_int {
    let object = endpoint.cast::<fid>();
    through!((*(*endpoint).cm).getname, object, address, length)
}

/// Posts a buffer, with flags as [`crate::FI_MULTI_RECV`].
pub unsafe fn fi_recvmsg(endpoint: *mut fid_ep, message: &crate::fi_msg, flags: u64) -> isize {
    through!((*(*endpoint).msg).recvmsg, endpoint, message, flags)
}

/// Sends a message.
#[inline]
pub unsafe fn fi_send(
    endpoint: *mut fid_ep,
    buffer: *const c_void,
    length: usize,
    descriptor: *mut c_void,
    to: fi_addr_t,
    context: *mut c_void,
) -> isize {
    through!(
        (*(*endpoint).msg).send,
        endpoint,
        buffer,
        length,
        descriptor,
        to,
        context
    )
}

/// Sends a short message, whose buffer is free again at once and which is not completed.
#[inline]
pub unsafe fn fi_inject(endpoint: *mut fid_ep, buffer: *const c_void, length: usize, to: fi_addr_t) -> isize {
    through!((*(*endpoint).msg).inject, endpoint, buffer, length, to)
}

/// Reads remote memory.
pub unsafe fn fi_read(
    endpoint: *mut fid_ep,
    buffer: *mut c_void,
    length: usize,
    descriptor: *mut c_void,
    from: fi_addr_t,
    address: u64,
    key: u64,
    context: *mut c_void,
) -> isize {
    through!(
        (*(*endpoint).rma).read,
        endpoint,
        buffer,
        length,
        descriptor,
        from,
        address,
        key,
        context
    )
}

/// Writes remote memory, with flags as [`crate::FI_DELIVERY_COMPLETE`].
pub unsafe fn fi_writemsg(endpoint: *mut fid_ep, message: &fi_msg_rma, flags: u64) -> isize {
    through!((*(*endpoint).rma).writemsg, endpoint, message, flags)
}

/// Registers memory.
pub unsafe fn fi_mr_reg(
    domain: *mut fid_domain,
    buffer: *const c_void,
    length: usize,
    access: u64,
    key: u64,
    region: &mut *mut fid_mr,
) -> c_int {
    let object = domain.cast::<fid>();
    through!(
        (*(*domain).mr).reg,
        object,
        buffer,
        length,
        access,
        0,
        key,
        0,
        region,
        std::ptr::null_mut()
    )
}

/// Binds registered memory to an endpoint, for providers that want it so.
pub unsafe fn fi_mr_bind(region: *mut fid_mr, endpoint: *mut fid_ep) -> c_int {
    let object = region.cast::<fid>();
    through!((*(*object).ops).bind, object, endpoint.cast::<fid>(), 0)
}

/// Makes bound memory accessible.
pub unsafe fn fi_mr_enable(region: *mut fid_mr) -> c_int {
    let object = region.cast::<fid>();
    through!(
        (*(*object).ops).control,
        object,
        FI_ENABLE as c_int,
        std::ptr::null_mut()
    )
}
