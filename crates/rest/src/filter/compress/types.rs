//! Which content is worth compressing.

use std::fmt;

use crate::format::is_token;

/// Content types that are compressed although they usually are not, and the other way round.
#[derive(Debug, Clone, Default)]
pub(super) struct Types {
    pub(super) also: Vec<Range>,
    pub(super) never: Vec<Range>,
}

/// `text/csv` or `text/*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    main: String,
    sub: String,
}

impl Range {
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

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.main, self.sub)
    }
}

impl Types {
    /// Whether content of this type is compressed.
    pub(super) fn include(&self, content_type: &str) -> bool {
        let bare = content_type.split(';').next().unwrap_or_default().trim();
        let bare = bare.to_ascii_lowercase();
        let Some((main, sub)) = bare.split_once('/') else {
            return false;
        };
        let among = |ranges: &[Range]| ranges.iter().any(|range| range.contains(main, sub));
        !among(&self.never) && (among(&self.also) || is_compressible(main, sub))
    }
}

/// What is not known to be compressed already, or to be anything at all.
fn is_compressible(main: &str, sub: &str) -> bool {
    match main {
        // Each client would have a compressor of its own for as long as it listens.
        "text" => sub != "event-stream",
        "application" => !is_packed(sub),
        "image" => matches!(
            sub,
            "svg+xml" | "bmp" | "x-icon" | "vnd.microsoft.icon" | "x-ms-bmp"
        ),
        "font" => !matches!(sub, "woff" | "woff2"),
        "message" | "model" => true,
        _ => false,
    }
}

/// Whether something under `application/` is compressed by its own nature, or may be.
fn is_packed(sub: &str) -> bool {
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
        let usual = Types::default();
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
        let types = Types {
            also: vec![Range::parse("Application/Octet-Stream").unwrap()],
            never: vec![Range::parse("text/*").unwrap()],
        };
        assert!(types.include("application/octet-stream"));
        assert!(!types.include("text/html"));
        assert!(types.include("application/json"));
        for wrong in ["", "text", "text/", "/plain", "*/*", "text/plain; a=b"] {
            assert!(Range::parse(wrong).is_none(), "{wrong}");
        }
    }
}
