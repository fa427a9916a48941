//! Damaged files: whatever they contain, reading and planning give an error or a plan, never a panic.

use super::{Pages, Request, patch};
use crate::elf::Elf;
use crate::shim;

/// Goes through everything that is read from a file.
fn plan(bytes: &[u8]) -> bool {
    let Ok(elf) = Elf::parse(bytes) else { return false };
    let pages = Pages::of(&elf);
    let request = Request {
        first: &[1, 2],
        object: &|name| (name.len() % 2 == 1).then_some(name.len()),
        tls_distance: Some(64),
        tls_variable: &|_| None,
        reservation: 4096,
    };
    let collected = patch::collect(&elf, &request, crate::elf::page_up(elf.end()), pages.file_end).is_ok();
    pages.runs().len() + pages.hot_ranges().len() + pages.master_ranges().len() > 0 && collected
}

/// A small pseudo-random generator (xorshift): failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn damaged_files_do_not_panic() {
    let whole = shim::BYTES;
    assert!(plan(whole), "the shim itself can be prepared");
    // Mostly the places that steer the reader: headers and the dynamic section.
    let dynamic = Elf::parse(whole).unwrap().dynamic;
    let hot = [
        (0, 64),
        (64, 560),
        (dynamic.offset as usize, dynamic.slots as usize * 16),
        (0, whole.len()),
    ];
    let values = [0, 1, 0x7f, 0x80, 0xff];
    let mut random = Random(88_172_645_463_325_252);
    let mut survived = 0;
    for _ in 0..20_000 {
        let mut bytes = whole.to_vec();
        for _ in 0..=random.below(4) {
            let (start, length) = hot[random.below(hot.len())];
            let at = start + random.below(length);
            bytes[at] = values[random.below(values.len())];
        }
        if random.below(8) == 0 {
            bytes.truncate(random.below(whole.len()));
        }
        survived += usize::from(plan(&bytes));
    }
    assert!(
        survived > 1000,
        "the damage is not all at the front door: {survived}"
    );
}
