//! What hosts tell each other before a collective when everything is to be checked.
//!
//! Each tells what its ranks call, what they bring to a reduction, and what they send to ranks of other hosts; then all
//! tell whether they have found a fault. So all ranks hear of the same mistake, before any data moves.
//!
//! Cost: twice log2 H rounds, in which all that is told goes to all hosts.

use super::super::agreement::{Told, examine, misfit, unlike};
use super::super::call::{Call, Spoken};
use super::super::offers::Offers;
use super::super::role::check_roots;
use super::super::task::Task;
use super::parcel::Key;
use super::talk::malformed;
use super::tell_all;
use crate::error::{Error, Result};
use crate::members::Seating;
use crate::members::Span;
use crate::portable::{self, portable};
use crate::remote::Line;
use std::collections::{BTreeMap, HashMap};

/// What a host tells of its ranks.
struct Statement {
    /// What they do wrong among each other.
    fault: Option<Error>,
    call: Spoken,
    /// Between two groups, what each passes as root.
    roots: Vec<Option<i32>>,
    /// A rank, and what it brings to a reduction.
    brings: Option<(u32, Told)>,
    /// What they send to ranks of other hosts: who, which part, and what.
    sends: Vec<(u32, u32, Told)>,
}

portable! {
    Statement { fault, call, roots, brings, sends }
}

/// What the hosts talk about.
const SUBJECT: &str = "a collective";

/// What a host compares.
pub(super) struct Comparison<'a> {
    pub(super) line: Line<'a>,
    pub(super) span: &'a Span,
    pub(super) seating: Seating,
    pub(super) call: Call,
    /// None if nobody here knows what there is to do.
    pub(super) task: Option<&'a Task>,
    pub(super) offers: Offers<'a>,
}

impl Comparison<'_> {
    /// Compares what the ranks of all hosts bring. `agreement` is that of the ranks here; `calls` is what they call.
    pub(super) fn make(&self, agreement: Result<()>, calls: impl Iterator<Item = Call>) -> Result<()> {
        let found = agreement.and_then(|()| match self.task {
            Some(task) => examine(self.call, task, self.offers),
            None => Ok(()),
        });
        let own = Statement {
            fault: found.err(),
            call: Spoken::of(self.call),
            roots: calls.map(Call::passed_root).collect(),
            brings: self.operand(),
            sends: self.sends(),
        };
        let told = tell_all(self.line, self.span, SUBJECT, Ok(portable::pack(&own)))?;
        let told: Option<Vec<Statement>> = told.iter().map(|bytes| portable::unpack(bytes)).collect();
        let told = told.ok_or_else(malformed)?;
        self.compare(&told)?;
        // What only this host can tell.
        let found: Option<Error> = self.compare_sent(&told).err();
        let verdicts = tell_all(self.line, self.span, SUBJECT, Ok(portable::pack(&found)))?;
        for verdict in verdicts {
            let verdict: Option<Error> = portable::unpack(&verdict).ok_or_else(malformed)?;
            verdict.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    fn name(&self, host: usize) -> String {
        self.seating.name(self.span.seats(host)[0] as usize)
    }

    /// What a rank of this host brings to a reduction. The others bring the same.
    fn operand(&self) -> Option<(u32, Told)> {
        self.task?.op()?;
        let mut seats = self.span.local().iter();
        seats.find_map(|&seat| Some((seat, Told::of(self.offers.at(seat as usize).whole_source()?))))
    }

    /// What ranks of this host send to those of others, each part once.
    fn sends(&self) -> Vec<(u32, u32, Told)> {
        let Some(task) = self.task.filter(|task| task.op().is_none()) else {
            return Vec::new();
        };
        let mut sent = BTreeMap::new();
        let others = (0..self.seating.seats()).filter(|seat| !self.offers.is_here(*seat));
        for route in others.flat_map(|to| task.routes_to(self.seating, to)) {
            if self.offers.is_here(route.from)
                && let Some(source) = task.sent(self.offers, route)
            {
                let Key { from, part } = Key::on(task, route);
                sent.entry((from, part)).or_insert_with(|| Told::of(&source));
            }
        }
        sent.into_iter()
            .map(|((from, part), told)| (from, part, told))
            .collect()
    }

    /// What all hosts find alike.
    fn compare(&self, told: &[Statement]) -> Result<()> {
        for statement in told {
            statement.fault.clone().map_or(Ok(()), Err)?;
        }
        for (host, statement) in told.iter().enumerate() {
            told[0]
                .call
                .agree(&self.name(0), &statement.call, &self.name(host))?;
        }
        self.compare_roots(told)?;
        let mut operands = told.iter().filter_map(|statement| statement.brings.clone());
        let Some((first, one)) = operands.next().filter(|_| self.seating.right == 0) else {
            return Ok(());
        };
        match operands.find(|(_, other)| !other.is_like(&one)) {
            None => Ok(()),
            Some((seat, other)) => {
                let name = |seat: u32| self.seating.name(seat as usize);
                Err(unlike(
                    &self.call,
                    (name(first), "brings", one),
                    (name(seat), "brings", other),
                ))
            }
        }
    }

    fn compare_roots(&self, told: &[Statement]) -> Result<()> {
        let passed = |seat: usize| {
            let host = self.span.position_of(seat);
            let roots = &told[host].roots;
            roots.get(self.span.place_of(seat)).copied().flatten()
        };
        match passed(0) {
            None => Ok(()),
            Some(_) => check_roots(passed, self.seating).map(drop),
        }
    }

    /// Whether what ranks of other hosts send is what those of this one take.
    fn compare_sent(&self, told: &[Statement]) -> Result<()> {
        let Some(task) = self.task else {
            return Ok(());
        };
        let sent = told.iter().flat_map(|statement| &statement.sends);
        let sent: HashMap<_, _> = sent.map(|(from, part, told)| ((*from, *part), told)).collect();
        for route in self
            .span
            .local()
            .iter()
            .flat_map(|&to| task.routes_to(self.seating, to as usize))
        {
            let Key { from, part } = Key::on(task, route);
            let taken = task.taken(self.offers, route).as_ref().map(Told::to);
            if !self.offers.is_here(route.from)
                && let (Some(sent), Some(taken)) = (sent.get(&(from, part)), taken)
                && !sent.is_like(&taken)
            {
                let names = (self.seating.name(route.from), self.seating.name(route.to));
                return Err(misfit(&self.call, names, sent, &taken));
            }
        }
        Ok(())
    }
}
