//! Reading 64-bit little-endian x86-64 ELF files.
//!
//! Files are untrusted data: offsets are checked, nothing is indexed blindly, and a damaged file gives [`Malformed`] or
//! `None`, never a panic. These readers report file offsets; the patching at those offsets happens elsewhere.

pub(crate) mod abi;
pub(crate) mod dynamic;
pub(crate) mod exports;
mod notes;
mod own_symbols;
pub(crate) mod relocs;
pub(crate) mod symbols;
pub(crate) mod versions;

use dynamic::Dynamic;

/// The size of a program header.
pub(crate) const PHDR_SIZE: usize = 56;
/// The size of a page, which is the unit of all mappings.
pub(crate) const PAGE: u64 = 4096;

/// The greatest alignment of a segment that is accepted, far more than any linker's.
const MAX_ALIGN: u64 = 1 << 30;

/// The file breaks the rules of the ELF format; the text says where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged ELF file: {0}")]
pub(crate) struct Malformed(pub(crate) &'static str);

/// Rounds down to a page.
pub(crate) const fn page_down(address: u64) -> u64 {
    address & !(PAGE - 1)
}

/// Rounds up to a page. Saturates at the end of the address space.
pub(crate) const fn page_up(address: u64) -> u64 {
    page_down(address.saturating_add(PAGE - 1))
}

/// Reads a fixed-size array at an offset.
pub(crate) fn read<const N: usize>(bytes: &[u8], offset: u64) -> Option<[u8; N]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(N)?)?.try_into().ok()
}

/// Reads a `u16` at an offset.
pub(crate) fn u16_at(bytes: &[u8], offset: u64) -> Option<u16> {
    read(bytes, offset).map(u16::from_le_bytes)
}

/// Reads a `u32` at an offset.
pub(crate) fn u32_at(bytes: &[u8], offset: u64) -> Option<u32> {
    read(bytes, offset).map(u32::from_le_bytes)
}

/// Reads a `u64` at an offset.
pub(crate) fn u64_at(bytes: &[u8], offset: u64) -> Option<u64> {
    read(bytes, offset).map(u64::from_le_bytes)
}

/// A program header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) kind: u32,
    pub(crate) flags: u32,
    pub(crate) offset: u64,
    pub(crate) vaddr: u64,
    pub(crate) file_size: u64,
    pub(crate) mem_size: u64,
    pub(crate) align: u64,
}

impl Segment {
    fn parse(bytes: &[u8], at: u64) -> Option<Segment> {
        Some(Segment {
            kind: u32_at(bytes, at)?,
            flags: u32_at(bytes, at + 4)?,
            offset: u64_at(bytes, at + 8)?,
            vaddr: u64_at(bytes, at + 16)?,
            file_size: u64_at(bytes, at + 32)?,
            mem_size: u64_at(bytes, at + 40)?,
            align: u64_at(bytes, at + 48)?,
        })
    }

    /// The header as it stands in a file.
    pub(crate) fn encode(&self) -> [u8; PHDR_SIZE] {
        let mut out = [0; PHDR_SIZE];
        out[0..4].copy_from_slice(&self.kind.to_le_bytes());
        out[4..8].copy_from_slice(&self.flags.to_le_bytes());
        let words = [
            self.offset,
            self.vaddr,
            self.vaddr,
            self.file_size,
            self.mem_size,
            self.align,
        ];
        for (index, word) in words.iter().enumerate() {
            out[8 + index * 8..16 + index * 8].copy_from_slice(&word.to_le_bytes());
        }
        out
    }

    /// Whether the segment is mapped writable.
    pub(crate) fn is_writable(&self) -> bool {
        self.flags & abi::PF_W != 0
    }

    /// The end of the segment in memory.
    pub(crate) fn end(&self) -> u64 {
        self.vaddr.saturating_add(self.mem_size)
    }

    /// The end of the bytes that come from the file.
    pub(crate) fn file_end(&self) -> u64 {
        self.vaddr.saturating_add(self.file_size)
    }
}

/// A parsed file: its headers and its dynamic section. Tables are read on demand.
#[derive(Debug)]
pub(crate) struct Elf<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) file_type: u16,
    pub(crate) machine: u16,
    pub(crate) entry: u64,
    pub(crate) phoff: u64,
    pub(crate) segments: Vec<Segment>,
    pub(crate) dynamic: Dynamic,
}

impl<'a> Elf<'a> {
    /// Parses the headers and the dynamic section.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, Malformed> {
        let identity: [u8; 16] = read(bytes, 0).ok_or(Malformed("file header"))?;
        if &identity[0..4] != b"\x7fELF" || identity[4] != 2 || identity[5] != 1 {
            return Err(Malformed("not a 64-bit little-endian ELF file"));
        }
        let header = |offset| u16_at(bytes, offset).ok_or(Malformed("file header"));
        let word = |offset| u64_at(bytes, offset).ok_or(Malformed("file header"));
        let phoff = word(32)?;
        if usize::from(header(54)?) != PHDR_SIZE {
            return Err(Malformed("size of program headers"));
        }
        let segments = (0..u64::from(header(56)?))
            .map(|index| {
                let at = phoff.checked_add(index * PHDR_SIZE as u64)?;
                Segment::parse(bytes, at)
            })
            .collect::<Option<Vec<_>>>()
            .ok_or(Malformed("program headers"))?;
        check_loads(&segments)?;
        check_tls(&segments)?;
        let dynamic = Dynamic::parse(bytes, &segments)?;
        Ok(Elf {
            bytes,
            file_type: header(16)?,
            machine: header(18)?,
            entry: word(24)?,
            phoff,
            segments,
            dynamic,
        })
    }

    /// The loadable segments, in the order of their addresses.
    pub(crate) fn loads(&self) -> impl Iterator<Item = &Segment> + Clone {
        self.segments.iter().filter(|s| s.kind == abi::PT_LOAD)
    }

    /// The first segment of a kind.
    pub(crate) fn segment(&self, kind: u32) -> Option<&Segment> {
        self.segments.iter().find(|s| s.kind == kind)
    }

    /// The thread-local segment, if it has any content.
    pub(crate) fn tls(&self) -> Option<&Segment> {
        self.segment(abi::PT_TLS).filter(|s| s.mem_size > 0)
    }

    /// The program interpreter (dynamic loader) that the file asks for.
    pub(crate) fn interpreter(&self) -> Option<&'a str> {
        let segment = self.segment(abi::PT_INTERP)?;
        let start = usize::try_from(segment.offset).ok()?;
        let bytes = self
            .bytes
            .get(start..start.checked_add(usize::try_from(segment.file_size).ok()?)?)?;
        std::str::from_utf8(bytes.split(|&b| b == 0).next()?).ok()
    }

    /// The file offset of the byte at a virtual address, if that byte comes from the file.
    pub(crate) fn offset_of(&self, vaddr: u64) -> Option<u64> {
        let load = self.loads().find(|s| s.vaddr <= vaddr && vaddr < s.file_end())?;
        Some(load.offset.saturating_add(vaddr - load.vaddr))
    }

    /// The end of the last loadable segment in memory.
    pub(crate) fn end(&self) -> u64 {
        self.loads().map(Segment::end).max().unwrap_or(0)
    }

    /// The alignment that the address of the image needs.
    pub(crate) fn align(&self) -> u64 {
        self.loads().map(|load| load.align).fold(PAGE, u64::max)
    }

    /// A NUL-terminated string of the dynamic string table.
    pub(crate) fn string(&self, index: u64) -> Option<&'a str> {
        let start = self.offset_of(self.dynamic.get(abi::DT_STRTAB)?.checked_add(index)?)?;
        let rest = self.bytes.get(usize::try_from(start).ok()?..)?;
        std::str::from_utf8(&rest[..rest.iter().position(|&b| b == 0)?]).ok()
    }

    /// The strings of all dynamic entries with a tag (`DT_NEEDED`, …).
    pub(crate) fn strings(&self, tag: i64) -> impl Iterator<Item = &'a str> + '_ {
        self.dynamic.all(tag).filter_map(|index| self.string(index))
    }

    /// The name that the library gives itself (`DT_SONAME`).
    pub(crate) fn soname(&self) -> Option<&'a str> {
        self.strings(abi::DT_SONAME).next()
    }
}

/// Checks that loadable segments are ordered, disjoint, inside sane limits and consistent with pages.
fn check_loads(segments: &[Segment]) -> Result<(), Malformed> {
    let mut previous_end = 0;
    for load in segments.iter().filter(|s| s.kind == abi::PT_LOAD) {
        let sane = load.file_size <= load.mem_size
            && load.vaddr >= previous_end
            && load
                .vaddr
                .checked_add(load.mem_size)
                .is_some_and(|end| end < 1 << 47)
            && load
                .offset
                .checked_add(load.file_size)
                .is_some_and(|end| end < 1 << 47)
            && load.vaddr % PAGE == load.offset % PAGE
            && load.align.max(1).is_power_of_two()
            && load.align <= MAX_ALIGN;
        if !sane {
            return Err(Malformed("loadable segments"));
        }
        previous_end = load.end();
    }
    Ok(())
}

/// Checks that a thread-local segment has a sane size and alignment.
fn check_tls(segments: &[Segment]) -> Result<(), Malformed> {
    let mut tls = segments.iter().filter(|s| s.kind == abi::PT_TLS);
    let sane =
        tls.all(|s| s.file_size <= s.mem_size && s.mem_size < 1 << 40 && s.align.max(1).is_power_of_two());
    if sane {
        Ok(())
    } else {
        Err(Malformed("thread-local segment"))
    }
}
