//! The functions of the C interface, by subject.
//!
//! See [`simurgh_mpi_abi_macros::mpi`] for what a declaration means.

pub mod abi;
pub mod attribute;
pub mod buffer;
pub mod collective;
pub mod comm;
pub mod comm_duplicate;
pub mod comm_make;
pub mod completion;
pub mod datatype;
pub mod environment;
pub mod errhandler;
pub mod error;
pub mod generalised;
pub mod glance;
pub mod group;
pub mod handle;
pub mod hardware;
pub mod info;
pub mod initialise;
pub mod intercomm;
pub mod memory;
pub mod nonblocking;
pub mod op;
pub mod partitioned;
pub mod persistent;
pub mod receive;
pub mod reduction;
pub mod send;
pub mod session;
pub mod session_errhandler;
pub mod several;
pub mod status;
pub mod tool;
pub mod tool_category;
pub mod tool_cvar;
pub mod tool_event;
pub mod tool_pvar;
pub mod tool_registration;
pub mod topology;
pub mod topology_cart;
pub mod topology_dist_graph;
pub mod topology_graph;
pub mod type_attribute;
