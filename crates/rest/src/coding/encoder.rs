//! One interface to both compressors.

use std::io::{self, Write as _};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Coding, Levels};

pub(crate) enum Encoder {
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
}

/// 256 KiB: responses are seldom larger, and a window costs its size in memory.
const BROTLI_WINDOW: i32 = 18;
const BROTLI_BUFFER: usize = 4096;

impl Encoder {
    pub(crate) fn new(coding: Coding, levels: Levels, size: Option<usize>) -> Self {
        match coding {
            Coding::Gzip => {
                let level = Compression::new(levels.gzip);
                Self::Gzip(Box::new(GzEncoder::new(Vec::new(), level)))
            }
            Coding::Brotli => {
                let parameters = BrotliEncoderParams {
                    quality: i32::try_from(levels.brotli).unwrap_or(0),
                    lgwin: BROTLI_WINDOW,
                    size_hint: size.unwrap_or(0),
                    ..BrotliEncoderParams::default()
                };
                Self::Brotli(Box::new(CompressorWriter::with_params(
                    Vec::new(),
                    BROTLI_BUFFER,
                    &parameters,
                )))
            }
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Brotli(encoder) => encoder.write_all(bytes),
        }
    }

    /// Flushes, so that the client can read everything written so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.flush(),
            Self::Brotli(encoder) => encoder.flush(),
        }
    }

    /// Takes the bytes that are compressed so far.
    pub(crate) fn take(&mut self) -> Bytes {
        let encoded = match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
        };
        std::mem::take(encoded).into()
    }

    /// Returns the remaining compressed bytes.
    pub(crate) fn finish(self) -> io::Result<Bytes> {
        match self {
            Self::Gzip(encoder) => encoder.finish().map(Bytes::from),
            Self::Brotli(encoder) => Ok(encoder.into_inner().into()),
        }
    }
}
