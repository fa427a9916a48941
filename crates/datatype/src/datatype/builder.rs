//! Joins dataloops, one after the other, into one dataloop.

use super::dataloop::{Block, Dataloop, Part};

/// Dataloops with at most this many contiguous runs are taken apart, so that their runs can merge with neighbours.
const FLAT_LIMIT: usize = 16;

/// Builds one dataloop from several, which are added in the order of the type map.
#[derive(Default)]
pub(crate) struct DataloopBuilder {
    /// Finished parts: dataloops that were not taken apart, and the lists of blocks between them.
    parts: Vec<Part>,
    /// The runs since the last part.
    blocks: Vec<Block>,
    /// Bytes of data in `parts`.
    before: usize,
    /// Bytes of data in `blocks`.
    within: usize,
}

impl DataloopBuilder {
    /// Adds `dataloop`, displaced by `offset` bytes.
    pub(crate) fn push(&mut self, offset: isize, dataloop: &Dataloop) {
        if let Dataloop::Contiguous { offset: start, len } = *dataloop {
            self.push_run(offset.wrapping_add(start), len);
        } else if dataloop.runs() <= FLAT_LIMIT {
            let (mut position, mut hint) = (0, 0);
            while position < dataloop.size() {
                let segment = dataloop.at(position, &mut hint);
                self.push_run(offset.wrapping_add(segment.offset), segment.head);
                position += segment.head;
            }
        } else {
            self.flush();
            self.push_part(offset, dataloop.clone());
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

    fn push_part(&mut self, offset: isize, dataloop: Dataloop) {
        let before = self.before;
        self.before += dataloop.size();
        self.parts.push(Part {
            offset,
            before,
            dataloop,
        });
    }

    fn flush(&mut self) {
        if !self.blocks.is_empty() {
            let dataloop = of_blocks(std::mem::take(&mut self.blocks));
            self.push_part(0, dataloop);
            self.within = 0;
        }
    }

    /// The simplest dataloop that describes everything added.
    pub(crate) fn finish(mut self) -> Dataloop {
        if self.parts.is_empty() {
            return of_blocks(self.blocks);
        }
        self.flush();
        match self.parts.len() {
            1 => {
                let Part { offset, dataloop, .. } = self.parts.remove(0);
                dataloop.shifted(offset)
            }
            _ => Dataloop::Struct(self.parts.into()),
        }
    }
}

/// The simplest dataloop of blocks that do not touch.
fn of_blocks(blocks: Vec<Block>) -> Dataloop {
    match *blocks {
        [] => Dataloop::Empty,
        [Block { offset, len, .. }] => Dataloop::Contiguous { offset, len },
        [first, second, ..] => {
            let stride = second.offset.wrapping_sub(first.offset);
            let regular = blocks.windows(2).all(|pair| {
                pair[1].len == first.len && pair[1].offset.wrapping_sub(pair[0].offset) == stride
            });
            if regular {
                Dataloop::Vector {
                    offset: first.offset,
                    len: first.len,
                    count: blocks.len(),
                    stride,
                }
            } else {
                Dataloop::Indexed(blocks.into())
            }
        }
    }
}

impl Dataloop {
    /// The number of contiguous runs in one element.
    fn runs(&self) -> usize {
        match self {
            Dataloop::Empty => 0,
            Dataloop::Contiguous { .. } => 1,
            Dataloop::Vector { count, .. } => *count,
            Dataloop::Indexed(blocks) => blocks.len(),
            Dataloop::Struct(parts) => parts
                .iter()
                .fold(0, |runs, part| part.dataloop.runs().saturating_add(runs)),
            Dataloop::Nested { count, inner, .. } => count.saturating_mul(inner.runs()),
        }
    }

    /// The same data, displaced by `by` bytes.
    pub(crate) fn shifted(mut self, by: isize) -> Dataloop {
        match &mut self {
            Dataloop::Empty => {}
            Dataloop::Contiguous { offset, .. } | Dataloop::Vector { offset, .. } => {
                *offset = offset.wrapping_add(by)
            }
            Dataloop::Indexed(blocks) => {
                for block in blocks.to_mut() {
                    block.offset = block.offset.wrapping_add(by);
                }
            }
            Dataloop::Struct(parts) => {
                for part in parts {
                    part.offset = part.offset.wrapping_add(by);
                }
            }
            Dataloop::Nested { inner, .. } => {
                **inner = std::mem::replace(&mut **inner, Dataloop::Empty).shifted(by)
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(dataloops: &[(isize, Dataloop)]) -> Dataloop {
        let mut builder = DataloopBuilder::default();
        for (offset, dataloop) in dataloops {
            builder.push(*offset, dataloop);
        }
        builder.finish()
    }

    fn run(offset: isize, len: usize) -> Dataloop {
        Dataloop::Contiguous { offset, len }
    }

    #[test]
    fn neighbours_merge() {
        assert_eq!(
            assembled(&[(0, run(0, 4)), (4, run(0, 8)), (8, run(4, 1))]),
            run(0, 13)
        );
        assert_eq!(assembled(&[(4, Dataloop::Empty)]), Dataloop::Empty);
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
        let Dataloop::Struct(parts) =
            assembled(&[(0, run(0, 1)), (3, run(0, 1)), (8, long.clone()), (0, long)])
        else {
            panic!("two long dataloops are not one")
        };
        let places: Vec<_> = parts.iter().map(|part| (part.offset, part.before)).collect();
        assert_eq!(places, [(0, 0), (8, 2), (0, 4002)]);
    }

    #[test]
    fn unlike_blocks_are_listed() {
        let Dataloop::Indexed(blocks) = assembled(&[(0, run(0, 4)), (8, run(0, 4)), (17, run(0, 4))]) else {
            panic!("no stride")
        };
        assert_eq!(blocks.last().map(|block| block.before), Some(8));
    }
}
