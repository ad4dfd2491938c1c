//! Content types by file extension.

/// Returns the content type of a file name; `application/octet-stream` if it is unknown.
#[expect(clippy::too_many_lines, reason = "a flat table of types")]
pub(super) fn content_type(name: &str) -> &'static str {
    let extension = extension(name).to_ascii_lowercase();
    match extension.as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" | "cjs" => "text/javascript; charset=utf-8",
        "txt" | "text" | "log" => "text/plain; charset=utf-8",
        "md" | "markdown" => "text/markdown; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "ics" => "text/calendar; charset=utf-8",
        "vtt" => "text/vtt; charset=utf-8",
        "xml" => "application/xml",
        "json" | "map" => "application/json",
        "jsonld" => "application/ld+json",
        "geojson" => "application/geo+json",
        "webmanifest" => "application/manifest+json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "atom" => "application/atom+xml",
        "rss" => "application/rss+xml",
        "xhtml" => "application/xhtml+xml",
        "wasm" => "application/wasm",
        "pdf" => "application/pdf",
        "rtf" => "application/rtf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "tar" => "application/x-tar",
        "zst" => "application/zstd",
        "7z" => "application/x-7z-compressed",
        "epub" => "application/epub+zip",
        "doc" => "application/msword",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls" => "application/vnd.ms-excel",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "ppt" => "application/vnd.ms-powerpoint",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "odt" => "application/vnd.oasis.opendocument.text",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "apng" => "image/apng",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        "tif" | "tiff" => "image/tiff",
        "mp3" => "audio/mpeg",
        "ogg" | "oga" | "opus" => "audio/ogg",
        "wav" => "audio/wav",
        "flac" => "audio/flac",
        "m4a" => "audio/mp4",
        "aac" => "audio/aac",
        "weba" => "audio/webm",
        "mp4" | "m4v" => "video/mp4",
        "webm" => "video/webm",
        "ogv" => "video/ogg",
        "mov" => "video/quicktime",
        "mpeg" | "mpg" => "video/mpeg",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        _ => "application/octet-stream",
    }
}

/// Returns the part of a file name after its last dot; empty without a dot.
pub(super) fn extension(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_go_by_the_last_extension() {
        for (name, expected) in [
            ("index.html", "text/html; charset=utf-8"),
            ("a/b.min.JS", "text/javascript; charset=utf-8"),
            ("a.tar.gz", "application/gzip"),
            ("a.d/README", "application/octet-stream"),
            ("png", "application/octet-stream"),
            ("", "application/octet-stream"),
        ] {
            assert_eq!(content_type(name), expected, "{name}");
        }
    }
}
