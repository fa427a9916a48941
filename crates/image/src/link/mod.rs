//! Linking a program with its libraries, once for all ranks.
//!
//! The dynamic loader would do it anew for each rank, look through the list of all that is loaded meanwhile, and keep
//! each copy in it for ever. But the result is the same but for one number: objects lie at the same distances in each
//! image, and shared libraries at the same addresses. So every relocation gives a word that is the same in all ranks,
//! and stands in the master, or one to which the image's address is added. The rules are those of the dynamic loader
//! for `dlopen` with `RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND`, but that the program is the main program.

mod relocate;
pub(crate) mod scope;
mod shared_library;
mod thread_local;

use crate::elf::Malformed;

pub(crate) use relocate::{Copied, Origin as CopyOrigin, Relocations, is_known, link};
pub(crate) use scope::{Definition, Scope};

/// Why a program cannot be linked.
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
}
