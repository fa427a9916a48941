//! Symbol version tables: the version of each symbol that an object refers to or defines.

use super::{Elf, abi, u16_at, u32_at};

/// The greatest length of a chain, so that a damaged file does not cause an endless loop.
const CHAIN_LIMIT: u32 = 65_536;
/// The bit of a symbol's version index that says that the version is not the default one.
const HIDDEN: u16 = 0x8000;
/// The greatest of the reserved indices. Symbols with such an index have no version: local ones, and global ones
/// without a version.
const LAST_RESERVED: u16 = 1;

/// The version that a reference wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    /// No particular version, as in references of objects that were linked without versions: the oldest one.
    Base,
    /// No particular version, as `dlsym` asks: the newest one.
    Newest,
    /// The version with this name.
    Named(&'a str),
}

/// Whether a definition satisfies a reference, by their versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Yes,
    No,
    /// The definition counts if no other definition of the name has this standing.
    IfOnly,
}

/// The version of each symbol of an object.
#[derive(Debug, Default)]
pub(crate) struct Versions<'a> {
    /// The file offset of the table with an index for each symbol; none for objects without versions.
    table: Option<u64>,
    /// The names of versions by index; none for the reserved indices.
    names: Vec<Option<&'a str>>,
}

impl<'a> Versions<'a> {
    /// Reads the tables.
    pub(crate) fn of(elf: &Elf<'a>) -> Versions<'a> {
        let table = elf
            .dynamic
            .get(abi::DT_VERSYM)
            .and_then(|vaddr| elf.offset_of(vaddr));
        let mut versions = Versions {
            table,
            names: Vec::new(),
        };
        versions.add_wanted(elf);
        versions.add_defined(elf);
        versions
    }

    /// Reads the versions of references. A Verneed (file, list) has a list of Vernaux (index at 6, name at 8, next at
    /// 12).
    fn add_wanted(&mut self, elf: &Elf<'a>) {
        walk(elf, (abi::DT_VERNEED, abi::DT_VERNEEDNUM), 12, |at| {
            let mut entry = at + u64::from(u32_at(elf.bytes, at + 8)?);
            for _ in 0..u16_at(elf.bytes, at + 2)? {
                let index = u16_at(elf.bytes, entry + 6)?;
                let name = elf.string(u64::from(u32_at(elf.bytes, entry + 8)?));
                self.add(index, name);
                entry += u64::from(u32_at(elf.bytes, entry + 12)?);
            }
            Some(())
        });
    }

    /// Reads the versions of definitions. A Verdef (flags at 2, index at 4, list at 12) has a list of Verdaux, the
    /// first of which (name at 0) names the version.
    fn add_defined(&mut self, elf: &Elf<'a>) {
        const BASE: u16 = 1;
        walk(elf, (abi::DT_VERDEF, abi::DT_VERDEFNUM), 16, |at| {
            if u16_at(elf.bytes, at + 2)? & BASE == 0 {
                let entry = at + u64::from(u32_at(elf.bytes, at + 12)?);
                let name = elf.string(u64::from(u32_at(elf.bytes, entry)?));
                self.add(u16_at(elf.bytes, at + 4)?, name);
            }
            Some(())
        });
    }

    fn add(&mut self, index: u16, name: Option<&'a str>) {
        let index = usize::from(index & !HIDDEN);
        if self.names.len() <= index {
            self.names.resize(index + 1, None);
        }
        self.names[index] = name;
    }

    /// The version that the object wants of a symbol to which it refers.
    pub(crate) fn wanted(&self, elf: &Elf<'a>, symbol: u32) -> Wanted<'a> {
        self.index(elf, symbol)
            .and_then(|index| self.name(index))
            .map_or(Wanted::Base, Wanted::Named)
    }

    /// Whether a definition of the object satisfies a reference to this version.
    pub(crate) fn matches(&self, elf: &Elf<'a>, symbol: u32, wanted: Wanted<'_>) -> Match {
        let Some(index) = self.index(elf, symbol) else {
            return Match::Yes;
        };
        let plain = index & !HIDDEN;
        let oldest_versioned = match wanted {
            Wanted::Named(version) => {
                let unversioned = index <= LAST_RESERVED;
                return if unversioned || self.name(index) == Some(version) {
                    Match::Yes
                } else {
                    Match::No
                };
            }
            Wanted::Base => LAST_RESERVED + 1,
            Wanted::Newest => LAST_RESERVED,
        };
        match (plain > oldest_versioned, index & HIDDEN == 0) {
            (false, _) => Match::Yes,
            (true, true) => Match::IfOnly,
            (true, false) => Match::No,
        }
    }

    fn index(&self, elf: &Elf<'a>, symbol: u32) -> Option<u16> {
        u16_at(elf.bytes, self.table?.checked_add(u64::from(symbol) * 2)?)
    }

    fn name(&self, index: u16) -> Option<&'a str> {
        *self.names.get(usize::from(index & !HIDDEN))?
    }
}

/// Follows a chain of records. Each record holds the distance to the next one at `next`.
fn walk(elf: &Elf<'_>, (table, count): (i64, i64), next: u64, mut visit: impl FnMut(u64) -> Option<()>) {
    let Some(mut at) = elf.dynamic.get(table).and_then(|vaddr| elf.offset_of(vaddr)) else {
        return;
    };
    let count = elf.dynamic.get(count).unwrap_or(0).min(u64::from(CHAIN_LIMIT));
    for _ in 0..count {
        let step = visit(at).and_then(|()| u32_at(elf.bytes, at + next));
        match step {
            Some(step) => at += u64::from(step),
            None => return,
        }
    }
}
