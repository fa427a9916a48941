//! Collective accesses.

use super::File;
use super::access::{Located, Positioning, checked_position};
use super::agree::is_first_host;
use super::among_hosts::AmongHosts;
use super::open_file::OpenFile;
use super::parts::{Contribution, Participants, Parts, divide, nothing};
use super::transfer::{Transfer, converts, read_converted, write_converted};
use super::work::Work;
use crate::collective::{Leader, Round, SharedByRanks};
use crate::comm::IdDemand;
use crate::error::{Error, Result, Status};
use crate::instrument::FileAccess;
use crate::memory::{Source, Target};
use crate::portable::portable;
use crate::request::Request;
use simurgh_core::sync::{Arc, Ordering};
use simurgh_core::{Purpose, PurposeGuard, current_worker};
use simurgh_file::{Access, Part, Representation, View};

/// The etypes of a rank in an ordered access, or why it takes no part.
struct Ordered(Result<u64>);

/// The shared file pointer before an ordered access, from the ranks of the host that has it.
struct OrderedFrom(Option<u64>);

portable! {
    Ordered { 0 }
    OrderedFrom { 0 }
}

/// Where the data of each rank begins, by rank, counted from the pointer. The pointer is known on one host.
type Shares = Result<(Vec<u64>, Option<u64>)>;

impl File {
    /// Reads together with all other ranks (`MPI_File_read_all`, `MPI_File_read_at_all`, `MPI_File_read_ordered`).
    ///
    /// # Errors
    ///
    /// As [`File::read`]; what the system says to one rank is an error at all.
    pub fn read_all(&self, place: Positioning, target: &Target) -> Result<Status> {
        let _purpose = PurposeGuard::begin(Purpose::Io);
        let (request, at) = self.begin_read(place, target, true)?;
        let status = request.wait();
        let done = request.result(status);
        if let (Positioning::Individual, Ok(status)) = (place, &done) {
            self.advance_fully(place, &at, status.bytes as usize);
        }
        done
    }

    /// Writes together with all other ranks (`MPI_File_write_all`, `MPI_File_write_at_all`, `MPI_File_write_ordered`).
    ///
    /// # Errors
    ///
    /// As [`File::write`]; what the system says to one rank is an error at all.
    pub fn write_all(&self, place: Positioning, source: &Source) -> Result<Status> {
        let _purpose = PurposeGuard::begin(Purpose::Io);
        let request = self.begin_write(place, source, true)?;
        let status = request.wait();
        request.result(status)
    }

    /// Starts to read together with all other ranks (`MPI_File_iread_all` and so on).
    ///
    /// # Errors
    ///
    /// As [`File::start_read`].
    pub fn start_read_all(&self, place: Positioning, target: &Target) -> Result<Arc<Request>> {
        self.begin_read(place, target, false).map(|(request, _)| request)
    }

    /// Starts to write together with all other ranks (`MPI_File_iwrite_all` and so on).
    ///
    /// # Errors
    ///
    /// As [`File::start_write`].
    pub fn start_write_all(&self, place: Positioning, source: &Source) -> Result<Arc<Request>> {
        self.begin_write(place, source, false)
    }

    /// Leaves a read at its gathering. `waits` says whether the rank then waits for it.
    fn begin_read(
        &self,
        place: Positioning,
        target: &Target,
        waits: bool,
    ) -> Result<(Arc<Request>, Located)> {
        let bytes = target.bytes();
        let turn = self.turn(place);
        let located = self.locate_together(Access::Read, place, turn, bytes);
        let at = self.or_take_part_with_nothing(located, Access::Read)?;
        let (view, position) = (&at.view, at.position);
        let Transfer::Read(part) = Transfer::read(Arc::clone(view), position, target) else {
            unreachable!("a read is made")
        };
        let (part, done) = match converts(view).0 {
            true => {
                let metered = self.meter.begin(FileAccess::ReadAll);
                let done = read_converted(&self.open, view, position, target, metered);
                (nothing(part), Some(done))
            }
            false => (part, None),
        };
        let request = self.leave(Transfer::Read(part), done, turn, waits);
        self.advance_fully(place, &at, bytes);
        Ok((request, at))
    }

    /// Leaves a write at its gathering. `waits` says whether the rank then waits for it.
    fn begin_write(&self, place: Positioning, source: &Source, waits: bool) -> Result<Arc<Request>> {
        let bytes = source.bytes();
        let turn = self.turn(place);
        let located = self.locate_together(Access::Write, place, turn, bytes);
        let at = self.or_take_part_with_nothing(located, Access::Write)?;
        let (view, position) = (&at.view, at.position);
        let Transfer::Write(part) = Transfer::write(Arc::clone(view), position, source) else {
            unreachable!("a write is made")
        };
        let (part, done) = match converts(view).1 {
            true => {
                let metered = self.meter.begin(FileAccess::WriteAll);
                let done = write_converted(&self.open, view, position, source, metered);
                (nothing(part), Some(done))
            }
            false => (part, None),
        };
        let request = self.leave(Transfer::Write(part), done, turn, waits);
        self.advance_fully(place, &at, bytes);
        Ok(request)
    }

    /// A rank whose own arguments are wrong does not leave the others waiting: it takes part without data, and tells
    /// them.
    fn or_take_part_with_nothing(&self, located: Result<Located>, access: Access) -> Result<Located> {
        located.inspect_err(|error| {
            let view = Arc::new(View::default());
            let transfer = match access {
                Access::Write => Transfer::write(view, 0, &crate::memory::bytes_of(&[])),
                Access::Read | Access::Both => Transfer::Read(no_target(view)),
            };
            self.leave(transfer, Some(Err(error.clone())), None, false);
        })
    }

    fn leave(
        &self,
        transfer: Transfer,
        done: Option<Result<Status>>,
        turn: Option<usize>,
        waits: bool,
    ) -> Arc<Request> {
        // Relaxed: the number concerns this rank alone, whose collective accesses follow each other.
        let number = self.accesses.fetch_add(1, Ordering::Relaxed);
        let request = Request::file_task();
        let meter = match done {
            None => self.meter.if_wanted(),
            Some(_) => None,
        };
        let contribution = Contribution {
            transfer,
            meter,
            done,
            turn,
            worker: current_worker().map_or(0, |worker| worker.index()),
            request: Arc::clone(&request),
        };
        if let Some(mut all) = self.open.gatherings.arrive(number, contribution) {
            self.put_in_order(&mut all);
            self.begin(number, all, waits);
        }
        request
    }

    /// Has the parts of all ranks of this host moved.
    fn begin(&self, number: u64, all: Vec<Contribution>, waits: bool) {
        let (comm, hints) = (&self.comm, self.hints.lock().0.clone());
        let divided = divide(all, &hints);
        let open = Arc::clone(&self.open);
        if !comm.spans_hosts() {
            return begin_here(open, divided, waits);
        }
        let access = AmongHosts::new(comm, number, open, divided, hints);
        if waits {
            return access.lead();
        }
        let shared = Arc::clone(comm.shared()) as Arc<dyn SharedByRanks>;
        let (process, round) = (Arc::clone(comm.process()), Round::Nonblocking(number));
        access.lead_apart(&Leader::new(
            process,
            shared,
            comm.group_sizes(),
            comm.context(),
            round,
        ));
    }

    /// The rank's turn in an ordered access whose places are found once all parts are there: the ranks are on one host,
    /// and none needs its place before.
    fn turn(&self, place: Positioning) -> Option<usize> {
        let converts = || matches!(self.current_view().representation(), Representation::User(_));
        let later = place == Positioning::Shared && !self.comm.spans_hosts() && !converts();
        later.then(|| self.comm.seat())
    }

    /// Finds the places of the parts of an ordered access, in the order of ranks. The shared file pointer moves on.
    fn put_in_order(&self, all: &mut [Contribution]) {
        let etypes_of = |one: &Contribution| one.transfer.etypes().cast_signed() as i64;
        let etypes = all.iter().filter(|one| one.turn.is_some()).map(etypes_of);
        let sum = etypes.fold(0, i64::saturating_add);
        if sum == 0 {
            return;
        }
        let before = self.open.pointer.advance(self.comm.process().job(), sum);
        all.sort_unstable_by_key(|one| one.turn);
        let mut next = before;
        for one in all.iter_mut().filter(|one| one.turn.is_some()) {
            let etypes = etypes_of(one);
            let moved = next.clone().and_then(|offset| one.transfer.move_to(offset));
            one.done = moved.err().map(Err);
            next = next.map(|offset| offset.saturating_add(etypes));
        }
    }

    /// Checks a collective access, and finds where it begins, unless that is found later. The shared file pointer moves
    /// on.
    fn locate_together(
        &self,
        access: Access,
        place: Positioning,
        turn: Option<usize>,
        bytes: usize,
    ) -> Result<Located> {
        let checked = self.check_access(access, bytes);
        let (view, offset) = match place {
            Positioning::Shared if turn.is_some() => (checked?, 0),
            Positioning::Shared => {
                let etypes = checked.as_ref().map(|view| (bytes / view.etype().size()) as u64);
                let offset = self.take_turn(etypes.map_err(Error::clone));
                (checked?, offset?)
            }
            _ => (checked?, self.own_offset(place)?),
        };
        let position = checked_position(&view, offset, bytes)?;
        Ok(Located { view, position })
    }

    /// Where this rank's etypes begin if those of all ranks follow each other from the shared file pointer on.
    fn take_turn(&self, etypes: Result<u64>) -> Result<i64> {
        let (comm, job) = (&self.comm, self.comm.process().job());
        let shares = comm.exchange(Ordered(etypes), IdDemand::Nothing, |etypes, _| -> Shares {
            let mut sum = 0_u64;
            let mut before = Vec::with_capacity(etypes.len());
            for Ordered(etypes) in etypes {
                before.push(sum);
                sum = sum.saturating_add(etypes.unwrap_or(0));
            }
            let from = is_first_host(comm)
                .then(|| self.open.pointer.advance(job, sum.cast_signed()))
                .transpose()?;
            Ok((before, from.map(i64::cast_unsigned)))
        })?;
        let (before, from) = (*shares).clone()?;
        let from = if comm.spans_hosts() {
            let known = comm.exchange(OrderedFrom(from), IdDemand::Nothing, |known, _| {
                known.into_iter().find_map(|OrderedFrom(from)| from)
            })?;
            *known
        } else {
            from
        };
        let from = from.unwrap_or(0).cast_signed();
        Ok(from + before[comm.seat()].cast_signed())
    }
}

/// Has the parts of all ranks moved, which all are on this host. `waits` says whether the caller then waits.
fn begin_here(open: Arc<OpenFile>, (parts, participants): (Result<Parts>, Participants), waits: bool) {
    match parts {
        Ok(parts) => Work::start(open, parts, waits, |(moved, outcome)| {
            let outcome = participants.with_own(outcome);
            participants.conclude(&moved, &outcome);
        }),
        Err(fault) => participants.conclude(&[], &Err(fault)),
    }
}

/// A read of nothing.
fn no_target(view: Arc<View>) -> Part<Target> {
    let mut part = None;
    let _ = crate::memory::collect::<()>(0, |target| {
        part = Some(Part {
            view,
            position: 0,
            bytes: 0,
            memory: target.clone(),
        });
        Ok(())
    });
    part.expect("the target was given")
}
