//! Hints about the use of a window.
//!
//! `no_locks`, the minimum alignment and the layout of shared memory count when the window is made, and `no_locks` is
//! checked afterwards. The others save nothing here, since operations are done in order and element by element anyway:
//! they are kept and told.

use super::{Flavor, Window};
use crate::info::{Info, MEMORY_KINDS};

/// The most that a program may ask for as alignment.
const MAX_ALIGNMENT: usize = 2 << 20;
/// A cache line, so that memory of different ranks shares none.
pub(super) const ALIGNMENT: usize = 64;

/// Keys whose values are true or false, with the value without a hint.
const FLAGS: [&str; 3] = ["no_locks", "same_size", "same_disp_unit"];
/// Keys with other values, and what holds without a hint.
const WORDS: [(&str, &str); 3] = [
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("mpi_accumulate_granularity", "0"),
];
/// The key for the layout of shared memory.
const NONCONTIGUOUS: &str = "alloc_shared_noncontig";
/// The key for the alignment of memory.
const MINIMUM_ALIGNMENT: &str = "mpi_minimum_memory_alignment";
/// The key by which a program restricts the kinds of memory that it uses.
const ASSERTED_KINDS: &str = "mpi_assert_memory_alloc_kinds";

/// The hints of a rank about a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints(Info);

impl Hints {
    /// The hints in an info object; other keys are ignored, and so are values that make no sense.
    pub(super) fn of(info: &Info) -> Self {
        let mut hints = Self::default();
        hints.update(info);
        hints
    }

    fn update(&mut self, info: &Info) {
        for key in FLAGS.into_iter().chain([NONCONTIGUOUS]) {
            if let Some(flag) = info.flag(key) {
                self.set(key, if flag { "true" } else { "false" });
            }
        }
        let words = WORDS.into_iter().map(|(key, _)| key);
        for key in words.chain([MINIMUM_ALIGNMENT, ASSERTED_KINDS]) {
            if let Some(value) = info.text(key) {
                self.set(key, value);
            }
        }
    }

    fn set(&mut self, key: &str, value: &str) {
        self.0.set(key, value).expect("it was in an info object before");
    }

    /// Whether the program will take no locks.
    pub(super) fn no_locks(&self) -> bool {
        self.0.flag("no_locks") == Some(true)
    }

    /// Whether the memory of different ranks need not follow each other.
    pub(super) fn is_noncontiguous(&self) -> bool {
        self.0.flag(NONCONTIGUOUS) == Some(true)
    }

    /// The alignment of memory that the library allocates.
    pub(super) fn alignment(&self) -> usize {
        let wish = self
            .0
            .text(MINIMUM_ALIGNMENT)
            .and_then(|wish| wish.trim().parse().ok());
        let wish = wish.filter(|wish: &usize| wish.is_power_of_two() && *wish <= MAX_ALIGNMENT);
        wish.unwrap_or(ALIGNMENT).max(ALIGNMENT)
    }
}

impl Window {
    /// Sets the hints that are known; other keys and values are ignored (`MPI_Win_set_info`).
    pub fn set_info(&self, info: &Info) {
        self.hints.lock().update(info);
    }

    /// All known hints and their values, and what kinds of memory windows may have (`MPI_Win_get_info`).
    #[must_use]
    pub fn info(&self) -> Info {
        let given = self.hints.lock().0.clone();
        let mut info = Info::new();
        let flags = FLAGS.into_iter().map(|key| (key, "false"));
        let layout = (self.flavor() == Flavor::Shared).then_some((NONCONTIGUOUS, "false"));
        for (key, value) in flags.chain(WORDS).chain(layout).chain([MEMORY_KINDS]) {
            let value = given.text(key).unwrap_or(value);
            info.set(key, value).expect("keys and values are short");
        }
        for key in [MINIMUM_ALIGNMENT, ASSERTED_KINDS] {
            if let Some(value) = given.text(key) {
                info.set(key, value).expect("keys and values are short");
            }
        }
        info
    }
}
