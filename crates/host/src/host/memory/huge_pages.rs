//! Huge pages that the administrator has reserved (`--huge-pages`).

use crate::host::output::say;
use simurgh_heap::{reserved_pages, want_reserved_pages};
use simurgh_settings::{Id, Values};
use std::fmt::Write;
use std::path::Path;

/// Has long blocks lie in reserved pages, if the user wants that and there are any. Says so if there are none.
pub(super) fn prepare(settings: &Values) {
    let Some(size) = wanted(settings) else { return };
    match count(Path::new("/sys/kernel/mm/hugepages"), size) {
        0 => say(&none_reserved(size)),
        _ => want_reserved_pages(size),
    }
}

/// The size of the pages that the user wants, if they are to be reserved ones.
fn wanted(settings: &Values) -> Option<usize> {
    match settings.show(Id::HugePages).as_str() {
        "2M" => Some(2 << 20),
        "1G" => Some(1 << 30),
        _ => None,
    }
}

/// The number of pages of this size that the system has reserved, or would take for a program that asks for them.
fn count(folder: &Path, size: usize) -> u64 {
    let folder = folder.join(format!("hugepages-{}kB", size >> 10));
    let number = |name: &str| -> u64 {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    };
    number("nr_hugepages") + number("nr_overcommit_hugepages")
}

fn none_reserved(size: usize) -> String {
    let mib = size >> 20;
    format!(
        "--huge-pages: the system has reserved no pages of {mib} MiB: ranks have transparent ones (as root, echo N \
         >/sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages reserves N)",
        size >> 10
    )
}

/// Adds to the statistics what has become of blocks that were to have reserved pages, if any were.
pub(in crate::host) fn add_report(text: &mut String) {
    if let Some(pages) = reserved_pages() {
        let (with, without) = (pages.blocks(), pages.without());
        let _ = write!(
            text,
            "\n  reserved huge pages: {with} long blocks had some, {without} found too few left"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_settings::Origin;

    #[test]
    fn reserved_pages_are_counted_by_size() {
        let folder = std::env::temp_dir().join(format!("simurgh-hugepages-{}", std::process::id()));
        let of_size = folder.join("hugepages-2048kB");
        std::fs::create_dir_all(&of_size).expect("a folder for temporary files");
        std::fs::write(of_size.join("nr_hugepages"), "12\n").expect("it can be written");
        assert_eq!((count(&folder, 2 << 20), count(&folder, 1 << 30)), (12, 0));
        std::fs::remove_dir_all(&folder).expect("it is ours");
        assert!(none_reserved(1 << 30).contains("1024 MiB") && none_reserved(2 << 20).contains("2048kB"));
    }

    #[test]
    fn the_words_of_the_setting_are_sizes() {
        let size = |value| {
            let mut settings = Values::default();
            settings
                .set(Id::HugePages, value, Origin::Preset)
                .expect("a value");
            wanted(&settings)
        };
        assert_eq!([0, 1, 2].map(size), [None, Some(2 << 20), Some(1 << 30)]);
    }
}
