//! The room for thread-local storage that this process has reserved, as the dynamic loader has laid it out.

use std::ffi::{CStr, c_int, c_void};

use crate::elf::{Elf, PHDR_SIZE, Segment, abi};
use crate::error::ImageError;
use crate::tls::{MIN_ALIGN, TlsNeed, thread_pointer};

/// How far the reservation reaches below the thread pointer; 0 if there is none.
///
/// # Errors
/// [`ImageError::Intruder`] if the thread-local variables of a library lie within it.
pub(crate) fn reserved() -> Result<u64, ImageError> {
    let mut survey = Survey::default();
    // SAFETY: the callback keeps to dl_iterate_phdr's contract and `survey` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut survey).cast()) };
    survey.intruder.map_or(Ok(survey.distance), Err)
}

/// The findings about the objects of this process.
#[derive(Default)]
struct Survey {
    distance: u64,
    intruder: Option<ImageError>,
}

/// Takes one object into account. The executable comes first.
unsafe extern "C" fn look_at(info: *mut libc::dl_phdr_info, _size: usize, survey: *mut c_void) -> c_int {
    // SAFETY: dl_iterate_phdr passes a valid record, and `survey` is the address of our variable.
    let (info, survey) = unsafe { (&*info, &mut *survey.cast::<Survey>()) };
    // SAFETY: the record describes that many program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let segment = headers.iter().find(|header| header.p_type == abi::PT_TLS);
    let (Some(segment), false) = (segment, info.dlpi_tls_data.is_null()) else {
        return 0;
    };
    let (pointer, start) = (thread_pointer() as u64, info.dlpi_tls_data as u64);
    if info.dlpi_tls_modid == 1 {
        if segment.p_filesz == 0 {
            survey.distance = pointer - start;
        }
    } else if start < pointer && start + segment.p_memsz > pointer - survey.distance {
        // SAFETY: the name of an object is a C string.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) };
        survey.intruder.get_or_insert_with(|| ImageError::Intruder {
            library: name.to_string_lossy().into_owned(),
            distance: pointer - start,
            reservation: survey.distance,
        });
    }
    0
}

/// The host executable with its reservation made as large as `need` says.
///
/// # Errors
/// [`ImageError::Host`] if the file is not an ELF executable with a thread-local segment that is only room.
pub fn reserve_tls(host_elf: &[u8], need: TlsNeed) -> Result<Vec<u8>, ImageError> {
    let elf = Elf::parse(host_elf).map_err(|error| ImageError::Host(error.0))?;
    let index = elf.segments.iter().position(|s| s.kind == abi::PT_TLS);
    let index = index.ok_or(ImageError::Host("it has no thread-local segment"))?;
    let old = elf.segments[index];
    let align = need.align.max(MIN_ALIGN);
    // glibc rounds the distance of the block up to its alignment, and may put another library's block into what that
    // leaves between the block's end and the thread pointer: nothing may be left.
    let size = need.size.max(MIN_ALIGN).next_multiple_of(align);
    if old.file_size != 0 {
        return Err(ImageError::Host(
            "its thread-local segment is not an empty reservation",
        ));
    }
    // The segment has no content, so it may be at any address that has the alignment.
    let new = Segment {
        vaddr: old.vaddr & !(align - 1),
        mem_size: size,
        align,
        ..old
    };
    let at = elf.phoff as usize + index * PHDR_SIZE;
    let mut bytes = host_elf.to_vec();
    bytes[at..at + PHDR_SIZE].copy_from_slice(&new.encode());
    Ok(bytes)
}
