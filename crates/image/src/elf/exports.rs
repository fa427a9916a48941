//! Lookup of definitions in an object by name and version, by the rules of the dynamic loader.

use std::fmt;

use super::symbols::Symbol;
use super::versions::{Match, Versions, Wanted};
use super::{Elf, abi, u32_at, u64_at};

/// A reference: the name and version that are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference<'a> {
    pub(crate) name: &'a str,
    pub(crate) wanted: Wanted<'a>,
    /// Whether the address is only called. An undefined symbol may have an address, which stands for a function whose
    /// address a program takes; such a symbol is no definition for a call.
    pub(crate) called: bool,
}

impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wanted {
            Wanted::Named(version) => write!(f, "{}, version {version}", self.name),
            Wanted::Base | Wanted::Newest => f.write_str(self.name),
        }
    }
}

/// The symbols of an object, with their versions.
#[derive(Debug)]
pub(crate) struct Exports<'a> {
    pub(crate) elf: Elf<'a>,
    versions: Versions<'a>,
}

impl<'a> Exports<'a> {
    /// Reads the version tables.
    pub(crate) fn new(elf: Elf<'a>) -> Exports<'a> {
        let versions = Versions::of(&elf);
        Exports { elf, versions }
    }

    /// The reference that the object makes by its symbol with this index.
    pub(crate) fn reference(&self, index: u32, symbol: &Symbol<'a>, called: bool) -> Reference<'a> {
        Reference {
            name: symbol.name,
            wanted: self.versions.wanted(&self.elf, index),
            called,
        }
    }

    /// The definition in this object that a reference means, if there is one.
    pub(crate) fn find(&self, reference: &Reference<'_>) -> Option<Symbol<'a>> {
        let mut candidates = Candidates::default();
        let mut visit = |index| {
            let symbol = self
                .elf
                .symbol(index)
                .filter(|symbol| symbol.name == reference.name && defines(symbol, reference.called))?;
            match self.versions.matches(&self.elf, index, reference.wanted) {
                Match::Yes => Some(symbol),
                Match::No => None,
                Match::IfOnly => {
                    candidates.add(symbol);
                    None
                }
            }
        };
        let found = match self.elf.dynamic.get(abi::DT_GNU_HASH) {
            Some(table) => self.elf.offset_of(table).and_then(|at| {
                self.gnu_chain(at, reference.name)
                    .and_then(|chain| chain.into_iter().find_map(&mut visit))
            }),
            None => self.classic_chain(reference.name).find_map(&mut visit),
        };
        found.or_else(|| candidates.only())
    }

    /// The symbols that have the same hash value as a name, by the GNU hash table. None if the filter of the table
    /// excludes the name.
    fn gnu_chain(&self, at: u64, name: &str) -> Option<Vec<u32>> {
        let bytes = self.elf.bytes;
        let hash = name.bytes().fold(5381_u32, |hash, byte| {
            hash.wrapping_mul(33).wrapping_add(u32::from(byte))
        });
        let buckets = u32_at(bytes, at)?;
        let first = u32_at(bytes, at + 4)?;
        let words = u32_at(bytes, at + 8)?;
        let shift = u32_at(bytes, at + 12)?;
        let filter_at = at + 16;
        let place = (hash / 64).checked_rem(words)?;
        let word = u64_at(bytes, filter_at + u64::from(place) * 8)?;
        let bits = [hash, hash.checked_shr(shift)?];
        if bits.iter().any(|bit| word >> (bit % 64) & 1 == 0) {
            return None;
        }
        let buckets_at = filter_at + u64::from(words) * 8;
        let chains_at = buckets_at + u64::from(buckets) * 4;
        let bucket = hash.checked_rem(buckets)?;
        let mut index = u32_at(bytes, buckets_at + u64::from(bucket) * 4)?;
        let mut chain = Vec::new();
        while let Some(entry) = index
            .checked_sub(first)
            .and_then(|position| u32_at(bytes, chains_at + u64::from(position) * 4))
        {
            if entry | 1 == hash | 1 {
                chain.push(index);
            }
            if entry & 1 == 1 {
                break;
            }
            index += 1;
        }
        Some(chain)
    }

    /// The symbols in the bucket of a name, by the classic hash table (that of the first ELF systems).
    fn classic_chain(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        let hash = name.bytes().fold(0_u32, |hash, byte| {
            let hash = hash.wrapping_mul(16).wrapping_add(u32::from(byte));
            let top = hash & 0xf000_0000;
            (hash ^ top >> 24) & !top
        });
        let table = self
            .elf
            .dynamic
            .get(abi::DT_HASH)
            .and_then(|vaddr| self.elf.offset_of(vaddr));
        let word = move |index: u32| u32_at(self.elf.bytes, table? + u64::from(index) * 4);
        let buckets = word(0).unwrap_or(0);
        let first = hash.checked_rem(buckets).and_then(|bucket| word(2 + bucket));
        // The chain of a damaged file may be a cycle.
        std::iter::successors(first, move |&index| {
            word(buckets.checked_add(2)?.checked_add(index)?)
        })
        .take_while(|&index| index != 0)
        .take(self.elf.symbol_count() as usize)
    }
}

/// Definitions of which one counts only if there is no other.
#[derive(Default)]
struct Candidates<'a> {
    first: Option<Symbol<'a>>,
    more: bool,
}

impl<'a> Candidates<'a> {
    fn add(&mut self, symbol: Symbol<'a>) {
        self.more |= self.first.is_some();
        self.first.get_or_insert(symbol);
    }

    fn only(self) -> Option<Symbol<'a>> {
        self.first.filter(|_| !self.more)
    }
}

/// Whether a symbol defines its name for other objects.
fn defines(symbol: &Symbol<'_>, called: bool) -> bool {
    let kinds = [
        abi::STT_NOTYPE,
        abi::STT_OBJECT,
        abi::STT_FUNC,
        abi::STT_COMMON,
        abi::STT_TLS,
        abi::STT_GNU_IFUNC,
    ];
    let bindings = [abi::STB_GLOBAL, abi::STB_WEAK, abi::STB_GNU_UNIQUE];
    let has_place = symbol.value != 0 || symbol.section == abi::SHN_ABS || symbol.kind() == abi::STT_TLS;
    has_place
        && !(called && symbol.section == abi::SHN_UNDEF)
        && kinds.contains(&symbol.kind())
        && bindings.contains(&symbol.binding())
}
