//! Which pages of an object the loader reads or changes, and where each page comes from afterwards.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Data, Origin, Run};
use crate::elf::symbols::SYM_SIZE;
use crate::elf::{EHDR_SIZE, Elf, PAGE, PHDR_SIZE, Segment, abi, page_down, page_up};

/// The pages of one object.
pub(super) struct Pages {
    /// Pages (file offsets) that a rank's copy must contain.
    hot: BTreeSet<u64>,
    /// Read-only segments.
    read_only: Vec<Segment>,
    /// Writable segments.
    pub(super) data: Vec<Data>,
    /// End of the mapped part of the file, page aligned.
    pub(super) file_end: u64,
    /// Length of the file: there are no pages behind it.
    limit: u64,
}

impl Pages {
    pub(super) fn of(elf: &Elf<'_>) -> Pages {
        let limit = elf.bytes.len() as u64;
        let mut pages = Pages {
            hot: BTreeSet::new(),
            read_only: Vec::new(),
            data: Vec::new(),
            file_end: 0,
            limit,
        };
        pages.mark(0..EHDR_SIZE as u64);
        pages.mark(elf.phoff..elf.phoff + (elf.segments.len() * PHDR_SIZE) as u64);
        for (vaddr, length) in loader_tables(elf) {
            if let Some(offset) = elf.offset_of(vaddr) {
                pages.mark(offset..offset.saturating_add(length));
            }
        }
        let touched = touched_pages(elf);
        for segment in elf.loads().filter(|segment| segment.file_size > 0) {
            pages.file_end = pages.file_end.max(page_up(segment.offset + segment.file_size));
            if segment.is_writable() {
                pages.add_data(segment, &touched);
            } else {
                pages.read_only.push(*segment);
            }
        }
        if runs_code_while_loading(elf) {
            for segment in elf.loads() {
                pages.mark(segment.offset..segment.offset.saturating_add(segment.file_size));
            }
        }
        // A damaged table must not make us copy what is not in a segment.
        let end = pages.file_end;
        pages.hot.retain(|&page| page < end);
        pages
    }

    fn mark(&mut self, range: Range<u64>) {
        self.hot
            .extend((page_down(range.start)..range.end.min(self.limit)).step_by(PAGE as usize));
    }

    fn add_data(&mut self, segment: &Segment, touched: &BTreeSet<u64>) {
        let start = page_down(segment.vaddr);
        let end = page_up(segment.file_end());
        let offset = page_down(segment.offset);
        let mut pages: BTreeSet<u64> = touched.range(start..end).copied().collect();
        if segment.mem_size > segment.file_size {
            // The loader clears the rest of the last page.
            pages.insert(end - PAGE);
        }
        for page in &pages {
            self.hot.insert(offset + (page - start));
        }
        self.data.push(Data {
            vaddr: start,
            length: end - start,
            offset,
            protection: protection(segment),
            touched: pages.into_iter().collect(),
        });
    }

    /// The part of a read-only segment that comes from the master: from its first to its last hot page.
    fn patched_part(&self, segment: &Segment) -> Option<Range<u64>> {
        let whole = page_down(segment.offset)..page_up(segment.offset + segment.file_size);
        let mut hot = self.hot.range(whole);
        let first = *hot.next()?;
        Some(first..hot.next_back().copied().unwrap_or(first) + PAGE)
    }

    /// What the master must contain.
    pub(super) fn master_ranges(&self) -> Vec<Range<u64>> {
        let data = self
            .data
            .iter()
            .map(|data| data.offset..data.offset + data.length);
        data.chain(
            self.read_only
                .iter()
                .filter_map(|segment| self.patched_part(segment)),
        )
        .collect()
    }

    /// What a rank's copy must contain.
    pub(super) fn hot_ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for &page in &self.hot {
            match ranges.last_mut() {
                Some(last) if last.end == page => last.end += PAGE,
                _ => ranges.push(page..page + PAGE),
            }
        }
        ranges
    }

    /// How read-only segments are mapped after loading.
    pub(super) fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for segment in &self.read_only {
            let whole = page_down(segment.offset)..page_up(segment.offset + segment.file_size);
            let patched = self.patched_part(segment).unwrap_or(whole.start..whole.start);
            let parts = [
                (whole.start..patched.start, Origin::Original),
                (patched.clone(), Origin::Master),
                (patched.end..whole.end, Origin::Original),
            ];
            runs.extend(
                parts
                    .into_iter()
                    .filter(|(range, _)| !range.is_empty())
                    .map(|(range, origin)| Run {
                        vaddr: page_down(segment.vaddr) + (range.start - whole.start),
                        length: range.end - range.start,
                        offset: range.start,
                        protection: protection(segment),
                        origin,
                    }),
            );
        }
        runs
    }
}

/// Protection of a segment for mmap.
fn protection(segment: &Segment) -> i32 {
    let pairs = [
        (abi::PF_R, libc::PROT_READ),
        (abi::PF_W, libc::PROT_WRITE),
        (abi::PF_X, libc::PROT_EXEC),
    ];
    pairs
        .iter()
        .filter(|(flag, _)| segment.flags & flag != 0)
        .fold(0, |all, (_, bit)| all | bit)
}

/// The tables that the loader reads: (address, length).
fn loader_tables(elf: &Elf<'_>) -> Vec<(u64, u64)> {
    let get = |tag| elf.dynamic.get(tag);
    let count = elf.symbol_count();
    let mut tables: Vec<(u64, u64)> = elf.reloc_tables().collect();
    tables.extend(get(abi::DT_SYMTAB).map(|vaddr| (vaddr, u64::from(count) * SYM_SIZE)));
    tables.extend(get(abi::DT_STRTAB).zip(get(abi::DT_STRSZ)));
    tables.extend(get(abi::DT_RELR).zip(get(abi::DT_RELRSZ)));
    tables.extend(elf.gnu_hash_extent().map(|(vaddr, length, _)| (vaddr, length)));
    tables.extend(get(abi::DT_HASH).and_then(|vaddr| {
        let buckets = crate::elf::u32_at(elf.bytes, elf.offset_of(vaddr)?)?;
        Some((vaddr, 8 + 4 * (u64::from(buckets) + u64::from(count))))
    }));
    tables.extend(elf.version_extents(count));
    tables.extend(
        elf.segment(abi::PT_DYNAMIC)
            .map(|segment| (segment.vaddr, segment.file_size)),
    );
    tables.extend(
        elf.segment(abi::PT_NOTE)
            .map(|segment| (segment.vaddr, segment.file_size)),
    );
    tables
}

/// The pages (addresses) that the loader writes to.
fn touched_pages(elf: &Elf<'_>) -> BTreeSet<u64> {
    let mut pages = BTreeSet::new();
    for reloc in elf.relocs() {
        pages.insert(page_down(reloc.target));
        pages.insert(page_down(reloc.target.saturating_add(reloc.width() - 1)));
    }
    for target in elf.packed_targets() {
        pages.insert(page_down(target));
        pages.insert(page_down(target.saturating_add(7)));
    }
    if let Some(dynamic) = elf.segment(abi::PT_DYNAMIC) {
        pages.extend((page_down(dynamic.vaddr)..dynamic.file_end()).step_by(PAGE as usize));
    }
    pages
}

/// Indirect functions: the loader calls their resolvers, so code must be there.
fn runs_code_while_loading(elf: &Elf<'_>) -> bool {
    elf.relocs().any(|reloc| reloc.kind == abi::R_X86_64_IRELATIVE)
        || elf
            .symbols()
            .any(|s| s.is_exported() && s.kind() == abi::STT_GNU_IFUNC)
}
