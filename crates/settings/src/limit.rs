//! Limits that are compiled in.

use crate::Category;

/// A number that no setting changes. It is shown to users beside the settings. Made by [`limits!`](crate::limits).
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The constant, in capitals.
    pub constant: &'static str,
    /// Its value.
    pub value: u64,
    /// The part of the library that it belongs to.
    pub category: Category,
    /// The constant's documentation.
    pub documentation: &'static str,
}

impl Limit {
    /// Its name among the control variables.
    #[must_use]
    pub fn name(&self) -> String {
        self.constant.to_lowercase()
    }

    /// Its purpose, in one sentence.
    #[must_use]
    pub fn doc(&self) -> String {
        let words: Vec<_> = self.documentation.split_whitespace().collect();
        words.join(" ").trim_end_matches('.').to_owned()
    }
}

/// Declares constants and a table of them. Each constant is followed by its [`Category`].
#[macro_export]
macro_rules! limits {
    (
        $(#[$about:meta])*
        $shown:vis const $table:ident;
        $($(#[doc = $doc:literal])+ $visible:vis const $name:ident: $type:ty = $value:expr, $category:ident;)*
    ) => {
        $($(#[doc = $doc])+ $visible const $name: $type = $value;)*

        $(#[$about])*
        $shown const $table: &[$crate::Limit] = &[$(
            $crate::Limit {
                constant: stringify!($name),
                value: $name as u64,
                category: $crate::Category::$category,
                documentation: concat!($($doc),+),
            },
        )*];
    };
}

#[cfg(test)]
mod tests {
    crate::limits! {
        /// The table.
        const TABLE;
        /// How many there may be,
        /// at most.
        const MAX_THINGS: u32 = 7, Objects;
    }

    #[test]
    fn constants_and_their_documentation_become_rows() {
        let [limit] = TABLE else { panic!("one limit") };
        assert_eq!(
            (limit.name().as_str(), limit.value),
            ("max_things", u64::from(MAX_THINGS))
        );
        assert_eq!(limit.doc(), "How many there may be, at most");
    }
}
