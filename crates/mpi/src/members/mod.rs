//! The members of a communicator: its one group or two, the seats of all ranks across them, and the hosts on which they
//! live.

mod group_sizes;
mod sides;
mod span;

pub(crate) use group_sizes::GroupSizes;
pub(crate) use sides::Sides;
pub(crate) use span::Span;
