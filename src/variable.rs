//! What the library tells of itself: the variables of `MPI_T` (section 15.3 of the standard).

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use simurgh_mpi::Process;
use simurgh_tool::control::{self, Action, Control};
use simurgh_tool::variable::{self, Bound, Class, Object};
use simurgh_tool::{Handle, Representation};

use crate::{Communicator, Equivalence, File, Window};

impl Communicator {
    /// All performance variables, as they are for the calling rank; those that belong to a communicator are those of
    /// this one.
    #[must_use]
    pub fn performance_variables(&self) -> Vec<PerformanceVariable> {
        let all = performance_variables(self.engine().process(), |bound| match bound {
            Bound::NoObject => Some(Object::None),
            Bound::Comm => Some(Object::Comm(Arc::clone(self.shared_engine()))),
            Bound::File | Bound::Window => None,
        });
        all.collect()
    }

    /// The performance variable of a name; `None` if there is none.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// let received = world.performance_variable("messages_received").expect("there is this variable");
    /// received.start();
    /// let partner = 1 - world.rank();
    /// for length in [1_usize, 10_000] {
    ///     world.send_receive(&vec![0_u8; length], partner, 0, &mut vec![0_u8; length], partner, 0)?;
    /// }
    /// // Below 16 bytes, 256, 4K, 64K, 1M, 16M, and larger.
    /// assert_eq!(received.read(), [1, 0, 0, 1, 0, 0, 0]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn performance_variable(&self, name: &str) -> Option<PerformanceVariable> {
        let mut all = self.performance_variables().into_iter();
        all.find(|variable| variable.name() == name)
    }

    /// All control variables that can be read: the settings and the limits of the library.
    #[must_use]
    pub fn control_variables(&self) -> Vec<ControlVariable> {
        let is_readable = |control: &&Control| !matches!(control.action(), Some(Action::Dump | Action::Move));
        let all = control::all().iter().filter(is_readable);
        all.map(|control| ControlVariable {
            control,
            value: self.value(control),
        })
        .collect()
    }

    /// The control variable of a name; `None` if there is none.
    ///
    /// ```
    /// # use simurgh::ControlValue;
    /// # simurgh::Builder::new().ranks(2).vps(2).run(|world| {
    /// let processors = world.control_variable("vps").expect("there is this variable");
    /// assert_eq!(processors.value(), &ControlValue::Number(2));
    /// # })?;
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn control_variable(&self, name: &str) -> Option<ControlVariable> {
        let mut all = self.control_variables().into_iter();
        all.find(|variable| variable.name() == name)
    }

    fn value(&self, control: &Control) -> ControlValue {
        let values = control.read(self.engine().process());
        match control.representation {
            Representation::Text => {
                let bytes = values.into_iter().map_while(|byte| u8::try_from(byte).ok());
                let text: Vec<u8> = bytes.take_while(|byte| *byte > 0).collect();
                ControlValue::Text(String::from_utf8_lossy(&text).into_owned())
            }
            Representation::Double => ControlValue::Seconds(f64::from_bits(values[0])),
            _ => ControlValue::Number(values[0]),
        }
    }
}

impl File {
    /// The performance variables that belong to this file, as they are for the calling rank.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(1).run(|world| {
    /// use simurgh::FileOptions;
    ///
    /// let options = FileOptions::new().read(true).write(true).create(true).delete_on_close(true);
    /// # let path = std::env::temp_dir().join(format!("simurgh-variables-{}", std::process::id()));
    /// let file = options.open(&world, path)?;
    /// let mut variables = file.performance_variables().into_iter();
    /// let bytes = variables.find(|variable| variable.name() == "file_bytes").expect("there is this variable");
    /// bytes.start();
    /// file.write_at(0, &[0_u8; 100])?;
    /// // Reads, writes, collective reads, collective writes.
    /// assert_eq!(bytes.read(), [0, 100, 0, 0]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn performance_variables(&self) -> Vec<PerformanceVariable> {
        let process = self.communicator.engine().process();
        let of_file = |bound| (bound == Bound::File).then(|| Object::File(Arc::clone(&self.file)));
        performance_variables(process, of_file).collect()
    }
}

impl<T: Equivalence> Window<T> {
    /// The performance variables that belong to this window, as they are for the calling rank.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// let mut window = world.allocate_window::<u32>(4)?;
    /// let mut variables = window.performance_variables().into_iter();
    /// let bytes = variables.find(|variable| variable.name() == "window_bytes").expect("there is this variable");
    /// bytes.start();
    /// window.fence_epoch(|epoch| epoch.part(1 - world.rank()).put(1, &7))?;
    /// // Puts, gets, accumulates, accumulates that get, compared and swapped.
    /// assert_eq!(bytes.read().len(), 5);
    /// assert_eq!(bytes.read().iter().sum::<u64>(), 4);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn performance_variables(&self) -> Vec<PerformanceVariable> {
        let of_window = |bound| match bound {
            Bound::Window => Some(Object::Window(Arc::clone(self.window.traffic()))),
            _ => None,
        };
        performance_variables(self.communicator.engine().process(), of_window).collect()
    }
}

/// The performance variables that belong to a kind of object of which there is an `object`.
fn performance_variables(
    process: &Arc<Process>,
    object: impl Fn(Bound) -> Option<Object>,
) -> impl Iterator<Item = PerformanceVariable> {
    let all = variable::all().iter().enumerate();
    all.filter_map(move |(index, variable)| {
        let handle = Handle::new(process, index, object(variable.bound)?);
        Some(PerformanceVariable {
            handle: handle.expect("the variable exists, and the object is of its kind"),
            rank: PhantomData,
        })
    })
}

/// Something that the library measures; made by [`Communicator::performance_variable`].
///
/// Counters and times tell what has happened while the variable was started, other variables what is at present.
/// A variable belongs to its rank: it stays in the rank's thread of execution.
pub struct PerformanceVariable {
    handle: Handle,
    rank: PhantomData<Rc<()>>,
}

impl PerformanceVariable {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        &self.handle.variable().name
    }

    /// What the variable tells.
    #[must_use]
    pub fn description(&self) -> &'static str {
        &self.handle.variable().doc
    }

    /// The kind of its values (`MPI_T_PVAR_CLASS_…`).
    #[must_use]
    pub fn class(&self) -> Class {
        self.handle.variable().class
    }

    /// Whether the variable tells what is at present, and can be neither started nor reset.
    #[must_use]
    pub fn is_continuous(&self) -> bool {
        self.handle.variable().is_continuous()
    }

    /// Starts to count (`MPI_T_pvar_start`). Nothing happens if it counts, or if the variable is
    /// [continuous](Self::is_continuous).
    pub fn start(&self) {
        // A continuous variable refuses this, and the two below. That is the only error.
        let _ = self.handle.start();
    }

    /// Ceases to count (`MPI_T_pvar_stop`). Nothing happens if it does not count.
    pub fn stop(&self) {
        let _ = self.handle.stop();
    }

    /// The values (`MPI_T_pvar_read`): one, or one for each size of messages, virtual processor or the like, as the
    /// [description](Self::description) says.
    #[must_use]
    pub fn read(&self) -> Vec<u64> {
        self.handle.read()
    }

    /// Sets the values to zero (`MPI_T_pvar_reset`), unless the variable is [continuous](Self::is_continuous).
    pub fn reset(&self) {
        let _ = self.handle.reset();
    }
}

impl fmt::Debug for PerformanceVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerformanceVariable")
            .field("name", &self.name())
            .field("values", &self.read())
            .finish()
    }
}

/// A setting or a limit of the library; made by [`Communicator::control_variable`].
#[derive(Clone, Debug)]
pub struct ControlVariable {
    control: &'static Control,
    value: ControlValue,
}

impl ControlVariable {
    /// The name, which is that of the setting in the user guide.
    #[must_use]
    pub fn name(&self) -> &'static str {
        &self.control.name
    }

    /// What is set.
    #[must_use]
    pub fn description(&self) -> &'static str {
        &self.control.doc
    }

    /// The value for the calling rank, at the time at which it was asked for.
    #[must_use]
    pub fn value(&self) -> &ControlValue {
        &self.value
    }
}

/// The value of a control variable.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlValue {
    /// A number.
    Number(u64),
    /// A time in seconds.
    Seconds(f64),
    /// A word or a name.
    Text(String),
}
