//! Ports, and the names of services (section 11.9 of the standard).

use std::fmt;
use std::sync::Arc;
use std::thread::panicking;

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Process, Result};

use crate::Communicator;
use crate::activity::Call;

impl Communicator {
    /// Opens a port at which groups meet: [`accept`](Self::accept) and [`connect`](Self::connect) (`MPI_Open_port`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Port`](crate::ErrorClass::Port) if no launcher of Simurgh has started the program.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), simurgh::RunError> {
    /// // One job accepts, and another one of the same universe connects.
    /// simurgh::run(|world| {
    ///     let is_server = std::env::args().any(|word| word == "server");
    ///     let clients = if is_server {
    ///         let port = world.open_port()?;
    ///         let service = port.publish("ocean")?;
    ///         let clients = world.accept(port.name(), 0)?;
    ///         service.withdraw()?;
    ///         clients
    ///     } else {
    ///         world.connect(&world.lookup("ocean")?, 0, None)?
    ///     };
    ///     clients.barrier()?;
    ///     clients.disconnect()
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_port(&self) -> Result<Port> {
        let _inside = self.enter(Call::AskLauncher, UNDEFINED, UNDEFINED);
        Ok(Port {
            name: self.process().open_port()?,
            communicator: self.twin(),
            is_open: true,
        })
    }

    /// The name of the port of a service (`MPI_Lookup_name`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Name`](crate::ErrorClass::Name) if nobody has published such a service.
    pub fn lookup(&self, service: &str) -> Result<String> {
        let _inside = self.enter(Call::AskLauncher, UNDEFINED, UNDEFINED);
        self.process().lookup_name(service.to_owned())
    }

    fn process(&self) -> &Arc<Process> {
        self.engine().process()
    }
}

/// A place where two groups meet; made by [`Communicator::open_port`]. It is closed when it is dropped.
pub struct Port {
    name: String,
    communicator: Communicator,
    is_open: bool,
}

impl Port {
    /// The name, which another group connects to.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Publishes the port under the name of a service, which is withdrawn when the guard is dropped
    /// (`MPI_Publish_name`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Service`](crate::ErrorClass::Service) if the name is taken.
    pub fn publish(&self, service: &str) -> Result<Service<'_>> {
        let _inside = self.communicator.enter(Call::AskLauncher, UNDEFINED, UNDEFINED);
        let process = self.communicator.process();
        process.publish_name(service.to_owned(), self.name.clone())?;
        Ok(Service {
            name: service.to_owned(),
            port: self,
            is_published: true,
        })
    }

    /// Closes the port (`MPI_Close_port`), as the drop does.
    ///
    /// # Errors
    ///
    /// When the launcher cannot be asked.
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let _inside = self.communicator.enter(Call::AskLauncher, UNDEFINED, UNDEFINED);
        self.communicator.process().close_port(self.name.clone())
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // A rank that unwinds asks nobody: its job ends, and its ports with it.
        if !panicking() {
            // Who wants to know calls `close`.
            let _ = self.end();
        }
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Port").field(&self.name).finish()
    }
}

/// A name under which a port can be found; made by [`Port::publish`]. It is withdrawn when it is dropped.
#[derive(Debug)]
#[must_use = "a service is withdrawn when it is dropped"]
pub struct Service<'a> {
    name: String,
    port: &'a Port,
    is_published: bool,
}

impl Service<'_> {
    /// Withdraws the name (`MPI_Unpublish_name`), as the drop does.
    ///
    /// # Errors
    ///
    /// When the launcher cannot be asked.
    pub fn withdraw(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_published) {
            return Ok(());
        }
        let communicator = &self.port.communicator;
        let _inside = communicator.enter(Call::AskLauncher, UNDEFINED, UNDEFINED);
        communicator
            .process()
            .unpublish_name(self.name.clone(), self.port.name.clone())
    }
}

impl Drop for Service<'_> {
    fn drop(&mut self) {
        // As for the port.
        if !panicking() {
            let _ = self.end();
        }
    }
}
