//! Data representations: what numbers look like in a file.

use std::fmt;

use simurgh_base::error::Result;
use simurgh_core::sync::Arc;
use simurgh_datatype::Datatype;
use simurgh_datatype::external32;
use simurgh_datatype::memory::{Source, Target};

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
