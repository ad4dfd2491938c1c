//! Parses the path of a request to a path below the root.

use crate::syntax::decode;

/// A decoded path below the root, without `.`, `..` and anything else that leads elsewhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestedPath {
    /// Names with `/` between them; empty for the root.
    pub(super) path: String,
    /// Whether the path ends with a slash.
    pub(super) is_directory: bool,
}

impl RequestedPath {
    /// Parses a path without the prefix of the mount; `None` if no file can have it.
    pub(super) fn parse(path: &str, hidden: bool) -> Option<Self> {
        let below = path.strip_prefix('/');
        let is_directory = below.is_some_and(|below| below.is_empty() || below.ends_with('/'));
        let names = below.unwrap_or(path);
        let names = names.strip_suffix('/').unwrap_or(names);
        let mut decoded = String::with_capacity(names.len());
        if !names.is_empty() {
            for name in names.split('/') {
                // Decoded one by one: an escaped slash does not separate names.
                let name = decode::path(name).ok()?;
                if !is_allowed(&name, hidden) {
                    return None;
                }
                if !decoded.is_empty() {
                    decoded.push('/');
                }
                decoded.push_str(&name);
            }
        }
        Some(Self {
            path: decoded,
            is_directory,
        })
    }

    /// Checks the decoded path of a file; `None` if no file can have it.
    pub(super) fn of_file(path: &str, hidden: bool) -> Option<Self> {
        let is_valid = path.split('/').all(|name| is_allowed(name, hidden));
        is_valid.then(|| Self {
            path: path.to_owned(),
            is_directory: false,
        })
    }
}

/// Whether this can be the name of a served file or directory, on any operating system.
fn is_allowed(name: &str, hidden: bool) -> bool {
    let is_forbidden =
        |c: char| c.is_control() || c == '/' || c == '\\' || (cfg!(windows) && c == ':');
    !name.is_empty()
        && name != "."
        && name != ".."
        && !name.contains(is_forbidden)
        && (hidden || !name.starts_with('.') || name == ".well-known")
}

/// Joins the path of a directory and a name.
pub(super) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_lead_below_the_root() {
        for (path, expected, directory) in [
            ("", "", false),
            ("/", "", true),
            ("/a", "a", false),
            ("/a/b.txt", "a/b.txt", false),
            ("/a/", "a", true),
            ("/a%20b/%C3%BC", "a b/ü", false),
            ("/a..b/...", "a..b/...", false),
            ("/.well-known/x", ".well-known/x", false),
        ] {
            let hidden = path.contains("...");
            let parsed = RequestedPath::parse(path, hidden).unwrap();
            assert_eq!(
                (parsed.path.as_str(), parsed.is_directory),
                (expected, directory)
            );
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        for path in [
            "/..",
            "/../a",
            "/a/../b",
            "/a/..",
            "/./a",
            "/%2e%2e/a",
            "/%2E./a",
            "/..%2fa",
            "/a%2fb",
            "/a%5c..%5cb",
            "/a\\b",
            "//a",
            "/a//b",
            "/a//",
            "/a%00",
            "/a%0a",
            "/%ff",
            "/%",
            "/%zz",
            "/.env",
            "/.git/config",
        ] {
            assert_eq!(RequestedPath::parse(path, false), None, "{path}");
        }
        for path in ["/..", "/%2e%2e/a", "/."] {
            assert_eq!(RequestedPath::parse(path, true), None, "{path}");
        }
        assert_eq!(RequestedPath::parse("/.env", true).unwrap().path, ".env");
    }

    #[test]
    fn decoded_paths_are_checked_as_they_are() {
        let file = |path| RequestedPath::of_file(path, false).map(|parsed| parsed.path);
        assert_eq!(file("a/b%20c.txt").as_deref(), Some("a/b%20c.txt"));
        for path in [
            "", "/a", "a/", "a//b", "../a", "a/..", ".env", "a\\b", "a\0",
        ] {
            assert_eq!(file(path), None, "{path}");
        }
    }

    proptest! {
        #[test]
        fn nothing_leads_out_of_the_root(path in "[/.%25efcEFa\\\\]{0,30}") {
            if let Some(parsed) = RequestedPath::parse(&path, true) {
                let path = std::path::Path::new(&parsed.path);
                let normal = |part| matches!(part, std::path::Component::Normal(_));
                prop_assert!(path.components().all(normal));
            }
        }
    }
}
