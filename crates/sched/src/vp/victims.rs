//! The virtual processors that one asks for work.

/// The virtual processors that one asks for work when it is idle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Victims {
    /// Those that it asks as soon as it is idle.
    pub(super) early: Vec<usize>,
    /// Those that it asks before it sleeps.
    pub(super) late: Vec<usize>,
}

impl Victims {
    /// All of them before it sleeps.
    pub(crate) fn together(victims: Vec<usize>) -> Self {
        Self {
            early: Vec::new(),
            late: victims,
        }
    }

    /// The nearest ones first, by their distances.
    pub(crate) fn nearest_first(victims: Vec<usize>, distance: impl Fn(usize) -> usize) -> Self {
        let least = victims.iter().map(|&victim| distance(victim)).min();
        let (early, late) = victims
            .into_iter()
            .partition(|&victim| Some(distance(victim)) == least);
        Self { early, late }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        self.early.iter().chain(&self.late).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_nearest_are_asked_early() {
        let victims = Victims::nearest_first(vec![5, 4, 9, 6], |victim| victim / 4);
        assert_eq!((victims.early, victims.late), (vec![5, 4, 6], vec![9]));
        assert_eq!(
            Victims::nearest_first(Vec::new(), |victim| victim),
            Victims::default()
        );
    }
}
