//! The files of the pages: the style sheet, the script that asks authenticators, and the theme and the logo of the operator.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use innkeeper_rest::Response;

use crate::config::PagesConfig;

/// The built-in style sheet.
const STYLE: &str = include_str!("style.css");
/// The script that asks authenticators. No other page has one.
const SCRIPT: &str = include_str!("webauthn.js");
/// How long browsers keep a file. Its address changes with its content.
const CACHING: &str = "public, max-age=31536000, immutable";
/// Keeps an image that is opened by itself from running scripts.
const IMAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// A file in memory.
#[derive(Debug)]
pub(super) struct Asset {
    bytes: Bytes,
    media_type: &'static str,
    /// A part of the hash of its content.
    version: String,
}

impl Asset {
    fn new(bytes: Vec<u8>, media_type: &'static str) -> Self {
        let hash = digest(&SHA256, &bytes);
        let start = hash.as_ref().iter().take(12).copied().collect::<Vec<u8>>();
        Self {
            bytes: bytes.into(),
            media_type,
            version: URL_SAFE_NO_PAD.encode(start),
        }
    }

    /// Returns the address of this version of the file.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{path}?v={}", self.version)
    }

    pub(super) fn response(&self) -> Response {
        let response = Response::ok()
            .content_type(self.media_type)
            .header("cache-control", CACHING)
            .header("x-frame-options", "DENY");
        let response = match self.media_type {
            "text/css; charset=utf-8" | "text/javascript; charset=utf-8" => response,
            _ => response.header("content-security-policy", IMAGE_POLICY),
        };
        response.body(self.bytes.clone())
    }
}

/// The files of all pages.
#[derive(Debug)]
pub(super) struct Assets {
    pub(super) style: Asset,
    pub(super) script: Asset,
    pub(super) theme: Option<Asset>,
    pub(super) logo: Option<Asset>,
}

impl Assets {
    pub(super) fn new(config: &PagesConfig) -> Self {
        let style_sheet = |text: &str| Asset::new(text.into(), "text/css; charset=utf-8");
        Self {
            style: style_sheet(STYLE),
            script: Asset::new(SCRIPT.into(), "text/javascript; charset=utf-8"),
            theme: config.theme.as_deref().map(style_sheet),
            logo: config
                .logo
                .as_ref()
                .map(|logo| Asset::new(logo.bytes.clone(), logo.media_type)),
        }
    }
}
