//! The image of one rank, and running its program.

mod flusher;
mod record;
mod state;

use std::ffi::{CStr, CString};
use std::ops::Range;

pub use flusher::Flusher;
use record::{Enter, RankRecord, Setup};
pub use state::ImageState;

use crate::arena::Place;
use crate::dl;
use crate::elf::page_up;
use crate::hooks::RankContext;
use crate::linked_program::{LinkedProgram, PROGRAM, SHIM};
use crate::maps;
use crate::memory;
use crate::object_code::{ObjectCode, object_code};
use crate::signals::Signals;
use crate::tls::Layout;

/// The image of a rank, known to the shim.
#[derive(Debug)]
pub(crate) struct Image {
    place: Place,
    linked: &'static LinkedProgram,
    shim: usize,
}

impl Image {
    /// Fills in the shim's record, and lets the shim make the rank's streams; `None` if memory is short. The image has
    /// to be mapped, with its thread-local variables initialised.
    pub(crate) fn new(place: Place, context: RankContext) -> Option<Image> {
        let linked = place.program();
        let image = Image {
            place,
            linked,
            shim: place.base(SHIM),
        };
        // Never freed: threads of the rank may use it until the process ends.
        let objects: &'static [ObjectCode] = Box::leak(object_code(place));
        let data = linked.ranges.map(|ranges| ranges.data_segment(place.index()));
        let data = data.unwrap_or_default();
        let record = RankRecord {
            user: context.user,
            hooks: context.hooks,
            image: &dl::CALLS,
            objects: objects.as_ptr(),
            object_count: objects.len(),
            tls_start: Layout::start_thread_hook,
            tls_layout: (&raw const linked.layout).cast(),
            address: place.address(),
            saved_stack: std::ptr::null_mut(),
            main_thread: crate::tls::thread_pointer(),
            program: linked.objects[PROGRAM].path.as_ptr(),
            open_maps: maps::open_maps,
            ignored_signals: context.ignored_signals,
            data_segment: data.start,
            data_size: data.len(),
            rank: i32::try_from(context.rank).unwrap_or(i32::MAX),
            host_pid: i32::try_from(std::process::id()).unwrap_or(0),
            main: context.main,
        };
        // SAFETY:
        // - the shim's record has this type (shim.h) and is in its writable data;
        // - nothing of the rank runs yet.
        unsafe { image.record().write(record) };
        // SAFETY: the address is that of the shim's function of this type.
        let setup: Setup = unsafe { std::mem::transmute(image.shim + linked.symbols.setup as usize) };
        // SAFETY: the record is filled in, and this is the first call.
        (unsafe { setup() } == 0).then_some(image)
    }

    fn record(&self) -> *mut RankRecord {
        (self.shim + self.linked.symbols.record as usize) as *mut RankRecord
    }
}

/// A rank's program, ready to run.
#[derive(Debug)]
pub struct Instance {
    image: Image,
}

// SAFETY: an instance is addresses of memory that belongs to it alone; nothing in it is bound to the thread that made
// it. (Its thread-local variables are: `run` says where it must be called.)
unsafe impl Send for Instance {}

impl Instance {
    pub(crate) fn new(image: Image) -> Instance {
        Instance { image }
    }

    /// A handle to write out the rank's buffers from outside.
    pub fn flusher(&self) -> Flusher {
        Flusher::new(self.image.place)
    }

    /// A handle to tell the rank of signals.
    pub fn signals(&self) -> Signals {
        let (shim, symbols) = (self.image.shim, &self.image.linked.symbols);
        Signals {
            attend: shim + symbols.attend as usize,
            fault: shim + symbols.fault as usize,
            come: shim + symbols.come as usize,
        }
    }

    /// A handle to what the rank's images are made of.
    pub fn state(&self) -> ImageState {
        ImageState::new(self.image.place)
    }

    /// The addresses at which the program and the libraries that are private to the rank lie.
    pub fn addresses(&self) -> Range<usize> {
        self.image.place.addresses()
    }

    /// Runs the program on the calling stack and returns its exit status: when `main` returns, or `exit`, `_exit`,
    /// `quick_exit` or `pthread_exit` is called on this stack. Exit handlers, static destructors and the destructors
    /// of libraries have run then and streams are flushed, as at the end of a process. Frames between here and a
    /// call of `exit` are left without unwinding, as `exit` does.
    ///
    /// Must be called on the execution context that made the instance. `argv[0]` should be the program's path.
    /// Threads of the rank that still run are not stopped: they end with the process.
    pub fn run(self, argv: &[CString], envp: &[CString]) -> i32 {
        let linked = self.image.linked;
        let program = &linked.objects[PROGRAM];
        let base = self.image.place.base(PROGRAM);
        let entry = base + program.elf().entry as usize;
        let room = linked
            .ranges
            .map(|ranges| ranges.strings(self.image.place.index()));
        let strings = Strings::new(argv, envp, room);
        let block = initial_stack(&strings, &program.path, base, entry);
        // SAFETY: the address is that of the shim's function of this type.
        let enter: Enter = unsafe { std::mem::transmute(self.image.shim + linked.symbols.enter as usize) };
        // SAFETY:
        // - the entry point is the program's, whose relocations, thread-local variables and shim are in place;
        // - the block is what a kernel would have put on the stack; its strings are never freed;
        // - the shim restores this stack with all callee-saved registers when the program ends.
        unsafe {
            enter(
                entry,
                block.as_ptr(),
                size_of_val(block.as_slice()),
                &raw mut (*self.image.record()).saved_stack,
            )
        }
    }
}

/// Arguments and environment of a rank, writable as in a process, in its range of addresses if it has one. They are
/// never freed, since threads of the rank may use them until the process ends.
struct Strings {
    argv: Vec<usize>,
    envp: Vec<usize>,
}

impl Strings {
    fn new(argv: &[CString], envp: &[CString], room: Option<Range<usize>>) -> Strings {
        let bytes: Vec<u8> = argv
            .iter()
            .chain(envp)
            .flat_map(|s| s.to_bytes_with_nul())
            .copied()
            .collect();
        let start = room
            .and_then(|room| copy_to(&bytes, &room))
            .unwrap_or_else(|| Box::leak(bytes.into_boxed_slice()).as_mut_ptr() as usize);
        let mut next = start;
        let mut place = |string: &CString| {
            let address = next;
            next += string.as_bytes_with_nul().len();
            address
        };
        let argv = argv.iter().map(&mut place).collect();
        let envp = envp.iter().map(&mut place).collect();
        Strings { argv, envp }
    }
}

/// Maps room that has been reserved, and copies bytes there. Gives its address; `None` if there is not so much.
fn copy_to(bytes: &[u8], room: &Range<usize>) -> Option<usize> {
    let length = page_up(bytes.len() as u64);
    if length as usize > room.len() {
        return None;
    }
    // SAFETY:
    // - the room is reserved for this, and nobody uses it yet; it is as long as the bytes.
    unsafe {
        memory::zero_over(room.start, length, libc::PROT_READ | libc::PROT_WRITE).ok()?;
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.start as *mut u8, bytes.len());
    }
    Some(room.start)
}

/// argc, argv, envp and the auxiliary vector as the kernel lays them out.
fn initial_stack(strings: &Strings, file: &'static CStr, base: usize, entry: usize) -> Vec<usize> {
    let mut block = vec![strings.argv.len()];
    block.extend(&strings.argv);
    block.push(0);
    block.extend(&strings.envp);
    block.push(0);
    for kind in [
        libc::AT_PAGESZ,
        libc::AT_HWCAP,
        libc::AT_HWCAP2,
        libc::AT_CLKTCK,
        libc::AT_UID,
        libc::AT_EUID,
    ]
    .into_iter()
    .chain([
        libc::AT_GID,
        libc::AT_EGID,
        libc::AT_SECURE,
        libc::AT_RANDOM,
        libc::AT_PLATFORM,
    ])
    .chain([libc::AT_SYSINFO_EHDR, libc::AT_BASE])
    {
        // SAFETY: a read of the process's own auxiliary vector.
        block.extend([kind as usize, unsafe { libc::getauxval(kind) } as usize]);
    }
    for (kind, value) in program_headers(base) {
        block.extend([kind as usize, value]);
    }
    block.extend([libc::AT_ENTRY as usize, entry]);
    block.extend([libc::AT_EXECFN as usize, file.as_ptr() as usize]);
    block.extend([libc::AT_NULL as usize, 0]);
    block
}

/// The address, size and number of a program's program headers, from its ELF header.
fn program_headers(base: usize) -> [(libc::c_ulong, usize); 3] {
    // SAFETY:
    // - a program begins with its ELF header, which has the offset of its program headers there, their size and number;
    // - its first page is mapped readable, as all segments are.
    let (offset, size, count) = unsafe {
        let header = base as *const u8;
        (
            header.add(32).cast::<u64>().read(),
            header.add(54).cast::<u16>().read(),
            header.add(56).cast::<u16>().read(),
        )
    };
    [
        (libc::AT_PHDR, base + offset as usize),
        (libc::AT_PHENT, usize::from(size)),
        (libc::AT_PHNUM, usize::from(count)),
    ]
}
