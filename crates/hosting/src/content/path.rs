//! Paths of articles on the site.

/// The longest path, in bytes.
const MAX_LENGTH: usize = 1024;

/// Checks a path and removes its trailing slash; returns what is wrong with an invalid one.
pub(crate) fn check(path: &str) -> Result<&str, &'static str> {
    if path.len() > MAX_LENGTH {
        return Err("is longer than 1024 bytes");
    }
    if !path.starts_with('/') {
        return Err("must start with `/`");
    }
    if is_plain(path) {
        return Ok(path);
    }
    let is_forbidden = |byte: u8| byte.is_ascii_control() || byte == b'\\';
    if path.bytes().any(is_forbidden) || (!path.is_ascii() && path.chars().any(char::is_control)) {
        return Err("has a character that is not allowed in a path");
    }
    if path.bytes().any(|byte| matches!(byte, b'?' | b'#')) {
        return Err("must not contain `?` or `#`");
    }
    let trimmed = match path {
        "/" => path,
        _ => path.strip_suffix('/').unwrap_or(path),
    };
    let mut parts = trimmed.as_bytes().split(|byte| *byte == b'/').skip(1);
    if trimmed != "/" && parts.any(|part| matches!(part, b"" | b"." | b"..")) {
        return Err("has an empty segment, `.` or `..`");
    }
    Ok(trimmed)
}

/// Tells whether a path is plainly valid, as nearly all are: letters, digits, `-`, `_` and single slashes.
fn is_plain(path: &str) -> bool {
    let mut before = 0;
    let mut bytes = path.bytes();
    let is_in_order = bytes.all(|byte| {
        let is_letter = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_slash = byte == b'/' && before != b'/';
        before = byte;
        is_letter || is_slash
    });
    is_in_order && before != b'/'
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_path_starts_with_a_slash_and_stays_on_the_site() {
        for (path, expected) in [
            ("/blog/hello", Ok("/blog/hello")),
            ("/blog/hello/", Ok("/blog/hello")),
            ("/", Ok("/")),
            ("/blog/Grüße", Ok("/blog/Grüße")),
            ("/kb/v1.2/a_b-C", Ok("/kb/v1.2/a_b-C")),
            ("/blog//", Err("has an empty segment, `.` or `..`")),
            ("blog", Err("must start with `/`")),
            ("", Err("must start with `/`")),
            ("/a//b", Err("has an empty segment, `.` or `..`")),
            ("//host", Err("has an empty segment, `.` or `..`")),
            ("/a/../b", Err("has an empty segment, `.` or `..`")),
            ("/a/.", Err("has an empty segment, `.` or `..`")),
            (
                "/a\0b",
                Err("has a character that is not allowed in a path"),
            ),
            (
                "/a\\b",
                Err("has a character that is not allowed in a path"),
            ),
            ("/a?b", Err("must not contain `?` or `#`")),
        ] {
            assert_eq!(check(path), expected, "{path:?}");
        }
        assert!(check(&"/a".repeat(600)).is_err());
    }
}
