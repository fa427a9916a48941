//! Programs in Rust.

use std::env::current_exe;
use std::path::PathBuf;

/// An example of this package, which cargo builds with the tests.
///
/// # Panics
///
/// If cargo has not built it.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    let own = current_exe().expect("this program has a path");
    let folder = own
        .ancestors()
        .nth(2)
        .expect("tests lie in target/<profile>/deps");
    let program = folder.join("examples").join(name);
    let path = program.display();
    assert!(
        program.exists(),
        "{path} is missing: cargo build --example {name}"
    );
    program
}
