//! Dynamic processes: programs that ranks start, and groups that meet (sections 11.8 to 11.10 of the standard).

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::time::Duration;

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Error, ErrorClass, Result};
use simurgh_net::control;
use simurgh_net::encoding::Text;
use simurgh_settings::Id;

use super::{Communicator, InterCommunicator};
use crate::activity::Call;
use crate::peer::raw_rank;

/// A program to be started, and in how many processes; for [`Communicator::spawn`].
#[derive(Clone, Debug)]
#[must_use = "a command does nothing until it is started"]
pub struct Command {
    program: OsString,
    processes: usize,
    arguments: Vec<OsString>,
    hints: Vec<(String, String)>,
}

impl Command {
    /// A program by its name or path, to be run by so many processes.
    pub fn new(program: impl AsRef<OsStr>, processes: usize) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            processes,
            arguments: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Gives a hint, as the user guide lists them: `wdir`, `host`, `soft` and others. Hints that are not known mean
    /// nothing.
    pub fn hint(mut self, key: &str, value: &str) -> Self {
        self.hints.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The command for the launcher.
    fn for_launcher(&self) -> Result<control::Command> {
        let processes = u32::try_from(self.processes).ok().filter(|number| *number > 0);
        let processes = processes.ok_or_else(|| {
            let most = u32::MAX;
            wrong(format!(
                "{} processes are to be started: choose 1 to {most}",
                self.processes
            ))
        })?;
        if self.program.is_empty() {
            return Err(wrong("the command has no name of a program".to_owned()));
        }
        let hints = self.hints.iter();
        Ok(control::Command {
            program: text(&self.program)?,
            arguments: self.arguments.iter().map(text).collect::<Result<_>>()?,
            processes,
            info: hints
                .map(|(key, value)| Ok((text(key)?, text(value)?)))
                .collect::<Result<_>>()?,
        })
    }
}

/// A word of a command.
fn text(word: impl AsRef<OsStr>) -> Result<Text> {
    Text::new(word.as_ref()).ok_or_else(|| {
        let message = format!(
            "{:?} contains a NUL byte, which no word of a command may",
            word.as_ref()
        );
        Error::new(ErrorClass::Spawn, message)
    })
}

#[cold]
fn wrong(message: String) -> Error {
    Error::new(ErrorClass::Arg, message)
}

/// Processes that have been started; the result of [`Communicator::spawn`].
#[derive(Debug)]
pub struct Spawned {
    /// The inter-communicator with them. Their ranks are in the order of the commands.
    pub children: InterCommunicator,
    /// How many processes each command has got: as many as it says, or fewer if a hint (`soft`) allows that.
    pub processes: Vec<usize>,
}

impl Communicator {
    /// Starts programs as one world, with an inter-communicator to it (`MPI_Comm_spawn`, `MPI_Comm_spawn_multiple`).
    /// Collective; the commands matter at the rank `root` only. The new ranks find this group as their
    /// [`parent`](Self::parent).
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::Spawn`] if a program cannot be started, or no launcher has started this one;
    /// [`ErrorClass::Arg`] for a command without processes, and without commands; [`ErrorClass::Root`] if there is no
    /// such root.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), simurgh::RunError> {
    /// use simurgh::{Command, Op};
    ///
    /// simurgh::run(|world| {
    ///     if let Some(parent) = world.parent() {
    ///         // A worker.
    ///         parent.send(&world.rank(), 0, 0)?;
    ///         return parent.disconnect();
    ///     }
    ///     let own = std::env::current_exe().expect("the program has a path");
    ///     let spawned = world.spawn(&[Command::new(own, 4)], 0)?;
    ///     for worker in 0..spawned.children.remote_size() {
    ///         if world.rank() == 0 {
    ///             spawned.children.recv(&mut 0_usize, worker, 0)?;
    ///         }
    ///     }
    ///     spawned.children.disconnect()
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn spawn(&self, commands: &[Command], root: usize) -> Result<Spawned> {
        let _inside = self.enter(Call::Spawn, UNDEFINED, UNDEFINED);
        let for_launcher = || {
            if commands.is_empty() {
                return Err(wrong(
                    "there is no command: at least one is to be started".to_owned(),
                ));
            }
            commands.iter().map(Command::for_launcher).collect()
        };
        let spawned = self.comm.spawn(raw_rank(root), for_launcher)?;
        Ok(Spawned {
            children: InterCommunicator(self.child(spawned.comm)),
            processes: spawned.processes.iter().map(|&number| number as usize).collect(),
        })
    }

    /// The inter-communicator with the ranks that have started this world; none if a launcher has started it, or it has
    /// been disconnected (`MPI_Comm_get_parent`).
    #[must_use]
    pub fn parent(&self) -> Option<InterCommunicator> {
        // A rank of a session has no parents.
        let parent = self.comm.process().comm_parent().ok().flatten()?;
        Some(InterCommunicator(self.child(parent)))
    }

    /// Waits for another group to connect to a port, and gives the inter-communicator with it (`MPI_Comm_accept`).
    /// Collective; the port matters at the rank `root` only.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::Port`] if there is no such port; [`ErrorClass::Root`] if there is no such root.
    pub fn accept(&self, port: &str, root: usize) -> Result<InterCommunicator> {
        let _inside = self.enter(Call::Accept, UNDEFINED, UNDEFINED);
        let comm = self.comm.accept_at(raw_rank(root), || Ok(port.to_owned()))?;
        Ok(InterCommunicator(self.child(comm)))
    }

    /// Connects to a group that accepts at a port, and gives the inter-communicator with it (`MPI_Comm_connect`).
    /// Collective; port and timeout matter at the rank `root` only. Without a timeout, the setting `connect-timeout`
    /// says how long it waits for somebody who accepts.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::Port`] if there is no such port, or nobody has accepted in time;
    /// [`ErrorClass::Root`] if there is no such root.
    pub fn connect(&self, port: &str, root: usize, timeout: Option<Duration>) -> Result<InterCommunicator> {
        let _inside = self.enter(Call::Connect, UNDEFINED, UNDEFINED);
        let settings = self.comm.process().job().settings();
        let timeout = timeout.or_else(|| settings.time(Id::ConnectTimeout));
        let comm = self
            .comm
            .connect_to(raw_rank(root), || Ok((port.to_owned(), timeout)))?;
        Ok(InterCommunicator(self.child(comm)))
    }

    /// The inter-communicator of this rank with the one at the other end of a connected socket, which makes the same
    /// call (`MPI_Comm_join`); none if that one belongs to another universe. The socket is left as it was.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the socket cannot be used, or something else comes out of it than the other rank's call;
    /// [`ErrorClass::Port`] if the launchers of both do not bring them together.
    ///
    /// ```
    /// use std::os::unix::net::UnixStream;
    /// use std::sync::Mutex;
    ///
    /// let (one, two) = UnixStream::pair()?;
    /// let ends = Mutex::new(vec![one, two]);
    /// simurgh::Builder::new().ranks(2).run(move |world| {
    ///     let end = ends.lock().unwrap().pop().expect("there is an end for each rank");
    ///     let partner = world.join(&end)?.expect("both ranks are of one job");
    ///     let mut theirs = 0;
    ///     partner.send(&world.rank(), 0, 0)?;
    ///     partner.recv(&mut theirs, 0, 0)?;
    ///     assert_eq!(theirs, 1 - world.rank());
    ///     partner.disconnect()
    /// })?.into_iter().collect::<Result<(), _>>()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn join(&self, socket: impl AsFd) -> Result<Option<InterCommunicator>> {
        let _inside = self.enter(Call::Join, UNDEFINED, UNDEFINED);
        let joined = self.comm.process().join(socket.as_fd())?;
        Ok(joined.map(|comm| InterCommunicator(self.child(comm))))
    }

    /// Waits until all that was sent on the communicator has arrived, and gives it up together with all its ranks
    /// (`MPI_Comm_disconnect`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] for the world.
    pub fn disconnect(self) -> Result<()> {
        let _inside = self.enter(Call::Disconnect, UNDEFINED, UNDEFINED);
        std::sync::Arc::clone(&self.comm).disconnect()
    }
}

impl InterCommunicator {
    /// As [`Communicator::disconnect`], together with the ranks of both groups. Worlds that nothing else connects are
    /// independent afterwards: one may end, or fail, without the other.
    ///
    /// # Errors
    ///
    /// When the ranks make different calls.
    pub fn disconnect(self) -> Result<()> {
        self.0.disconnect()
    }
}
