//! Data representations of the program.

use std::ffi::{c_int, c_void};

use simurgh_mpi::datatype::Datatype;
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::storage::Conversion;
use simurgh_mpi::{Error, ErrorClass, Result};

use super::with_tables;
use crate::constants::MPI_SUCCESS;
use crate::types::{
    MPI_Aint, MPI_Count, MPI_Datarep_conversion_function, MPI_Datarep_conversion_function_c,
    MPI_Datarep_extent_function, MPI_Datatype,
};

/// A conversion function, in one of the standard's two forms.
#[derive(Clone, Copy)]
pub(crate) enum ConversionFunction {
    Narrow(MPI_Datarep_conversion_function),
    Large(MPI_Datarep_conversion_function_c),
}

/// A data representation of the program. One without a conversion function is as in memory.
pub(crate) struct UserRepresentation {
    pub(crate) name: String,
    pub(crate) read: Option<ConversionFunction>,
    pub(crate) write: Option<ConversionFunction>,
    pub(crate) extent: MPI_Datarep_extent_function,
    pub(crate) extra_state: *mut c_void,
}

// SAFETY:
// - `extra_state` is never followed here; the rank that has registered it, on whose threads alone the functions are
//   called, gets it back as it is.
unsafe impl Send for UserRepresentation {}
// SAFETY:
// - as above.
unsafe impl Sync for UserRepresentation {}

/// The elements of a user's buffer, and their content in the file.
struct Elements<'a> {
    address: *mut u8,
    count: usize,
    datatype: &'a Datatype,
    content: &'a mut [u8],
}

impl UserRepresentation {
    /// Calls a conversion function with these elements, more than once if its `int` cannot hold the count.
    fn convert(&self, function: ConversionFunction, elements: Elements<'_>) -> Result<()> {
        const MOST: usize = c_int::MAX as usize;
        let Elements {
            address,
            count,
            datatype,
            content,
        } = elements;
        let each = self.extent(datatype)?;
        let extra_state = self.extra_state;
        let code = named(datatype, |handle| match function {
            ConversionFunction::Large(function) => {
                let count = MPI_Count::try_from(count).unwrap_or(MPI_Count::MAX);
                // SAFETY:
                // - the program gave this function for these arguments: so many elements at the first address, and
                //   their content at the second.
                unsafe {
                    function(
                        address.cast(),
                        handle,
                        count,
                        content.as_mut_ptr().cast(),
                        0,
                        extra_state,
                    )
                }
            }
            ConversionFunction::Narrow(function) => {
                let mut code = MPI_SUCCESS;
                for start in (0..count).step_by(MOST) {
                    let part = address.wrapping_offset(start as isize * datatype.extent());
                    let content = content[start * each..].as_mut_ptr();
                    // SAFETY:
                    // - as above; `start` is below the number of elements.
                    code = unsafe {
                        let count = (count - start).min(MOST) as c_int;
                        function(part.cast(), handle, count, content.cast(), 0, extra_state)
                    };
                    if code != MPI_SUCCESS {
                        break;
                    }
                }
                code
            }
        });
        self.check(code, "conversion")
    }

    fn check(&self, code: c_int, function: &str) -> Result<()> {
        if code == MPI_SUCCESS {
            return Ok(());
        }
        let name = &self.name;
        let reason =
            format!("the {function} function of the data representation \"{name}\" has returned {code}");
        Err(Error::new(ErrorClass::Conversion, reason))
    }
}

impl Conversion for UserRepresentation {
    fn name(&self) -> &str {
        &self.name
    }

    fn extent(&self, datatype: &Datatype) -> Result<usize> {
        let mut extent: MPI_Aint = 0;
        let code = named(datatype, |handle| {
            // SAFETY:
            // - the program gave this function for these arguments; the address is that of a variable.
            unsafe { (self.extent)(handle, &raw mut extent, self.extra_state) }
        });
        self.check(code, "extent")?;
        usize::try_from(extent).map_err(|_| {
            let reason = format!(
                "the data representation \"{}\" has the extent {extent}",
                self.name
            );
            Error::new(ErrorClass::Conversion, reason)
        })
    }

    fn decode(&self, file: &mut [u8], into: &Target) -> Result<bool> {
        let Some(function) = self.read else {
            return Ok(false);
        };
        let elements = Elements {
            address: into.address(),
            count: into.count(),
            datatype: into.datatype(),
            content: file,
        };
        self.convert(function, elements).map(|()| true)
    }

    fn encode(&self, from: &Source) -> Result<Option<Vec<u8>>> {
        let Some(function) = self.write else {
            return Ok(None);
        };
        let mut content = vec![0; from.count() * self.extent(from.datatype())?];
        let elements = Elements {
            // The function's argument is not const, though the standard has it only read there.
            address: from.address().cast_mut(),
            count: from.count(),
            datatype: from.datatype(),
            content: &mut content,
        };
        self.convert(function, elements)?;
        Ok(Some(content))
    }

    fn converts(&self) -> (bool, bool) {
        (self.read.is_some(), self.write.is_some())
    }
}

/// Calls `body` with a handle of a datatype, which is valid for the call.
fn named(datatype: &Datatype, body: impl FnOnce(MPI_Datatype) -> c_int) -> c_int {
    if let Some(basic) = datatype.named() {
        return body(MPI_Datatype(basic.handle()));
    }
    let passing = with_tables(|tables| tables?.datatypes.insert(datatype.clone()).ok());
    let Some(passing) = passing else {
        return ErrorClass::Intern.code();
    };
    let code = body(MPI_Datatype(passing));
    with_tables(|tables| tables.and_then(|tables| tables.datatypes.remove(passing)));
    code
}
