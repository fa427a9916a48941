//! Limits that are compiled in.

use crate::Category;

/// A number that no setting changes; it is shown to users beside the settings.
#[derive(Debug)]
pub struct Limit {
    /// Its name among the control variables.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// The part of the library it belongs to.
    pub category: Category,
    /// What it limits, in one sentence.
    pub doc: &'static str,
}
