//! The members of a communicator: its one group or two, the seats of all ranks across them, and the hosts on which they
//! live.

mod group_sizes;
mod groups;
mod host_map;

pub(crate) use group_sizes::GroupSizes;
pub(crate) use groups::Members;
pub(crate) use host_map::HostMap;
