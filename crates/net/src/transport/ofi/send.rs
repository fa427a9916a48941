//! Sending packets: each is written, numbered, given its code, and given to the provider until that takes it.

use simurgh_core::sync::Ordering;
use simurgh_fabric_sys::calls;

use super::peer::{Outcome, Pending, SendGuard};
use super::send_buffers::SHORT;
use super::{AGAIN, Ofi, frame};
use crate::HostId;
use crate::transport::{Busy, Header};

impl Ofi {
    #[inline]
    pub(super) fn send_short(
        &self,
        to: HostId,
        header: &Header,
        (start, length): (usize, usize),
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        let mut room = [0; SHORT];
        let frame = &mut room[..start + length];
        frame::write(frame, header, start);
        fill(&mut frame[start..]);
        let mut sends = self.close(to, frame, start);
        if sends.is_backed_up() || self.inject(to, frame) == Outcome::Retry {
            self.keep(&mut sends, Pending::Short((&*frame).into()));
        }
    }

    /// Completes a frame whose data begins at `start`, with its number and code. The frame has to be given to the
    /// provider, or kept, before the guard is dropped.
    #[inline]
    fn close(&self, to: HostId, frame: &mut [u8], start: usize) -> SendGuard<'_> {
        let peer = &self.peers[to];
        let mac_key = &peer.connection().mac_keys.outward;
        let digest = mac_key.digest(&frame[start..]);
        let mut sends = peer.lock_sends();
        frame::close(frame, start, (self.identity.own, sends.number()), mac_key, digest);
        sends
    }

    #[inline]
    fn inject(&self, to: HostId, frame: &[u8]) -> Outcome {
        let address = self.peers[to].connection().address;
        // SAFETY:
        // - the endpoint is open, and the frame no longer than can be injected.
        let outcome = unsafe {
            calls::fi_inject(
                self.endpoint.as_ptr(),
                frame.as_ptr().cast(),
                frame.len(),
                address,
            )
        };
        self.outcome_of(to, outcome)
    }

    #[inline]
    pub(super) fn send_long(
        &self,
        to: HostId,
        header: &Header,
        (start, length): (usize, usize),
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let number = self.send_buffers.take(to).ok_or(Busy)?;
        // SAFETY:
        // - the buffer has just been taken.
        let frame = unsafe { self.send_buffers.frame(number, start + length) };
        frame::write(frame, header, start);
        fill(&mut frame[start..]);
        let mut sends = self.close(to, frame, start);
        if sends.is_backed_up() || self.post(to, number, start + length) == Outcome::Retry {
            self.keep(&mut sends, Pending::Long(number, start + length));
        }
        Ok(())
    }

    #[inline]
    fn post(&self, to: HostId, number: u32, length: usize) -> Outcome {
        let address = self.peers[to].connection().address;
        let outcome = self.send_buffers.post(&self.endpoint, number, length, address);
        if outcome != 0 && outcome != AGAIN {
            self.send_buffers.give(number);
        }
        self.outcome_of(to, outcome)
    }

    #[inline]
    fn outcome_of(&self, to: HostId, outcome: isize) -> Outcome {
        match outcome {
            0 => Outcome::Done,
            AGAIN => Outcome::Retry,
            error => {
                self.lose(to, &self.endpoint.message(error));
                Outcome::Done
            }
        }
    }

    #[cold]
    fn keep(&self, sends: &mut SendGuard<'_>, packet: Pending) {
        sends.keep(packet);
        // Relaxed: a poll that does not see it yet is followed by others.
        self.has_pending.store(true, Ordering::Relaxed);
    }

    /// Gives pending frames to the provider again. Whether it took any.
    #[cold]
    pub(super) fn flush_pending(&self) -> bool {
        self.has_pending.store(false, Ordering::Relaxed);
        let mut any = false;
        for (to, peer) in self.peers.iter() {
            if peer.is_backed_up() {
                any |= peer.flush(|packet| self.retry(to, packet));
                // Relaxed: as in `keep`.
                self.has_pending.fetch_or(peer.is_backed_up(), Ordering::Relaxed);
            }
        }
        any
    }

    fn retry(&self, to: HostId, packet: &Pending) -> Outcome {
        match packet {
            Pending::Long(number, _) if self.lost_hosts.has(to) => {
                self.send_buffers.give(*number);
                Outcome::Done
            }
            Pending::Short(_) if self.lost_hosts.has(to) => Outcome::Done,
            Pending::Short(frame) => self.inject(to, frame),
            Pending::Long(number, length) => self.post(to, *number, *length),
        }
    }
}
