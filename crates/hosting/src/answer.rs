//! Answers that are made once and sent often: their bytes, their compressed bytes and their tag.

use std::io::Write;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use innkeeper_rest::{Coding, ETag};

use crate::content::digest;

/// Shorter answers are not worth compressing.
const SMALLEST: usize = 1024;
/// Slower levels give little more.
const BROTLI_LEVEL: i32 = 5;
/// The window of Brotli as a power of two; answers are not larger than this.
const BROTLI_WINDOW: i32 = 20;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The media type.
    pub(crate) content_type: &'static str,
    /// The value of `Cache-Control`.
    pub(crate) cache_control: &'static str,
    bytes: Bytes,
    /// One for the bytes as they are and for each coding.
    etags: [ETag; 3],
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

impl Answer {
    /// An answer of these bytes.
    pub(crate) fn new(
        content_type: &'static str,
        cache_control: &'static str,
        bytes: impl Into<Bytes>,
    ) -> Self {
        let bytes = bytes.into();
        let tag = digest::tag(&bytes);
        Self {
            content_type,
            cache_control,
            etags: ["", "-gzip", "-br"].map(|ending| ETag::strong(format_args!("{tag}{ending}"))),
            bytes,
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }

    /// The entity tag in a coding.
    pub(crate) fn etag(&self, coding: Option<Coding>) -> ETag {
        let [plain, gzip, brotli] = &self.etags;
        match coding {
            None => plain.clone(),
            Some(Coding::Gzip) => gzip.clone(),
            Some(Coding::Brotli) => brotli.clone(),
        }
    }

    /// Whether there is anything to gain by compressing.
    pub(crate) fn is_compressible(&self) -> bool {
        self.bytes.len() >= SMALLEST
    }

    /// The bytes in a coding, which is made when it is first asked for.
    pub(crate) fn coded(&self, coding: Option<Coding>) -> &Bytes {
        match coding {
            None => &self.bytes,
            Some(Coding::Gzip) => self.gzip.get_or_init(|| gzip(&self.bytes)),
            Some(Coding::Brotli) => self.brotli.get_or_init(|| brotli(&self.bytes)),
        }
    }

    /// About how much memory it takes, with its compressed forms.
    pub(crate) fn weight(&self) -> usize {
        self.bytes.len() + self.bytes.len() / 2 + 500
    }
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default().into()
}

fn brotli(bytes: &[u8]) -> Bytes {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_LEVEL,
        lgwin: BROTLI_WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    // Reading from and writing to memory does not fail.
    let _ = brotli::BrotliCompress(&mut &*bytes, &mut out, &params);
    out.into()
}
