//! Linking a program with its libraries, once for all ranks.
//!
//! The dynamic loader would link each rank anew. Each time it would search the list of all loaded objects, and it would
//! keep each copy in that list for ever. But the results differ by one number only: objects lie at the same distances
//! in each image, and shared libraries at the same addresses. So every relocation gives either a word that is the same
//! in all ranks, which stands in the master, or a word to which the image's address is added. The rules are those of
//! the dynamic loader for `dlopen` with `RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND`, except that the program is the main
//! program. Libraries that a rank loads while it runs become an image of their own, whose words can also be about the
//! rank's earlier images.

mod relocate;
pub(crate) mod scope;
mod shared_library;
mod thread_local;

use crate::elf::Malformed;

pub(crate) use relocate::{Copied, EarlierWord, Origin as CopyOrigin, Relocations, is_known, link};
pub(crate) use scope::{Definition, Earlier, Place, Scope};
pub(crate) use shared_library::replace;

/// The reasons why a program cannot be linked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    #[error("{object}: undefined symbol: {symbol}")]
    Undefined { object: String, symbol: String },
    #[error("{object}: {symbol} is a thread-local variable of a shared library")]
    ForeignThreadLocal { object: String, symbol: String },
    #[error("{object}: a relocation of the unknown kind {kind}")]
    Unknown { object: String, kind: u32 },
    #[error("no library defines {0}, which the program copies at start")]
    MissingData(String),
    #[error("{object}: {error}")]
    Malformed { object: String, error: Malformed },
    #[error("{0}")]
    Library(String),
}

#[cfg(test)]
mod tests {
    //! Tests with damaged files: whatever they contain, reading and linking give an error or a result, never a panic.

    use std::io::Write;

    use super::{Scope, link};
    use crate::elf::Elf;
    use crate::master::Draft;
    use crate::memory::memory_file;
    use crate::object::Object;
    use crate::pieces::pieces;
    use crate::shim;
    use crate::source::Source;

    /// Runs everything that reads a file. Returns whether linking succeeded and the image has pieces.
    fn survives(bytes: &[u8]) -> bool {
        let mut file = memory_file(0).unwrap();
        file.write_all(bytes).unwrap();
        // An empty file cannot be mapped. Programs that are empty are refused before that.
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
        let scope = Scope::new(&[0], &[], 1, false).unwrap();
        let linked = link(&objects, &scope, 4096, &mut draft).is_ok();
        linked && !pieces(&objects).is_empty()
    }

    /// A small pseudo-random generator (xorshift), so that failures can be repeated.
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
        // Most changes are made where they steer the reader: in the headers and the dynamic section.
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
}
