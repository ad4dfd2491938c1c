//! Paths of articles on the site.

/// The longest path of an article.
const LONGEST: usize = 1024;

/// A path as the library knows it: without a slash at the end. Says what is wrong otherwise.
pub(crate) fn check(path: &str) -> Result<&str, &'static str> {
    if path.len() > LONGEST {
        return Err("is longer than 1024 bytes");
    }
    if !path.starts_with('/') {
        return Err("must start with `/`");
    }
    if is_usual(path) {
        return Ok(path);
    }
    let is_strange = |byte: u8| byte.is_ascii_control() || byte == b'\\';
    if path.bytes().any(is_strange) || (!path.is_ascii() && path.chars().any(char::is_control)) {
        return Err("has a character that no path has");
    }
    if path.bytes().any(|byte| matches!(byte, b'?' | b'#')) {
        return Err("must be a path without `?` and `#`");
    }
    let trimmed = match path {
        "/" => path,
        _ => path.strip_suffix('/').unwrap_or(path),
    };
    let mut parts = trimmed.as_bytes().split(|byte| *byte == b'/').skip(1);
    if trimmed != "/" && parts.any(|part| matches!(part, b"" | b"." | b"..")) {
        return Err("has an empty part, `.` or `..` in it");
    }
    Ok(trimmed)
}

/// Whether nothing about a path asks for a closer look. Nearly all are like that.
fn is_usual(path: &str) -> bool {
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
            ("/blog//", Err("has an empty part, `.` or `..` in it")),
            ("blog", Err("must start with `/`")),
            ("", Err("must start with `/`")),
            ("/a//b", Err("has an empty part, `.` or `..` in it")),
            ("//host", Err("has an empty part, `.` or `..` in it")),
            ("/a/../b", Err("has an empty part, `.` or `..` in it")),
            ("/a/.", Err("has an empty part, `.` or `..` in it")),
            ("/a\0b", Err("has a character that no path has")),
            ("/a\\b", Err("has a character that no path has")),
            ("/a?b", Err("must be a path without `?` and `#`")),
        ] {
            assert_eq!(check(path), expected, "{path:?}");
        }
        assert!(check(&"/a".repeat(600)).is_err());
    }
}
