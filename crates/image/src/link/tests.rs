//! Damaged files: whatever they contain, reading and linking give an error or a result, never a panic.

use std::io::Write;

use super::{Scope, link};
use crate::elf::Elf;
use crate::master::Draft;
use crate::memory::memory_file;
use crate::object::Object;
use crate::pieces::pieces;
use crate::shim;
use crate::source::Source;

/// Goes through everything that is read from a file.
fn survives(bytes: &[u8]) -> bool {
    let mut file = memory_file(0).unwrap();
    file.write_all(bytes).unwrap();
    // An empty file cannot be mapped; programs are refused before that.
    let Ok(source) = Source::from_file("damaged".as_ref(), file) else {
        return false;
    };
    let Ok(mut object) = Object::new(&source, Vec::new()) else {
        return false;
    };
    object.tls_distance = object
        .elf()
        .tls()
        .map(|segment| segment.mem_size.next_multiple_of(64));
    if object.elf().end() > 1 << 30 {
        return false;
    }
    let objects = [object];
    let mut draft = Draft::new(&objects).unwrap();
    let scope = Scope::new(&[0], &[], 1).unwrap();
    let linked = link(&objects, &scope, 4096, &mut draft).is_ok();
    linked && !pieces(&objects).is_empty()
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
    assert!(survives(whole), "the shim itself can be linked");
    // Mostly the places that steer the reader: headers and the dynamic section.
    let elf = Elf::parse(whole).unwrap();
    let dynamic = elf.segment(crate::elf::abi::PT_DYNAMIC).unwrap();
    let hot = [
        (0, 64),
        (64, 560),
        (dynamic.offset as usize, dynamic.file_size as usize),
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
        survived += usize::from(survives(&bytes));
    }
    assert!(
        survived > 1000,
        "the damage is not all at the front door: {survived}"
    );
}
