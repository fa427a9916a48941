//! Numbers in packets, for whoever makes some to see what happens.

/// Numbers of processes from this one on are hosts' own.
pub const HOST_BASE: u32 = 1 << 31;

/// Declares the kinds of packets, which are the first byte of each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal;)*) => {
        $($(#[$doc])* pub const $name: u8 = $number;)*

        /// All of them.
        pub const KINDS: &[u8] = &[$($name),*];
    };
}

kinds! {
    /// A message, which is the data.
    EAGER = 1;
    /// A message that waits in its sender's memory.
    REQUEST_TO_SEND = 2;
    /// The receiver of a message wants it.
    CLEAR_TO_SEND = 3;
    /// A part of a message.
    FRAGMENT = 4;
    /// The receiver has read the message.
    GET_DONE = 5;
    /// The sender has written the message.
    PUT_DONE = 6;
    /// Nothing but credit.
    CREDIT = 7;
    /// The sender takes back a message that waits at its host.
    CANCEL = 8;
    /// That has been done.
    CANCELLED = 9;
    /// The sender asks for a message that it has sent.
    CANCEL_EAGER = 10;
    /// Whether that was there and has been taken away.
    EAGER_CANCELLED = 11;
    /// Something about the labels of communicators.
    CONTEXT = 32;
    /// The sender has failed in what hosts do together.
    FAILED = 33;
}
