//! The declarations of libfabric's headers, in the version that is asked of the library.
//!
//! Written by bindgen: `UPDATE_DECLARATIONS=1 cargo test -p simurgh-fabric-sys --test headers`.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    unreachable_pub,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    unsafe_op_in_unsafe_fn,
    reason = "written by bindgen from a C header"
)]
#![cfg_attr(rustfmt, rustfmt_skip)]

pub const FI_EIO: u64 = 5;
pub const FI_EAGAIN: u64 = 11;
pub const FI_ENOSYS: u64 = 38;
pub const FI_ENETUNREACH: u64 = 101;
pub const FI_ECONNABORTED: u64 = 103;
pub const FI_ECONNRESET: u64 = 104;
pub const FI_ENOTCONN: u64 = 107;
pub const FI_ESHUTDOWN: u64 = 108;
pub const FI_ETIMEDOUT: u64 = 110;
pub const FI_ECONNREFUSED: u64 = 111;
pub const FI_EHOSTUNREACH: u64 = 113;
pub const FI_MSG: u64 = 2;
pub const FI_RMA: u64 = 4;
pub const FI_READ: u64 = 256;
pub const FI_WRITE: u64 = 512;
pub const FI_RECV: u64 = 1024;
pub const FI_SEND: u64 = 2048;
pub const FI_TRANSMIT: u64 = 2048;
pub const FI_REMOTE_READ: u64 = 4096;
pub const FI_REMOTE_WRITE: u64 = 8192;
pub const FI_MULTI_RECV: u64 = 65536;
pub const FI_COMPLETION: u64 = 16777216;
pub const FI_TRANSMIT_COMPLETE: u64 = 134217728;
pub const FI_DELIVERY_COMPLETE: u64 = 268435456;
pub const FI_MR_LOCAL: u64 = 4;
pub const FI_MR_RAW: u64 = 8;
pub const FI_MR_VIRT_ADDR: u64 = 16;
pub const FI_MR_ALLOCATED: u64 = 32;
pub const FI_MR_PROV_KEY: u64 = 64;
pub const FI_MR_MMU_NOTIFY: u64 = 128;
pub const FI_MR_RMA_EVENT: u64 = 256;
pub const FI_MR_ENDPOINT: u64 = 512;
pub const FI_MR_HMEM: u64 = 1024;
pub const FI_MR_COLLECTIVE: u64 = 2048;
pub const FI_ORDER_SAS: u64 = 256;
pub const FI_CONTEXT: u64 = 576460752303423488;
pub const FI_CONTEXT2: u64 = 4503599627370496;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct iovec {
    pub iov_base: *mut ::std::os::raw::c_void,
    pub iov_len: usize,
}
pub const FI_EOTHER: _bindgen_ty_1 = 256;
pub const FI_ETOOSMALL: _bindgen_ty_1 = 257;
pub const FI_EOPBADSTATE: _bindgen_ty_1 = 258;
pub const FI_EAVAIL: _bindgen_ty_1 = 259;
pub const FI_EBADFLAGS: _bindgen_ty_1 = 260;
pub const FI_ENOEQ: _bindgen_ty_1 = 261;
pub const FI_EDOMAIN: _bindgen_ty_1 = 262;
pub const FI_ENOCQ: _bindgen_ty_1 = 263;
pub const FI_ECRC: _bindgen_ty_1 = 264;
pub const FI_ETRUNC: _bindgen_ty_1 = 265;
pub const FI_ENOKEY: _bindgen_ty_1 = 266;
pub const FI_ENOAV: _bindgen_ty_1 = 267;
pub const FI_EOVERRUN: _bindgen_ty_1 = 268;
pub const FI_ENORX: _bindgen_ty_1 = 269;
pub const FI_ERRNO_MAX: _bindgen_ty_1 = 270;
pub type _bindgen_ty_1 = ::std::os::raw::c_uint;
pub type fid_t = *mut fid;
pub const FI_FORMAT_UNSPEC: _bindgen_ty_3 = 0;
pub const FI_SOCKADDR: _bindgen_ty_3 = 1;
pub const FI_SOCKADDR_IN: _bindgen_ty_3 = 2;
pub const FI_SOCKADDR_IN6: _bindgen_ty_3 = 3;
pub const FI_SOCKADDR_IB: _bindgen_ty_3 = 4;
pub const FI_ADDR_PSMX: _bindgen_ty_3 = 5;
pub const FI_ADDR_GNI: _bindgen_ty_3 = 6;
pub const FI_ADDR_BGQ: _bindgen_ty_3 = 7;
pub const FI_ADDR_MLX: _bindgen_ty_3 = 8;
pub const FI_ADDR_STR: _bindgen_ty_3 = 9;
pub const FI_ADDR_PSMX2: _bindgen_ty_3 = 10;
pub const FI_ADDR_IB_UD: _bindgen_ty_3 = 11;
pub const FI_ADDR_EFA: _bindgen_ty_3 = 12;
pub const FI_ADDR_PSMX3: _bindgen_ty_3 = 13;
pub const FI_ADDR_OPX: _bindgen_ty_3 = 14;
pub const FI_ADDR_CXI: _bindgen_ty_3 = 15;
pub type _bindgen_ty_3 = ::std::os::raw::c_uint;
pub type fi_addr_t = u64;
pub const FI_AV_UNSPEC: fi_av_type = 0;
pub const FI_AV_MAP: fi_av_type = 1;
pub const FI_AV_TABLE: fi_av_type = 2;
pub type fi_av_type = ::std::os::raw::c_uint;
pub const FI_MR_UNSPEC: fi_mr_mode = 0;
pub const FI_MR_BASIC: fi_mr_mode = 1;
pub const FI_MR_SCALABLE: fi_mr_mode = 2;
pub type fi_mr_mode = ::std::os::raw::c_uint;
pub const FI_PROGRESS_UNSPEC: fi_progress = 0;
pub const FI_PROGRESS_AUTO: fi_progress = 1;
pub const FI_PROGRESS_MANUAL: fi_progress = 2;
pub type fi_progress = ::std::os::raw::c_uint;
pub const FI_THREAD_UNSPEC: fi_threading = 0;
pub const FI_THREAD_SAFE: fi_threading = 1;
pub const FI_THREAD_FID: fi_threading = 2;
pub const FI_THREAD_DOMAIN: fi_threading = 3;
pub const FI_THREAD_COMPLETION: fi_threading = 4;
pub const FI_THREAD_ENDPOINT: fi_threading = 5;
pub type fi_threading = ::std::os::raw::c_uint;
pub const FI_RM_UNSPEC: fi_resource_mgmt = 0;
pub const FI_RM_DISABLED: fi_resource_mgmt = 1;
pub const FI_RM_ENABLED: fi_resource_mgmt = 2;
pub type fi_resource_mgmt = ::std::os::raw::c_uint;
pub const FI_EP_UNSPEC: fi_ep_type = 0;
pub const FI_EP_MSG: fi_ep_type = 1;
pub const FI_EP_DGRAM: fi_ep_type = 2;
pub const FI_EP_RDM: fi_ep_type = 3;
pub const FI_EP_SOCK_STREAM: fi_ep_type = 4;
pub const FI_EP_SOCK_DGRAM: fi_ep_type = 5;
pub type fi_ep_type = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_tx_attr {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub inject_size: usize,
    pub size: usize,
    pub iov_limit: usize,
    pub rma_iov_limit: usize,
    pub tclass: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_rx_attr {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub total_buffered_recv: usize,
    pub size: usize,
    pub iov_limit: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ep_attr {
    pub type_: fi_ep_type,
    pub protocol: u32,
    pub protocol_version: u32,
    pub max_msg_size: usize,
    pub msg_prefix_size: usize,
    pub max_order_raw_size: usize,
    pub max_order_war_size: usize,
    pub max_order_waw_size: usize,
    pub mem_tag_format: u64,
    pub tx_ctx_cnt: usize,
    pub rx_ctx_cnt: usize,
    pub auth_key_size: usize,
    pub auth_key: *mut u8,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_domain_attr {
    pub domain: *mut fid_domain,
    pub name: *mut ::std::os::raw::c_char,
    pub threading: fi_threading,
    pub control_progress: fi_progress,
    pub data_progress: fi_progress,
    pub resource_mgmt: fi_resource_mgmt,
    pub av_type: fi_av_type,
    pub mr_mode: ::std::os::raw::c_int,
    pub mr_key_size: usize,
    pub cq_data_size: usize,
    pub cq_cnt: usize,
    pub ep_cnt: usize,
    pub tx_ctx_cnt: usize,
    pub rx_ctx_cnt: usize,
    pub max_ep_tx_ctx: usize,
    pub max_ep_rx_ctx: usize,
    pub max_ep_stx_ctx: usize,
    pub max_ep_srx_ctx: usize,
    pub cntr_cnt: usize,
    pub mr_iov_limit: usize,
    pub caps: u64,
    pub mode: u64,
    pub auth_key: *mut u8,
    pub auth_key_size: usize,
    pub max_err_data: usize,
    pub mr_cnt: usize,
    pub tclass: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_fabric_attr {
    pub fabric: *mut fid_fabric,
    pub name: *mut ::std::os::raw::c_char,
    pub prov_name: *mut ::std::os::raw::c_char,
    pub prov_version: u32,
    pub api_version: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_info {
    pub next: *mut fi_info,
    pub caps: u64,
    pub mode: u64,
    pub addr_format: u32,
    pub src_addrlen: usize,
    pub dest_addrlen: usize,
    pub src_addr: *mut ::std::os::raw::c_void,
    pub dest_addr: *mut ::std::os::raw::c_void,
    pub handle: fid_t,
    pub tx_attr: *mut fi_tx_attr,
    pub rx_attr: *mut fi_rx_attr,
    pub ep_attr: *mut fi_ep_attr,
    pub domain_attr: *mut fi_domain_attr,
    pub fabric_attr: *mut fi_fabric_attr,
    pub nic: *mut fid_nic,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_device_attr {
    pub name: *mut ::std::os::raw::c_char,
    pub device_id: *mut ::std::os::raw::c_char,
    pub device_version: *mut ::std::os::raw::c_char,
    pub vendor_id: *mut ::std::os::raw::c_char,
    pub driver: *mut ::std::os::raw::c_char,
    pub firmware: *mut ::std::os::raw::c_char,
}
pub const FI_BUS_UNSPEC: fi_bus_type = 0;
pub const FI_BUS_UNKNOWN: fi_bus_type = 0;
pub const FI_BUS_PCI: fi_bus_type = 1;
pub type fi_bus_type = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_pci_attr {
    pub domain_id: u16,
    pub bus_id: u8,
    pub device_id: u8,
    pub function_id: u8,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct fi_bus_attr {
    pub bus_type: fi_bus_type,
    pub attr: fi_bus_attr__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union fi_bus_attr__bindgen_ty_1 {
    pub pci: fi_pci_attr,
}
pub const FI_LINK_UNKNOWN: fi_link_state = 0;
pub const FI_LINK_DOWN: fi_link_state = 1;
pub const FI_LINK_UP: fi_link_state = 2;
pub type fi_link_state = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_link_attr {
    pub address: *mut ::std::os::raw::c_char,
    pub mtu: usize,
    pub speed: usize,
    pub state: fi_link_state,
    pub network_type: *mut ::std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops {
    pub size: usize,
    pub close: ::std::option::Option<unsafe extern "C" fn(fid: *mut fid) -> ::std::os::raw::c_int>,
    pub bind: ::std::option::Option<
        unsafe extern "C" fn(fid: *mut fid, bfid: *mut fid, flags: u64) -> ::std::os::raw::c_int,
    >,
    pub control: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            command: ::std::os::raw::c_int,
            arg: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub ops_open: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            name: *const ::std::os::raw::c_char,
            flags: u64,
            ops: *mut *mut ::std::os::raw::c_void,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub tostr: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *const fid,
            buf: *mut ::std::os::raw::c_char,
            len: usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub ops_set: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            name: *const ::std::os::raw::c_char,
            flags: u64,
            ops: *mut ::std::os::raw::c_void,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid {
    pub fclass: usize,
    pub context: *mut ::std::os::raw::c_void,
    pub ops: *mut fi_ops,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_fabric {
    pub size: usize,
    pub domain: ::std::option::Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            info: *mut fi_info,
            dom: *mut *mut fid_domain,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub passive_ep: ::std::option::Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            info: *mut fi_info,
            pep: *mut *mut fid_pep,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub eq_open: ::std::option::Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            attr: *mut fi_eq_attr,
            eq: *mut *mut fid_eq,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub wait_open: ::std::option::Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            attr: *mut fi_wait_attr,
            waitset: *mut *mut fid_wait,
        ) -> ::std::os::raw::c_int,
    >,
    pub trywait: ::std::option::Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            fids: *mut *mut fid,
            count: ::std::os::raw::c_int,
        ) -> ::std::os::raw::c_int,
    >,
    pub domain2: ::std::option::Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            info: *mut fi_info,
            dom: *mut *mut fid_domain,
            flags: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_fabric {
    pub fid: fid,
    pub ops: *mut fi_ops_fabric,
    pub api_version: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_nic {
    pub fid: fid,
    pub device_attr: *mut fi_device_attr,
    pub bus_attr: *mut fi_bus_attr,
    pub link_attr: *mut fi_link_attr,
    pub prov_attr: *mut ::std::os::raw::c_void,
}
pub const FI_GETFIDFLAG: _bindgen_ty_7 = 0;
pub const FI_SETFIDFLAG: _bindgen_ty_7 = 1;
pub const FI_GETOPSFLAG: _bindgen_ty_7 = 2;
pub const FI_SETOPSFLAG: _bindgen_ty_7 = 3;
pub const FI_ALIAS: _bindgen_ty_7 = 4;
pub const FI_GETWAIT: _bindgen_ty_7 = 5;
pub const FI_ENABLE: _bindgen_ty_7 = 6;
pub const FI_BACKLOG: _bindgen_ty_7 = 7;
pub const FI_GET_RAW_MR: _bindgen_ty_7 = 8;
pub const FI_MAP_RAW_MR: _bindgen_ty_7 = 9;
pub const FI_UNMAP_KEY: _bindgen_ty_7 = 10;
pub const FI_QUEUE_WORK: _bindgen_ty_7 = 11;
pub const FI_CANCEL_WORK: _bindgen_ty_7 = 12;
pub const FI_FLUSH_WORK: _bindgen_ty_7 = 13;
pub const FI_REFRESH: _bindgen_ty_7 = 14;
pub const FI_DUP: _bindgen_ty_7 = 15;
pub const FI_GETWAITOBJ: _bindgen_ty_7 = 16;
pub const FI_GET_VAL: _bindgen_ty_7 = 17;
pub const FI_SET_VAL: _bindgen_ty_7 = 18;
pub const FI_EXPORT_FID: _bindgen_ty_7 = 19;
pub type _bindgen_ty_7 = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_context2 {
    pub internal: [*mut ::std::os::raw::c_void; 8usize],
}
pub const FI_WAIT_NONE: fi_wait_obj = 0;
pub const FI_WAIT_UNSPEC: fi_wait_obj = 1;
pub const FI_WAIT_SET: fi_wait_obj = 2;
pub const FI_WAIT_FD: fi_wait_obj = 3;
pub const FI_WAIT_MUTEX_COND: fi_wait_obj = 4;
pub const FI_WAIT_YIELD: fi_wait_obj = 5;
pub const FI_WAIT_POLLFD: fi_wait_obj = 6;
pub type fi_wait_obj = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_wait_attr {
    pub wait_obj: fi_wait_obj,
    pub flags: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_wait {
    pub size: usize,
    pub wait: ::std::option::Option<
        unsafe extern "C" fn(waitset: *mut fid_wait, timeout: ::std::os::raw::c_int) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_wait {
    pub fid: fid,
    pub ops: *mut fi_ops_wait,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_poll_attr {
    pub flags: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_poll {
    pub size: usize,
    pub poll: ::std::option::Option<
        unsafe extern "C" fn(
            pollset: *mut fid_poll,
            context: *mut *mut ::std::os::raw::c_void,
            count: ::std::os::raw::c_int,
        ) -> ::std::os::raw::c_int,
    >,
    pub poll_add: ::std::option::Option<
        unsafe extern "C" fn(
            pollset: *mut fid_poll,
            event_fid: *mut fid,
            flags: u64,
        ) -> ::std::os::raw::c_int,
    >,
    pub poll_del: ::std::option::Option<
        unsafe extern "C" fn(
            pollset: *mut fid_poll,
            event_fid: *mut fid,
            flags: u64,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_poll {
    pub fid: fid,
    pub ops: *mut fi_ops_poll,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_eq_attr {
    pub size: usize,
    pub flags: u64,
    pub wait_obj: fi_wait_obj,
    pub signaling_vector: ::std::os::raw::c_int,
    pub wait_set: *mut fid_wait,
}
pub const FI_NOTIFY: _bindgen_ty_18 = 0;
pub const FI_CONNREQ: _bindgen_ty_18 = 1;
pub const FI_CONNECTED: _bindgen_ty_18 = 2;
pub const FI_SHUTDOWN: _bindgen_ty_18 = 3;
pub const FI_MR_COMPLETE: _bindgen_ty_18 = 4;
pub const FI_AV_COMPLETE: _bindgen_ty_18 = 5;
pub const FI_JOIN_COMPLETE: _bindgen_ty_18 = 6;
pub type _bindgen_ty_18 = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_eq_err_entry {
    pub fid: fid_t,
    pub context: *mut ::std::os::raw::c_void,
    pub data: u64,
    pub err: ::std::os::raw::c_int,
    pub prov_errno: ::std::os::raw::c_int,
    pub err_data: *mut ::std::os::raw::c_void,
    pub err_data_size: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_eq {
    pub size: usize,
    pub read: ::std::option::Option<
        unsafe extern "C" fn(
            eq: *mut fid_eq,
            event: *mut u32,
            buf: *mut ::std::os::raw::c_void,
            len: usize,
            flags: u64,
        ) -> isize,
    >,
    pub readerr: ::std::option::Option<
        unsafe extern "C" fn(eq: *mut fid_eq, buf: *mut fi_eq_err_entry, flags: u64) -> isize,
    >,
    pub write: ::std::option::Option<
        unsafe extern "C" fn(
            eq: *mut fid_eq,
            event: u32,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            flags: u64,
        ) -> isize,
    >,
    pub sread: ::std::option::Option<
        unsafe extern "C" fn(
            eq: *mut fid_eq,
            event: *mut u32,
            buf: *mut ::std::os::raw::c_void,
            len: usize,
            timeout: ::std::os::raw::c_int,
            flags: u64,
        ) -> isize,
    >,
    pub strerror: ::std::option::Option<
        unsafe extern "C" fn(
            eq: *mut fid_eq,
            prov_errno: ::std::os::raw::c_int,
            err_data: *const ::std::os::raw::c_void,
            buf: *mut ::std::os::raw::c_char,
            len: usize,
        ) -> *const ::std::os::raw::c_char,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_eq {
    pub fid: fid,
    pub ops: *mut fi_ops_eq,
}
pub const FI_CQ_FORMAT_UNSPEC: fi_cq_format = 0;
pub const FI_CQ_FORMAT_CONTEXT: fi_cq_format = 1;
pub const FI_CQ_FORMAT_MSG: fi_cq_format = 2;
pub const FI_CQ_FORMAT_DATA: fi_cq_format = 3;
pub const FI_CQ_FORMAT_TAGGED: fi_cq_format = 4;
pub type fi_cq_format = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_cq_data_entry {
    pub op_context: *mut ::std::os::raw::c_void,
    pub flags: u64,
    pub len: usize,
    pub buf: *mut ::std::os::raw::c_void,
    pub data: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_cq_err_entry {
    pub op_context: *mut ::std::os::raw::c_void,
    pub flags: u64,
    pub len: usize,
    pub buf: *mut ::std::os::raw::c_void,
    pub data: u64,
    pub tag: u64,
    pub olen: usize,
    pub err: ::std::os::raw::c_int,
    pub prov_errno: ::std::os::raw::c_int,
    pub err_data: *mut ::std::os::raw::c_void,
    pub err_data_size: usize,
}
pub const FI_CQ_COND_NONE: fi_cq_wait_cond = 0;
pub const FI_CQ_COND_THRESHOLD: fi_cq_wait_cond = 1;
pub type fi_cq_wait_cond = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_cq_attr {
    pub size: usize,
    pub flags: u64,
    pub format: fi_cq_format,
    pub wait_obj: fi_wait_obj,
    pub signaling_vector: ::std::os::raw::c_int,
    pub wait_cond: fi_cq_wait_cond,
    pub wait_set: *mut fid_wait,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_cq {
    pub size: usize,
    pub read: ::std::option::Option<
        unsafe extern "C" fn(cq: *mut fid_cq, buf: *mut ::std::os::raw::c_void, count: usize) -> isize,
    >,
    pub readfrom: ::std::option::Option<
        unsafe extern "C" fn(
            cq: *mut fid_cq,
            buf: *mut ::std::os::raw::c_void,
            count: usize,
            src_addr: *mut fi_addr_t,
        ) -> isize,
    >,
    pub readerr: ::std::option::Option<
        unsafe extern "C" fn(cq: *mut fid_cq, buf: *mut fi_cq_err_entry, flags: u64) -> isize,
    >,
    pub sread: ::std::option::Option<
        unsafe extern "C" fn(
            cq: *mut fid_cq,
            buf: *mut ::std::os::raw::c_void,
            count: usize,
            cond: *const ::std::os::raw::c_void,
            timeout: ::std::os::raw::c_int,
        ) -> isize,
    >,
    pub sreadfrom: ::std::option::Option<
        unsafe extern "C" fn(
            cq: *mut fid_cq,
            buf: *mut ::std::os::raw::c_void,
            count: usize,
            src_addr: *mut fi_addr_t,
            cond: *const ::std::os::raw::c_void,
            timeout: ::std::os::raw::c_int,
        ) -> isize,
    >,
    pub signal: ::std::option::Option<unsafe extern "C" fn(cq: *mut fid_cq) -> ::std::os::raw::c_int>,
    pub strerror: ::std::option::Option<
        unsafe extern "C" fn(
            cq: *mut fid_cq,
            prov_errno: ::std::os::raw::c_int,
            err_data: *const ::std::os::raw::c_void,
            buf: *mut ::std::os::raw::c_char,
            len: usize,
        ) -> *const ::std::os::raw::c_char,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_cq {
    pub fid: fid,
    pub ops: *mut fi_ops_cq,
}
pub const FI_CNTR_EVENTS_COMP: fi_cntr_events = 0;
pub type fi_cntr_events = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_cntr_attr {
    pub events: fi_cntr_events,
    pub wait_obj: fi_wait_obj,
    pub wait_set: *mut fid_wait,
    pub flags: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_cntr {
    pub size: usize,
    pub read: ::std::option::Option<unsafe extern "C" fn(cntr: *mut fid_cntr) -> u64>,
    pub readerr: ::std::option::Option<unsafe extern "C" fn(cntr: *mut fid_cntr) -> u64>,
    pub add:
        ::std::option::Option<unsafe extern "C" fn(cntr: *mut fid_cntr, value: u64) -> ::std::os::raw::c_int>,
    pub set:
        ::std::option::Option<unsafe extern "C" fn(cntr: *mut fid_cntr, value: u64) -> ::std::os::raw::c_int>,
    pub wait: ::std::option::Option<
        unsafe extern "C" fn(
            cntr: *mut fid_cntr,
            threshold: u64,
            timeout: ::std::os::raw::c_int,
        ) -> ::std::os::raw::c_int,
    >,
    pub adderr:
        ::std::option::Option<unsafe extern "C" fn(cntr: *mut fid_cntr, value: u64) -> ::std::os::raw::c_int>,
    pub seterr:
        ::std::option::Option<unsafe extern "C" fn(cntr: *mut fid_cntr, value: u64) -> ::std::os::raw::c_int>,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_cntr {
    pub fid: fid,
    pub ops: *mut fi_ops_cntr,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_av_attr {
    pub type_: fi_av_type,
    pub rx_ctx_bits: ::std::os::raw::c_int,
    pub count: usize,
    pub ep_per_node: usize,
    pub name: *const ::std::os::raw::c_char,
    pub map_addr: *mut ::std::os::raw::c_void,
    pub flags: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_av_set_attr {
    pub count: usize,
    pub start_addr: fi_addr_t,
    pub end_addr: fi_addr_t,
    pub stride: u64,
    pub comm_key_size: usize,
    pub comm_key: *mut u8,
    pub flags: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_av_set {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_av {
    pub size: usize,
    pub insert: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            addr: *const ::std::os::raw::c_void,
            count: usize,
            fi_addr: *mut fi_addr_t,
            flags: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub insertsvc: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            node: *const ::std::os::raw::c_char,
            service: *const ::std::os::raw::c_char,
            fi_addr: *mut fi_addr_t,
            flags: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub insertsym: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            node: *const ::std::os::raw::c_char,
            nodecnt: usize,
            service: *const ::std::os::raw::c_char,
            svccnt: usize,
            fi_addr: *mut fi_addr_t,
            flags: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub remove: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            fi_addr: *mut fi_addr_t,
            count: usize,
            flags: u64,
        ) -> ::std::os::raw::c_int,
    >,
    pub lookup: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            fi_addr: fi_addr_t,
            addr: *mut ::std::os::raw::c_void,
            addrlen: *mut usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub straddr: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            addr: *const ::std::os::raw::c_void,
            buf: *mut ::std::os::raw::c_char,
            len: *mut usize,
        ) -> *const ::std::os::raw::c_char,
    >,
    pub av_set: ::std::option::Option<
        unsafe extern "C" fn(
            av: *mut fid_av,
            attr: *mut fi_av_set_attr,
            av_set: *mut *mut fid_av_set,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_av {
    pub fid: fid,
    pub ops: *mut fi_ops_av,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_mr {
    pub fid: fid,
    pub mem_desc: *mut ::std::os::raw::c_void,
    pub key: u64,
}
pub const FI_HMEM_SYSTEM: fi_hmem_iface = 0;
pub const FI_HMEM_CUDA: fi_hmem_iface = 1;
pub const FI_HMEM_ROCR: fi_hmem_iface = 2;
pub const FI_HMEM_ZE: fi_hmem_iface = 3;
pub const FI_HMEM_NEURON: fi_hmem_iface = 4;
pub const FI_HMEM_SYNAPSEAI: fi_hmem_iface = 5;
pub type fi_hmem_iface = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct fi_mr_attr {
    pub mr_iov: *const iovec,
    pub iov_count: usize,
    pub access: u64,
    pub offset: u64,
    pub requested_key: u64,
    pub context: *mut ::std::os::raw::c_void,
    pub auth_key_size: usize,
    pub auth_key: *mut u8,
    pub iface: fi_hmem_iface,
    pub device: fi_mr_attr__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union fi_mr_attr__bindgen_ty_1 {
    pub reserved: u64,
    pub cuda: ::std::os::raw::c_int,
    pub ze: ::std::os::raw::c_int,
    pub neuron: ::std::os::raw::c_int,
    pub synapseai: ::std::os::raw::c_int,
}
pub const FI_INT8: fi_datatype = 0;
pub const FI_UINT8: fi_datatype = 1;
pub const FI_INT16: fi_datatype = 2;
pub const FI_UINT16: fi_datatype = 3;
pub const FI_INT32: fi_datatype = 4;
pub const FI_UINT32: fi_datatype = 5;
pub const FI_INT64: fi_datatype = 6;
pub const FI_UINT64: fi_datatype = 7;
pub const FI_FLOAT: fi_datatype = 8;
pub const FI_DOUBLE: fi_datatype = 9;
pub const FI_FLOAT_COMPLEX: fi_datatype = 10;
pub const FI_DOUBLE_COMPLEX: fi_datatype = 11;
pub const FI_LONG_DOUBLE: fi_datatype = 12;
pub const FI_LONG_DOUBLE_COMPLEX: fi_datatype = 13;
pub const FI_DATATYPE_LAST: fi_datatype = 14;
pub const FI_INT128: fi_datatype = 14;
pub const FI_UINT128: fi_datatype = 15;
pub const FI_VOID: fi_datatype = 256;
pub type fi_datatype = ::std::os::raw::c_uint;
pub const FI_MIN: fi_op = 0;
pub const FI_MAX: fi_op = 1;
pub const FI_SUM: fi_op = 2;
pub const FI_PROD: fi_op = 3;
pub const FI_LOR: fi_op = 4;
pub const FI_LAND: fi_op = 5;
pub const FI_BOR: fi_op = 6;
pub const FI_BAND: fi_op = 7;
pub const FI_LXOR: fi_op = 8;
pub const FI_BXOR: fi_op = 9;
pub const FI_ATOMIC_READ: fi_op = 10;
pub const FI_ATOMIC_WRITE: fi_op = 11;
pub const FI_CSWAP: fi_op = 12;
pub const FI_CSWAP_NE: fi_op = 13;
pub const FI_CSWAP_LE: fi_op = 14;
pub const FI_CSWAP_LT: fi_op = 15;
pub const FI_CSWAP_GE: fi_op = 16;
pub const FI_CSWAP_GT: fi_op = 17;
pub const FI_MSWAP: fi_op = 18;
pub const FI_ATOMIC_OP_LAST: fi_op = 19;
pub const FI_NOOP: fi_op = 256;
pub type fi_op = ::std::os::raw::c_uint;
pub const FI_BARRIER: fi_collective_op = 0;
pub const FI_BROADCAST: fi_collective_op = 1;
pub const FI_ALLTOALL: fi_collective_op = 2;
pub const FI_ALLREDUCE: fi_collective_op = 3;
pub const FI_ALLGATHER: fi_collective_op = 4;
pub const FI_REDUCE_SCATTER: fi_collective_op = 5;
pub const FI_REDUCE: fi_collective_op = 6;
pub const FI_SCATTER: fi_collective_op = 7;
pub const FI_GATHER: fi_collective_op = 8;
pub type fi_collective_op = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_atomic_attr {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_collective_attr {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_domain {
    pub size: usize,
    pub av_open: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            attr: *mut fi_av_attr,
            av: *mut *mut fid_av,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub cq_open: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            attr: *mut fi_cq_attr,
            cq: *mut *mut fid_cq,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub endpoint: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            info: *mut fi_info,
            ep: *mut *mut fid_ep,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub scalable_ep: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            info: *mut fi_info,
            sep: *mut *mut fid_ep,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub cntr_open: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            attr: *mut fi_cntr_attr,
            cntr: *mut *mut fid_cntr,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub poll_open: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            attr: *mut fi_poll_attr,
            pollset: *mut *mut fid_poll,
        ) -> ::std::os::raw::c_int,
    >,
    pub stx_ctx: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            attr: *mut fi_tx_attr,
            stx: *mut *mut fid_stx,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub srx_ctx: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            attr: *mut fi_rx_attr,
            rx_ep: *mut *mut fid_ep,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub query_atomic: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            datatype: fi_datatype,
            op: fi_op,
            attr: *mut fi_atomic_attr,
            flags: u64,
        ) -> ::std::os::raw::c_int,
    >,
    pub query_collective: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            coll: fi_collective_op,
            attr: *mut fi_collective_attr,
            flags: u64,
        ) -> ::std::os::raw::c_int,
    >,
    pub endpoint2: ::std::option::Option<
        unsafe extern "C" fn(
            domain: *mut fid_domain,
            info: *mut fi_info,
            ep: *mut *mut fid_ep,
            flags: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_mr {
    pub size: usize,
    pub reg: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            access: u64,
            offset: u64,
            requested_key: u64,
            flags: u64,
            mr: *mut *mut fid_mr,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub regv: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            iov: *const iovec,
            count: usize,
            access: u64,
            offset: u64,
            requested_key: u64,
            flags: u64,
            mr: *mut *mut fid_mr,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub regattr: ::std::option::Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            attr: *const fi_mr_attr,
            flags: u64,
            mr: *mut *mut fid_mr,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_domain {
    pub fid: fid,
    pub ops: *mut fi_ops_domain,
    pub mr: *mut fi_ops_mr,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_msg {
    pub msg_iov: *const iovec,
    pub desc: *mut *mut ::std::os::raw::c_void,
    pub iov_count: usize,
    pub addr: fi_addr_t,
    pub context: *mut ::std::os::raw::c_void,
    pub data: u64,
}
pub const FI_OPT_ENDPOINT: _bindgen_ty_19 = 0;
pub type _bindgen_ty_19 = ::std::os::raw::c_uint;
pub const FI_OPT_MIN_MULTI_RECV: _bindgen_ty_20 = 0;
pub const FI_OPT_CM_DATA_SIZE: _bindgen_ty_20 = 1;
pub const FI_OPT_BUFFERED_MIN: _bindgen_ty_20 = 2;
pub const FI_OPT_BUFFERED_LIMIT: _bindgen_ty_20 = 3;
pub const FI_OPT_SEND_BUF_SIZE: _bindgen_ty_20 = 4;
pub const FI_OPT_RECV_BUF_SIZE: _bindgen_ty_20 = 5;
pub const FI_OPT_TX_SIZE: _bindgen_ty_20 = 6;
pub const FI_OPT_RX_SIZE: _bindgen_ty_20 = 7;
pub const FI_OPT_FI_HMEM_P2P: _bindgen_ty_20 = 8;
pub const FI_OPT_XPU_TRIGGER: _bindgen_ty_20 = 9;
pub type _bindgen_ty_20 = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_ep {
    pub size: usize,
    pub cancel: ::std::option::Option<
        unsafe extern "C" fn(fid: fid_t, context: *mut ::std::os::raw::c_void) -> isize,
    >,
    pub getopt: ::std::option::Option<
        unsafe extern "C" fn(
            fid: fid_t,
            level: ::std::os::raw::c_int,
            optname: ::std::os::raw::c_int,
            optval: *mut ::std::os::raw::c_void,
            optlen: *mut usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub setopt: ::std::option::Option<
        unsafe extern "C" fn(
            fid: fid_t,
            level: ::std::os::raw::c_int,
            optname: ::std::os::raw::c_int,
            optval: *const ::std::os::raw::c_void,
            optlen: usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub tx_ctx: ::std::option::Option<
        unsafe extern "C" fn(
            sep: *mut fid_ep,
            index: ::std::os::raw::c_int,
            attr: *mut fi_tx_attr,
            tx_ep: *mut *mut fid_ep,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub rx_ctx: ::std::option::Option<
        unsafe extern "C" fn(
            sep: *mut fid_ep,
            index: ::std::os::raw::c_int,
            attr: *mut fi_rx_attr,
            rx_ep: *mut *mut fid_ep,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
    pub rx_size_left: ::std::option::Option<unsafe extern "C" fn(ep: *mut fid_ep) -> isize>,
    pub tx_size_left: ::std::option::Option<unsafe extern "C" fn(ep: *mut fid_ep) -> isize>,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_msg {
    pub size: usize,
    pub recv: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *mut ::std::os::raw::c_void,
            len: usize,
            desc: *mut ::std::os::raw::c_void,
            src_addr: fi_addr_t,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub recvv: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            iov: *const iovec,
            desc: *mut *mut ::std::os::raw::c_void,
            count: usize,
            src_addr: fi_addr_t,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub recvmsg:
        ::std::option::Option<unsafe extern "C" fn(ep: *mut fid_ep, msg: *const fi_msg, flags: u64) -> isize>,
    pub send: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            desc: *mut ::std::os::raw::c_void,
            dest_addr: fi_addr_t,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub sendv: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            iov: *const iovec,
            desc: *mut *mut ::std::os::raw::c_void,
            count: usize,
            dest_addr: fi_addr_t,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub sendmsg:
        ::std::option::Option<unsafe extern "C" fn(ep: *mut fid_ep, msg: *const fi_msg, flags: u64) -> isize>,
    pub inject: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            dest_addr: fi_addr_t,
        ) -> isize,
    >,
    pub senddata: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            desc: *mut ::std::os::raw::c_void,
            data: u64,
            dest_addr: fi_addr_t,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub injectdata: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            data: u64,
            dest_addr: fi_addr_t,
        ) -> isize,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_tagged {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_atomic {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_collective {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_ep {
    pub fid: fid,
    pub ops: *mut fi_ops_ep,
    pub cm: *mut fi_ops_cm,
    pub msg: *mut fi_ops_msg,
    pub rma: *mut fi_ops_rma,
    pub tagged: *mut fi_ops_tagged,
    pub atomic: *mut fi_ops_atomic,
    pub collective: *mut fi_ops_collective,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_pep {
    pub fid: fid,
    pub ops: *mut fi_ops_ep,
    pub cm: *mut fi_ops_cm,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_stx {
    pub fid: fid,
    pub ops: *mut fi_ops_ep,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fid_mc {
    pub fid: fid,
    pub fi_addr: fi_addr_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_cm {
    pub size: usize,
    pub setname: ::std::option::Option<
        unsafe extern "C" fn(
            fid: fid_t,
            addr: *mut ::std::os::raw::c_void,
            addrlen: usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub getname: ::std::option::Option<
        unsafe extern "C" fn(
            fid: fid_t,
            addr: *mut ::std::os::raw::c_void,
            addrlen: *mut usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub getpeer: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            addr: *mut ::std::os::raw::c_void,
            addrlen: *mut usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub connect: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            addr: *const ::std::os::raw::c_void,
            param: *const ::std::os::raw::c_void,
            paramlen: usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub listen: ::std::option::Option<unsafe extern "C" fn(pep: *mut fid_pep) -> ::std::os::raw::c_int>,
    pub accept: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            param: *const ::std::os::raw::c_void,
            paramlen: usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub reject: ::std::option::Option<
        unsafe extern "C" fn(
            pep: *mut fid_pep,
            handle: fid_t,
            param: *const ::std::os::raw::c_void,
            paramlen: usize,
        ) -> ::std::os::raw::c_int,
    >,
    pub shutdown:
        ::std::option::Option<unsafe extern "C" fn(ep: *mut fid_ep, flags: u64) -> ::std::os::raw::c_int>,
    pub join: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            addr: *const ::std::os::raw::c_void,
            flags: u64,
            mc: *mut *mut fid_mc,
            context: *mut ::std::os::raw::c_void,
        ) -> ::std::os::raw::c_int,
    >,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_rma_iov {
    pub addr: u64,
    pub len: usize,
    pub key: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_msg_rma {
    pub msg_iov: *const iovec,
    pub desc: *mut *mut ::std::os::raw::c_void,
    pub iov_count: usize,
    pub addr: fi_addr_t,
    pub rma_iov: *const fi_rma_iov,
    pub rma_iov_count: usize,
    pub context: *mut ::std::os::raw::c_void,
    pub data: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct fi_ops_rma {
    pub size: usize,
    pub read: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *mut ::std::os::raw::c_void,
            len: usize,
            desc: *mut ::std::os::raw::c_void,
            src_addr: fi_addr_t,
            addr: u64,
            key: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub readv: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            iov: *const iovec,
            desc: *mut *mut ::std::os::raw::c_void,
            count: usize,
            src_addr: fi_addr_t,
            addr: u64,
            key: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub readmsg: ::std::option::Option<
        unsafe extern "C" fn(ep: *mut fid_ep, msg: *const fi_msg_rma, flags: u64) -> isize,
    >,
    pub write: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            desc: *mut ::std::os::raw::c_void,
            dest_addr: fi_addr_t,
            addr: u64,
            key: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub writev: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            iov: *const iovec,
            desc: *mut *mut ::std::os::raw::c_void,
            count: usize,
            dest_addr: fi_addr_t,
            addr: u64,
            key: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub writemsg: ::std::option::Option<
        unsafe extern "C" fn(ep: *mut fid_ep, msg: *const fi_msg_rma, flags: u64) -> isize,
    >,
    pub inject: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            dest_addr: fi_addr_t,
            addr: u64,
            key: u64,
        ) -> isize,
    >,
    pub writedata: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            desc: *mut ::std::os::raw::c_void,
            data: u64,
            dest_addr: fi_addr_t,
            addr: u64,
            key: u64,
            context: *mut ::std::os::raw::c_void,
        ) -> isize,
    >,
    pub injectdata: ::std::option::Option<
        unsafe extern "C" fn(
            ep: *mut fid_ep,
            buf: *const ::std::os::raw::c_void,
            len: usize,
            data: u64,
            dest_addr: fi_addr_t,
            addr: u64,
            key: u64,
        ) -> isize,
    >,
}
