//! The dynamic section, which tells the loader about an object.

use super::{Malformed, Segment, abi, u64_at};

/// The size of an entry.
pub(crate) const DYN_SIZE: u64 = 16;

/// The entries of a dynamic section, up to the first `DT_NULL`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dynamic {
    /// The entries as (tag, value), in file order.
    pub(crate) entries: Vec<(i64, u64)>,
}

impl Dynamic {
    /// Reads the section. A file without one (a static program) gives an empty one.
    pub(crate) fn parse(bytes: &[u8], segments: &[Segment]) -> Result<Dynamic, Malformed> {
        let Some(segment) = segments.iter().find(|s| s.kind == abi::PT_DYNAMIC) else {
            return Ok(Dynamic::default());
        };
        let end = segment.offset.checked_add(segment.file_size);
        if end.is_none_or(|end| end > bytes.len() as u64) {
            return Err(Malformed("dynamic section"));
        }
        let slots = segment.file_size / DYN_SIZE;
        let mut entries = Vec::new();
        for slot in 0..slots {
            let at = segment
                .offset
                .checked_add(slot * DYN_SIZE)
                .ok_or(Malformed("dynamic section"))?;
            let tag = u64_at(bytes, at)
                .ok_or(Malformed("dynamic section"))?
                .cast_signed();
            let value = u64_at(bytes, at + 8).ok_or(Malformed("dynamic section"))?;
            if tag == abi::DT_NULL {
                break;
            }
            entries.push((tag, value));
        }
        Ok(Dynamic { entries })
    }

    /// The value of the first entry with a tag.
    pub(crate) fn get(&self, tag: i64) -> Option<u64> {
        self.all(tag).next()
    }

    /// The values of all entries with a tag.
    pub(crate) fn all(&self, tag: i64) -> impl Iterator<Item = u64> + '_ {
        self.entries
            .iter()
            .filter(move |entry| entry.0 == tag)
            .map(|entry| entry.1)
    }

    /// Whether a bit of `DT_FLAGS` is set.
    pub(crate) fn has_flag(&self, flag: u64) -> bool {
        self.get(abi::DT_FLAGS).is_some_and(|flags| flags & flag != 0)
    }
}
