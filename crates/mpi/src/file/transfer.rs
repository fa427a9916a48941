//! The access of one rank.

use super::access::checked_position;
use super::line::Write;
use super::meter::{Metered, end};
use super::open_file::OpenFile;
use super::work::is_free;
use crate::error::{Error, ErrorClass, Result, Status};
use crate::memory::{self, Source, Target};
use crate::request::Request;
use simurgh_core::sync::Arc;
use simurgh_core::{Purpose, PurposeGuard};
use simurgh_file::{Moved, Part, Representation, SHORT, View, submit};

/// A part, and the way its data goes.
pub(super) enum Transfer {
    Read(Part<Target>),
    Write(Part<Source>),
}

/// Bytes of a nonblocking write that is made at once.
const AT_ONCE: usize = 4 << 10;

impl Transfer {
    /// The access of a buffer's data at a position. The view must not convert it by a function of the program.
    pub(super) fn read(view: Arc<View>, position: usize, target: &Target) -> Self {
        Self::Read(Part {
            view,
            position,
            bytes: target.bytes(),
            memory: target.clone(),
        })
    }

    /// As [`Transfer::read`].
    pub(super) fn write(view: Arc<View>, position: usize, source: &Source) -> Self {
        Self::Write(Part {
            view,
            position,
            bytes: source.bytes(),
            memory: source.clone(),
        })
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Read(part) => part.bytes,
            Self::Write(part) => part.bytes,
        }
    }

    fn view(&self) -> &View {
        match self {
            Self::Read(part) => &part.view,
            Self::Write(part) => &part.view,
        }
    }

    /// The number of etypes.
    pub(super) fn etypes(&self) -> usize {
        self.bytes() / self.view().etype().size()
    }

    /// Moves the access to an offset. There is nothing left of it if it would not fit into the file there.
    pub(super) fn move_to(&mut self, offset: i64) -> Result<()> {
        let moved = checked_position(self.view(), offset, self.bytes());
        let (position, bytes) = match self {
            Self::Read(part) => (&mut part.position, &mut part.bytes),
            Self::Write(part) => (&mut part.position, &mut part.bytes),
        };
        match moved {
            Ok(to) => *position = to,
            Err(_) => *bytes = 0,
        }
        moved.map(drop)
    }

    fn writes(&self) -> bool {
        matches!(self, Self::Write(_))
    }

    fn is_short(&self) -> bool {
        self.bytes() <= SHORT
    }

    /// Makes the access, in the calling thread.
    pub(super) fn make(&mut self, open: &OpenFile) -> Result<Status> {
        let reach = match self {
            _ if !open.file.is_atomic() => 0..0,
            Self::Read(part) => part.reach(),
            Self::Write(part) => part.reach(),
        };
        let file = &open.file;
        let (moved, action) = match self {
            Self::Read(part) => (
                file.exclusively(reach, false, || simurgh_file::read(file, part)),
                "reading",
            ),
            Self::Write(part) => (
                file.exclusively(reach, true, || simurgh_file::write(file, part)),
                "writing",
            ),
        };
        let Moved { bytes, outcome } = moved.unwrap_or_else(|reason| Moved {
            bytes: 0,
            outcome: Err(reason),
        });
        let status = status_of(bytes);
        match outcome {
            Ok(()) => Ok(status),
            Err(reason) => Err(open.fault(action, &reason).with_status(status)),
        }
    }

    /// Makes the access and waits for it.
    pub(super) fn run(mut self, open: &Arc<OpenFile>, metered: Option<Metered>) -> Result<Status> {
        let is_short = self.is_short();
        // The system would have a write wait for that of an I/O thread.
        let is_free = || is_free(self.bytes()) && !(self.writes() && open.line.is_served());
        if (is_short || is_free()) && !open.file.is_atomic() {
            let _purpose = (!is_short).then(|| PurposeGuard::begin(Purpose::Io));
            let done = self.make(open);
            end(metered, &done);
            return done;
        }
        let request = self.start(open, metered);
        let status = request.wait();
        request.result(status)
    }

    /// Has an I/O thread make the access. A write that takes no longer than to tell a thread of it is made at once.
    pub(super) fn start(mut self, open: &Arc<OpenFile>, metered: Option<Metered>) -> Arc<Request> {
        let request = Request::file_task();
        let (own, file) = (Arc::clone(&request), Arc::clone(open));
        let at_once = self.writes() && self.bytes() <= AT_ONCE && !open.file.is_atomic();
        match self {
            Self::Write(part) if !at_once && !open.file.storage().has_parallel_writes() => {
                let request = own;
                open.line.join(
                    open,
                    Write {
                        part,
                        request,
                        metered,
                    },
                );
            }
            _ => {
                let make = move || {
                    let done = self.make(&file);
                    end(metered, &done);
                    own.finish_task(done);
                };
                if at_once { make() } else { submit(make) }
            }
        }
        request
    }
}

/// The status of an access that has moved so many bytes.
pub(super) fn status_of(bytes: usize) -> Status {
    Status {
        bytes: bytes as u64,
        ..Status::EMPTY
    }
}

/// Whether accesses through a view call a function of the program: reads and writes.
pub(super) fn converts(view: &View) -> (bool, bool) {
    match view.representation() {
        Representation::User(conversion) => conversion.converts(),
        _ => (false, false),
    }
}

/// Reads data that a function of the program converts, which the calling thread calls.
pub(super) fn read_converted(
    open: &Arc<OpenFile>,
    view: &Arc<View>,
    position: usize,
    target: &Target,
    metered: Option<Metered>,
) -> Result<Status> {
    let Representation::User(conversion) = view.representation() else {
        return Transfer::read(Arc::clone(view), position, target).run(open, metered);
    };
    let mut moved = status_of(0);
    let bytes = target.bytes();
    let mut content = memory::collect(view.in_file(bytes), |content| {
        let part = Part {
            view: Arc::clone(view),
            position,
            bytes,
            memory: content.clone(),
        };
        moved = Transfer::Read(part).run(open, metered)?;
        Ok::<(), Error>(())
    })?;
    let each = target.datatype().size().max(1);
    let whole = moved.bytes as usize / each;
    content.truncate(view.in_file(whole * each));
    conversion.decode(&mut content, &target.slice(0, whole))?;
    Ok(status_of(whole * each))
}

/// Writes data that a function of the program converts, which the calling thread calls.
pub(super) fn write_converted(
    open: &Arc<OpenFile>,
    view: &Arc<View>,
    position: usize,
    source: &Source,
    metered: Option<Metered>,
) -> Result<Status> {
    let bytes = source.bytes();
    let content = match view.representation() {
        Representation::User(conversion) => conversion.encode(source)?,
        _ => None,
    };
    let Some(content) = content else {
        return Transfer::write(Arc::clone(view), position, source).run(open, metered);
    };
    if content.len() != view.in_file(bytes) {
        let reason = format!(
            "the data takes {} bytes in the representation \"{}\", but {} by the extent of the etype",
            content.len(),
            view.representation().name(),
            view.in_file(bytes)
        );
        return Err(Error::new(ErrorClass::Conversion, reason));
    }
    let part = Part {
        view: Arc::clone(view),
        position,
        bytes,
        memory: memory::bytes_of(&content),
    };
    // The content lives until the access is over.
    Transfer::Write(part).run(open, metered)
}
