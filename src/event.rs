//! What happens to a rank: the events of `MPI_T` (section 15.3.9 of the standard).

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use simurgh_mpi::{Error, ErrorClass, Process, Result};
use simurgh_tool::event::{EventType as Type, TYPES};
use simurgh_tool::{Queue, Record, Representation, Wish};

use crate::Communicator;

impl Communicator {
    /// The types of events that can be watched (`MPI_T_event_get_num`, `MPI_T_event_get_info`).
    #[must_use]
    pub fn event_types(&self) -> Vec<EventType> {
        TYPES.iter().map(EventType).collect()
    }

    /// Begins to watch events of these types, by their names, that happen to the calling rank
    /// (`MPI_T_event_handle_alloc`). They wait until they are taken; of more than 1024 the last ones are dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no type of a name; [`ErrorClass::Other`] if events of the rank
    /// are watched already.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// let mut events = world.watch_events(&["message_matched"])?;
    /// let partner = 1 - world.rank();
    /// world.send_receive(&[1_u8; 100], partner, 7, &mut [0_u8; 100], partner, 7)?;
    /// let event = events.next().expect("a message has been received");
    /// assert_eq!(event.kind().name(), "message_matched");
    /// assert_eq!(event.element("tag"), Some(7));
    /// assert_eq!(event.element("bytes"), Some(100));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn watch_events(&self, names: &[&str]) -> Result<Events> {
        let process = self.engine().process();
        if process.tool().queue().is_watched() {
            let message = "events of this rank are watched already: end that first";
            return Err(Error::new(ErrorClass::Other, message));
        }
        let kinds = names.iter().map(|name| kind(name)).collect::<Result<Vec<_>>>()?;
        let mut events = Events {
            process: Arc::clone(process),
            wishes: Vec::new(),
            of_rank: PhantomData,
        };
        // What is left of earlier watches is dropped.
        while events.next().is_some() {}
        for kind in kinds {
            events.queue().take_dropped(kind);
            let wish = events.queue().want(kind);
            events.wishes.push((kind, wish));
        }
        Ok(events)
    }
}

/// The number of the type of a name.
fn kind(name: &str) -> Result<usize> {
    let found = TYPES.iter().position(|event| event.name == name);
    found.ok_or_else(|| {
        let names = TYPES.map(|event| event.name).join(", ");
        let message = format!("there are no events of the name {name}: choose among {names}");
        Error::new(ErrorClass::Arg, message)
    })
}

/// A type of events; [`Communicator::event_types`] has all of them.
#[derive(Clone, Copy)]
pub struct EventType(&'static Type);

impl EventType {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// When such an event happens.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.0.doc
    }

    /// The names of the numbers that such an event has, in their order.
    pub fn elements(&self) -> impl Iterator<Item = &'static str> {
        self.0.elements.iter().map(|element| element.name)
    }
}

impl fmt::Debug for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventType").field(&self.name()).finish()
    }
}

/// The events that are watched, as they have happened; made by [`Communicator::watch_events`]. As an iterator it gives
/// those that have not been taken, and may have more after it has ended.
///
/// When it is dropped, nothing is watched any more. It belongs to its rank: it stays in the rank's thread of execution.
pub struct Events {
    process: Arc<Process>,
    wishes: Vec<(usize, Wish)>,
    of_rank: PhantomData<Rc<()>>,
}

impl Events {
    /// The number of events that have been dropped since the last call, for which there was no room
    /// (`MPI_T_event_set_dropped_handler`).
    pub fn dropped(&mut self) -> u64 {
        let kinds = self.wishes.iter().map(|(kind, _)| *kind);
        kinds.map(|kind| self.queue().take_dropped(kind)).sum()
    }

    fn queue(&self) -> &Queue {
        self.process.tool().queue()
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.queue().take().map(Event)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        for (_, wish) in std::mem::take(&mut self.wishes) {
            self.queue().forgo(wish);
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.wishes.iter().map(|(kind, _)| EventType(&TYPES[*kind]));
        f.debug_list().entries(kinds).finish()
    }
}

/// Something that has happened to a rank; [`Events`] gives them.
#[derive(Clone, PartialEq, Eq)]
pub struct Event(Record);

impl Event {
    /// The type.
    #[must_use]
    pub fn kind(&self) -> EventType {
        EventType(&TYPES[self.0.kind])
    }

    /// The time at which it happened, since a moment that is the same for all events of a rank
    /// (`MPI_T_event_get_timestamp`).
    #[must_use]
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.0.time)
    }

    /// The number of a name; `None` if its type has none of this name (`MPI_T_event_read`).
    #[must_use]
    pub fn element(&self, name: &str) -> Option<i64> {
        let elements = TYPES[self.0.kind].elements;
        let place = elements.iter().position(|element| element.name == name)?;
        let bits = self.0.elements[place];
        Some(match elements[place].representation {
            // The number is that of an `int` of C, whose sign is in the lower half.
            Representation::Int => i64::from(bits as i32),
            _ => i64::try_from(bits).unwrap_or(i64::MAX),
        })
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut event = f.debug_struct(self.kind().name());
        event.field("time", &self.time());
        for name in self.kind().elements() {
            event.field(name, &self.element(name).unwrap_or_default());
        }
        event.finish()
    }
}
