//! The messages between hosts about context ids.

/// A request of one of a communicator's hosts for the id of a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IdRequest {
    /// The communicator.
    pub(crate) context: u32,
    /// Number of the duplicate among those of the communicator.
    pub(crate) number: u64,
    /// Number of hosts that will ask.
    pub(crate) holders: u32,
}

/// The reply to a request; `None` if there is no id left.
pub(crate) type IdReply = Option<u32>;

/// A message about context ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextMessage {
    /// A request, with a number of the sender's own.
    Request(u64, IdRequest),
    /// The reply to the request with this number.
    Reply(u64, IdReply),
    /// The sender releases an id.
    Release(u32),
}

const REQUEST: u64 = 1;
const REPLY: u64 = 2;
const RELEASE: u64 = 3;
/// In place of an id.
const NO_ID: u64 = 1 << 32;

impl ContextMessage {
    /// The message as words.
    pub(crate) fn words(self) -> [u64; 4] {
        match self {
            Self::Request(query, request) => {
                let communicator = u64::from(request.holders) << 32 | u64::from(request.context);
                [REQUEST, query, communicator, request.number]
            }
            Self::Reply(query, reply) => [REPLY, query, reply.map_or(NO_ID, u64::from), 0],
            Self::Release(id) => [RELEASE, u64::from(id), 0, 0],
        }
    }

    /// The message of these words; `None` if they are malformed.
    pub(crate) fn read(words: [u64; 4]) -> Option<Self> {
        let small = |number| u32::try_from(number).ok();
        Some(match words {
            [REQUEST, query, communicator, number] => {
                let (context, holders) = (communicator as u32, (communicator >> 32) as u32);
                let request = IdRequest {
                    context,
                    number,
                    holders,
                };
                Self::Request(query, request)
            }
            [REPLY, query, NO_ID, 0] => Self::Reply(query, None),
            [REPLY, query, id, 0] => Self::Reply(query, Some(small(id)?)),
            [RELEASE, id, 0, 0] => Self::Release(small(id)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_arrive_as_they_were(query: u64, context: u32, number: u64, holders: u32, reply: Option<u32>) {
            let request = IdRequest { context, number, holders };
            let messages = [
                ContextMessage::Request(query, request),
                ContextMessage::Reply(query, reply),
                ContextMessage::Release(context),
            ];
            for message in messages {
                prop_assert_eq!(ContextMessage::read(message.words()), Some(message));
            }
        }

        #[test]
        fn messages_read_from_any_words_are_the_same(kind in 0..5_u64, rest: [u64; 3]) {
            let words = [kind, rest[0], rest[1], rest[2]];
            if let Some(message) = ContextMessage::read(words) {
                prop_assert_eq!(message.words(), words);
            }
        }
    }
}
