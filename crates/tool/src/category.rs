//! Categories: the tree in which a tool finds all variables and types of events.

use super::{control, event, variable};

/// A category of the tool information interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// The root of the tree.
    All,
    /// A part of the library, one level below the root.
    Part(simurgh_settings::Category),
}

/// All categories, by index: the root first, then the parts of the library.
pub fn all() -> impl ExactSizeIterator<Item = Category> {
    (0..simurgh_settings::Category::ALL.len() + 1).map(|index| match index {
        0 => Category::All,
        part => Category::Part(simurgh_settings::Category::ALL[part - 1]),
    })
}

/// The category with this index.
#[must_use]
pub fn at(index: usize) -> Option<Category> {
    all().nth(index)
}

impl Category {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "simurgh",
            Self::Part(part) => part.name(),
        }
    }

    /// The description of the category, for users of the tool.
    #[must_use]
    pub fn doc(self) -> &'static str {
        match self {
            Self::All => "everything that Simurgh offers to tools",
            Self::Part(part) => part.doc(),
        }
    }

    fn has(self, part: simurgh_settings::Category) -> bool {
        self == Self::Part(part)
    }

    /// The indices of the control variables in this category.
    #[must_use]
    pub fn controls(self) -> Vec<usize> {
        places(control::all(), |control| self.has(control.category))
    }

    /// The indices of the performance variables in this category.
    #[must_use]
    pub fn variables(self) -> Vec<usize> {
        places(variable::all(), |variable| self.has(variable.category))
    }

    /// The indices of the types of events in this category.
    #[must_use]
    pub fn events(self) -> Vec<usize> {
        places(&event::TYPES, |event| self.has(event.category))
    }

    /// The indices of the categories directly below this one.
    #[must_use]
    pub fn categories(self) -> Vec<usize> {
        match self {
            Self::All => (1..all().len()).collect(),
            Self::Part(_) => Vec::new(),
        }
    }
}

fn places<T>(things: &[T], belongs: impl Fn(&T) -> bool) -> Vec<usize> {
    let all = things.iter().enumerate();
    all.filter(|(_, thing)| belongs(thing))
        .map(|(place, _)| place)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_one_category_that_the_root_leads_to() {
        let root = at(0).unwrap();
        let parts: Vec<_> = root.categories().into_iter().filter_map(at).collect();
        assert_eq!(parts.len() + 1, all().len());
        let sum =
            |list: fn(Category) -> Vec<usize>| parts.iter().map(|part| list(*part).len()).sum::<usize>();
        assert_eq!(sum(Category::controls), control::all().len());
        assert_eq!(sum(Category::variables), variable::all().len());
        assert_eq!(sum(Category::events), event::TYPES.len());
        assert!(at(all().len()).is_none());
    }
}
