use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;

use rustix::fs::MemfdFlags;

use super::*;
use crate::{Region, reserve};

const PAGE: usize = 4096;

/// A page of a file in which each byte is its number.
fn file(pages: &[u8]) -> File {
    let mut file = File::from(rustix::fs::memfd_create("a test", MemfdFlags::CLOEXEC).unwrap());
    for &byte in pages {
        file.write_all(&[byte; PAGE]).unwrap();
    }
    file
}

fn read(address: usize) -> u8 {
    // SAFETY:
    // - the tests read what they have mapped.
    unsafe { (address as *const u8).read_volatile() }
}

fn write(address: usize, byte: u8) {
    // SAFETY:
    // - as above.
    unsafe { (address as *mut u8).write_volatile(byte) }
}

/// Whether the kernel can read the byte at an address.
fn is_readable(address: usize) -> bool {
    let (_reader, writer) = rustix::pipe::pipe().expect("a pipe");
    // SAFETY:
    // - the kernel reads the byte, or gives an error if it cannot.
    unsafe { libc::write(std::os::fd::AsRawFd::as_raw_fd(&writer), address as *const _, 1) == 1 }
}

fn map_file(at: usize, pages: usize, file: &File, offset: u64, protection: ProtFlags) {
    let flags = MapFlags::PRIVATE | MapFlags::FIXED;
    // SAFETY:
    // - the addresses are reserved by the test.
    unsafe { rustix::mm::mmap(at as *mut _, pages * PAGE, protection, flags, file, offset) }.unwrap();
}

#[test]
fn what_was_wiped_is_as_it_was() {
    const START: usize = 0x4100_0000_0000;
    let range = START..START + (64 << 20);
    reserve(range.clone()).expect("the addresses are free");
    assert!(reserve(range.clone()).is_err());
    let data = ProtFlags::READ | ProtFlags::WRITE;
    let (code, master) = (file(&[1, 2, 3]), file(&[7, 8, 9]));
    map_file(
        START + PAGE,
        2,
        &code,
        PAGE as u64,
        ProtFlags::READ | ProtFlags::EXEC,
    );
    map_file(START + 8 * PAGE, 3, &master, 0, data);
    // SAFETY:
    // - the addresses were reserved just now.
    let stack = unsafe { Region::in_reserved(range.end - (8 << 20), range.end, 1 << 20, false) };
    let stack = std::mem::ManuallyDrop::new(stack.expect("there is room"));
    write(START + 9 * PAGE, 80);
    // As what a linker lets become constant.
    let constant = (START + 9 * PAGE) as *mut _;
    // SAFETY:
    // - the test writes there no more.
    unsafe { rustix::mm::mprotect(constant, PAGE, MprotectFlags::READ) }.unwrap();
    for page in [0, 1, 7, 200, 255] {
        write(stack.low() + page * PAGE + 5, (page % 100) as u8 + 1);
    }
    let word = stack.high() - 1000;
    write(word, 11);
    let kept = Kept {
        pages: stack.high() - 2 * PAGE..stack.high(),
        words: std::iter::once(word..word + 8).collect(),
    };
    // SAFETY:
    // - only this test uses the range.
    let dump = unsafe { Dump::take(range.clone()) }.expect("a dump");
    // One changed page of a file, four of the stack and the last, which the word is on, too.
    assert_eq!((dump.len(), dump.is_empty()), (6 * PAGE, false));
    // SAFETY:
    // - as above.
    unsafe { dump.wipe(&kept) }.expect("wiped");
    for gone in [
        START + PAGE,
        START + 8 * PAGE,
        stack.low(),
        stack.low() + 200 * PAGE,
    ] {
        assert!(!is_readable(gone));
    }
    assert_eq!((read(word), read(stack.low() + 255 * PAGE + 5)), (11, 0));
    write(word, 12);
    let piece = |start: usize, pages: usize, file, offset| FilePiece {
        addresses: START + start * PAGE..START + (start + pages) * PAGE,
        file,
        offset,
    };
    let files = [
        piece(1, 2, code.as_fd(), PAGE as u64),
        piece(8, 3, master.as_fd(), 0),
    ];
    // SAFETY:
    // - as above.
    unsafe { dump.restore(&kept, &files) }.expect("restored");
    let bytes = [1, 2, 8, 9, 10].map(|page| read(START + page * PAGE));
    assert_eq!(bytes, [2, 3, 7, 80, 9]);
    for page in [0, 1, 7, 200, 255] {
        assert_eq!(read(stack.low() + page * PAGE + 5), (page % 100) as u8 + 1);
    }
    assert_eq!((read(stack.low() + 3 * PAGE), read(word)), (0, 12));
    assert!(!is_readable(stack.low() - 1) && !is_readable(START));
    // The same protection as before: a second dump finds the same mappings.
    // SAFETY:
    // - as above.
    let again = unsafe { Dump::take(range) }.expect("a dump");
    assert_eq!(again.mappings, dump.mappings);
}

#[test]
fn a_file_that_nobody_knows_cannot_be_mapped_again() {
    const START: usize = 0x4200_0000_0000;
    let range = START..START + 16 * PAGE;
    reserve(range.clone()).expect("the addresses are free");
    map_file(START, 1, &file(&[1]), 0, ProtFlags::READ);
    // SAFETY:
    // - only this test uses the range.
    let restored = unsafe {
        let dump = Dump::take(range).expect("a dump");
        dump.wipe(&Kept::default()).expect("wiped");
        dump.restore(&Kept::default(), &[])
    };
    assert_eq!(restored.unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn holes_cut_a_range() {
    let cut = |range: Range<usize>, holes: &[(usize, usize)]| -> Vec<(usize, usize)> {
        let holes: Vec<_> = holes.iter().map(|&(start, end)| start..end).collect();
        let parts = without(&range, &holes).into_iter();
        parts.map(|part| (part.start, part.end)).collect()
    };
    assert_eq!(cut(0..10, &[]), [(0, 10)]);
    assert_eq!(cut(0..10, &[(0, 2), (4, 5), (9, 20)]), [(2, 4), (5, 9)]);
    assert_eq!(cut(5..6, &[(0, 20)]), []);
    assert_eq!(cut(5..8, &[(0, 2), (6, 6)]), [(5, 8)]);
}
