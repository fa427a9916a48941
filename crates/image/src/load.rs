//! Making the image of a rank: mapping it, and changing what is different in each image.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};

use crate::arena::Place;
use crate::link::{Copied, CopyOrigin, EarlierWord};
use crate::linked_program::LinkedProgram;
use crate::memory;
use crate::pieces::{Origin, Piece};

/// A system call that failed.
type Failure = (&'static str, io::Error);

/// A part of an image that is mapped from a file.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// Where it lies.
    pub addresses: Range<usize>,
    /// The file.
    pub file: BorrowedFd<'static>,
    /// The place in the file of the first of these addresses.
    pub offset: u64,
}

/// The parts of an image that are mapped from files.
pub(crate) fn file_parts(place: Place) -> impl Iterator<Item = FilePart> {
    let program = place.program();
    program.template.pieces.iter().filter_map(move |piece| {
        let (file, offset) = file_of(program, piece)?;
        let start = place.address() + piece.start as usize;
        Some(FilePart {
            addresses: start..start + piece.length as usize,
            file: file.as_fd(),
            offset,
        })
    })
}

/// The parts of an image that are mapped from no file, and begin as zeros.
pub(crate) fn unfilled_parts(place: Place) -> impl Iterator<Item = Range<usize>> {
    let pieces = place.program().template.pieces.iter();
    let unfilled = pieces.filter(|piece| piece.origin == Origin::Nothing);
    unfilled.map(move |piece| {
        let start = place.address() + piece.start as usize;
        start..start + piece.length as usize
    })
}

/// The file of a piece, and the place of the piece in it.
fn file_of(program: &'static LinkedProgram, piece: &Piece) -> Option<(&'static File, u64)> {
    match piece.origin {
        Origin::Original(object, offset) => Some((&program.objects[object].source.file, offset)),
        Origin::Master => Some((&program.template.master, piece.start)),
        Origin::Nothing => None,
    }
}

/// Maps a new image at a place that has been taken for it, and adds its address to the words that point into it. Words
/// that functions of the program choose, and variables that it copies, are left for [`finish`].
pub(crate) fn map(place: Place) -> Result<(), Failure> {
    let (program, address) = (place.program(), place.address());
    for piece in &program.template.pieces {
        map_piece(program, address, piece).map_err(|error| ("mmap", error))?;
    }
    for &at in &program.template.relocations.based {
        // SAFETY:
        // - the word lies in the writable data of the image, which was mapped just now: checked when it was linked;
        // - nobody else knows of the image yet; the word need not be aligned.
        unsafe {
            let word = (address + at as usize) as *mut usize;
            word.write_unaligned(word.read_unaligned().wrapping_add(address));
        }
    }
    Ok(())
}

fn map_piece(program: &'static LinkedProgram, address: usize, piece: &Piece) -> io::Result<()> {
    let start = address + piece.start as usize;
    // SAFETY: the range belongs to a place that was taken just now: nothing is there.
    unsafe {
        match file_of(program, piece) {
            Some((file, offset)) => memory::map_over(start, piece.length, piece.protection, file, offset),
            None => memory::zero_over(start, piece.length, piece.protection),
        }
    }
}

/// Completes an image on the rank's own thread, and makes read-only what is constant from then on. `earlier` has the
/// addresses of the rank's earlier images.
///
/// # Safety
/// The image must have been mapped just now, and the calling thread must have its thread-local variables. The earlier
/// images must be those for which it was linked, and complete.
pub(crate) unsafe fn finish(place: Place, earlier: &[usize]) -> Result<(), Failure> {
    let (program, address) = (place.program(), place.address());
    let relocations = &program.template.relocations;
    // SAFETY: the image is mapped (caller), and these places lie in its writable data: checked when it was linked.
    unsafe {
        for word in &relocations.earlier {
            refer(address, word, earlier[word.image]);
        }
        choose(address, &relocations.chosen_by_libraries);
        relocations.copied.iter().for_each(|copied| copy(address, copied));
        choose(address, &relocations.chosen_by_program);
    }
    for (start, length) in program
        .objects
        .iter()
        .filter_map(|object| object.constant_pages())
    {
        // SAFETY: the linker has put only data there that no code writes after relocation.
        unsafe { memory::protect(address + start as usize, length, libc::PROT_READ) }
            .map_err(|error| ("mprotect", error))?;
    }
    Ok(())
}

/// Writes a word that is about an earlier image, which begins at `earlier`.
///
/// # Safety
/// The word must lie in writable data of an image that is mapped, and the function, if there is one, in the code of the
/// earlier image.
unsafe fn refer(address: usize, word: &EarlierWord, earlier: usize) {
    let place = earlier.wrapping_add(word.place as usize);
    let value = if word.is_chosen {
        // SAFETY: a function without arguments, made to be called at this point in any process (caller).
        let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(place) };
        function()
    } else {
        place
    };
    // SAFETY: the caller's; the word need not be aligned.
    unsafe { ((address + word.at as usize) as *mut usize).write_unaligned(value) };
}

/// Resolves indirect functions: code of the image chooses which of several functions is to be called.
///
/// # Safety
/// The words must lie in writable data of an image that is mapped, and their functions in its code.
unsafe fn choose(address: usize, words: &[(u64, u64)]) {
    for &(at, function) in words {
        // SAFETY: a function without arguments, made to be called at this point in any process (caller).
        let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(address + function as usize) };
        let chosen = function();
        // SAFETY: the caller's; the word need not be aligned.
        unsafe { ((address + at as usize) as *mut usize).write_unaligned(chosen) };
    }
}

/// Copies a variable of a library into the program (a copy relocation).
///
/// # Safety
/// The target must be a variable of an image that is mapped.
unsafe fn copy(address: usize, copied: &Copied) {
    let source = match copied.origin {
        CopyOrigin::Private(at) => address + at as usize,
        CopyOrigin::Shared(address) => address,
    };
    let target = address + copied.target as usize;
    // SAFETY:
    // - the source is a variable of at least `size` bytes: both sizes were compared when it was found;
    // - the target is the space that the linker made for it in the program; they are distinct.
    unsafe { std::ptr::copy_nonoverlapping(source as *const u8, target as *mut u8, copied.size as usize) };
}
