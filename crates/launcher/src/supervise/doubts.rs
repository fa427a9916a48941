//! Who is lost, when hosts say of each other that they cannot reach each other.
//!
//! Where a link is cut, those on both sides of it say so of those on the other; a host that is stopped says nothing.
//! They say it at different times: a host is asked for signs of life four times in the time of `peer_timeout`, so what
//! one notices first another may notice half of that time later.

use simurgh_net::transport::HostId;

/// What hosts have said of each other.
#[derive(Default)]
pub(super) struct Doubts {
    /// In the order in which it was said.
    said: Vec<Doubt>,
}

/// That a host cannot reach another one.
struct Doubt {
    by: HostId,
    lost: HostId,
    reason: String,
}

impl Doubts {
    pub(super) fn add(&mut self, by: HostId, lost: HostId, reason: String) {
        self.said.push(Doubt { by, lost, reason });
    }

    /// The lost host, and why it is thought lost: the one that takes part in most doubts; of several the one that is
    /// doubted most, then the one that was named first.
    pub(super) fn lost(&self) -> Option<(HostId, &str)> {
        let rank = |doubt: &Doubt| (self.parts_of(doubt.lost), self.doubters_of(doubt.lost));
        // The last of the greatest is found, hence backwards.
        let found = self.said.iter().rev().max_by_key(|doubt| rank(doubt));
        found.map(|doubt| (doubt.lost, doubt.reason.as_str()))
    }

    /// Whether two hosts say the same of a third: no later word will change who is lost.
    pub(super) fn are_settled(&self) -> bool {
        self.lost().is_some_and(|(lost, _)| self.doubters_of(lost) > 1)
    }

    fn doubters_of(&self, host: HostId) -> usize {
        self.said.iter().filter(|doubt| doubt.lost == host).count()
    }

    fn parts_of(&self, host: HostId) -> usize {
        let takes_part = |doubt: &&Doubt| doubt.lost == host || doubt.by == host;
        self.said.iter().filter(takes_part).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pairs: &[(HostId, HostId)]) -> Doubts {
        let mut doubts = Doubts::default();
        for (by, lost) in pairs {
            doubts.add(*by, *lost, format!("{by} of {lost}"));
        }
        doubts
    }

    #[test]
    fn the_host_behind_a_cut_link_is_lost_even_if_it_speaks_first() {
        assert_eq!(said(&[(2, 3), (1, 2)]).lost(), Some((2, "1 of 2")));
        assert_eq!(
            said(&[(2, 3), (2, 1), (2, 0), (1, 2)]).lost(),
            Some((2, "1 of 2"))
        );
        let all = said(&[(2, 3), (3, 2), (2, 1), (1, 2)]);
        assert_eq!(all.lost(), Some((2, "3 of 2")));
        assert!(all.are_settled());
    }

    #[test]
    fn a_single_word_may_be_that_of_the_lost_host_itself() {
        assert!(!said(&[(2, 3)]).are_settled());
        assert!(!said(&[(2, 3), (2, 1), (2, 0)]).are_settled());
        assert!(!said(&[]).are_settled());
        assert_eq!(said(&[]).lost(), None);
    }

    #[test]
    fn a_stopped_host_is_lost_by_the_word_of_the_others() {
        let doubts = said(&[(1, 2), (3, 2)]);
        assert_eq!(doubts.lost(), Some((2, "1 of 2")));
        assert!(doubts.are_settled());
        assert_eq!(said(&[(1, 2)]).lost(), Some((2, "1 of 2")));
    }
}
