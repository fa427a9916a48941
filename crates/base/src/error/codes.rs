//! The error codes of a process: the standard's classes, and the classes, codes and texts that the program adds.

use super::{Error, ErrorClass, Result, tool_class};
use crate::constants::LASTCODE;
use crate::limits::MAX_ERROR_STRING;
use simurgh_core::sync::{AtomicI32, Ordering, SpinLock};
use std::collections::BTreeMap;

/// A class or code that the program has added.
#[derive(Debug)]
struct Added {
    /// The class of a code. For a class, its own number.
    class: i32,
    /// The number of codes that belong to this class; zero for a code.
    codes: u32,
    text: Option<String>,
}

/// The error codes of a process and their texts.
///
/// A new number is one above the largest in use, so numbers follow the order of the calls.
#[derive(Debug)]
pub struct ErrorCodes {
    added: SpinLock<Table>,
    last: AtomicI32,
}

#[derive(Debug, Default)]
struct Table(BTreeMap<i32, Added>);

impl Default for ErrorCodes {
    fn default() -> Self {
        Self {
            added: SpinLock::default(),
            last: AtomicI32::new(LASTCODE),
        }
    }
}

impl Table {
    fn last(&self) -> i32 {
        self.0.last_key_value().map_or(LASTCODE, |(&number, _)| number)
    }

    fn find(&mut self, number: i32) -> Result<&mut Added> {
        self.0.get_mut(&number).ok_or_else(|| match predefined(number) {
            Some(text) => wrong(format!(
                "error code {number} ({text}) is predefined: it cannot be changed"
            )),
            None => unknown(number),
        })
    }

    fn add(&mut self, class: Option<i32>) -> Result<i32> {
        let number = self
            .last()
            .checked_add(1)
            .ok_or_else(|| Error::new(ErrorClass::Intern, "no error code is left; remove those not used"))?;
        let added = Added {
            class: class.unwrap_or(number),
            codes: 0,
            text: None,
        };
        self.0.insert(number, added);
        Ok(number)
    }

    /// Removes a class or code that nothing depends on any more.
    fn remove(&mut self, number: i32, kind: &str, is_kind: impl FnOnce(&Added) -> bool) -> Result<Added> {
        let added = self.find(number)?;
        if !is_kind(added) {
            return Err(wrong(format!("{number} is not an error {kind}")));
        }
        if added.codes > 0 {
            let codes = added.codes;
            return Err(wrong(format!(
                "error class {number} still has {codes} error codes: remove them first"
            )));
        }
        if added.text.is_some() {
            return Err(wrong(format!(
                "error {kind} {number} still has an error string: remove it first"
            )));
        }
        Ok(self.0.remove(&number).expect("it has just been found"))
    }
}

impl ErrorCodes {
    /// Adds a class (`MPI_Add_error_class`) and returns its number.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`] when all numbers are in use.
    pub fn add_class(&self) -> Result<i32> {
        self.change(|table| table.add(None))
    }

    /// Adds a code to a class (`MPI_Add_error_code`) and returns its number.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if `class` is not a class; [`ErrorClass::Intern`] when all numbers are in use.
    pub fn add_code(&self, class: i32) -> Result<i32> {
        self.change(|table| {
            if predefined(class).is_none() {
                let parent = table.find(class)?;
                if parent.class != class {
                    return Err(wrong(format!("{class} is an error code, not a class")));
                }
                parent.codes += 1;
            }
            table.add(Some(class))
        })
    }

    /// Sets the text of an added class or code (`MPI_Add_error_string`). It replaces an earlier text.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the program has not added the class or code, or if the text is too long.
    pub fn set_text(&self, code: i32, text: &str) -> Result<()> {
        if text.len() >= MAX_ERROR_STRING {
            let (len, most) = (text.len(), MAX_ERROR_STRING - 1);
            return Err(wrong(format!(
                "the string has {len} characters; at most {most} are allowed"
            )));
        }
        let text = text.to_owned();
        let old = self.change(|table| Ok(table.find(code)?.text.replace(text)))?;
        drop(old);
        Ok(())
    }

    /// Removes an added class that has neither codes nor a text (`MPI_Remove_error_class`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such added class, or if it is in use.
    pub fn remove_class(&self, class: i32) -> Result<()> {
        self.change(|table| {
            table
                .remove(class, "class", |added| added.class == class)
                .map(drop)
        })
    }

    /// Removes an added code that has no text (`MPI_Remove_error_code`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such added code, or if it is in use.
    pub fn remove_code(&self, code: i32) -> Result<()> {
        self.change(|table| {
            let removed = table.remove(code, "code", |added| added.class != code)?;
            if let Some(parent) = table.0.get_mut(&removed.class) {
                parent.codes -= 1;
            }
            Ok(())
        })
    }

    /// Removes the text of an added class or code (`MPI_Remove_error_string`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the program has not added the class or code, or if it has no text.
    pub fn remove_text(&self, code: i32) -> Result<()> {
        let text = self.change(|table| {
            let text = table.find(code)?.text.take();
            text.ok_or_else(|| wrong(format!("error code {code} has no error string")))
        })?;
        drop(text);
        Ok(())
    }

    /// The class of a code (`MPI_Error_class`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such code.
    pub fn class(&self, code: i32) -> Result<i32> {
        match predefined(code) {
            Some(_) => Ok(code),
            None => self.change(|table| table.find(code).map(|added| added.class)),
        }
    }

    /// The text of a code (`MPI_Error_string`); empty if the program has set none.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such code.
    pub fn text(&self, code: i32) -> Result<String> {
        match predefined(code) {
            Some(text) => Ok(text),
            None => self.change(|table| Ok(table.find(code)?.text.clone().unwrap_or_default())),
        }
    }

    /// The largest number in use (the attribute `MPI_LASTUSEDCODE`), at an address that does not change.
    #[must_use]
    pub fn last(&self) -> &AtomicI32 {
        &self.last
    }

    fn change<R>(&self, change: impl FnOnce(&mut Table) -> Result<R>) -> Result<R> {
        let mut table = self.added.lock();
        let result = change(&mut table);
        // Relaxed: the number is used on its own.
        self.last.store(table.last(), Ordering::Relaxed);
        result
    }
}

/// The name and meaning of a class of the standard.
fn predefined(code: i32) -> Option<String> {
    let of_calls = ErrorClass::from_code(code).map(|class| format!("{}: {}", class.symbol(), class.text()));
    of_calls.or_else(|| tool_class::text(code).map(str::to_owned))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorClass::Arg, message)
}

fn unknown(code: i32) -> Error {
    wrong(format!(
        "{code} is no error code: it was never added, or has been removed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T: std::fmt::Debug>(result: Result<T>) {
        assert_eq!(result.unwrap_err().class(), ErrorClass::Arg);
    }

    fn last(codes: &ErrorCodes) -> i32 {
        codes.last().load(Ordering::Relaxed)
    }

    #[test]
    fn classes_have_codes_and_both_have_texts() {
        let codes = ErrorCodes::default();
        assert_eq!(last(&codes), LASTCODE);
        let class = codes.add_class().unwrap();
        let code = codes.add_code(class).unwrap();
        let of_standard = codes.add_code(ErrorClass::Arg.code()).unwrap();
        assert_eq!(
            (class, code, of_standard),
            (LASTCODE + 1, LASTCODE + 2, LASTCODE + 3)
        );
        assert_eq!(last(&codes), of_standard);
        assert_eq!(codes.class(class), Ok(class));
        assert_eq!(codes.class(code), Ok(class));
        assert_eq!(codes.class(of_standard), Ok(ErrorClass::Arg.code()));
        assert_eq!(codes.text(code), Ok(String::new()));
        codes.set_text(code, "first").unwrap();
        codes.set_text(code, "second").unwrap();
        assert_eq!(codes.text(code), Ok("second".to_owned()));
        refused(codes.set_text(code, &"x".repeat(MAX_ERROR_STRING)));
        refused(codes.set_text(ErrorClass::Arg.code(), "mine"));
        refused(codes.add_code(code));
        refused(codes.class(of_standard + 1));
        refused(codes.text(-1));
        assert_eq!(codes.class(1003), Ok(1003));
        assert!(
            codes
                .text(1003)
                .is_ok_and(|text| text.starts_with("MPI_T_ERR_NOT_INITIALIZED"))
        );
    }

    #[test]
    fn what_is_in_use_stays() {
        let codes = ErrorCodes::default();
        let class = codes.add_class().unwrap();
        let code = codes.add_code(class).unwrap();
        codes.set_text(code, "text").unwrap();
        refused(codes.remove_class(class));
        refused(codes.remove_code(code));
        refused(codes.remove_code(class));
        refused(codes.remove_class(code));
        refused(codes.remove_text(class));
        codes.remove_text(code).unwrap();
        codes.remove_code(code).unwrap();
        assert_eq!(last(&codes), class);
        codes.remove_class(class).unwrap();
        assert_eq!(last(&codes), LASTCODE);
        refused(codes.remove_class(class));
        refused(codes.remove_class(ErrorClass::Arg.code()));
    }
}
