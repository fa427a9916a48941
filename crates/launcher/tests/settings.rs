//! `docs/settings.md` agrees with the table of settings.
#![allow(missing_docs, reason = "a test")]

use simurgh_mpi::limits::LIMITS;
use std::path::Path;

#[test]
fn the_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let text = simurgh_settings::reference(LIMITS);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "docs/settings.md is out of date: run UPDATE_DOCS=1 cargo test -p simurgh-launcher --test settings"
    );
}
