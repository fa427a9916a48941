//! Ports, and the service names under which they are published.

use super::unexpected_answer;
use crate::error::Result;
use crate::process::Process;
use simurgh_net::control::{Answer, Question};

impl Process {
    /// Opens a port (`MPI_Open_port`); returns its name.
    ///
    /// # Errors
    ///
    /// [`Port`](crate::ErrorClass::Port) if there is no launcher.
    pub fn open_port(&self) -> Result<String> {
        self.ask_for_port(Question::OpenPort)
    }

    /// Closes a port (`MPI_Close_port`).
    ///
    /// # Errors
    ///
    /// [`Port`](crate::ErrorClass::Port) if there is no such port.
    pub fn close_port(&self, port: String) -> Result<()> {
        self.command(Question::ClosePort { port })
    }

    /// Publishes a port under the name of a service (`MPI_Publish_name`).
    ///
    /// # Errors
    ///
    /// [`Service`](crate::ErrorClass::Service) if the name is taken.
    pub fn publish_name(&self, service: String, port: String) -> Result<()> {
        self.command(Question::Publish { service, port })
    }

    /// Withdraws a published name (`MPI_Unpublish_name`).
    ///
    /// # Errors
    ///
    /// [`Service`](crate::ErrorClass::Service) if the port has not been published under this name.
    pub fn unpublish_name(&self, service: String, port: String) -> Result<()> {
        self.command(Question::Unpublish { service, port })
    }

    /// The port of a service (`MPI_Lookup_name`).
    ///
    /// # Errors
    ///
    /// [`Name`](crate::ErrorClass::Name) if there is none.
    pub fn lookup_name(&self, service: String) -> Result<String> {
        self.ask_for_port(Question::Lookup { service })
    }

    fn ask_for_port(&self, question: Question) -> Result<String> {
        match self.job().ask(question)? {
            Answer::Port(name) => Ok(name),
            other => Err(unexpected_answer(&other)),
        }
    }

    fn command(&self, question: Question) -> Result<()> {
        match self.job().ask(question)? {
            Answer::Done => Ok(()),
            other => Err(unexpected_answer(&other)),
        }
    }
}
