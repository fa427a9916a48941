//! The shares of a universe: numbers of hosts that are used again, since there are fewer than hosts over time.

use std::collections::BTreeSet;

/// How many shares a job gets beyond its number of hosts, for worlds that it may spawn; as many again, if it has more
/// hosts than that.
const MORE: usize = 64;

/// The shares that no job has.
#[derive(Debug)]
pub(super) struct Shares {
    free: BTreeSet<u32>,
    most: u32,
}

impl Shares {
    /// All shares up to `most` are free.
    pub(super) fn new(most: u32) -> Self {
        Self {
            free: (0..most).collect(),
            most,
        }
    }

    /// Takes the lowest shares for a job of so many hosts, and more if there are.
    ///
    /// # Errors
    ///
    /// When there are too few, in words for the user.
    pub(super) fn take(&mut self, hosts: usize) -> Result<Vec<u32>, String> {
        if self.free.len() < hosts {
            let there = self.most as usize - self.free.len();
            return Err(format!(
                "its {hosts} hosts are too many: there may be {} in a universe, and {there} are taken by other jobs \
                 for what they run and may start",
                self.most
            ));
        }
        let wanted = hosts.saturating_add(hosts.max(MORE));
        let taken: Vec<u32> = self.free.iter().copied().take(wanted).collect();
        taken.iter().for_each(|share| {
            self.free.remove(share);
        });
        Ok(taken)
    }

    /// Returns shares.
    pub(super) fn give_back(&mut self, shares: Vec<u32>) {
        self.free.extend(shares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_lent_and_come_back() {
        let mut shares = Shares::new(200);
        let first = shares.take(2).unwrap();
        assert_eq!(first, (0..66).collect::<Vec<_>>());
        assert_eq!(shares.take(100).unwrap(), (66..200).collect::<Vec<_>>());
        let refused = shares.take(1).unwrap_err();
        assert!(
            refused.contains("may be 200 in a universe, and 200 are taken"),
            "{refused}"
        );
        shares.give_back(first);
        assert_eq!(shares.take(66).unwrap(), (0..66).collect::<Vec<_>>());
    }
}
