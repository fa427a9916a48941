//! The contents of a profile.

/// A profile of the memory that ranks have allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The mean distance of samples, in bytes.
    pub period: u64,
    /// When the profile was taken, in nanoseconds since 1970.
    pub time_ns: u64,
    /// The call sites.
    pub samples: Vec<Sample>,
}

/// A call site of a rank, and what was allocated there: estimates, as the sampled blocks represent others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The rank.
    pub rank: u32,
    /// The stack, the innermost frame first.
    pub stack: Vec<Frame>,
    /// What was allocated there.
    pub values: Values,
}

/// The numbers of a call site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Blocks that have been allocated.
    pub allocated_blocks: u64,
    /// Their bytes.
    pub allocated_bytes: u64,
    /// Blocks that have not been freed.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// The most bytes that had not been freed at a time.
    pub most_bytes: u64,
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The address of the code.
    pub address: u64,
    /// The functions there: several if they are inlined into each other, the innermost one first. None if there is no
    /// name.
    pub functions: Vec<Function>,
}

/// A function at a place of the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The file with its source, if that is known.
    pub file: String,
    /// The line there, or 0.
    pub line: u32,
}

impl Frame {
    /// The names of its functions, the innermost one first; the address, if there is none.
    pub(crate) fn names(&self) -> Vec<String> {
        match self.functions.is_empty() {
            true => vec![format!("{:#x}", self.address)],
            false => (self.functions.iter())
                .map(|function| function.name.clone())
                .collect(),
        }
    }
}
