//! Server-sent events: a response that stays open and sends events as they happen.

mod event;
mod last_event_id;
mod stream;

use std::fmt;
use std::time::Duration;

use futures_core::Stream;

pub use event::{Event, IntoEvent};
pub use last_event_id::LastEventId;
pub(crate) use stream::EventStream;

/// The default time without an event after which a comment is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A response of server-sent events, made from a stream of them.
///
/// ```
/// use futures_util::stream;
/// use innkeeper_rest::testing::Client;
/// use innkeeper_rest::{App, Event, Events, RestApi, resource};
///
/// struct Countdown;
///
/// #[resource("/countdown")]
/// impl Countdown {
///     #[get]
///     fn run(&self) -> Events {
///         let steps = (1..=2).rev().map(|step| Event::text(step.to_string()).name("step"));
///         Events::new(stream::iter(steps))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::new(App::new().mount("/", RestApi::new(Countdown))).unwrap();
/// let answer = client.get("/countdown").send().await;
/// assert_eq!(answer.header("content-type"), Some("text/event-stream"));
/// assert_eq!(answer.text(), "data: 2\nevent: step\n\ndata: 1\nevent: step\n\n");
/// # });
/// ```
///
/// Each event is sent as soon as the stream yields it. After 15 seconds without one, a comment is
/// sent, so that no proxy takes the connection for dead; see [`keep_alive`](Self::keep_alive). The
/// stream is dropped when the client disconnects, and it ends when the server shuts down: clients
/// reconnect by themselves.
///
/// An item that is an error ends the connection, and the client reconnects.
pub struct Events {
    stream: EventStream,
}

impl Events {
    /// Sends the events of a stream, whose items are events, texts, or results of either.
    pub fn new<S>(stream: S) -> Self
    where
        S: Stream + Send + 'static,
        S::Item: IntoEvent,
    {
        Self {
            stream: EventStream::new(stream, KEEP_ALIVE),
        }
    }

    /// Sets the time without an event after which a comment is sent; `None` sends no comments.
    ///
    /// ```
    /// # use innkeeper_rest::{Event, Events};
    /// # use std::time::Duration;
    /// let news = futures_util::stream::pending::<Event>();
    /// let events = Events::new(news).keep_alive(Duration::from_secs(30));
    /// ```
    #[must_use]
    pub fn keep_alive(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.stream.set_keep_alive(silence.into());
        self
    }

    pub(crate) fn into_stream(self) -> EventStream {
        self.stream
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
