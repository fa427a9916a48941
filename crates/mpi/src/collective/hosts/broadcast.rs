//! Data of one rank for all ranks of all hosts.
//!
//! On each host it goes straight to the buffer of one rank, from where the others take it. A slice is about some of the
//! bytes.

use simurgh_settings::rules::Algorithm;

use super::super::deliver::deliver;
use super::super::offers::Offers;
use super::slices::in_slices;
use super::talk::Talk;
use super::way::Way;
use super::{binomial, ring};
use crate::error::Result;
use crate::members::Span;
use crate::memory::{Source, Store, Target, Writer, as_bytes, source_as_bytes, transfer};
use crate::selection::Between;

/// Where the data is on one host, or will be.
struct Landing {
    /// None at the root.
    target: Option<Target>,
    source: Source,
    /// The rank that has it, or will.
    seat: usize,
}

impl Landing {
    /// The buffer of the root, or of the first rank of another host.
    fn find(offers: Offers<'_>, span: &Span, root: usize) -> Option<Self> {
        if offers.is_here(root) {
            let source = offers.at(root).source()?;
            let (target, seat) = (None, root);
            return Some(Self { target, source, seat });
        }
        let seat = *span.local().first()? as usize;
        let target = offers.at(seat).target()?;
        let source = target.as_source();
        let target = Some(target);
        Some(Self { target, source, seat })
    }
}

/// Bytes that a rank of this host sends or gets, which is the same on all.
pub(super) fn bytes_here(offers: Offers<'_>, span: &Span, root: usize) -> usize {
    Landing::find(offers, span, root).map_or(0, |landing| landing.source.bytes())
}

/// Gives the root's data to all.
pub(super) fn broadcast<W: Way>(
    talk: &Talk<'_, W>,
    offers: Offers<'_>,
    span: &Span,
    root: usize,
    between: Between,
) -> Result<()> {
    let Some(landing) = Landing::find(offers, span, root) else {
        return Ok(());
    };
    let (host, target) = (span.position_of(root), landing.target.as_ref());
    let pass = |talk: &Talk<'_, W>, source: &Source, target: Option<&Target>| match between.algorithm {
        Algorithm::Ring => ring::pass_on(talk, source, target, host),
        _ => binomial::spread(talk, source, target, host),
    };
    let others = || {
        let seats = span.local().iter().map(|&seat| seat as usize);
        seats.filter(|seat| *seat != landing.seat)
    };
    let bytes = landing.source.bytes();
    let writer = Writer::new(bytes.saturating_mul(span.local().len()));
    if between.algorithm == Algorithm::Binomial && between.slices == 1 {
        pass(talk, &landing.source, target)?;
        return spread_here(offers, others(), &landing, (root, &writer));
    }
    let plain = |seat: &usize| offers.at(*seat).whole_target().and_then(as_bytes);
    let plain = |seat: &usize| plain(seat).filter(|target| target.bytes() == bytes);
    let targets: Vec<Target> = others().filter_map(|seat| plain(&seat)).collect();
    in_plain_bytes(&landing.source, target, |source, target| {
        in_slices(talk, between.slices, |talk, share| {
            let (start, len) = share.slice(bytes, 1);
            let (source, target) = (source.slice(start, len), target.map(|all| all.slice(start, len)));
            pass(talk, &source, target.as_ref())?;
            for target in &targets {
                writer.transfer(&source, &target.slice(start, len));
            }
            Ok(())
        })
    })?;
    let rest = others().filter(|seat| plain(seat).is_none());
    spread_here(offers, rest, &landing, (root, &writer))
}

/// Shows data as bytes without gaps, which any two hosts can divide alike.
fn in_plain_bytes(
    source: &Source,
    target: Option<&Target>,
    user: impl FnOnce(&Source, Option<&Target>) -> Result<()>,
) -> Result<()> {
    let bytes = source.bytes();
    if let Some(plain) = target.and_then(as_bytes) {
        return user(&plain.as_source(), Some(&plain));
    }
    if let (None, Some(plain)) = (target, source_as_bytes(source)) {
        return user(&plain, None);
    }
    let store = Store::new(bytes);
    let staging = store.target(0, bytes);
    match target {
        None => {
            transfer(source, &staging);
            user(&staging.as_source(), None)
        }
        Some(target) => {
            user(&staging.as_source(), Some(&staging))?;
            transfer(&staging.as_source(), target);
            Ok(())
        }
    }
}

/// Gives what has come to other ranks of this host.
fn spread_here(
    offers: Offers<'_>,
    mut seats: impl Iterator<Item = usize>,
    landing: &Landing,
    (root, writer): (usize, &Writer),
) -> Result<()> {
    seats.try_for_each(|seat| {
        let (source, target) = (landing.source.clone(), offers.at(seat).target());
        deliver(writer, offers.seating(), Some(source), root, target, seat)
    })
}
