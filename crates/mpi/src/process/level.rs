//! Which threads of a process may call MPI.

use super::ThreadLevel;
use simurgh_core::sync::{AtomicI32, Ordering};

/// The highest level that has been promised so far; promises are not taken back.
#[derive(Debug)]
pub(super) struct LevelCell(AtomicI32);

impl Default for LevelCell {
    fn default() -> Self {
        Self(AtomicI32::new(ThreadLevel::Single as i32))
    }
}

impl LevelCell {
    /// Promises a level.
    pub(super) fn raise(&self, level: ThreadLevel) {
        self.0.fetch_max(level as i32, Ordering::SeqCst);
    }

    /// The level that has been promised.
    pub(super) fn get(&self) -> ThreadLevel {
        let number = self.0.load(Ordering::SeqCst);
        let levels = [
            ThreadLevel::Multiple,
            ThreadLevel::Serialized,
            ThreadLevel::Funneled,
        ];
        let promised = levels.into_iter().find(|level| *level as i32 <= number);
        promised.unwrap_or(ThreadLevel::Single)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_only_rises() {
        let cell = LevelCell::default();
        assert_eq!(cell.get(), ThreadLevel::Single);
        for (raised, level) in [
            (ThreadLevel::Serialized, ThreadLevel::Serialized),
            (ThreadLevel::Funneled, ThreadLevel::Serialized),
            (ThreadLevel::Multiple, ThreadLevel::Multiple),
            (ThreadLevel::Single, ThreadLevel::Multiple),
        ] {
            cell.raise(raised);
            assert_eq!(cell.get(), level);
        }
    }
}
