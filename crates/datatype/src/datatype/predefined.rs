//! The dataloops of the predefined datatypes.

use std::borrow::Cow;

use super::basic::Basic;
use super::dataloop::{Block, Dataloop};
use super::kind::Kind;

const fn run(len: usize) -> Dataloop {
    Dataloop::Contiguous { offset: 0, len }
}

static RUN_1: Dataloop = run(1);
static RUN_2: Dataloop = run(2);
static RUN_4: Dataloop = run(4);
static RUN_8: Dataloop = run(8);
static RUN_12: Dataloop = run(12);
static RUN_16: Dataloop = run(16);
static RUN_20: Dataloop = run(20);
static RUN_32: Dataloop = run(32);

/// A short, two bytes of padding, an int.
static SHORT_INT: Dataloop = Dataloop::Indexed(Cow::Borrowed(&[
    Block {
        offset: 0,
        len: 2,
        before: 0,
    },
    Block {
        offset: 4,
        len: 4,
        before: 2,
    },
]));

impl Basic {
    /// Where the data of an element lies.
    pub(crate) fn dataloop(self) -> &'static Dataloop {
        match (self.kind(), self.size()) {
            (Kind::I16I32, _) => &SHORT_INT,
            (_, 1) => &RUN_1,
            (_, 2) => &RUN_2,
            (_, 4) => &RUN_4,
            (_, 8) => &RUN_8,
            (_, 12) => &RUN_12,
            (_, 16) => &RUN_16,
            (_, 20) => &RUN_20,
            _ => &RUN_32,
        }
    }

    /// Bytes from the first byte of data to the byte after the last.
    pub(crate) fn true_extent(self) -> usize {
        if self.kind() == Kind::I16I32 {
            self.extent()
        } else {
            self.size()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_the_size_of_the_datatype() {
        for &basic in Basic::ALL.iter().chain(Basic::RESIZED) {
            assert_eq!(basic.dataloop().size(), basic.size(), "{}", basic.name());
            assert_eq!(
                basic.dataloop().bounds(),
                Some((0, basic.true_extent() as isize)),
                "{}",
                basic.name()
            );
        }
    }
}
