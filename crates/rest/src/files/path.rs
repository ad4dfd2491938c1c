//! From the path of a request to a name below the root, or to nothing.

use crate::source::decode;

/// A name below the root, without `.` and `..` and whatever else leads elsewhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Names with `/` between them; empty for the root.
    pub(super) path: String,
    /// Whether the client means a directory: there is a slash at the end.
    pub(super) directory: bool,
}

impl Wanted {
    /// What is wanted by a path, which starts below the prefix of the mount. None if it can be no
    /// file of ours.
    pub(super) fn parse(path: &str, hidden: bool) -> Option<Self> {
        let below = path.strip_prefix('/');
        let directory = below.is_some_and(|below| below.is_empty() || below.ends_with('/'));
        let names = below.unwrap_or(path);
        let names = names.strip_suffix('/').unwrap_or(names);
        let mut wanted = String::with_capacity(names.len());
        if !names.is_empty() {
            for name in names.split('/') {
                // Decoded one by one: an escaped slash is no slash.
                let name = decode::path(name).ok()?;
                if !is_decent(&name, hidden) {
                    return None;
                }
                if !wanted.is_empty() {
                    wanted.push('/');
                }
                wanted.push_str(&name);
            }
        }
        Some(Self {
            path: wanted,
            directory,
        })
    }
}

/// Whether this is the name of a file or directory, on any system.
fn is_decent(name: &str, hidden: bool) -> bool {
    let odd = |c: char| c.is_control() || c == '/' || c == '\\' || (cfg!(windows) && c == ':');
    !name.is_empty()
        && name != "."
        && name != ".."
        && !name.contains(odd)
        && (hidden || !name.starts_with('.') || name == ".well-known")
}

/// A name in a directory.
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
            let wanted = Wanted::parse(path, hidden).unwrap();
            assert_eq!(
                (wanted.path.as_str(), wanted.directory),
                (expected, directory)
            );
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_lead_nowhere() {
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
            assert_eq!(Wanted::parse(path, false), None, "{path}");
        }
        for path in ["/..", "/%2e%2e/a", "/."] {
            assert_eq!(Wanted::parse(path, true), None, "{path}");
        }
        assert_eq!(Wanted::parse("/.env", true).unwrap().path, ".env");
    }

    proptest! {
        #[test]
        fn nothing_leads_out_of_the_root(path in "[/.%25efcEFa\\\\]{0,30}") {
            if let Some(wanted) = Wanted::parse(&path, true) {
                let path = std::path::Path::new(&wanted.path);
                let normal = |part| matches!(part, std::path::Component::Normal(_));
                prop_assert!(path.components().all(normal));
            }
        }
    }
}
