//! Telling all hosts what each has to say.
//!
//! As Bruck did: in each round a host passes on all it knows, so that what it knows doubles; log2 H rounds for H hosts.

use super::Span;
use crate::error::{Error, ErrorClass, Result};
use crate::memory;
use crate::portable::Portable;
use crate::remote::Line;

/// What a host has to say.
struct Block(Vec<u8>);

/// Tells all hosts of the span `own`; gives what each has told, by position.
pub(super) fn tell_all(line: &Line<'_>, span: &Span, own: Vec<u8>) -> Result<Vec<Vec<u8>>> {
    let hosts = span.hosts();
    let at = |distance: usize| span.host((span.own() + distance) % hosts);
    // What the hosts from this one on have told.
    let mut known = vec![Block(own)];
    while known.len() < hosts {
        let distance = known.len();
        let wanted = distance.min(hosts - distance);
        let (before, behind) = (at(hosts - distance), at(distance));
        let mut told = Vec::new();
        known[..wanted].iter().for_each(|block| block.write(&mut told));
        let heard = memory::lend(&told, |source| {
            let pending = line.start_send(before, source);
            let heard = line.recv_bytes(behind);
            pending.wait().and(heard)
        })?;
        let heard = read_all(&heard).filter(|blocks| blocks.len() == wanted);
        known.extend(heard.ok_or_else(|| garbled(behind))?);
    }
    known.rotate_right(span.own());
    Ok(known.into_iter().map(|Block(bytes)| bytes).collect())
}

fn read_all(mut input: &[u8]) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    while !input.is_empty() {
        blocks.push(Block::read(&mut input)?);
    }
    Some(blocks)
}

impl Portable for Block {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.len().write(out);
        out.extend_from_slice(&self.0);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let length = usize::read(input)?;
        let (bytes, rest) = input.split_at_checked(length)?;
        *input = rest;
        Some(Self(bytes.to_vec()))
    }
}

#[cold]
fn garbled(host: u32) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!("host {host} says something that makes no sense; all hosts have to run the same version"),
    )
}
