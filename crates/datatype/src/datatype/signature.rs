//! Type signatures: which predefined elements a datatype consists of, in order, in little memory.

use std::fmt;

use simurgh_core::sync::Arc;

use super::basic::Basic;

/// A sequence of predefined elements.
#[derive(Clone, Debug)]
pub enum Signature {
    /// None.
    Empty,
    /// `count` elements of one datatype, which is no pair.
    Run {
        /// The datatype of each.
        basic: Basic,
        /// Number of elements.
        count: usize,
    },
    /// Another signature several times.
    Repeat {
        /// How many times.
        count: usize,
        /// The component that is repeated.
        inner: Arc<Component>,
    },
    /// Signatures one after the other.
    Sequence(Arc<[Component]>),
}

/// A part of a sequence.
#[derive(Clone, Debug)]
pub struct Component {
    /// Bytes in the parts before this one.
    bytes_before: usize,
    /// Elements in the parts before this one.
    elements_before: usize,
    signature: Signature,
}

impl Signature {
    /// The signature of a predefined datatype: a pair is its value and its index.
    pub fn of(basic: Basic) -> Self {
        match basic.pair() {
            None => Signature::Run { basic, count: 1 },
            Some((value, index)) => Self::sequence([(Self::of(value), 1), (Self::of(index), 1)]),
        }
    }

    /// This signature `count` times.
    pub fn repeat(&self, count: usize) -> Self {
        match *self {
            _ if count == 0 => Signature::Empty,
            Signature::Empty => Signature::Empty,
            Signature::Run { basic, count: times } => Signature::Run {
                basic,
                count: count * times,
            },
            Signature::Repeat {
                count: times,
                ref inner,
            } => Signature::Repeat {
                count: count * times,
                inner: Arc::clone(inner),
            },
            Signature::Sequence(_) if count == 1 => self.clone(),
            Signature::Sequence(_) => Signature::Repeat {
                count,
                inner: Arc::new(Component::first(self.clone())),
            },
        }
    }

    /// The concatenation of signatures, each repeated as often as its number says.
    pub fn sequence(parts: impl IntoIterator<Item = (Signature, usize)>) -> Self {
        let mut components: Vec<Component> = Vec::new();
        for (part, count) in parts {
            let part = part.repeat(count);
            match (components.last_mut().map(|last| &mut last.signature), part) {
                (_, Signature::Empty) => {}
                (
                    Some(Signature::Run { basic, count }),
                    Signature::Run {
                        basic: next,
                        count: more,
                    },
                ) if *basic == next => {
                    *count += more;
                }
                (None, part) => components.push(Component::first(part)),
                (Some(_), part) => {
                    let next = components[components.len() - 1].before_next(part);
                    components.push(next);
                }
            }
        }
        match components.len() {
            0 => Signature::Empty,
            1 => components.remove(0).signature,
            _ => Signature::Sequence(components.into()),
        }
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        match self {
            Signature::Empty => 0,
            Signature::Run { basic, count } => basic.size() * count,
            Signature::Repeat { count, inner } => count * inner.signature.bytes(),
            Signature::Sequence(components) => components.last().map_or(0, Component::bytes_after),
        }
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        match self {
            Signature::Empty => 0,
            Signature::Run { count, .. } => *count,
            Signature::Repeat { count, inner } => count * inner.signature.elements(),
            Signature::Sequence(components) => components.last().map_or(0, Component::elements_after),
        }
    }

    /// The number of elements in the first `bytes` bytes of data; `None` if these end inside an element. `bytes` is at
    /// most the size of all elements.
    pub fn elements_in(&self, bytes: usize) -> Option<usize> {
        match self {
            Signature::Empty => (bytes == 0).then_some(0),
            Signature::Run { basic, .. } => bytes.is_multiple_of(basic.size()).then(|| bytes / basic.size()),
            Signature::Repeat { inner, .. } => {
                let inner = &inner.signature;
                let whole = bytes / inner.bytes() * inner.elements();
                Some(whole + inner.elements_in(bytes % inner.bytes())?)
            }
            Signature::Sequence(components) => {
                let component =
                    &components[components.partition_point(|component| component.bytes_before <= bytes) - 1];
                let within = component.signature.elements_in(bytes - component.bytes_before)?;
                Some(component.elements_before + within)
            }
        }
    }

    /// The size of the first `elements` elements; `elements` is at most the number of all.
    pub fn bytes_of(&self, elements: usize) -> usize {
        match self {
            Signature::Empty => 0,
            Signature::Run { basic, .. } => elements * basic.size(),
            Signature::Repeat { inner, .. } => {
                let inner = &inner.signature;
                elements / inner.elements() * inner.bytes() + inner.bytes_of(elements % inner.elements())
            }
            Signature::Sequence(components) => {
                let component = &components
                    [components.partition_point(|component| component.elements_before <= elements) - 1];
                component.bytes_before + component.signature.bytes_of(elements - component.elements_before)
            }
        }
    }
}

impl Signature {
    /// Calls `visit` with the datatype and the length of each run of equal elements, in order.
    pub fn for_each(&self, visit: &mut impl FnMut(Basic, usize)) {
        match self {
            Signature::Empty => {}
            Signature::Run { basic, count } => visit(*basic, *count),
            Signature::Repeat { count, inner } => (0..*count).for_each(|_| inner.signature.for_each(visit)),
            Signature::Sequence(components) => components
                .iter()
                .for_each(|component| component.signature.for_each(visit)),
        }
    }

    /// The size of all elements in another representation, in which `size` gives the size of each.
    pub fn bytes_by(&self, size: &impl Fn(Basic) -> usize) -> usize {
        match self {
            Signature::Empty => 0,
            Signature::Run { basic, count } => size(*basic) * count,
            Signature::Repeat { count, inner } => count * inner.signature.bytes_by(size),
            Signature::Sequence(components) => components
                .iter()
                .map(|component| component.signature.bytes_by(size))
                .sum(),
        }
    }
}

/// The most parts of a sequence that are shown; an ellipsis stands for the rest.
const SHOWN: usize = 4;

impl fmt::Display for Signature {
    /// Such as `3 MPI_CHAR, 4 times (1 MPI_INT, 2 MPI_DOUBLE)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signature::Empty => f.write_str("nothing"),
            Signature::Run { basic, count } => {
                write!(f, "{count} {}", basic.name())?;
                match basic.size() {
                    size if size == basic.usual().size() => Ok(()),
                    size => write!(f, " of {size} bytes"),
                }
            }
            Signature::Repeat { count, inner } => write!(f, "{count} times ({})", inner.signature),
            Signature::Sequence(components) => {
                for (place, component) in components.iter().take(SHOWN).enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    write!(f, "{comma}{}", component.signature)?;
                }
                f.write_str(if components.len() > SHOWN { ", …" } else { "" })
            }
        }
    }
}

impl Component {
    /// The signature of the part.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    fn first(signature: Signature) -> Self {
        Self {
            bytes_before: 0,
            elements_before: 0,
            signature,
        }
    }

    fn before_next(&self, signature: Signature) -> Self {
        Self {
            bytes_before: self.bytes_after(),
            elements_before: self.elements_after(),
            signature,
        }
    }

    fn bytes_after(&self) -> usize {
        self.bytes_before + self.signature.bytes()
    }

    fn elements_after(&self) -> usize {
        self.elements_before + self.signature.elements()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> Signature {
        Signature::sequence([
            (Signature::of(Basic::Char), 3),
            (Signature::of(Basic::Double), 1),
            (Signature::of(Basic::Double), 1),
            (Signature::of(Basic::Int), 0),
            (Signature::of(Basic::ShortInt), 2),
        ])
    }

    #[test]
    fn elements_are_counted_through_bytes_and_back() {
        let signature = mixed().repeat(5);
        assert_eq!((signature.bytes(), signature.elements()), (5 * 31, 5 * 9));
        let mut bytes = 0;
        for (elements, size) in [1, 1, 1, 8, 8, 2, 4, 2, 4].repeat(5).into_iter().enumerate() {
            assert_eq!(signature.elements_in(bytes), Some(elements));
            assert_eq!(signature.bytes_of(elements), bytes);
            (1..size).for_each(|part| assert_eq!(signature.elements_in(bytes + part), None));
            bytes += size;
        }
        assert_eq!(signature.elements_in(bytes), Some(45));
        assert_eq!(signature.bytes_of(45), bytes);
    }

    #[test]
    fn equal_neighbours_are_one_run() {
        let doubles = Signature::sequence([
            (Signature::of(Basic::Double), 2),
            (Signature::of(Basic::Double), 3),
        ]);
        assert!(matches!(doubles.repeat(4), Signature::Run { count: 20, .. }));
        assert!(matches!(
            mixed().repeat(2).repeat(3),
            Signature::Repeat { count: 6, .. }
        ));
        assert!(matches!(mixed().repeat(0), Signature::Empty));
    }

    #[test]
    fn a_signature_is_shown_in_words() {
        assert_eq!(Signature::of(Basic::Int).repeat(7).to_string(), "7 MPI_INT");
        assert_eq!(Signature::Empty.to_string(), "nothing");
        assert_eq!(
            mixed().repeat(5).to_string(),
            "5 times (3 MPI_CHAR, 2 MPI_DOUBLE, 2 times (1 MPI_SHORT, 1 MPI_INT))"
        );
        let wide = Signature::of(Basic::RealOf8).repeat(3);
        assert_eq!(wide.to_string(), "3 MPI_REAL of 8 bytes");
        let alternating = (0..9).map(|place| if place % 2 == 0 { Basic::Int } else { Basic::Float });
        let long = Signature::sequence(alternating.map(|basic| (Signature::of(basic), 1)));
        assert_eq!(
            long.to_string(),
            "1 MPI_INT, 1 MPI_FLOAT, 1 MPI_INT, 1 MPI_FLOAT, …"
        );
    }
}
