//! Words `key=value` on their way: in lines, parted by blanks, or in frames, each behind its length, parted by
//! semicolons.

use crate::host::pmi::error::PmiError;

/// Longest message that is read.
const LONGEST: usize = 1 << 20;

/// Digits of a frame's length.
const HEAD: usize = 6;

/// How words are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Line,
    Frame,
}

/// A message, as it has been read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    text: String,
    words: Vec<(String, String)>,
}

impl Message {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.words.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.parse().ok()
    }

    /// Whether this is what `command` is answered with, if nothing is wrong.
    pub(super) fn is_good(&self, command: &str) -> bool {
        let refused = self.get("rc").is_some_and(|code| code != "0");
        let missing = ["found", "flag"].iter().any(|key| {
            self.get(key)
                .is_some_and(|found| found.eq_ignore_ascii_case("false"))
        });
        self.get("cmd") == Some(command) && !refused && !missing
    }

    /// What it says, as an error.
    pub(super) fn strange(self) -> PmiError {
        PmiError::Strange { line: self.text }
    }
}

impl Form {
    /// The bytes of a message.
    pub(super) fn encode(self, words: &[(&str, String)]) -> Vec<u8> {
        match self {
            Self::Line => {
                let words: Vec<_> = words
                    .iter()
                    .map(|(key, value)| format!("{key}={value}"))
                    .collect();
                format!("{}\n", words.join(" ")).into_bytes()
            }
            Self::Frame => {
                let mut text = String::new();
                // MPICH's server takes no word without a value.
                for (key, value) in words.iter().filter(|(_, value)| !value.is_empty()) {
                    text += &format!("{key}={};", value.replace(';', ";;"));
                }
                format!("{:HEAD$}{text}", text.len()).into_bytes()
            }
        }
    }

    /// Takes a message off the front of what has arrived, if it is there as a whole.
    pub(super) fn take(self, arrived: &mut Vec<u8>) -> Result<Option<Message>, PmiError> {
        let strange = |line: &str| PmiError::Strange {
            line: line.to_owned(),
        };
        let (start, end, next) = match self {
            Self::Line => match arrived.iter().position(|&byte| byte == b'\n') {
                Some(end) => (0, end, end + 1),
                None if arrived.len() > LONGEST => return Err(strange("a line without end")),
                None => return Ok(None),
            },
            Self::Frame => {
                let Some(head) = arrived.get(..HEAD) else {
                    return Ok(None);
                };
                let head = String::from_utf8_lossy(head).into_owned();
                let length: usize = head.trim().parse().map_err(|_| strange(&head))?;
                let end = HEAD + length;
                if arrived.len() < end {
                    return Ok(None);
                }
                (HEAD, end, end)
            }
        };
        let text = String::from_utf8_lossy(&arrived[start..end]).into_owned();
        arrived.drain(..next);
        let words = match self {
            Self::Line => text.split_whitespace().filter_map(word).collect(),
            Self::Frame => parted(&text).iter().filter_map(|text| word(text)).collect(),
        };
        Ok(Some(Message { text, words }))
    }
}

fn word(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    Some((key.to_owned(), value.to_owned()))
}

/// The parts of a frame. Two semicolons are one that does not part.
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
        let mut bytes = Form::Line.encode(&words);
        assert_eq!(bytes, b"cmd=put value=a=b\n");
        bytes.extend(b"cmd=");
        let message = Form::Line.take(&mut bytes).unwrap().unwrap();
        assert_eq!(
            (message.get("cmd"), message.get("value")),
            (Some("put"), Some("a=b"))
        );
        assert_eq!(Form::Line.take(&mut bytes).unwrap(), None);
        assert_eq!(bytes, b"cmd=");
    }

    #[test]
    fn frames_have_a_length() {
        let word = |key, value: &str| (key, value.to_owned());
        let words = [word("cmd", "put"), word("none", ""), word("value", "a;b c")];
        let whole = Form::Frame.encode(&words);
        assert_eq!(whole, b"    21cmd=put;value=a;;b c;");
        for cut in 0..whole.len() {
            assert_eq!(Form::Frame.take(&mut whole[..cut].to_vec()).unwrap(), None);
        }
        let message = Form::Frame.take(&mut whole.clone()).unwrap().unwrap();
        assert_eq!(message.get("value"), Some("a;b c"));
        assert!(Form::Frame.take(&mut b"  1x2 ".to_vec()).is_err());
    }

    #[test]
    fn what_is_refused_is_not_good() {
        for (text, good) in [
            ("cmd=x", true),
            ("cmd=x rc=0 found=TRUE", true),
            ("cmd=y", false),
            ("cmd=x rc=-1", false),
            ("cmd=x rc=0 flag=FALSE", false),
            ("", false),
        ] {
            let message = Form::Line
                .take(&mut format!("{text}\n").into_bytes())
                .unwrap()
                .unwrap();
            assert_eq!(message.is_good("x"), good, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_result(mut bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Form::Line.take(&mut bytes.clone());
            let _ = Form::Frame.take(&mut bytes);
        }

        #[test]
        fn what_is_written_is_read(value in "[a-z;= ]{1,40}") {
            let mut bytes = Form::Frame.encode(&[("value", value.clone())]);
            let message = Form::Frame.take(&mut bytes).unwrap().unwrap();
            prop_assert_eq!(message.get("value"), Some(value.as_str()));
        }
    }
}
