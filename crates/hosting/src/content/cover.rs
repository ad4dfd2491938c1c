//! Covers: from what authors write to paths on the site.

/// Returns a cover as a path on the site. One without a `/` at its start is relative to the file of its article.
/// URLs stay as they are, and so do paths that lead out of the content folder.
pub(crate) fn site_path(file: &str, cover: &str) -> String {
    if cover.starts_with('/') || is_url(cover) {
        return cover.to_owned();
    }
    resolved(file, cover).unwrap_or_else(|| cover.to_owned())
}

/// Returns the name of the image in the content folder that a cover on the site stands for.
pub(crate) fn asset(cover: &str) -> Option<&str> {
    cover.split(['?', '#']).next()?.strip_prefix('/')
}

/// Tells whether a cover may be on another site.
pub(crate) fn is_url(cover: &str) -> bool {
    let first = cover.split(['/', '?', '#']).next().unwrap_or_default();
    cover.starts_with("//") || first.contains(':')
}

fn resolved(file: &str, cover: &str) -> Option<String> {
    let end = cover.find(['?', '#']).unwrap_or(cover.len());
    let (path, rest) = cover.split_at_checked(end)?;
    if path.is_empty() {
        return None;
    }
    let (folder, _) = file.rsplit_once('/')?;
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}{rest}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_is_a_path_on_the_site() {
        for (cover, expected) in [
            ("", ""),
            ("/images/a.png", "/images/a.png"),
            ("a.png", "/blog/2026/a.png"),
            ("./a.png", "/blog/2026/a.png"),
            (
                "pictures/a.png?v=1:2#x",
                "/blog/2026/pictures/a.png?v=1:2#x",
            ),
            ("../a.png", "/blog/a.png"),
            ("../../images//a.png", "/images/a.png"),
            // Outside of the folder, or nothing.
            ("../../../a.png", "../../../a.png"),
            ("?a", "?a"),
            ("https://cdn.example/a.png", "https://cdn.example/a.png"),
            ("//cdn.example/a.png", "//cdn.example/a.png"),
        ] {
            assert_eq!(site_path("blog/2026/hello.md", cover), expected);
        }
    }

    #[test]
    fn an_asset_is_named_without_query_and_fragment() {
        for (cover, expected) in [
            ("/images/a.png?v=1#b", Some("images/a.png")),
            ("/a.png", Some("a.png")),
            ("../a.png", None),
            ("", None),
        ] {
            assert_eq!(asset(cover), expected, "{cover}");
        }
        assert!(is_url("https://a/b") && is_url("//a/b"));
        assert!(!is_url("a/b:c") && !is_url("?a:b") && !is_url("/a:b"));
    }
}
