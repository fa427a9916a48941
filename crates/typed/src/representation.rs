//! Data representations of the user: what values of a type look like in a file.

use std::panic::{AssertUnwindSafe, catch_unwind};

use simurgh_core::sync::Arc;

use super::operator::{Panicked, rethrow};
use super::{Equivalence, source, target, zeros};
use simurgh_datatype::Datatype;
use simurgh_datatype::memory::{Source, Target, transfer};
use simurgh_mpi::{Error, ErrorClass, Result, storage};

/// A data representation of the program: what values of `T` look like in a file (section 14.5.3 of the standard,
/// `MPI_Register_datarep`).
pub trait Conversion<T>: Send + Sync + 'static {
    /// The name, by which the ranks that set a view together know that they mean the same representation.
    fn name(&self) -> &str;

    /// The bytes of each value in a file.
    fn size(&self) -> usize;

    /// Writes a value as it is in a file.
    ///
    /// # Errors
    ///
    /// What the program says about values that a file cannot have. The access fails with it, and writes nothing.
    fn encode(&self, value: T, file: &mut [u8]) -> Result<()>;

    /// The value that a file has.
    ///
    /// # Errors
    ///
    /// What the program says about bytes that are no value. The access fails with it.
    fn decode(&self, file: &[u8]) -> Result<T>;
}

/// The representations of a file's views, for which a panic of their functions is kept. It must not unwind through a
/// collective, since the other ranks count on this one.
#[derive(Debug, Default)]
pub struct Conversions(Panicked);

impl Conversions {
    /// The representation of values of `T` that the program makes by `conversion`.
    ///
    /// # Errors
    ///
    /// As [`storage::Representation::user`]; [`ErrorClass::UnsupportedDatarep`] if values have no bytes in a file.
    pub fn representation<T: Equivalence>(
        &self,
        conversion: impl Conversion<T>,
    ) -> Result<storage::Representation> {
        let size = conversion.size();
        if size == 0 {
            let name = conversion.name();
            let reason = format!("a value has no bytes in the data representation \"{name}\"");
            return Err(Error::new(ErrorClass::UnsupportedDatarep, reason));
        }
        storage::Representation::user(Arc::new(Converter {
            conversion: Box::new(conversion) as Box<dyn Conversion<T>>,
            size,
            panicked: Arc::clone(&self.0),
        }))
    }

    /// Resumes the panic of a function that has been called for an access, if there was one.
    pub fn rethrow(&self) {
        rethrow(Some(&self.0));
    }
}

/// A representation as the engine knows it.
struct Converter<T> {
    conversion: Box<dyn Conversion<T>>,
    /// The bytes of a value in a file.
    size: usize,
    panicked: Panicked,
}

impl<T: Equivalence> Converter<T> {
    /// The outcome of the program's functions, of which a panic is an error.
    fn guarded<R>(&self, convert: impl FnOnce() -> Result<R>) -> Result<R> {
        catch_unwind(AssertUnwindSafe(convert)).unwrap_or_else(|panic| {
            *self.panicked.lock() = Some(panic);
            let name = self.conversion.name();
            let reason = format!("a function of the data representation \"{name}\" has panicked");
            Err(Error::new(ErrorClass::Conversion, reason))
        })
    }
}

impl<T: Equivalence> storage::Conversion for Converter<T> {
    fn name(&self) -> &str {
        self.conversion.name()
    }

    fn extent(&self, datatype: &Datatype) -> Result<usize> {
        Ok(self.size * datatype.size() / bytes_of_value::<T>())
    }

    fn decode(&self, file: &mut [u8], into: &Target) -> Result<bool> {
        let values = file.chunks_exact(self.size);
        let values = self.guarded(|| {
            values
                .map(|bytes| self.conversion.decode(bytes))
                .collect::<Result<Vec<T>>>()
        })?;
        // SAFETY:
        // - the values exist until the transfer, which is over when it returns.
        transfer(&unsafe { source(&values) }, into);
        Ok(true)
    }

    fn encode(&self, from: &Source) -> Result<Option<Vec<u8>>> {
        let mut values = zeros::<T>(from.bytes() / bytes_of_value::<T>());
        // SAFETY:
        // - the values exist until the transfer, which is over when it returns.
        transfer(from, &unsafe { target(&mut values) });
        let mut content = vec![0; values.len() * self.size];
        let places = content.chunks_exact_mut(self.size);
        self.guarded(|| {
            values
                .into_iter()
                .zip(places)
                .try_for_each(|(value, place)| self.conversion.encode(value, place))
        })?;
        Ok(Some(content))
    }

    fn converts(&self) -> (bool, bool) {
        (true, true)
    }
}

/// The bytes of a value's data in memory. A view has been made of such values, so there are some.
fn bytes_of_value<T: Equivalence>() -> usize {
    (T::datatype().size() * T::COUNT).max(1)
}
