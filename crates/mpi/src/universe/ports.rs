//! Ports, and the names of services that they have.

use super::{Answer, Question, beside_the_point};
use crate::error::{ErrorClass, Result};
use crate::process::Process;

impl Process {
    /// Opens a port (`MPI_Open_port`); gives its name.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Port`] if there is no launcher.
    pub fn open_port(&self) -> Result<String> {
        let process = self.id();
        self.ask_for_port(Question::OpenPort { process }, ErrorClass::Port)
    }

    /// Closes a port (`MPI_Close_port`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Port`] if there is no such port.
    pub fn close_port(&self, port: String) -> Result<()> {
        self.have_done(Question::ClosePort { port }, ErrorClass::Port)
    }

    /// Lets others find a port by the name of a service (`MPI_Publish_name`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Service`] if the name is taken.
    pub fn publish_name(&self, service: String, port: String) -> Result<()> {
        let question = Question::Publish {
            service,
            port,
            process: self.id(),
        };
        self.have_done(question, ErrorClass::Service)
    }

    /// Takes that back (`MPI_Unpublish_name`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Service`] if it has not been published so.
    pub fn unpublish_name(&self, service: String, port: String) -> Result<()> {
        self.have_done(Question::Unpublish { service, port }, ErrorClass::Service)
    }

    /// The port of a service (`MPI_Lookup_name`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Name`] if there is none.
    pub fn lookup_name(&self, service: String) -> Result<String> {
        self.ask_for_port(Question::Lookup { service }, ErrorClass::Name)
    }

    fn ask_for_port(&self, question: Question, class: ErrorClass) -> Result<String> {
        match self.job().ask(question, class)? {
            Answer::Port(name) => Ok(name),
            other => Err(beside_the_point(&other)),
        }
    }

    fn have_done(&self, question: Question, class: ErrorClass) -> Result<()> {
        match self.job().ask(question, class)? {
            Answer::Done => Ok(()),
            other => Err(beside_the_point(&other)),
        }
    }
}
