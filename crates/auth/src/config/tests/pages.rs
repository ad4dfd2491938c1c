//! `PAGES_*`: the files of a theme are read and checked at start.

use std::fs;

use super::{gotrue_with, std_faults, std_with};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n rest";

/// Writes a file into a temporary folder, and returns both.
fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn the_pages_are_off_unless_a_setting_says_otherwise() {
    assert!(!std_with(&[]).pages.enabled);
    assert!(std_with(&[("AUTH_PAGES", "true")]).pages.enabled);
    // Without pages, their files do not matter.
    let config = std_with(&[("AUTH_PAGES_THEME", "/nowhere/theme.css")]);
    assert_eq!(config.pages.theme, None);
}

#[test]
fn theme_logo_and_languages_are_read() {
    let (_folder, theme) = file("theme.css", b":root { --accent: red; }");
    let (_other, logo) = file("logo.bin", PNG);
    let (languages, _) = file("pt-BR.json", br#"{ "sign_in": "Entrar" }"#);
    fs::write(languages.path().join("notes.txt"), "not a language").unwrap();
    let folder = languages.path().display().to_string();
    let pages = std_with(&[
        ("AUTH_PAGES", "true"),
        ("AUTH_PAGES_THEME", &theme),
        ("AUTH_PAGES_LOGO", &logo),
        ("AUTH_PAGES_LANGUAGES_DIR", &folder),
        ("AUTH_PAGES_SITE_NAME", "The Inn"),
    ])
    .pages;
    assert_eq!(pages.theme.as_deref(), Some(":root { --accent: red; }"));
    assert_eq!(pages.logo.unwrap().media_type, "image/png");
    assert_eq!(pages.languages["pt-BR"]["sign_in"], "Entrar");
    assert_eq!(pages.languages.len(), 1);
    assert_eq!(pages.site_name.as_deref(), Some("The Inn"));
}

#[test]
fn files_that_are_missing_or_broken_are_told_before_the_start() {
    let (folder, unclosed) = file("theme.css", b"a { color: red;");
    let (_other, text) = file("logo.svg", b"not an image");
    let (languages, _) = file("french.fr.json", b"{}");
    fs::write(languages.path().join("fr.json"), r#"{ "sign_in": 7 }"#).unwrap();
    let directory = folder.path().display().to_string();
    for (name, value, problem) in [
        (
            "AUTH_PAGES_THEME",
            "/nowhere/theme.css",
            "cannot read /nowhere/theme.css: No such file",
        ),
        (
            "AUTH_PAGES_THEME",
            unclosed.as_str(),
            "is not a style sheet: line 1: `{` is not closed",
        ),
        ("AUTH_PAGES_THEME", directory.as_str(), "is not a file"),
        (
            "AUTH_PAGES_LOGO",
            text.as_str(),
            "is not an SVG, PNG, JPEG, GIF or WebP image",
        ),
        (
            "AUTH_PAGES_LANGUAGES_DIR",
            "/nowhere",
            "cannot read /nowhere: No such file",
        ),
    ] {
        let faults = std_faults(&[("AUTH_PAGES", "true"), (name, value)]);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].starts_with(name) && faults[0].contains(problem),
            "{}",
            faults[0]
        );
        // In the gotrue profile a part of the server that is broken does not stop the rest.
        let gotrue = name.replace("AUTH_", "GOTRUE_");
        let config = gotrue_with(&[("GOTRUE_PAGES", "true"), (&gotrue, value)]);
        assert!(config.pages.enabled && config.pages.theme.is_none());
        assert!(
            config.warnings.iter().any(|it| it.contains(problem)),
            "{:?}",
            config.warnings
        );
    }
    let folder = languages.path().display().to_string();
    let faults = std_faults(&[
        ("AUTH_PAGES", "true"),
        ("AUTH_PAGES_LANGUAGES_DIR", &folder),
    ]);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(
        faults[0].contains("fr.json is not a JSON object of texts"),
        "{}",
        faults[0]
    );
    assert!(
        faults[1].contains("french.fr.json is not named after a language"),
        "{}",
        faults[1]
    );
}
