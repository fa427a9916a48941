//! Data whose length the receiver does not know: vectors and texts.
//!
//! The calls pass the lengths themselves, and return vectors of the right length. They are made of the calls of the
//! standard that their descriptions name.

use simurgh_mpi::{Error, ErrorClass, Result};
use simurgh_typed as typed;

use super::Communicator;
use crate::{Equivalence, Source, Status, Tag};

impl Communicator {
    /// Receives a message into a vector of its length (`MPI_Mprobe`, `MPI_Mrecv`).
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe); [`ErrorClass::Type`] if the message is no whole number of values. It is discarded
    /// then.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// if world.rank() == 0 {
    ///     world.send(&vec![0.5; 10], 1, 0)?;
    ///     world.send("as long as you like", 1, 0)?;
    /// } else {
    ///     let (values, _) = world.recv_vec::<f64>(0, 0)?;
    ///     assert_eq!(values, [0.5; 10]);
    ///     let (text, status) = world.recv_string(0, 0)?;
    ///     assert_eq!((text.as_str(), status.bytes()), ("as long as you like", 19));
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn recv_vec<T: Equivalence>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<(Vec<T>, Status)> {
        let source = source.into();
        if source == Source::Null {
            let status = self.recv::<[T]>(&mut [], source, tag)?;
            return Ok((Vec::new(), status));
        }
        let message = self.mprobe(source, tag)?;
        let status = message.status();
        Ok((message.recv_vec()?, status))
    }

    /// Receives a text, as [`recv_vec`](Self::recv_vec).
    ///
    /// # Errors
    ///
    /// As [`recv_vec`](Self::recv_vec); [`ErrorClass::Type`] if the bytes of the message are no text in UTF-8.
    pub fn recv_string(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<(String, Status)> {
        let (bytes, status) = self.recv_vec(source, tag)?;
        Ok((text(bytes)?, status))
    }

    /// Sends the root's vector to all ranks, where it takes the place of theirs (`MPI_Bcast` of the length, and of the
    /// values).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`] as for [`broadcast`](Self::broadcast).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut primes = if world.rank() == 0 { vec![2_u16, 3, 5, 7] } else { Vec::new() };
    /// world.broadcast_vec(&mut primes, 0)?;
    /// assert_eq!(primes, [2, 3, 5, 7]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn broadcast_vec<T: Equivalence>(&self, values: &mut Vec<T>, root: usize) -> Result<()> {
        let mut len = values.len();
        self.broadcast(&mut len, root)?;
        if self.rank() != root {
            *values = typed::zeros(len);
        }
        self.broadcast(&mut values[..], root)
    }

    /// Sends the root's text to all ranks, as [`broadcast_vec`](Self::broadcast_vec).
    ///
    /// # Errors
    ///
    /// As [`broadcast_vec`](Self::broadcast_vec).
    pub fn broadcast_string(&self, value: &mut String, root: usize) -> Result<()> {
        let mut bytes = std::mem::take(value).into_bytes();
        let result = self.broadcast_vec(&mut bytes, root);
        *value = text(bytes)?;
        result
    }

    /// Collects the values of all ranks, as many as each has, at the root: a vector for each rank; none elsewhere
    /// (`MPI_Gather` of the lengths, `MPI_Gatherv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Root`] as for [`broadcast`](Self::broadcast).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mine = vec![world.rank(); world.rank()];
    /// if let Some(all) = world.gather_vec(&mine, 2)? {
    ///     assert_eq!(all, [vec![], vec![1], vec![2, 2]]);
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn gather_vec<T: Equivalence>(&self, sent: &[T], root: usize) -> Result<Option<Vec<Vec<T>>>> {
        let is_root = self.rank() == root;
        let mut counts = vec![0; if is_root { self.size() } else { 0 }];
        self.gather(&[sent.len()], &mut counts, root)?;
        let mut all = typed::zeros(counts.iter().sum());
        self.gatherv(sent, &mut all, &counts, root)?;
        Ok(is_root.then(|| cut(&all, &counts)))
    }

    /// Collects the values of all ranks, as many as each has, at every rank: a vector for each rank
    /// (`MPI_Allgather` of the lengths, `MPI_Allgatherv`).
    ///
    /// # Errors
    ///
    /// As [`all_gather`](Self::all_gather).
    pub fn all_gather_vec<T: Equivalence>(&self, sent: &[T]) -> Result<Vec<Vec<T>>> {
        let mut counts = vec![0; self.size()];
        self.all_gather(&[sent.len()], &mut counts)?;
        let mut all = typed::zeros(counts.iter().sum());
        self.all_gatherv(sent, &mut all, &counts)?;
        Ok(cut(&all, &counts))
    }

    /// Gives each rank its vector of what every rank sends: `sent[r]` goes to rank `r`, and the result has a vector
    /// from each rank (`MPI_Alltoall` of the lengths, `MPI_Alltoallv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Count`] if there is not a vector for each rank; the other ranks wait then.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let sent: Vec<_> = (0..3).map(|rank| vec![10 * world.rank() + rank; rank]).collect();
    /// let received = world.all_to_all_vec(&sent)?;
    /// let mine = world.rank();
    /// assert_eq!(received, [vec![mine; mine], vec![10 + mine; mine], vec![20 + mine; mine]]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn all_to_all_vec<T: Equivalence>(&self, sent: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
        let send_counts: Vec<usize> = sent.iter().map(Vec::len).collect();
        if sent.len() != self.size() {
            let (given, size) = (sent.len(), self.size());
            let message = format!("{given} vectors for {size} ranks: give one for each");
            return Err(Error::new(ErrorClass::Count, message));
        }
        let mut receive_counts = vec![0; self.size()];
        self.all_to_all(&send_counts, &mut receive_counts)?;
        let mut received = typed::zeros(receive_counts.iter().sum());
        self.all_to_allv(&sent.concat(), &send_counts, &mut received, &receive_counts)?;
        Ok(cut(&received, &receive_counts))
    }
}

/// The parts of a slice.
fn cut<T: Clone>(values: &[T], counts: &[usize]) -> Vec<Vec<T>> {
    let mut rest = values;
    let part = |&count: &usize| {
        let part;
        (part, rest) = rest.split_at(count);
        part.to_vec()
    };
    counts.iter().map(part).collect()
}

/// The text of bytes that have been received.
fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let message = format!("the message is no text: {}", error.utf8_error());
        Error::new(ErrorClass::Type, message)
    })
}
