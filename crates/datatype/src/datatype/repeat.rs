//! Repetitions of a dataloop.

use super::dataloop::Dataloop;

impl Dataloop {
    /// `count` repetitions of this dataloop, whose starts are `stride` bytes apart.
    pub(crate) fn repeat(&self, count: usize, stride: isize) -> Dataloop {
        if count == 0 || self.size() == 0 {
            return Dataloop::Empty;
        }
        if count == 1 {
            return self.clone();
        }
        match *self {
            Dataloop::Contiguous { offset, len } if stride == len as isize => Dataloop::Contiguous {
                offset,
                len: len * count,
            },
            Dataloop::Contiguous { offset, len } => Dataloop::Vector {
                offset,
                len,
                count,
                stride,
            },
            Dataloop::Vector {
                offset,
                len,
                count: blocks,
                stride: step,
            } if stride == step.wrapping_mul(blocks as isize) => Dataloop::Vector {
                offset,
                len,
                count: blocks * count,
                stride: step,
            },
            Dataloop::Nested {
                count: times,
                stride: step,
                ref inner,
                inner_size,
            } if stride == step.wrapping_mul(times as isize) => Dataloop::Nested {
                count: times * count,
                stride: step,
                inner: inner.clone(),
                inner_size,
            },
            _ => Dataloop::Nested {
                count,
                stride,
                inner: Box::new(self.clone()),
                inner_size: self.size(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(offset: isize, len: usize) -> Dataloop {
        Dataloop::Contiguous { offset, len }
    }

    #[test]
    fn repeating_takes_the_simplest_form() {
        assert_eq!(run(0, 8).repeat(4, 8), run(0, 32));
        assert_eq!(run(0, 8).repeat(0, 8), Dataloop::Empty);
        assert_eq!(run(3, 8).repeat(1, 99), run(3, 8));
        let strided = run(0, 4).repeat(3, 16);
        assert_eq!(
            strided,
            Dataloop::Vector {
                offset: 0,
                len: 4,
                count: 3,
                stride: 16
            }
        );
        assert_eq!(
            strided.repeat(2, 48),
            Dataloop::Vector {
                offset: 0,
                len: 4,
                count: 6,
                stride: 16
            }
        );
        assert!(matches!(strided.repeat(2, 40), Dataloop::Nested { count: 2, .. }));
        assert!(matches!(
            strided.repeat(2, 40).repeat(3, 80),
            Dataloop::Nested { count: 6, .. }
        ));
    }
}
