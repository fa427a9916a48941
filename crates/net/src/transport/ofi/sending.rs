//! Packets on their way to the provider: written, numbered, sealed, and offered until it takes them.

use simurgh_core::sync::Ordering;
use simurgh_fabric_sys::calls;

use super::outbound::SHORT;
use super::peer::{Answer, Kept, Line};
use super::{AGAIN, Ofi, frame};
use crate::transport::{Busy, Header, HostId};

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
        let mut line = self.close(to, frame, start);
        if line.is_backed_up() || self.inject(to, frame) == Answer::Later {
            self.keep(&mut line, Kept::Short((&*frame).into()));
        }
    }

    /// Numbers and seals a frame whose data begins at `start`. It is to be offered or kept while the line is held.
    #[inline]
    fn close(&self, to: HostId, frame: &mut [u8], start: usize) -> Line<'_> {
        let peer = &self.peers[to];
        let seal = &peer.contact().seals.outward;
        let digest = seal.digest(&frame[start..]);
        let mut line = peer.line();
        frame::close(frame, start, (self.identity.own, line.number()), seal, digest);
        line
    }

    #[inline]
    fn inject(&self, to: HostId, frame: &[u8]) -> Answer {
        let address = self.peers[to].contact().address;
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
        self.answer(to, outcome)
    }

    #[inline]
    pub(super) fn send_long(
        &self,
        to: HostId,
        header: &Header,
        (start, length): (usize, usize),
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let number = self.outbound.take(to).ok_or(Busy)?;
        // SAFETY:
        // - the buffer has just been taken.
        let frame = unsafe { self.outbound.frame(number, start + length) };
        frame::write(frame, header, start);
        fill(&mut frame[start..]);
        let mut line = self.close(to, frame, start);
        if line.is_backed_up() || self.post(to, number, start + length) == Answer::Later {
            self.keep(&mut line, Kept::Long(number, start + length));
        }
        Ok(())
    }

    #[inline]
    fn post(&self, to: HostId, number: u32, length: usize) -> Answer {
        let address = self.peers[to].contact().address;
        let outcome = self.outbound.post(&self.endpoint, number, length, address);
        if outcome != 0 && outcome != AGAIN {
            self.outbound.give(number);
        }
        self.answer(to, outcome)
    }

    #[inline]
    fn answer(&self, to: HostId, outcome: isize) -> Answer {
        match outcome {
            0 => Answer::Over,
            AGAIN => Answer::Later,
            error => {
                self.lose(to, &self.endpoint.message(error));
                Answer::Over
            }
        }
    }

    #[cold]
    fn keep(&self, line: &mut Line<'_>, packet: Kept) {
        line.keep(packet);
        // Relaxed: a poll that does not see it yet is followed by others.
        self.kept.store(true, Ordering::Relaxed);
    }

    /// Offers packets that are kept to the provider again.
    #[cold]
    pub(super) fn flush(&self) -> bool {
        self.kept.store(false, Ordering::Relaxed);
        let mut any = false;
        for (to, peer) in self.peers.iter() {
            if peer.is_backed_up() {
                any |= peer.flush(|packet| self.offer(to, packet));
                // Relaxed: as in `keep`.
                self.kept.fetch_or(peer.is_backed_up(), Ordering::Relaxed);
            }
        }
        any
    }

    fn offer(&self, to: HostId, packet: &Kept) -> Answer {
        match packet {
            Kept::Long(number, _) if self.losses.has(to) => {
                self.outbound.give(*number);
                Answer::Over
            }
            Kept::Short(_) if self.losses.has(to) => Answer::Over,
            Kept::Short(frame) => self.inject(to, frame),
            Kept::Long(number, length) => self.post(to, *number, *length),
        }
    }
}
