//! The out-of-band channel between the launcher and a host: a socket of packets.
//!
//! A message arrives whole or not at all, together with its descriptors. The end of file says that no process is left
//! at the other end. Costs: one system call and one JSON value for each message. No message is sent while ranks run
//! undisturbed.

use super::message::Descriptors;
use super::{ControlError, EncodedMessage, FromHost, MAX_BYTES, MAX_DESCRIPTORS, ToHost};
use rustix::cmsg_space;
use rustix::io::{Errno, FdFlags, IoSlice, IoSliceMut};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv, recvmsg, sendmsg, socketpair,
};
use serde::de::DeserializeOwned;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// One end of a channel.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
}

/// A message that has been received.
#[derive(Debug)]
pub struct Received<M> {
    /// The message.
    pub message: M,
    /// The descriptors that came with it: as many as the message needs.
    pub descriptors: Vec<OwnedFd>,
}

impl Channel {
    /// Makes a channel: the launcher's end, and the host's. Neither survives `exec` unless it is made to.
    ///
    /// # Errors
    ///
    /// When the kernel refuses it.
    pub fn pair() -> Result<(Self, OwnedFd), ControlError> {
        let (own, other) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        Ok((Self { socket: own }, other))
    }

    /// Takes the end that this process has inherited. Its own children do not inherit it.
    ///
    /// # Errors
    ///
    /// When it is not an open descriptor.
    pub fn inherited(socket: OwnedFd) -> Result<Self, ControlError> {
        rustix::io::fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
        Ok(Self { socket })
    }

    /// Sends a message to the launcher. Blocks while there is no room.
    ///
    /// # Errors
    ///
    /// When the launcher is gone, or the message is too long.
    pub fn send(&self, message: &FromHost) -> Result<(), ControlError> {
        let json = serde_json::to_vec(message).map_err(ControlError::Malformed)?;
        self.write(&json, None, SendFlags::empty())
    }

    /// Sends a message to a host. False if there is no room just now.
    ///
    /// # Errors
    ///
    /// When the host is gone, or the message is too long.
    pub fn try_send(&self, message: &EncodedMessage) -> Result<bool, ControlError> {
        match self.write(message.json(), message.descriptor(), SendFlags::DONTWAIT) {
            Ok(()) => Ok(true),
            Err(ControlError::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Receives a message of a host, if there is one.
    ///
    /// # Errors
    ///
    /// When the host is gone, or the message is malformed.
    pub fn receive_from_host(&self) -> Result<Option<Received<FromHost>>, ControlError> {
        self.receive()
    }

    /// Receives a message of the launcher, if there is one.
    ///
    /// # Errors
    ///
    /// When the launcher is gone, or the message is malformed.
    pub fn receive_from_launcher(&self) -> Result<Option<Received<ToHost>>, ControlError> {
        self.receive()
    }

    fn write(
        &self,
        json: &[u8],
        descriptor: Option<BorrowedFd<'_>>,
        flags: SendFlags,
    ) -> Result<(), ControlError> {
        if json.len() > MAX_BYTES {
            return Err(ControlError::TooLong);
        }
        let descriptors: Vec<_> = descriptor.into_iter().collect();
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        }
        let flags = flags | SendFlags::NOSIGNAL;
        rustix::io::retry_on_intr(|| sendmsg(&self.socket, &[IoSlice::new(json)], &mut ancillary, flags))?;
        Ok(())
    }

    fn receive<M: DeserializeOwned + Descriptors>(&self) -> Result<Option<Received<M>>, ControlError> {
        let Some(length) = self.next_length()? else {
            return Ok(None);
        };
        let mut bytes = vec![0; length.min(MAX_BYTES)];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let received = receive_in_spite_of_reset(|| {
            recvmsg(
                &self.socket,
                &mut [IoSliceMut::new(&mut bytes)],
                &mut ancillary,
                flags,
            )
        });
        let received = received?;
        let rights = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        let descriptors: Vec<OwnedFd> = rights.flatten().collect();
        if received.flags.contains(ReturnFlags::TRUNC) {
            return Err(ControlError::TooLong);
        }
        if received.bytes == 0 {
            return Err(ControlError::Closed);
        }
        let message: M = serde_json::from_slice(&bytes[..received.bytes]).map_err(ControlError::Malformed)?;
        let (found, expected) = (descriptors.len(), message.descriptors());
        if found != expected {
            return Err(ControlError::Descriptors { found, expected });
        }
        Ok(Some(Received { message, descriptors }))
    }

    /// The length of the next message, if there is one. Only one thread at a time receives from a channel.
    fn next_length(&self) -> Result<Option<usize>, ControlError> {
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK | RecvFlags::TRUNC;
        let mut nothing = [0; 0];
        match receive_in_spite_of_reset(|| recv(&self.socket, &mut nothing[..], flags)) {
            Ok((_, length)) => Ok(Some(length)),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Receives from a socket. If the other side has ended without having received all, the kernel says so first, and once.
/// What it has sent before can still be received.
fn receive_in_spite_of_reset<T>(mut receive: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    match rustix::io::retry_on_intr(&mut receive) {
        Err(Errno::CONNRESET) => rustix::io::retry_on_intr(receive),
        received => received,
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
