//! Deadlock reports: the operations that wait for their counterparts, and the collectives that some ranks have not
//! called.

mod remark;
mod unfinished;
mod unmatched;
mod wait_points;

pub use remark::Remark;
pub use unfinished::Unfinished;
pub(crate) use unfinished::{MeetingPoint, MeetingPoints, StalledCollective};
pub use unmatched::{Operation, Parts, Unmatched};
pub(crate) use wait_points::{WaitPoint, WaitPoints};
