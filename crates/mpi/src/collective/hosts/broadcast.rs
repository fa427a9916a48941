//! Data of one rank for all ranks of all hosts.
//!
//! On each host it goes straight to the buffer of one rank, from where the others take it while it goes on to further
//! hosts.

use simurgh_settings::rules::Algorithm;

use super::super::deliver::deliver;
use super::super::offers::Offers;
use super::talk::Talk;
use super::way::Way;
use super::{binomial, ring};
use crate::comm::Span;
use crate::error::Result;
use crate::memory::{Source, Store, Target, Writer, as_bytes, transfer};

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
    algorithm: Algorithm,
) -> Result<()> {
    let Some(landing) = Landing::find(offers, span, root) else {
        return Ok(());
    };
    let (host, target) = (span.position_of(root), landing.target.as_ref());
    match algorithm {
        Algorithm::Ring => in_plain_bytes(&landing.source, target, |source, target| {
            ring::pass_on(talk, source, target, host)
        }),
        _ => binomial::spread(talk, &landing.source, target, host),
    }?;
    spread_here(offers, span, &landing, root)
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

/// Gives what has come to the other ranks of this host.
fn spread_here(offers: Offers<'_>, span: &Span, landing: &Landing, root: usize) -> Result<()> {
    let bytes = landing.source.bytes();
    let writer = Writer::new(bytes.saturating_mul(span.local().len()));
    let seats = span.local().iter().map(|&seat| seat as usize);
    let mut others = seats.filter(|seat| *seat != landing.seat);
    others.try_for_each(|seat| {
        let (source, target) = (landing.source.clone(), offers.at(seat).target());
        deliver(&writer, offers.seating(), Some(source), root, target, seat)
    })
}
