//! Dumping a rank, wiping its range, and restoring it.
//!
//! That is done while the rank is suspended, by the worker that runs it, on its own stack: nothing of the rank is in
//! use then, if no other thread works for it or with its memory. It is at a *safe point*:
//!
//! * its main execution context has asked for it, so it waits for nothing;
//! * no operation that it has started is under way and it has no windows, so nobody reads or writes its buffers;
//! * no kernel thread is left that ever ran for it;
//! * threads of the host that call its functions, to deliver signals or to flush its output, wait (`while_present`).
//!
//! The pages with its thread control block stay mapped: glibc keeps a list of all threads that runs through these
//! blocks, and other threads change it when they begin and end. All but the words that belong to the process are wiped
//! there.

use super::super::end::end_job;
use super::super::state::{Host, Rank};
use super::{PRESENCE, Ranges};
use simurgh_alloc::{Dump, FilePiece, Kept};
use simurgh_core::while_suspended;
use simurgh_image::{FilePart, ImageState};
use std::io;
use std::ops::Range;
use std::sync::PoisonError;
use thiserror::Error;

/// The reason why a rank cannot be dumped now.
#[derive(Debug, Error)]
pub enum NotNow {
    /// Its memory is not all in one range of addresses.
    #[error("its memory is not in one range of addresses: start the job with --relocatable")]
    NotRelocatable,
    /// It is called by a thread of the rank.
    #[error("only its main thread can ask for that")]
    NotMain,
    /// Operations are under way.
    #[error(
        "{0} of its operations are under way, or windows open: complete its requests and free its windows before"
    )]
    Pending(usize),
    /// Other threads work for it.
    #[error("{0} of its threads run: join them before")]
    Threads(usize),
    /// The C library keeps threads in an unknown way.
    #[error("this C library keeps the list of threads at an unknown place: glibc 2.34 to 2.40 are known")]
    UnknownLibrary,
    /// The kernel does not tell what its memory holds.
    #[error("its memory cannot be read: {0}")]
    System(#[from] io::Error),
}

/// Everything that the worker needs to know.
struct Errand {
    rank: &'static Rank,
    range: Range<usize>,
    kept: Kept,
    images: ImageState,
}

/// Dumps the calling rank, and restores it.
pub(super) fn dump_and_restore(
    rank: &'static Rank,
    ranges: &Ranges,
    pending: impl Fn() -> usize,
) -> Result<(), NotNow> {
    let ec = simurgh_core::current();
    let place = rank
        .place()
        .filter(|place| place.ec == ec)
        .ok_or(NotNow::NotMain)?;
    // A thread that has ended for the program may still run for a moment.
    let threads = place.images.threads().max(rank.count_threads());
    if threads > 0 {
        return Err(NotNow::Threads(threads));
    }
    let pending = pending();
    if pending > 0 {
        return Err(NotNow::Pending(pending));
    }
    let block = ec.thread_block().ok_or(NotNow::UnknownLibrary)?;
    let errand = Errand {
        rank,
        range: ranges.of(rank.range()),
        kept: Kept {
            pages: block.pages,
            words: block.words.to_vec(),
        },
        images: place.images,
    };
    while_suspended(move || errand.run()).ok_or(NotNow::NotMain)?
}

impl Errand {
    fn run(&self) -> Result<(), NotNow> {
        let _away = PRESENCE.write().unwrap_or_else(PoisonError::into_inner);
        let parts = self.images.file_parts();
        let files: Vec<_> = parts.iter().map(piece).collect();
        // SAFETY:
        // - nothing uses the rank's memory: see the head of this module.
        let dump = unsafe { Dump::take(self.range.clone()) }?;
        simurgh_heap::pages_go(self.range.start, self.range.len());
        // SAFETY:
        // - as above; the files are those that the images were made of.
        let restored = unsafe {
            dump.wipe(&self.kept)
                .and_then(|()| dump.restore(&self.kept, &files))
        };
        if let (Err(error), Some(host)) = (restored, Host::running()) {
            let id = self.rank.id();
            end_job(
                host,
                1,
                &format!("rank {id} cannot be restored from its dump: {error}"),
            );
        }
        self.rank.heaps().want_huge_pages_again();
        self.rank.count_dump();
        Ok(())
    }
}

fn piece(part: &FilePart) -> FilePiece<'static> {
    FilePiece {
        addresses: part.addresses.clone(),
        file: part.file,
        offset: part.offset,
    }
}
