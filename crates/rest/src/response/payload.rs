//! Bytes that are all there, in the form that costs least to make.

use bytes::{Buf, Bytes};

/// A whole body. Short texts need no allocation, and a vector is not made into shared bytes just to
/// be copied to a socket.
#[derive(Debug)]
pub(crate) enum Payload {
    Short(Short),
    Vec(Vec<u8>),
    Bytes(Bytes),
}

const SHORT: usize = 30;

/// Up to thirty bytes, in place.
#[derive(Debug)]
pub(crate) struct Short {
    length: u8,
    bytes: [u8; SHORT],
}

impl Payload {
    /// A copy of some bytes.
    pub(crate) fn copy(bytes: &[u8]) -> Self {
        let mut short = [0; SHORT];
        match (short.get_mut(..bytes.len()), u8::try_from(bytes.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(bytes);
                Self::Short(Short {
                    length,
                    bytes: short,
                })
            }
            _ => Self::Vec(bytes.to_vec()),
        }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Short(short) => short
                .bytes
                .get(..usize::from(short.length))
                .unwrap_or_default(),
            Self::Vec(bytes) => bytes,
            Self::Bytes(bytes) => bytes,
        }
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Short(_) => Bytes::copy_from_slice(self.as_slice()),
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

/// A payload on its way to a socket.
#[derive(Debug)]
pub(crate) struct Chunk {
    payload: Payload,
    sent: usize,
}

impl From<Payload> for Chunk {
    fn from(payload: Payload) -> Self {
        Self { payload, sent: 0 }
    }
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.payload.as_slice().len() - self.sent
    }

    fn chunk(&self) -> &[u8] {
        self.payload.as_slice().get(self.sent..).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.sent += count.min(self.remaining());
    }
}
