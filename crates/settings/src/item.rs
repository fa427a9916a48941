//! Words that are values of settings.

/// A word that is a value of a setting.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    /// The word.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}
