//! Messages of a websocket.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_tungstenite::tungstenite::{self, Utf8Bytes};

/// A message: text or bytes. It is cheap to clone, so that one message can be sent to many clients.
///
/// ```
/// use innkeeper_rest::Message;
///
/// let message = Message::from("hello");
/// assert_eq!(message.text(), Some("hello"));
/// assert_eq!(Message::from(vec![1, 2]).bytes(), [1, 2]);
/// assert_eq!(Message::json(&[1, 2])?.read_json::<Vec<u8>>()?, [1, 2]);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// UTF-8 text.
    Text(Text),
    /// Arbitrary bytes.
    Binary(Bytes),
}

impl Message {
    /// Serializes a value to a text message with JSON.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be represented in JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(Self::from)
    }

    /// Returns the text of a text message.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Binary(_) => None,
        }
    }

    /// Returns the bytes of a message of either kind.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }

    /// Deserializes the message from JSON.
    ///
    /// # Errors
    ///
    /// Fails if the message is not JSON of this type.
    pub fn read_json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(self.bytes())
    }
}

impl From<Message> for tungstenite::Message {
    fn from(message: Message) -> Self {
        match message {
            Message::Text(Text(text)) => Self::Text(text),
            Message::Binary(bytes) => Self::Binary(bytes),
        }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Text> for Message {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}

impl From<Bytes> for Message {
    fn from(bytes: Bytes) -> Self {
        Self::Binary(bytes)
    }
}

impl From<Vec<u8>> for Message {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Binary(bytes.into())
    }
}

/// The text of a message: a `str` that is cheap to clone.
///
/// ```
/// use innkeeper_rest::Text;
///
/// let text = Text::from("hello");
/// assert_eq!(&*text, "hello");
/// assert!(text.starts_with("he"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Text(pub(super) Utf8Bytes);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.as_str()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
