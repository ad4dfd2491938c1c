//! A single event.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;

use crate::box_error::BoxError;

/// A server-sent event.
///
/// ```
/// use innkeeper_rest::Event;
///
/// let event = Event::text("first line\nsecond line").id("7").name("note");
/// assert_eq!(event.to_string(), "data: first line\ndata: second line\nid: 7\nevent: note\n\n");
/// ```
///
/// Data may have several lines, which the client joins again. An id and a name are one line each: line
/// breaks and NUL are removed, so that untrusted text in them cannot forge events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The lines of the event, without the empty one at the end.
    lines: String,
}

impl Event {
    /// Creates an event with this text as its data.
    pub fn text(data: impl AsRef<str>) -> Self {
        Self::with_lines("data:", data.as_ref())
    }

    /// Creates an event with a value as JSON in its data.
    ///
    /// ```
    /// # use innkeeper_rest::Event;
    /// let event = Event::json(&[1, 2])?;
    /// assert_eq!(event.to_string(), "data: [1,2]\n\n");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The value cannot be serialized as JSON.
    pub fn json<T: Serialize + ?Sized>(data: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(data).map(Self::text)
    }

    /// Creates a comment, which clients ignore.
    ///
    /// With [`id`](Self::id) or [`retry`](Self::retry) it sets these without an event.
    pub fn comment(text: impl AsRef<str>) -> Self {
        Self::with_lines(":", text.as_ref())
    }

    fn with_lines(field: &str, text: &str) -> Self {
        let mut lines = String::with_capacity(text.len() + 32);
        push_lines(&mut lines, field, text);
        Self { lines }
    }

    /// Sets the id, which a client sends as `Last-Event-ID` when it reconnects.
    #[must_use]
    pub fn id(mut self, id: impl AsRef<str>) -> Self {
        push_line(&mut self.lines, "id:", id.as_ref());
        self
    }

    /// Sets the name of the event that a page listens for, by default `message`.
    #[must_use]
    pub fn name(mut self, name: impl AsRef<str>) -> Self {
        push_line(&mut self.lines, "event:", name.as_ref());
        self
    }

    /// Sets how long the client waits before it reconnects.
    #[must_use]
    pub fn retry(mut self, time: Duration) -> Self {
        // Writing to a string does not fail.
        let _ = writeln!(self.lines, "retry: {}", time.as_millis());
        self
    }

    /// Returns the event as it is sent.
    pub(super) fn into_bytes(mut self) -> Bytes {
        self.lines.push('\n');
        self.lines.into()
    }
}

impl std::fmt::Display for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.lines)
    }
}

/// Writes a field for each line of the text; a line ends with `\n`, `\r` or both.
fn push_lines(lines: &mut String, field: &str, text: &str) {
    let mut rest = text;
    while let Some(end) = rest.find(['\r', '\n']) {
        let (line, after) = rest.split_at(end);
        push_line(lines, field, line);
        let after = after.strip_prefix("\r\n").or_else(|| after.get(1..));
        rest = after.unwrap_or_default();
    }
    push_line(lines, field, rest);
}

fn push_line(lines: &mut String, field: &str, text: &str) {
    lines.push_str(field);
    if !text.is_empty() {
        lines.push(' ');
        lines.extend(text.split(['\r', '\n', '\0']));
    }
    lines.push('\n');
}

/// An item of a stream of events.
///
/// ```
/// use innkeeper_rest::{Event, IntoEvent};
///
/// struct Tick(u64);
///
/// impl IntoEvent for Tick {
///     fn into_event(self) -> Result<Event, innkeeper_rest::BoxError> {
///         Ok(Event::text(self.0.to_string()).name("tick"))
///     }
/// }
/// assert_eq!(Tick(3).into_event().unwrap(), Event::text("3").name("tick"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a server-sent event",
    label = "a stream of `{Self}` cannot be sent as events",
    note = "make an `innkeeper_rest::Event` of it, or implement `innkeeper_rest::IntoEvent`"
)]
pub trait IntoEvent {
    /// Converts it to an event; an error ends the stream.
    fn into_event(self) -> Result<Event, BoxError>;
}

impl IntoEvent for Event {
    fn into_event(self) -> Result<Event, BoxError> {
        Ok(self)
    }
}

impl IntoEvent for String {
    fn into_event(self) -> Result<Event, BoxError> {
        Ok(Event::text(self))
    }
}

impl IntoEvent for &str {
    fn into_event(self) -> Result<Event, BoxError> {
        Ok(Event::text(self))
    }
}

impl<T: IntoEvent, E: Into<BoxError>> IntoEvent for Result<T, E> {
    fn into_event(self) -> Result<Event, BoxError> {
        self.map_err(Into::into)?.into_event()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_keeps_its_lines_whatever_ends_them() {
        for (data, written) in [
            ("", "data:\n\n"),
            ("one", "data: one\n\n"),
            (" two ", "data:  two \n\n"),
            ("a\nb", "data: a\ndata: b\n\n"),
            ("a\r\nb", "data: a\ndata: b\n\n"),
            ("a\rb", "data: a\ndata: b\n\n"),
            ("a\n\nb\n", "data: a\ndata:\ndata: b\ndata:\n\n"),
            ("\r\n", "data:\ndata:\n\n"),
            ("a\n\rb", "data: a\ndata:\ndata: b\n\n"),
            ("ä: ü", "data: ä: ü\n\n"),
        ] {
            assert_eq!(Event::text(data).to_string(), written, "{data:?}");
        }
    }

    #[test]
    fn an_id_or_a_name_is_one_line_whatever_is_in_it() {
        let event = Event::text("x")
            .id("1\nevent: forged\r\n\r\ndata: forged\0")
            .name("a\rb\nc");
        assert_eq!(
            event.to_string(),
            "data: x\nid: 1event: forgeddata: forged\nevent: abc\n\n"
        );
    }

    #[test]
    fn a_comment_may_carry_an_id_and_a_time() {
        let event = Event::comment("hello\nthere")
            .id("")
            .retry(Duration::from_secs(2));
        assert_eq!(event.to_string(), ": hello\n: there\nid:\nretry: 2000\n\n");
    }
}
