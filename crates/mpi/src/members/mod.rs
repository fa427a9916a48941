//! The members of a communicator: its one group or two, the seats of all ranks across them, and the hosts on which they
//! live.

mod seating;
mod sides;
mod span;

pub(crate) use seating::Seating;
pub(crate) use sides::Sides;
pub(crate) use span::Span;
