//! Bodies that are all in memory, in the form that is cheapest to make.

use bytes::Bytes;

/// A body in memory. Short texts need no allocation, and a vector is not converted to shared bytes just
/// to be copied to a socket.
#[derive(Debug)]
pub(crate) enum Payload {
    Inline(InlineBytes),
    Vec(Vec<u8>),
    Bytes(Bytes),
}

const INLINE_CAPACITY: usize = 30;

/// Up to thirty bytes, stored inline.
#[derive(Debug)]
pub(crate) struct InlineBytes {
    length: u8,
    bytes: [u8; INLINE_CAPACITY],
}

impl Payload {
    /// Copies some bytes.
    pub(crate) fn copy(bytes: &[u8]) -> Self {
        let mut short = [0; INLINE_CAPACITY];
        match (short.get_mut(..bytes.len()), u8::try_from(bytes.len())) {
            (Some(target), Ok(length)) => {
                target.copy_from_slice(bytes);
                Self::Inline(InlineBytes {
                    length,
                    bytes: short,
                })
            }
            _ => Self::Vec(bytes.to_vec()),
        }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Inline(short) => short
                .bytes
                .get(..usize::from(short.length))
                .unwrap_or_default(),
            Self::Vec(bytes) => bytes,
            Self::Bytes(bytes) => bytes,
        }
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Inline(_) => Bytes::copy_from_slice(self.as_slice()),
            Self::Vec(bytes) => bytes.into(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Vec(bytes)
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Self::Vec(text.into())
    }
}
