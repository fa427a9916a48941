//! The numbers in packets, for tests that make packets of their own.

/// Process numbers from this one on stand for hosts.
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
    /// A message, which is the data, or the first segment of one.
    EAGER = 1;
    /// A request to send: the message waits in its sender's memory.
    REQUEST_TO_SEND = 2;
    /// A clear to send: the receiver of a message wants it.
    CLEAR_TO_SEND = 3;
    /// A fragment of a message.
    FRAGMENT = 4;
    /// The receiver has got the message.
    GET_DONE = 5;
    /// The sender has put the message.
    PUT_DONE = 6;
    /// Nothing but credits.
    CREDIT = 7;
    /// The sender cancels a message whose data waits at its host.
    CANCEL = 8;
    /// The message has been cancelled.
    CANCELLED = 9;
    /// The sender cancels an eager message.
    CANCEL_EAGER = 10;
    /// The answer: whether the message was still queued and has been withdrawn.
    EAGER_CANCELLED = 11;
    /// An active message: a request, or a reply to one.
    ACTIVE = 12;
    /// Nothing but the number of requests that have been handled.
    HANDLED = 13;
    /// The receiver of a message asks its sender to copy some of it.
    ASSIST = 14;
    /// The sender has copied some of a message.
    ASSISTED = 15;
    /// The next data of a message that is sent eagerly in segments.
    EAGER_SEGMENT = 16;
    /// A message about context ids.
    CONTEXT = 32;
    /// The sender has failed in what hosts do together.
    FAILED = 33;
}
