//! Statements in lines of a length that compilers accept.

/// The longest line of free-form source. The standard allows 132 columns.
const WIDTH: usize = 100;

/// Free-form source.
#[derive(Default)]
pub(super) struct FreeForm {
    text: String,
    depth: usize,
}

impl FreeForm {
    /// An empty source, with a comment before it.
    pub(super) fn new(about: &str) -> Self {
        let mut source = Self::default();
        for line in about.lines() {
            source.comment(line);
        }
        source
    }

    /// Adds a comment.
    pub(super) fn comment(&mut self, line: &str) {
        self.text.push_str(format!("! {line}").trim_end());
        self.text.push('\n');
    }

    /// Adds a line that is empty.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds a statement, which is broken behind commas and blanks if it is long.
    pub(super) fn statement(&mut self, statement: &str) {
        let mut line = "  ".repeat(self.depth);
        let mut started = false;
        for part in statement.split_inclusive(", ") {
            if started && line.len() + part.len() > WIDTH {
                self.text.push_str(line.trim_end());
                self.text.push_str(" &\n");
                line = "  ".repeat(self.depth + 2);
            }
            line.push_str(part);
            started = true;
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Adds statements between a first and a last one.
    pub(super) fn block(&mut self, first: &str, last: &str, inside: impl FnOnce(&mut Self)) {
        self.statement(first);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.statement(last);
    }

    /// Adds a directive for a compiler, which has to begin as a comment does.
    pub(super) fn directive(&mut self, directive: &str) {
        self.text.push_str(directive);
        self.text.push('\n');
    }

    /// The source.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Source that is fixed form and free form at the same time: statements in the columns 7 to 72, never continued.
#[derive(Default)]
pub(super) struct BothForms {
    text: String,
}

impl BothForms {
    /// Adds a comment.
    pub(super) fn comment(&mut self, line: &str) {
        self.text.push_str(format!("! {line}").trim_end());
        self.text.push('\n');
    }

    /// Adds a statement.
    ///
    /// # Panics
    ///
    /// If it is too long.
    pub(super) fn statement(&mut self, statement: &str) {
        assert!(
            statement.len() <= 66,
            "longer than a line of fixed form: {statement}"
        );
        self.text.push_str("      ");
        self.text.push_str(statement);
        self.text.push('\n');
    }

    /// Adds a statement with a remark behind it, which in fixed form may go on behind column 72.
    pub(super) fn remarked(&mut self, statement: &str, remark: &str) {
        self.statement(statement);
        self.text.truncate(self.text.trim_end().len());
        self.text.push_str(&format!(" ! {remark}\n"));
    }

    /// The source.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_are_continued() {
        let mut source = FreeForm::default();
        let words = vec!["parameter"; 20].join(", ");
        source.block("interface", "end interface", |source| source.statement(&words));
        let text = source.finish();
        assert!(text.lines().all(|line| line.len() <= WIDTH + 2), "{text}");
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines[1].ends_with(", &") && lines[2].starts_with("      parameter"),
            "{text}"
        );
    }
}
