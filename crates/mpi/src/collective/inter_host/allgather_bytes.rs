//! Allgather of blocks of bytes whose lengths the others do not know.
//!
//! This is Bruck's algorithm: in each round a host sends all blocks that it has, so that their number doubles. With H
//! hosts it takes log2 H rounds.

use super::channel::{Channel, malformed};
use super::transport::Transport;
use crate::error::Result;
use crate::memory::bytes_of;
use crate::portable::Portable;

/// The bytes of one host.
struct Block(Vec<u8>);

/// Exchanges the bytes of all hosts; returns those of each host, by position.
///
/// # Errors
///
/// When a host is in another call or has failed. Then all hosts fail, because each tells the others.
pub(super) fn allgather_bytes<W: Transport>(channel: &Channel<'_, W>, own: Vec<u8>) -> Result<Vec<Vec<u8>>> {
    let told = gather(channel, own);
    if let Err(fault) = &told {
        channel.fail(fault);
    }
    told
}

fn gather<W: Transport>(channel: &Channel<'_, W>, own: Vec<u8>) -> Result<Vec<Vec<u8>>> {
    let hosts = channel.hosts();
    // The blocks of the hosts from this one backwards. They go the same way as the messages of the barrier
    // (`dissemination`), so that a host in that call is noticed.
    let mut known = vec![Block(own)];
    while known.len() < hosts {
        let distance = known.len();
        let wanted = distance.min(hosts - distance);
        let to = (channel.own() + distance) % hosts;
        let from = (channel.own() + hosts - distance) % hosts;
        let mut told = Vec::new();
        known[..wanted].iter().for_each(|block| block.write(&mut told));
        let sending = channel.start_send_unsized(to, &bytes_of(&told));
        let heard = channel.recv_unsized(from);
        // The memory is in use until the message has been sent.
        let gone = sending.wait();
        let heard = heard.and_then(|parcel| gone.map(|()| parcel))?;
        let heard = read_all(heard.bytes()).filter(|blocks| blocks.len() == wanted);
        known.extend(heard.ok_or_else(malformed)?);
    }
    known.reverse();
    known.rotate_left(hosts - 1 - channel.own());
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

#[cfg(test)]
mod tests {
    use super::super::mock::on_hosts;

    #[test]
    fn all_hosts_get_all_blocks() {
        for hosts in 1..=17 {
            let own = |host: usize| vec![host as u8; host * 100];
            let told = on_hosts(hosts, |channel| {
                super::allgather_bytes(channel, own(channel.own())).unwrap()
            });
            let expected: Vec<_> = (0..hosts).map(own).collect();
            assert!(told.iter().all(|told| *told == expected));
        }
    }
}
