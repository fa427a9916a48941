//! Data representations: what numbers look like in a file.

use std::fmt;

use simurgh_base::error::{Error, ErrorClass, Result};
use simurgh_core::sync::Arc;
use simurgh_datatype::Datatype;
use simurgh_datatype::external32;
use simurgh_datatype::memory::{Source, Target};

/// Bytes of the longest name of a representation (`MPI_MAX_DATAREP_STRING`, without the end of the text).
const LONGEST_NAME: usize = 127;

/// A data representation.
#[derive(Clone, Default)]
pub enum Representation {
    /// As in memory.
    #[default]
    Native,
    /// As in memory: all hosts of a job are of one kind.
    Internal,
    /// That of the standard, the same on all machines.
    External32,
    /// One that the program has registered.
    User(Arc<dyn Conversion>),
}

/// The functions of a representation that the program has registered.
pub trait Conversion: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Bytes from one element of a datatype to the next in a file.
    ///
    /// # Errors
    ///
    /// What the program's function returns.
    fn extent(&self, datatype: &Datatype) -> Result<usize>;

    /// Converts the content of a file to the elements of `into`; false if it is the same as in memory.
    ///
    /// # Errors
    ///
    /// What the program's function returns.
    fn decode(&self, file: &mut [u8], into: &Target) -> Result<bool>;

    /// Converts the elements of `from` to the content of a file; `None` if it is the same as in memory.
    ///
    /// # Errors
    ///
    /// What the program's function returns.
    fn encode(&self, from: &Source) -> Result<Option<Vec<u8>>>;

    /// Whether reads and writes convert anything.
    fn converts(&self) -> (bool, bool);
}

impl Representation {
    /// A representation of the program.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] for a name that is empty or longer than the standard allows; [`ErrorClass::DupDatarep`] for
    /// a name of the standard.
    pub fn user(conversion: Arc<dyn Conversion>) -> Result<Self> {
        let name = conversion.name();
        if name.is_empty() || name.len() > LONGEST_NAME {
            let reason = format!(
                "the name of the data representation has {} characters; 1 to {LONGEST_NAME} are allowed",
                name.len()
            );
            return Err(Error::new(ErrorClass::Arg, reason));
        }
        match Self::predefined(name) {
            Some(_) => Err(Self::known(name)),
            None => Ok(Self::User(conversion)),
        }
    }

    /// The error that there is a representation of this name.
    #[cold]
    #[must_use]
    pub fn known(name: &str) -> Error {
        let reason = format!("there is a data representation \"{name}\" already");
        Error::new(ErrorClass::DupDatarep, reason)
    }

    /// The name by which programs ask for it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Native => "native",
            Self::Internal => "internal",
            Self::External32 => "external32",
            Self::User(conversion) => conversion.name(),
        }
    }

    /// The representation that the standard has under this name.
    #[must_use]
    pub fn predefined(name: &str) -> Option<Self> {
        Some(match name {
            "native" => Self::Native,
            "internal" => Self::Internal,
            "external32" => Self::External32,
            _ => return None,
        })
    }

    /// Bytes from one element of a datatype to the next in a file.
    ///
    /// # Errors
    ///
    /// What a function of the program returns.
    pub fn extent(&self, datatype: &Datatype) -> Result<usize> {
        match self {
            Self::Native | Self::Internal => Ok(datatype.extent().max(0).cast_unsigned()),
            Self::External32 => {
                let (size, extent) = (datatype.size(), datatype.extent().max(0).cast_unsigned());
                let external = external32::size(1, datatype).unwrap_or(size);
                // Gaps grow or shrink as the data does. The extent of a predefined pair has no gap in a file.
                Ok(match size {
                    0 => extent,
                    _ if datatype.named().is_some() => external,
                    _ => extent * external / size,
                })
            }
            Self::User(conversion) => conversion.extent(datatype),
        }
    }
}

impl fmt::Debug for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
