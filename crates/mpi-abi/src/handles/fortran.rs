//! The declarations of a Fortran layer about its compiler, each of which is made once (section 20.3 of the standard's
//! ABI chapter).

use std::ffi::c_int;
use std::sync::OnceLock;

use simurgh_mpi::datatype::Basic;
use simurgh_mpi::{ErrorClass, Info};

use crate::error::{CallError, Outcome, ResultOf};

/// The representations of true and false.
#[derive(PartialEq, Eq)]
pub(crate) struct Booleans {
    pub(crate) yes: Box<[u8]>,
    pub(crate) no: Box<[u8]>,
}

/// The declarations.
#[derive(Default)]
pub(crate) struct Fortran {
    types: OnceLock<Info>,
    booleans: OnceLock<Booleans>,
}

/// The types whose size a compiler's options may change, and their sizes in this library.
const SIZES: [(&str, Basic); 4] = [
    ("mpi_logical_size", Basic::Logical),
    ("mpi_integer_size", Basic::Integer),
    ("mpi_real_size", Basic::Real),
    ("mpi_double_precision_size", Basic::DoublePrecision),
];

/// The size of the largest logical in bytes.
const MAX_LOGICAL: c_int = 16;

fn refuse(reason: impl Into<String>) -> Box<CallError> {
    CallError::new(ErrorClass::Abi, reason)
}

fn size_of_logical(logical_size: c_int) -> ResultOf<usize> {
    match usize::try_from(logical_size) {
        Ok(size) if size.is_power_of_two() && logical_size <= MAX_LOGICAL => Ok(size),
        _ => {
            let reason = format!("logical_size is {logical_size}; logicals have 1, 2, 4, 8 or 16 bytes");
            Err(CallError::new(ErrorClass::Arg, reason))
        }
    }
}

impl Fortran {
    /// The declaration about the types, if there is one.
    pub(crate) fn types(&self) -> Option<&Info> {
        self.types.get()
    }

    /// Declares the sizes of the types.
    pub(crate) fn set_types(&self, said: Info) -> Outcome {
        for (key, basic) in SIZES {
            let size = basic.size().to_string();
            if let Some(wish) = said.text(key).filter(|wish| wish.trim() != size) {
                let name = basic.name();
                return Err(refuse(format!(
                    "{key} is {wish}, but {name} has {size} bytes in this library"
                )));
            }
        }
        self.types
            .set(said)
            .map_err(|_| refuse("the Fortran info has been set before; it can be set only once"))
    }

    /// The representations for logicals of this size, if they have been declared.
    pub(crate) fn booleans(&self, logical_size: c_int) -> ResultOf<Option<&Booleans>> {
        let size = size_of_logical(logical_size)?;
        Ok(self.booleans.get().filter(|booleans| booleans.yes.len() == size))
    }

    /// Declares the representations for logicals of this size. `read` gets the size and reads true and false.
    pub(crate) fn set_booleans(
        &self,
        logical_size: c_int,
        read: impl FnOnce(usize) -> ResultOf<[Box<[u8]>; 2]>,
    ) -> Outcome {
        let [yes, no] = read(size_of_logical(logical_size)?)?;
        if yes == no {
            return Err(CallError::new(
                ErrorClass::Arg,
                "logical_true and logical_false are the same",
            ));
        }
        self.booleans
            .set(Booleans { yes, no })
            .map_err(|_| refuse("the Fortran booleans have been set before; they can be set only once"))
    }
}
