//! Dynamic windows: ranks attach memory to them.

use std::collections::BTreeMap;

use super::layout::agree;
use super::{Memory, Phase, Window, check_layout};
use crate::Equivalence;
use crate::owned::Owned;
use simurgh_datatype::memory::Region;
use simurgh_datatype::{Basic, Datatype};
use simurgh_mpi::{Comm, Error, ErrorClass, Info, Result};

/// Where a rank has attached values to a window. It can be sent to other ranks, which access the values by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Attached {
    address: u64,
    len: u64,
}

// SAFETY:
// - the value is two numbers without padding, and so is its datatype;
// - any numbers are a value: an access is refused where nothing is attached.
unsafe impl Equivalence for Attached {
    const COUNT: usize = 2;

    fn datatype() -> Datatype {
        Datatype::Basic(Basic::Uint64)
    }
}

impl Attached {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no values; there are some where a rank has attached them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of the value at a position, from which on `count` of them are accessed.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaRange`] if there are not so many.
    pub fn address_of<T>(&self, position: usize, count: usize) -> Result<usize> {
        let end = position.checked_add(count);
        let inside = end.is_some_and(|end| end as u64 <= self.len);
        let offset = position.checked_mul(size_of::<T>()).filter(|_| inside);
        let address = offset.and_then(|offset| offset.checked_add(self.address as usize));
        address.ok_or_else(|| {
            let len = self.len;
            let message =
                format!("{count} values from position {position} on are not among the {len} attached");
            Error::new(ErrorClass::RmaRange, message)
        })
    }
}

impl<T: Equivalence> Window<T> {
    /// Makes a window without memory, to which ranks attach values ([`Comm::win_create_dynamic`]).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Type`] for values with padding; as [`Window::allocate`].
    pub fn dynamic(comm: &Comm) -> Result<Self> {
        check_layout::<T>()?;
        let Datatype::Basic(_) = T::datatype() else {
            let name = std::any::type_name::<T>();
            let message =
                format!("{name} is no number, nor an array of them: it cannot be attached to a window");
            return Err(Error::new(ErrorClass::Type, message));
        };
        let comm_of_locks = comm.dup()?;
        agree::<T>(&comm_of_locks)?;
        let window = comm.win_create_dynamic(&Info::new())?;
        Ok(Self::new(
            window,
            comm_of_locks,
            Memory::Attached(BTreeMap::new()),
        ))
    }

    /// Attaches values, which the window owns until they are detached ([`simurgh_mpi::Window::attach`]).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in an epoch; [`ErrorClass::RmaFlavor`] for a window that is not dynamic;
    /// [`ErrorClass::Size`] for no values.
    pub fn attach(&mut self, values: Vec<T>) -> Result<Attached> {
        self.check(Phase::Outside)?;
        let Memory::Attached(attached) = &mut self.memory else {
            return Err(not_dynamic());
        };
        if values.is_empty() {
            return Err(Error::new(ErrorClass::Size, "there are no values to be attached"));
        }
        let values = Owned::new(values);
        let (address, len) = (values.address(), values.len());
        // SAFETY:
        // - the values are there as long as they are attached: the window leaks them when it goes away in an epoch.
        let region = unsafe { Region::new(address.cast(), len * size_of::<T>()) };
        self.window.attach(region)?;
        attached.insert(address.addr(), values);
        Ok(Attached {
            address: address.addr() as u64,
            len: len as u64,
        })
    }

    /// Detaches values that this rank has attached ([`simurgh_mpi::Window::detach`]).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in an epoch; [`ErrorClass::RmaAttach`] if they are not attached.
    pub fn detach(&mut self, place: Attached) -> Result<Vec<T>> {
        self.check(Phase::Outside)?;
        let key = key(place);
        let address = self.find(key)?.address();
        self.window.detach(address.cast_const().cast())?;
        let Memory::Attached(attached) = &mut self.memory else {
            return Err(not_dynamic());
        };
        let values = attached.remove(&key).ok_or_else(not_attached)?;
        // SAFETY:
        // - they are not attached any more; outside of epochs nobody has begun to access them.
        Ok(unsafe { values.into_vec() })
    }

    /// Values that this rank has attached.
    ///
    /// # Errors
    ///
    /// As [`Window::detach`].
    pub fn attached(&self, place: Attached) -> Result<&[T]> {
        self.check(Phase::Outside)?;
        // SAFETY:
        // - nobody else accesses them, since the rank is in no epoch, and cannot begin one while `self` is borrowed.
        Ok(unsafe { self.find(key(place))?.slice() })
    }

    /// Values that this rank has attached, to be changed.
    ///
    /// # Errors
    ///
    /// As [`Window::detach`].
    pub fn attached_mut(&mut self, place: Attached) -> Result<&mut [T]> {
        self.check(Phase::Outside)?;
        let Memory::Attached(attached) = &mut self.memory else {
            return Err(not_dynamic());
        };
        let values = attached.get_mut(&key(place)).ok_or_else(not_attached)?;
        // SAFETY:
        // - as for `attached`; `self` is borrowed mutably, so there is no other slice.
        Ok(unsafe { values.slice_mut() })
    }

    fn find(&self, key: usize) -> Result<&Owned<T>> {
        match &self.memory {
            Memory::Attached(attached) => attached.get(&key).ok_or_else(not_attached),
            Memory::OfLibrary | Memory::Own(_) => Err(not_dynamic()),
        }
    }
}

fn key(place: Attached) -> usize {
    place.address as usize
}

#[cold]
fn not_dynamic() -> Error {
    let message = "values are attached only to windows that are made for that";
    Error::new(ErrorClass::RmaFlavor, message)
}

#[cold]
fn not_attached() -> Error {
    let message = "this rank has attached no values there, or has detached them";
    Error::new(ErrorClass::RmaAttach, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alone::alone;
    use crate::{Operator, in_flight};
    use simurgh_datatype::op::BuiltinOp;
    use simurgh_mpi::LockKind;

    #[test]
    fn a_window_uses_the_values_that_it_has_and_gives_them_back() {
        let values = alone(|comm| {
            let mut window = Window::create(comm, vec![1_u32, 2, 3])?;
            window.local_mut()?[0] = 10;
            window.begin_fences()?;
            window.put(0, 1, &20)?;
            window.accumulate(0, 0, &[1, 1, 1][..], &Operator::builtin(BuiltinOp::Sum))?;
            window.end_fences()?;
            assert_eq!(window.local()?, [11, 21, 4]);
            window.local_mut()?[2] += 1;
            window.into_values()
        });
        assert_eq!(values, Ok(vec![11, 21, 5]));
    }

    #[test]
    fn attached_values_are_accessed_and_detached() {
        let values = alone(|comm| {
            let mut window = Window::dynamic(comm)?;
            let (first, second) = (window.attach(vec![1_u64; 4])?, window.attach(vec![2_u64; 2])?);
            window.attached_mut(first)?[3] = 7;
            window.begin_locks()?;
            window.lock(LockKind::Exclusive, 0)?;
            window.put(0, first.address_of::<u64>(1, 1)?, &5)?;
            let mut read = [0; 2];
            window.get(0, second.address_of::<u64>(0, 2)?, &mut read[..])?;
            window.unlock(0)?;
            window.end_locks()?;
            assert_eq!((window.attached(first)?, read), (&[1, 5, 1, 7][..], [2, 2]));
            assert_eq!(window.detach(second)?, [2, 2]);
            window.attached(first).map(<[u64]>::to_vec)
        });
        assert_eq!(values, Ok(vec![1, 5, 1, 7]));
    }

    #[test]
    fn requests_have_their_data_when_they_are_complete() {
        let read = alone(|comm| {
            let mut window = Window::create(comm, vec![1_u32, 2, 3])?;
            window.begin_locks()?;
            window.lock(LockKind::Shared, 0)?;
            let (sent, mut before, mut read) = ([5, 6], [0; 2], [0; 3]);
            in_flight(comm, |flights| {
                window.rput(flights, 0, 0, &sent[..])?.wait()?;
                let op = Operator::builtin(BuiltinOp::Sum);
                let (values, _) = window
                    .rget_accumulate(flights, (0, 1), &sent[..], &mut before, &op)?
                    .wait()?;
                assert_eq!(values, [6, 3]);
                window.rget(flights, 0, 0, &mut read).map(drop)
            })?;
            window.unlock(0)?;
            window.end_locks()?;
            Ok(read)
        });
        assert_eq!(read, Ok([5, 11, 9]));
    }
}
