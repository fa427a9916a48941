//! What hosts tell each other about context ids.

/// One of the hosts of a communicator asks, for one of its duplicates, for the id of the duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    /// The communicator.
    pub(crate) context: u32,
    /// Number of the duplicate among those of the communicator.
    pub(crate) number: u64,
    /// Number of hosts that will ask.
    pub(crate) holders: u32,
}

/// The answer to a question; none if there is no id left.
pub(crate) type Answer = Option<u32>;

/// What one host tells another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// It asks, by a number of its own.
    Ask(u64, Question),
    /// It answers the question that was asked by this number.
    Answer(u64, Answer),
    /// It lets go of an id.
    LetGo(u32),
}

const ASK: u64 = 1;
const ANSWER: u64 = 2;
const LET_GO: u64 = 3;
/// In place of an id.
const NO_ID: u64 = 1 << 32;

impl Notice {
    /// The notice as numbers.
    pub(crate) fn words(self) -> [u64; 4] {
        match self {
            Self::Ask(asked, question) => {
                let communicator = u64::from(question.holders) << 32 | u64::from(question.context);
                [ASK, asked, communicator, question.number]
            }
            Self::Answer(asked, answer) => [ANSWER, asked, answer.map_or(NO_ID, u64::from), 0],
            Self::LetGo(id) => [LET_GO, u64::from(id), 0, 0],
        }
    }

    /// The notice of these numbers; none if they are not those of one.
    pub(crate) fn read(words: [u64; 4]) -> Option<Self> {
        let small = |number| u32::try_from(number).ok();
        Some(match words {
            [ASK, asked, communicator, number] => {
                let (context, holders) = (communicator as u32, (communicator >> 32) as u32);
                let question = Question {
                    context,
                    number,
                    holders,
                };
                Self::Ask(asked, question)
            }
            [ANSWER, asked, NO_ID, 0] => Self::Answer(asked, None),
            [ANSWER, asked, id, 0] => Self::Answer(asked, Some(small(id)?)),
            [LET_GO, id, 0, 0] => Self::LetGo(small(id)?),
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
        fn notices_arrive_as_they_were(asked: u64, context: u32, number: u64, holders: u32, answer: Option<u32>) {
            let question = Question { context, number, holders };
            for notice in [Notice::Ask(asked, question), Notice::Answer(asked, answer), Notice::LetGo(context)] {
                prop_assert_eq!(Notice::read(notice.words()), Some(notice));
            }
        }

        #[test]
        fn what_is_read_from_anything_is_the_same(kind in 0..5_u64, rest: [u64; 3]) {
            let words = [kind, rest[0], rest[1], rest[2]];
            if let Some(notice) = Notice::read(words) {
                prop_assert_eq!(notice.words(), words);
            }
        }
    }
}
