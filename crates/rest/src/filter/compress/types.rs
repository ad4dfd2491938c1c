//! Content types that are worth compressing.

use std::fmt;

use crate::syntax::is_token;

/// Content types that are compressed although they are not by default, and the reverse.
#[derive(Debug, Clone, Default)]
pub(super) struct TypeFilter {
    pub(super) included: Vec<MediaRange>,
    pub(super) excluded: Vec<MediaRange>,
}

/// `text/csv` or `text/*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MediaRange {
    main: String,
    sub: String,
}

impl MediaRange {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (main, sub) = text.split_once('/')?;
        (is_token(main) && main != "*" && is_token(sub)).then(|| Self {
            main: main.to_ascii_lowercase(),
            sub: sub.to_ascii_lowercase(),
        })
    }

    fn contains(&self, main: &str, sub: &str) -> bool {
        self.main == main && (self.sub == "*" || self.sub == sub)
    }
}

impl fmt::Display for MediaRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.main, self.sub)
    }
}

impl TypeFilter {
    /// Returns whether content of this type is compressed.
    pub(super) fn include(&self, content_type: &str) -> bool {
        let bare = content_type.split(';').next().unwrap_or_default().trim();
        let bare = bare.to_ascii_lowercase();
        let Some((main, sub)) = bare.split_once('/') else {
            return false;
        };
        let among = |ranges: &[MediaRange]| ranges.iter().any(|range| range.contains(main, sub));
        !among(&self.excluded) && (among(&self.included) || is_compressible(main, sub))
    }
}

/// Returns whether content of a type is neither compressed already nor of an unknown kind.
fn is_compressible(main: &str, sub: &str) -> bool {
    match main {
        // Each client would need a compressor of its own for as long as it listens.
        "text" => sub != "event-stream",
        "application" => !is_compressed(sub),
        "image" => matches!(
            sub,
            "svg+xml" | "bmp" | "x-icon" | "vnd.microsoft.icon" | "x-ms-bmp"
        ),
        "font" => !matches!(sub, "woff" | "woff2"),
        "message" | "model" => true,
        _ => false,
    }
}

/// Returns whether content of a type under `application/` is, or may be, already compressed.
fn is_compressed(sub: &str) -> bool {
    const ARCHIVES: [&str; 17] = [
        "brotli",
        "font-woff",
        "gzip",
        "java-archive",
        "octet-stream",
        "pdf",
        "vnd.android.package-archive",
        "vnd.rar",
        "x-7z-compressed",
        "x-brotli",
        "x-bzip2",
        "x-compressed-tar",
        "x-gzip",
        "x-rar-compressed",
        "x-xz",
        "zip",
        "zstd",
    ];
    const FAMILIES: [&str; 3] = [
        "grpc",
        "vnd.oasis.opendocument.",
        "vnd.openxmlformats-officedocument.",
    ];
    const SUFFIXES: [&str; 3] = ["+gzip", "+zip", "+zstd"];
    ARCHIVES.contains(&sub)
        || FAMILIES.iter().any(|family| sub.starts_with(family))
        || SUFFIXES.iter().any(|suffix| sub.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_compressed_and_archives_are_not() {
        let usual = TypeFilter::default();
        for (content_type, included) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/problem+json", true),
            ("application/vnd.acme.report", true),
            ("application/wasm", true),
            ("text/plain; charset=utf-8", true),
            ("text/html", true),
            ("text/event-stream", false),
            ("image/svg+xml", true),
            ("image/png", false),
            ("image/jpeg", false),
            ("image/webp", false),
            ("video/mp4", false),
            ("audio/ogg", false),
            ("font/ttf", true),
            ("font/woff2", false),
            ("application/zip", false),
            ("application/gzip", false),
            ("application/epub+zip", false),
            ("application/pdf", false),
            ("application/octet-stream", false),
            ("application/grpc+proto", false),
            ("multipart/byteranges; boundary=x", false),
            ("", false),
            ("nonsense", false),
        ] {
            assert_eq!(usual.include(content_type), included, "{content_type}");
        }
    }

    #[test]
    fn types_that_are_named_are_as_they_are_named() {
        let types = TypeFilter {
            included: vec![MediaRange::parse("Application/Octet-Stream").unwrap()],
            excluded: vec![MediaRange::parse("text/*").unwrap()],
        };
        assert!(types.include("application/octet-stream"));
        assert!(!types.include("text/html"));
        assert!(types.include("application/json"));
        for wrong in ["", "text", "text/", "/plain", "*/*", "text/plain; a=b"] {
            assert!(MediaRange::parse(wrong).is_none(), "{wrong}");
        }
    }
}
