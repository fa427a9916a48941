//! Forms one after the other, as one form.

use super::form::{Block, Form, Part};

/// A form of up to so many runs is taken apart, so that its neighbours can merge with it.
const FLAT_LIMIT: usize = 16;

/// Forms in the order of a type map, put together on the way.
#[derive(Default)]
pub(crate) struct Assembly {
    /// What cannot be taken apart, and the lists of blocks between.
    parts: Vec<Part>,
    /// Runs behind the last part.
    blocks: Vec<Block>,
    /// Bytes of data in `parts`.
    before: usize,
    /// Bytes of data in `blocks`.
    within: usize,
}

impl Assembly {
    /// Adds `form`, displaced by `offset` bytes.
    pub(crate) fn push(&mut self, offset: isize, form: &Form) {
        if let Form::Run { offset: start, len } = *form {
            self.push_run(offset.wrapping_add(start), len);
        } else if form.runs() <= FLAT_LIMIT {
            let (mut position, mut hint) = (0, 0);
            while position < form.size() {
                let stretch = form.at(position, &mut hint);
                self.push_run(offset.wrapping_add(stretch.offset), stretch.head);
                position += stretch.head;
            }
        } else {
            self.flush();
            self.push_part(offset, form.clone());
        }
    }

    fn push_run(&mut self, offset: isize, len: usize) {
        match self.blocks.last_mut() {
            Some(last) if last.offset.wrapping_add_unsigned(last.len) == offset => last.len += len,
            _ => self.blocks.push(Block {
                offset,
                len,
                before: self.within,
            }),
        }
        self.within += len;
    }

    fn push_part(&mut self, offset: isize, form: Form) {
        let before = self.before;
        self.before += form.size();
        self.parts.push(Part { offset, before, form });
    }

    fn flush(&mut self) {
        if !self.blocks.is_empty() {
            let form = of_blocks(std::mem::take(&mut self.blocks));
            self.push_part(0, form);
            self.within = 0;
        }
    }

    /// The simplest form of all that was added.
    pub(crate) fn finish(mut self) -> Form {
        if self.parts.is_empty() {
            return of_blocks(self.blocks);
        }
        self.flush();
        match self.parts.len() {
            1 => {
                let Part { offset, form, .. } = self.parts.remove(0);
                form.shifted(offset)
            }
            _ => Form::Parts(self.parts.into()),
        }
    }
}

/// The simplest form of blocks that do not touch.
fn of_blocks(blocks: Vec<Block>) -> Form {
    match *blocks {
        [] => Form::Empty,
        [Block { offset, len, .. }] => Form::Run { offset, len },
        [first, second, ..] => {
            let stride = second.offset.wrapping_sub(first.offset);
            let regular = blocks.windows(2).all(|pair| {
                pair[1].len == first.len && pair[1].offset.wrapping_sub(pair[0].offset) == stride
            });
            if regular {
                Form::Strided {
                    offset: first.offset,
                    len: first.len,
                    count: blocks.len(),
                    stride,
                }
            } else {
                Form::Blocks(blocks.into())
            }
        }
    }
}

impl Form {
    /// Contiguous runs it consists of.
    fn runs(&self) -> usize {
        match self {
            Form::Empty => 0,
            Form::Run { .. } => 1,
            Form::Strided { count, .. } => *count,
            Form::Blocks(blocks) => blocks.len(),
            Form::Parts(parts) => parts
                .iter()
                .fold(0, |runs, part| part.form.runs().saturating_add(runs)),
            Form::Nest { count, inner, .. } => count.saturating_mul(inner.runs()),
        }
    }

    /// The same, `by` bytes further.
    pub(crate) fn shifted(mut self, by: isize) -> Form {
        match &mut self {
            Form::Empty => {}
            Form::Run { offset, .. } | Form::Strided { offset, .. } => *offset = offset.wrapping_add(by),
            Form::Blocks(blocks) => {
                for block in blocks.to_mut() {
                    block.offset = block.offset.wrapping_add(by);
                }
            }
            Form::Parts(parts) => {
                for part in parts {
                    part.offset = part.offset.wrapping_add(by);
                }
            }
            Form::Nest { inner, .. } => **inner = std::mem::replace(&mut **inner, Form::Empty).shifted(by),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(forms: &[(isize, Form)]) -> Form {
        let mut assembly = Assembly::default();
        for (offset, form) in forms {
            assembly.push(*offset, form);
        }
        assembly.finish()
    }

    fn run(offset: isize, len: usize) -> Form {
        Form::Run { offset, len }
    }

    #[test]
    fn neighbours_merge() {
        assert_eq!(
            assembled(&[(0, run(0, 4)), (4, run(0, 8)), (8, run(4, 1))]),
            run(0, 13)
        );
        assert_eq!(assembled(&[(4, Form::Empty)]), Form::Empty);
        let pair = run(0, 2).repeat(2, 6);
        assert_eq!(
            assembled(&[(0, pair.clone()), (12, pair.clone()), (24, pair)]),
            run(0, 2).repeat(6, 6)
        );
    }

    #[test]
    fn long_forms_stay_parts() {
        let long = run(0, 4).repeat(1000, 16);
        assert_eq!(assembled(&[(8, long.clone())]), long.clone().shifted(8));
        let Form::Parts(parts) = assembled(&[(0, run(0, 1)), (3, run(0, 1)), (8, long.clone()), (0, long)])
        else {
            panic!("two long forms are not one")
        };
        let places: Vec<_> = parts.iter().map(|part| (part.offset, part.before)).collect();
        assert_eq!(places, [(0, 0), (8, 2), (0, 4002)]);
    }

    #[test]
    fn unlike_blocks_are_listed() {
        let Form::Blocks(blocks) = assembled(&[(0, run(0, 4)), (8, run(0, 4)), (17, run(0, 4))]) else {
            panic!("no stride")
        };
        assert_eq!(blocks.last().map(|block| block.before), Some(8));
    }
}
