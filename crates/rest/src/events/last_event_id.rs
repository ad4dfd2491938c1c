//! The `Last-Event-ID` of a client that reconnects.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};

/// The id of the last event that a client received, if there is one and it can be parsed.
///
/// Take it from the header `Last-Event-ID`, which browsers send when they reconnect. An id that cannot
/// be parsed, such as one of an earlier version of the program, counts as none: a browser that is
/// refused does not try again.
///
/// ```
/// use futures_util::{StreamExt as _, stream};
/// use innkeeper_rest::testing::Client;
/// use innkeeper_rest::{App, Event, Events, LastEventId, RestApi, resource};
///
/// struct Numbers;
///
/// #[resource("/numbers")]
/// impl Numbers {
///     #[get]
///     fn count(&self, #[header("Last-Event-ID")] last: LastEventId<u64>) -> Events {
///         let next = last.get().map_or(0, |seen| seen + 1);
///         let numbers = stream::iter(next..3);
///         Events::new(numbers.map(|number| Event::text("").id(number.to_string())))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::new(App::new().mount("/", RestApi::new(Numbers))).unwrap();
/// let answer = client.get("/numbers").header("last-event-id", "1").send().await;
/// assert_eq!(answer.text(), "data:\nid: 2\n\n");
/// let answer = client.get("/numbers").header("last-event-id", "what?").send().await;
/// assert!(answer.text().starts_with("data:\nid: 0\n\n"));
/// # });
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LastEventId<T = String>(Option<T>);

impl<T> LastEventId<T> {
    /// Returns the id.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Returns the id by value.
    pub fn into_inner(self) -> Option<T> {
        self.0
    }
}

struct LastEventIdVisitor<T>(PhantomData<T>);

impl<'de, T: FromStr> Visitor<'de> for LastEventIdVisitor<T> {
    type Value = LastEventId<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of an event")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(LastEventId(None))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        // A client that has received no id sends none, or an empty one.
        let id = (!text.is_empty()).then(|| text.parse().ok()).flatten();
        Ok(LastEventId(id))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut ids: A) -> Result<Self::Value, A::Error> {
        while ids.next_element::<IgnoredAny>()?.is_some() {}
        Ok(LastEventId(None))
    }
}

impl<'de, T: FromStr> Deserialize<'de> for LastEventId<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LastEventIdVisitor(PhantomData))
    }
}
