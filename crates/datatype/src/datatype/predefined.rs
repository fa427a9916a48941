//! The forms of the predefined datatypes.

use std::borrow::Cow;

use super::basic::Basic;
use super::form::{Block, Form};
use super::kind::Kind;

const fn run(len: usize) -> Form {
    Form::Run { offset: 0, len }
}

static RUN_1: Form = run(1);
static RUN_2: Form = run(2);
static RUN_4: Form = run(4);
static RUN_8: Form = run(8);
static RUN_12: Form = run(12);
static RUN_16: Form = run(16);
static RUN_20: Form = run(20);
static RUN_32: Form = run(32);

/// A short, two bytes of nothing, an int.
static SHORT_INT: Form = Form::Blocks(Cow::Borrowed(&[
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
    pub(crate) fn form(self) -> &'static Form {
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

    /// Bytes from the first byte of data to the last.
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
        for &basic in Basic::ALL {
            assert_eq!(basic.form().size(), basic.size(), "{}", basic.name());
            assert_eq!(
                basic.form().bounds(),
                Some((0, basic.true_extent() as isize)),
                "{}",
                basic.name()
            );
        }
    }
}
