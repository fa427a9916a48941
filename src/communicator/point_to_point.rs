//! Messages between two ranks (chapter 3 of the standard).

use simurgh_mpi::Result;
use simurgh_typed::{self as typed, Mode};

use super::Communicator;
use crate::activity::Call;
use crate::{Destination, Message, Source, Status, Tag, View, ViewMut};

impl Communicator {
    /// Sends `data`; returns when it may be changed again, which may be before it is received (`MPI_Send`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) or [`ErrorClass::Tag`](crate::ErrorClass::Tag) if there
    /// is no such rank, or the tag is negative.
    #[inline]
    pub fn send<B>(&self, data: &B, dest: impl Into<Destination>, tag: i32) -> Result<()>
    where
        B: View + ?Sized,
    {
        let dest = dest.into().raw();
        let _inside = self.enter(Call::Send, dest, tag);
        typed::send(&self.comm, data, dest, tag, Mode::Standard)
    }

    /// Sends `data`; returns when its receive has begun (`MPI_Ssend`).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn ssend<B>(&self, data: &B, dest: impl Into<Destination>, tag: i32) -> Result<()>
    where
        B: View + ?Sized,
    {
        let dest = dest.into().raw();
        let _inside = self.enter(Call::SyncSend, dest, tag);
        typed::send(&self.comm, data, dest, tag, Mode::Synchronous)
    }

    /// Sends `data` to a rank that has called its receive, as the program makes sure (`MPI_Rsend`). Here that makes no
    /// difference to [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn rsend<B>(&self, data: &B, dest: impl Into<Destination>, tag: i32) -> Result<()>
    where
        B: View + ?Sized,
    {
        let dest = dest.into().raw();
        let _inside = self.enter(Call::ReadySend, dest, tag);
        typed::send(&self.comm, data, dest, tag, Mode::Ready)
    }

    /// Receives into `data`, which may be longer than the message (`MPI_Recv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) or [`ErrorClass::Tag`](crate::ErrorClass::Tag) as for
    /// [`send`](Self::send); [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the message is longer
    /// than `data`, which then holds the beginning.
    #[inline]
    pub fn recv<B>(&self, data: &mut B, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Status>
    where
        B: ViewMut + ?Sized,
    {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::Receive, source, tag);
        typed::receive(&self.comm, data, source, tag).map(Status::from)
    }

    /// Sends one message and receives another, without a deadlock if all do so (`MPI_Sendrecv`).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send) and [`recv`](Self::recv).
    pub fn send_receive<S, R>(
        &self,
        sent: &S,
        dest: impl Into<Destination>,
        send_tag: i32,
        received: &mut R,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Status>
    where
        S: View + ?Sized,
        R: ViewMut + ?Sized,
    {
        let to = (dest.into().raw(), send_tag);
        let from = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::SendReceive, from.0, from.1);
        typed::send_receive(&self.comm, sent, to, received, from).map(Status::from)
    }

    /// Sends `data` and puts the message that it receives in its place, without a deadlock if all do so
    /// (`MPI_Sendrecv_replace`).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send) and [`recv`](Self::recv).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(5).run(|world| {
    /// let (rank, size) = (world.rank(), world.size());
    /// let mut block = vec![rank; 1000];
    /// world.send_receive_in_place(&mut block, (rank + 1) % size, 0, (rank + size - 1) % size, 0)?;
    /// assert_eq!(block, [(rank + size - 1) % size; 1000]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn send_receive_in_place<B>(
        &self,
        data: &mut B,
        dest: impl Into<Destination>,
        send_tag: i32,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Status>
    where
        B: ViewMut + ?Sized,
    {
        let to = (dest.into().raw(), send_tag);
        let from = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::SendReceive, from.0, from.1);
        typed::send_receive_in_place(&self.comm, data, to, from).map(Status::from)
    }

    /// Waits for a message that a receive would get, and tells of it (`MPI_Probe`).
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv), truncation excepted.
    pub fn probe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Status> {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::Probe, source, tag);
        self.comm.probe(source, tag).map(Status::from)
    }

    /// Tells of the message that a receive would get, if there is one (`MPI_Iprobe`). Lets other ranks run otherwise.
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe).
    pub fn iprobe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Option<Status>> {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::Probe, source, tag);
        Ok(self.comm.iprobe(source, tag)?.map(Status::from))
    }

    /// Waits for a message that a receive would get, and takes it: nobody else can receive it (`MPI_Mprobe`).
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe).
    ///
    /// ```
    /// # use simurgh::{Source, Tag};
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// if world.rank() == 0 {
    ///     world.send(&[1.5, 2.5, 3.5], 1, 7)?;
    /// } else {
    ///     let message = world.mprobe(Source::Any, Tag::Any)?;
    ///     let values: Vec<f64> = message.recv_vec()?;
    ///     assert_eq!(values, [1.5, 2.5, 3.5]);
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn mprobe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Message> {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::MatchedProbe, source, tag);
        self.comm.mprobe(source, tag).map(Message::new)
    }

    /// Takes the message that a receive would get, if there is one (`MPI_Improbe`). Lets other ranks run otherwise.
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe).
    pub fn improbe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Option<Message>> {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let _inside = self.enter(Call::MatchedProbe, source, tag);
        Ok(self.comm.improbe(source, tag)?.map(Message::new))
    }
}
