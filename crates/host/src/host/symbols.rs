//! The functions at addresses of the code: of the runtime, of libraries, and of the images of ranks.

/// A function at an address.
#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    /// Its name; none if that is not known.
    pub(super) name: Option<String>,
    /// The file and the line of its source, if they are known.
    pub(super) place: Option<(String, u32)>,
}

/// The functions in which a program or a thread begins. Their callers are of no interest.
const BEGINNINGS: &[&str] = &["main", "_start", "start_thread"];

impl Function {
    /// Whether a program or a thread begins there.
    pub(super) fn is_beginning(&self) -> bool {
        (self.name.as_deref()).is_some_and(|name| BEGINNINGS.contains(&name))
    }
}

/// The functions at an address, the innermost one first: several if they are inlined into each other. It reads files,
/// and takes a lock.
pub(super) fn functions_at(address: usize) -> Vec<Function> {
    let mut found = Vec::new();
    backtrace::resolve(address as *mut _, |symbol| {
        let place = symbol.filename().zip(symbol.lineno());
        found.push(Function {
            name: symbol.name().map(|name| name.to_string()),
            place: place.map(|(file, line)| (file.display().to_string(), line)),
        });
    });
    found
}
