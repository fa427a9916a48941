//! A form several times.

use super::form::Form;

impl Form {
    /// This form `count` times, `stride` bytes apart.
    pub(crate) fn repeat(&self, count: usize, stride: isize) -> Form {
        if count == 0 || self.size() == 0 {
            return Form::Empty;
        }
        if count == 1 {
            return self.clone();
        }
        match *self {
            Form::Run { offset, len } if stride == len as isize => Form::Run {
                offset,
                len: len * count,
            },
            Form::Run { offset, len } => Form::Strided {
                offset,
                len,
                count,
                stride,
            },
            Form::Strided {
                offset,
                len,
                count: blocks,
                stride: step,
            } if stride == step.wrapping_mul(blocks as isize) => Form::Strided {
                offset,
                len,
                count: blocks * count,
                stride: step,
            },
            Form::Nest {
                count: times,
                stride: step,
                ref inner,
                inner_size,
            } if stride == step.wrapping_mul(times as isize) => Form::Nest {
                count: times * count,
                stride: step,
                inner: inner.clone(),
                inner_size,
            },
            _ => Form::Nest {
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

    fn run(offset: isize, len: usize) -> Form {
        Form::Run { offset, len }
    }

    #[test]
    fn repeating_takes_the_simplest_form() {
        assert_eq!(run(0, 8).repeat(4, 8), run(0, 32));
        assert_eq!(run(0, 8).repeat(0, 8), Form::Empty);
        assert_eq!(run(3, 8).repeat(1, 99), run(3, 8));
        let strided = run(0, 4).repeat(3, 16);
        assert_eq!(
            strided,
            Form::Strided {
                offset: 0,
                len: 4,
                count: 3,
                stride: 16
            }
        );
        assert_eq!(
            strided.repeat(2, 48),
            Form::Strided {
                offset: 0,
                len: 4,
                count: 6,
                stride: 16
            }
        );
        assert!(matches!(strided.repeat(2, 40), Form::Nest { count: 2, .. }));
        assert!(matches!(
            strided.repeat(2, 40).repeat(3, 80),
            Form::Nest { count: 6, .. }
        ));
    }
}
