//! Answers that are made once and sent often: their bytes, their compressed bytes and their headers.

use std::io::Write;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use innkeeper_rest::{Coding, ETag, ReadyHeaders};

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
    content_type: &'static str,
    cache_control: &'static str,
    bytes: Bytes,
    /// Names the bytes.
    tag: String,
    plain: OnceLock<Form>,
    gzip: OnceLock<Form>,
    brotli: OnceLock<Form>,
}

/// An answer in one coding, ready to be sent.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) etag: ETag,
    pub(crate) bytes: Bytes,
    /// The headers.
    pub(crate) headers: ReadyHeaders,
    /// Those of them that 304 has.
    pub(crate) unchanged: ReadyHeaders,
}

impl Answer {
    /// An answer of these bytes, with its media type and its `Cache-Control`.
    pub(crate) fn new(
        content_type: &'static str,
        cache_control: &'static str,
        bytes: impl Into<Bytes>,
    ) -> Self {
        let bytes = bytes.into();
        Self {
            content_type,
            cache_control,
            tag: digest::tag(&bytes),
            bytes,
            plain: OnceLock::new(),
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }

    /// Whether there is anything to gain by compressing.
    pub(crate) fn is_compressible(&self) -> bool {
        self.bytes.len() >= SMALLEST
    }

    /// The answer in a coding, which is made when it is first asked for.
    pub(crate) fn form(&self, coding: Option<Coding>) -> &Form {
        match coding {
            None => self
                .plain
                .get_or_init(|| self.make(coding, self.bytes.clone())),
            Some(Coding::Gzip) => self
                .gzip
                .get_or_init(|| self.make(coding, gzip(&self.bytes))),
            Some(Coding::Brotli) => self
                .brotli
                .get_or_init(|| self.make(coding, brotli(&self.bytes))),
        }
    }

    fn make(&self, coding: Option<Coding>, bytes: Bytes) -> Form {
        let tag = &self.tag;
        let etag = match coding {
            None => ETag::strong(tag),
            Some(coding) => ETag::strong(format_args!("{tag}-{}", coding.name())),
        };
        let mut unchanged = HeaderMap::new();
        // What was made a tag can stand in a header.
        if let Ok(value) = HeaderValue::from_str(etag.as_str()) {
            unchanged.insert(ETAG, value);
        }
        let cache_control = HeaderValue::from_static(self.cache_control);
        unchanged.insert(CACHE_CONTROL, cache_control);
        if self.is_compressible() {
            unchanged.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        let mut headers = unchanged.clone();
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Form {
            etag,
            bytes,
            headers: ReadyHeaders::new(headers),
            unchanged: ReadyHeaders::new(unchanged),
        }
    }

    /// About how much memory it takes, with its compressed forms.
    pub(crate) fn weight(&self) -> usize {
        self.bytes.len() + self.bytes.len() / 2 + 4000
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
