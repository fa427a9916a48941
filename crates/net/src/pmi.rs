//! Messages of PMI-1 and PMI-2, the protocols between the launchers and processes of MPICH and its relatives. A message
//! is a list of words `key=value`, the first of which is `cmd`.
//!
//! In PMI-1, messages are lines of words separated by blanks. In PMI-2 they are frames: a length, then words separated
//! by semicolons. The greeting, by which client and server agree on one of the two, is a line in both.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Longest message that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// Digits of the length of a frame.
const HEAD: usize = 6;

/// Bytes are not a message of PMI.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no message of PMI")]
pub struct Malformed(
    /// The text that was received.
    pub String,
);

/// The form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// A line of PMI-1, or a greeting.
    Line,
    /// A frame of PMI-2.
    Frame,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Its form.
    pub form: Form,
    /// The words, separated as in that form, without what marks the end of the message.
    pub text: String,
}

impl Message {
    /// Makes a message of words. In a line, values must not contain blanks.
    #[must_use]
    pub fn new(form: Form, words: &[(&str, String)]) -> Self {
        let text = match form {
            Form::Line => {
                let words = words.iter().map(|(key, value)| format!("{key}={value}"));
                words.collect::<Vec<_>>().join(" ")
            }
            // MPICH's server takes no word without a value.
            Form::Frame => {
                let words = words.iter().filter(|(_, value)| !value.is_empty());
                let words = words.map(|(key, value)| format!("{key}={};", value.replace(';', ";;")));
                words.collect()
            }
        };
        Self { form, text }
    }

    /// The value of the first word with a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<String> {
        let is_key = |word: &str| {
            let (name, value) = word.split_once('=')?;
            (name == key).then(|| value.to_owned())
        };
        match self.form {
            Form::Line => self.text.split_whitespace().find_map(is_key),
            Form::Frame => parted(&self.text).iter().find_map(|word| is_key(word)),
        }
    }

    /// The value of a word as a number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.parse().ok()
    }

    /// Encodes the message.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let text = &self.text;
        match self.form {
            Form::Line => format!("{text}\n").into_bytes(),
            Form::Frame => format!("{:HEAD$}{text}", text.len()).into_bytes(),
        }
    }

    /// Takes a message of this form from the front of the bytes that have arrived, if it is complete.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if a line has no end, or a frame no length.
    pub fn take(form: Form, arrived: &mut Vec<u8>) -> Result<Option<Self>, Malformed> {
        let (start, end, next) = match form {
            Form::Line => match arrived.iter().position(|&byte| byte == b'\n') {
                Some(end) => (0, end, end + 1),
                None if arrived.len() > LONGEST => return Err(Malformed("a line without end".to_owned())),
                None => return Ok(None),
            },
            Form::Frame => {
                let Some(head) = arrived.get(..HEAD) else {
                    return Ok(None);
                };
                let head = String::from_utf8_lossy(head).into_owned();
                let length: usize = head.trim().parse().map_err(|_| Malformed(head))?;
                let end = HEAD + length;
                if arrived.len() < end {
                    return Ok(None);
                }
                (HEAD, end, end)
            }
        };
        let text = String::from_utf8_lossy(&arrived[start..end]).into_owned();
        arrived.drain(..next);
        Ok(Some(Self { form, text }))
    }

    /// Takes a message of either form: a line begins with a letter, a frame with its length.
    ///
    /// # Errors
    ///
    /// As for [`take`](Self::take).
    pub fn take_any(arrived: &mut Vec<u8>) -> Result<Option<Self>, Malformed> {
        match arrived.first() {
            Some(b' ' | b'0'..=b'9') => Self::take(Form::Frame, arrived),
            _ => Self::take(Form::Line, arrived),
        }
    }
}

/// Splits a frame into words. Two semicolons stand for one within a word.
fn parted(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match parts.last_mut() {
            Some(part) if next != ';' || rest.next_if_eq(&';').is_some() => part.push(next),
            _ => parts.push(String::new()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_words_and_blanks() {
        let words = [("cmd", "put".to_owned()), ("value", "a=b".to_owned())];
        let mut bytes = Message::new(Form::Line, &words).encode();
        assert_eq!(bytes, b"cmd=put value=a=b\n");
        bytes.extend(b"cmd=");
        let message = Message::take_any(&mut bytes).unwrap().unwrap();
        assert_eq!(message.form, Form::Line);
        let said = |key| message.get(key);
        assert_eq!(
            (said("cmd").as_deref(), said("value").as_deref()),
            (Some("put"), Some("a=b"))
        );
        assert_eq!(Message::take_any(&mut bytes).unwrap(), None);
        assert_eq!(bytes, b"cmd=");
    }

    #[test]
    fn frames_have_a_length() {
        let word = |key, value: &str| (key, value.to_owned());
        let words = [word("cmd", "put"), word("none", ""), word("value", "a;b c")];
        let whole = Message::new(Form::Frame, &words).encode();
        assert_eq!(whole, b"    21cmd=put;value=a;;b c;");
        for cut in 0..whole.len() {
            assert_eq!(Message::take_any(&mut whole[..cut].to_vec()).unwrap(), None);
        }
        let message = Message::take_any(&mut whole.clone()).unwrap().unwrap();
        assert_eq!(message.form, Form::Frame);
        assert_eq!(message.get("value").as_deref(), Some("a;b c"));
        let wrong = Message::take(Form::Frame, &mut b"  1x2 ".to_vec());
        assert_eq!(wrong, Err(Malformed("  1x2 ".to_owned())));
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_result(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Message::take(Form::Line, &mut bytes.clone());
            let _ = Message::take(Form::Frame, &mut bytes.clone());
            let _ = Message::take_any(&mut bytes.clone());
        }

        #[test]
        fn what_is_written_is_read(value in "[a-z;= ]{1,40}") {
            let mut bytes = Message::new(Form::Frame, &[("value", value.clone())]).encode();
            let message = Message::take_any(&mut bytes).unwrap().unwrap();
            prop_assert_eq!(message.get("value"), Some(value));
        }
    }
}
