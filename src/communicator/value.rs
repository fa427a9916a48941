//! Values of any type that serde can write and read (feature `serde`).
//!
//! A value travels as bytes in the format of the crate `postcard`, behind one byte. Ranks that exchange values must
//! agree on their types: the format does not name them. In a collective, a rank that cannot write its value sends no
//! bytes at all, so that the others do not wait.

use serde::Serialize;
use serde::de::DeserializeOwned;
use simurgh_mpi::{Error, ErrorClass, Result};

use super::Communicator;
use crate::{Destination, Source, Status, Tag};

/// The first byte of a value.
const VALUE: u8 = 1;

impl Communicator {
    /// Sends a value of any type (`MPI_Send`); [`recv_value`](Self::recv_value) receives it.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); [`ErrorClass::Type`] if the value cannot be written.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// enum Task {
    ///     Render { scene: String, frames: Vec<u32> },
    ///     Stop,
    /// }
    ///
    /// if world.rank() == 0 {
    ///     world.send_value(&Task::Render { scene: "sea".to_owned(), frames: vec![3, 4] }, 1, 0)?;
    ///     world.send_value(&Task::Stop, 1, 0)?;
    /// } else {
    ///     let mut rendered = Vec::new();
    ///     while let (Task::Render { scene, frames }, _) = world.recv_value(0, 0)? {
    ///         rendered.push((scene, frames.len()));
    ///     }
    ///     assert_eq!(rendered, [("sea".to_owned(), 2)]);
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn send_value<V>(&self, value: &V, dest: impl Into<Destination>, tag: i32) -> Result<()>
    where
        V: Serialize + ?Sized,
    {
        self.send(&write(value)?, dest, tag)
    }

    /// Receives a value that [`send_value`](Self::send_value) has sent (`MPI_Mprobe`, `MPI_Mrecv`).
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe); [`ErrorClass::Type`] if the message is no value of this type. It is discarded then.
    pub fn recv_value<V>(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<(V, Status)>
    where
        V: DeserializeOwned,
    {
        let (bytes, status) = self.recv_vec(source, tag)?;
        Ok((read(&bytes)?, status))
    }

    /// Sends the root's value to all ranks, where it takes the place of theirs (`MPI_Bcast`).
    ///
    /// # Errors
    ///
    /// As [`broadcast_vec`](Self::broadcast_vec); [`ErrorClass::Type`] at all ranks if the value cannot be written, or
    /// is of another type.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut options = (world.rank() == 0).then(|| ("fast".to_owned(), Some(0.5)));
    /// world.broadcast_value(&mut options, 0)?;
    /// assert_eq!(options, Some(("fast".to_owned(), Some(0.5))));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn broadcast_value<V>(&self, value: &mut V, root: usize) -> Result<()>
    where
        V: Serialize + DeserializeOwned,
    {
        let is_root = self.rank() == root;
        let written = if is_root { write(value) } else { Ok(Vec::new()) };
        let (mut bytes, written) = split(written);
        self.broadcast_vec(&mut bytes, root)?;
        written?;
        if !is_root {
            *value = read(&bytes)?;
        }
        Ok(())
    }

    /// Collects a value of each rank at the root, in the order of the ranks; none elsewhere (`MPI_Gatherv`).
    ///
    /// # Errors
    ///
    /// As [`gather_vec`](Self::gather_vec); [`ErrorClass::Type`] at the root if a rank's value cannot be written, or
    /// is of another type, and at that rank.
    pub fn gather_value<V>(&self, value: &V, root: usize) -> Result<Option<Vec<V>>>
    where
        V: Serialize + DeserializeOwned,
    {
        let (bytes, written) = split(write(value));
        let all = self.gather_vec(&bytes, root)?;
        written?;
        all.map(|all| read_all(&all)).transpose()
    }

    /// Collects a value of each rank at every rank, in the order of the ranks (`MPI_Allgatherv`).
    ///
    /// # Errors
    ///
    /// As [`all_gather_vec`](Self::all_gather_vec); [`ErrorClass::Type`] at all ranks if a rank's value cannot be
    /// written, or is of another type.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let names = world.all_gather_value(&format!("rank {}", world.rank()))?;
    /// assert_eq!(names, ["rank 0", "rank 1", "rank 2"]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn all_gather_value<V>(&self, value: &V) -> Result<Vec<V>>
    where
        V: Serialize + DeserializeOwned,
    {
        let (bytes, written) = split(write(value));
        let all = self.all_gather_vec(&bytes)?;
        written?;
        read_all(&all)
    }
}

/// The bytes of a value.
fn write<V: Serialize + ?Sized>(value: &V) -> Result<Vec<u8>> {
    postcard::to_extend(value, vec![VALUE]).map_err(|error| {
        let message = format!("the value cannot be written: {error}");
        Error::new(ErrorClass::Type, message)
    })
}

/// The bytes to send in a collective, none after an error; and the error.
fn split(written: Result<Vec<u8>>) -> (Vec<u8>, Result<()>) {
    match written {
        Ok(bytes) => (bytes, Ok(())),
        Err(error) => (Vec::new(), Err(error)),
    }
}

/// The value of the bytes that were received.
fn read<V: DeserializeOwned>(bytes: &[u8]) -> Result<V> {
    let wrong = |message: String| Error::new(ErrorClass::Type, message);
    let Some((&VALUE, bytes)) = bytes.split_first() else {
        return Err(wrong("no value was sent".to_owned()));
    };
    let name = std::any::type_name::<V>();
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(wrong(format!(
            "the message is {} bytes longer than a {name}",
            rest.len()
        ))),
        Err(error) => Err(wrong(format!("the message is no {name}: {error}"))),
    }
}

fn read_all<V: DeserializeOwned>(all: &[Vec<u8>]) -> Result<Vec<V>> {
    all.iter().map(|bytes| read(bytes)).collect()
}
