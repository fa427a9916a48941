//! Notes: marks that a program or its linker has left in a file.

use super::{Elf, abi, u32_at};

impl Elf<'_> {
    /// Whether the file has a note with this owner, which ends with a zero, and of this kind.
    pub(crate) fn has_note(&self, owner: &[u8], kind: u32) -> bool {
        let segments = self.segments.iter().filter(|s| s.kind == abi::PT_NOTE);
        let ends = segments.map(|s| (s.offset, s.offset.saturating_add(s.file_size), s.align));
        let mut found = ends.map(|(begin, end, align)| find(self.bytes, begin, end, align, owner, kind));
        found.any(|found| found)
    }
}

/// Whether there is such a note between two file offsets. The parts of notes are aligned to 4 bytes, or to 8 where the
/// segment is.
fn find(bytes: &[u8], begin: u64, end: u64, align: u64, owner: &[u8], kind: u32) -> bool {
    let unit = if align == 8 { 8 } else { 4 };
    let mut at = begin;
    while at < end {
        let header = [0, 4, 8].map(|field| u32_at(bytes, at.saturating_add(field)));
        let [Some(owner_size), Some(size), Some(of_kind)] = header else {
            return false;
        };
        let name = at.saturating_add(12);
        if of_kind == kind && owner_size as usize == owner.len() && is_at(bytes, name, owner) {
            return true;
        }
        let data = round_up(name.saturating_add(owner_size.into()), unit);
        at = round_up(data.saturating_add(size.into()), unit);
    }
    false
}

fn is_at(bytes: &[u8], offset: u64, text: &[u8]) -> bool {
    let there = usize::try_from(offset).ok().and_then(|start| bytes.get(start..));
    there.is_some_and(|there| there.starts_with(text))
}

fn round_up(offset: u64, unit: u64) -> u64 {
    offset.saturating_add(unit - 1) & !(unit - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(owner: &[u8], kind: u32, data: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [owner.len() as u32, data.len() as u32, kind] {
            note.extend(word.to_le_bytes());
        }
        for part in [owner, data] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    #[test]
    fn a_note_is_found_behind_others() {
        let notes = [note(b"GNU\0", 3, &[1, 2, 3]), note(b"Simurgh\0", 1, &[9; 4])].concat();
        let has = |owner: &[u8], kind| find(&notes, 0, notes.len() as u64, 4, owner, kind);
        assert!(has(b"Simurgh\0", 1) && has(b"GNU\0", 3));
        assert!(!has(b"Simurgh\0", 2) && !has(b"Simurg\0", 1));
    }

    #[test]
    fn damaged_notes_end_the_search() {
        let mut notes = note(b"GNU\0", 3, &[0; 4]);
        notes[0..8].fill(0xff);
        assert!(!find(&notes, 0, notes.len() as u64, 4, b"Simurgh\0", 1));
        assert!(!find(&notes, 0, u64::MAX, 4, b"Simurgh\0", 1));
    }
}
