//! `PAGES` and `PAGES_*`: the pages on which people sign in and manage their account.
//!
//! The files that these settings name are read and checked at start, so that no page is served with half of a theme.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use innkeeper_service::settings::{Kind, Reader, Setting};

use super::Profile;
use super::checks::{one_line, report};
use super::style_sheet::check_style_sheet;
use super::templates::is_locale;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "PAGES",
        Kind::Boolean,
        "Serves pages on which people sign up, sign in, reset their password and manage their account, below \
         `/account`. The links of mails then show a page that asks before it uses them. See \
         `docs/auth/pages.md`. `innkeeper up` turns it on.",
    )
    .default(&["false"]),
    Setting::new(
        "PAGES_SITE_NAME",
        Kind::Text,
        "The name of the site on the pages; the host of `SITE_URL` when it is not set.",
    ),
    Setting::new(
        "PAGES_THEME",
        Kind::Path,
        "A CSS file that is applied after the style sheet of the pages.",
    ),
    Setting::new(
        "PAGES_LOGO",
        Kind::Path,
        "An SVG, PNG, JPEG, GIF or WebP file that is shown at the top of each page.",
    ),
    Setting::new(
        "PAGES_LANGUAGES_DIR",
        Kind::Path,
        "A folder with the texts of further languages, a file such as `fr.json` for each. English and German \
         are built in.",
    ),
];

/// The largest file of a theme, in bytes.
const MAX_FILE: u64 = 512 * 1024;

/// `PAGES` and `PAGES_*` settings.
#[derive(Debug, Clone, Default)]
pub struct PagesConfig {
    /// `PAGES`: the server has pages for people.
    pub enabled: bool,
    /// `PAGES_SITE_NAME`: the name of the site, for people.
    pub site_name: Option<String>,
    /// `PAGES_THEME`: the text of the operator's style sheet.
    pub theme: Option<String>,
    /// `PAGES_LOGO`: the operator's logo.
    pub logo: Option<Logo>,
    /// `PAGES_LANGUAGES_DIR`: the texts of each file, by language.
    pub languages: BTreeMap<String, BTreeMap<String, String>>,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The media type, by the content.
    pub media_type: &'static str,
}

impl PagesConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let enabled = reader.get("PAGES");
        let site_name = one_line(reader, "PAGES_SITE_NAME");
        let mut file = |name: &str| reader.optional::<PathBuf>(name).filter(|_| enabled);
        let (theme, logo) = (file("PAGES_THEME"), file("PAGES_LOGO"));
        let folder = file("PAGES_LANGUAGES_DIR");
        let mut checked = |name: &str, problem: String| report(reader, profile, name, &problem);
        Self {
            enabled,
            site_name: Some(site_name).filter(|name| !name.trim().is_empty()),
            theme: theme.and_then(|path| {
                let theme = read_theme(&path);
                theme
                    .map_err(|problem| checked("PAGES_THEME", problem))
                    .ok()
            }),
            logo: logo.and_then(|path| {
                let logo = read_logo(&path);
                logo.map_err(|problem| checked("PAGES_LOGO", problem)).ok()
            }),
            languages: folder.map_or_else(BTreeMap::new, |path| {
                let (languages, problems) = read_languages(&path);
                for problem in problems {
                    checked("PAGES_LANGUAGES_DIR", problem);
                }
                languages
            }),
        }
    }
}

fn read_theme(path: &Path) -> Result<String, String> {
    let text = read_text(path)?;
    check_style_sheet(&text)
        .map_err(|problem| format!("{} is not a style sheet: {problem}", path.display()))?;
    Ok(text)
}

fn read_logo(path: &Path) -> Result<Logo, String> {
    let bytes = read_bytes(path)?;
    match media_type(&bytes) {
        Some(media_type) => Ok(Logo { bytes, media_type }),
        None => Err(format!(
            "{} is not an SVG, PNG, JPEG, GIF or WebP image",
            path.display()
        )),
    }
}

/// Returns the media type of an image, by its first bytes.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    if starts(b"\x89PNG\r\n\x1a\n") {
        return Some("image/png");
    }
    if starts(b"\xff\xd8\xff") {
        return Some("image/jpeg");
    }
    if starts(b"GIF87a") || starts(b"GIF89a") {
        return Some("image/gif");
    }
    if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let is_svg = text.starts_with('<') && text.contains("<svg") && text.contains("</svg>");
    is_svg.then_some("image/svg+xml")
}

/// Texts by name, for each language.
type Languages = BTreeMap<String, BTreeMap<String, String>>;

/// Reads all files of languages. A file with a mistake is left out and described.
fn read_languages(folder: &Path) -> (Languages, Vec<String>) {
    let (mut languages, mut problems) = (Languages::new(), Vec::new());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return (languages, vec![unreadable(folder, &error)]),
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    for path in paths {
        match read_language(&path) {
            Ok((language, texts)) => {
                languages.insert(language, texts);
            }
            Err(problem) => problems.push(problem),
        }
    }
    (languages, problems)
}

fn read_language(path: &Path) -> Result<(String, BTreeMap<String, String>), String> {
    let name = path.file_stem().and_then(|name| name.to_str());
    let name = name.filter(|name| is_locale(name)).ok_or_else(|| {
        format!(
            "{} is not named after a language, such as fr.json",
            path.display()
        )
    })?;
    let texts = serde_json::from_str(&read_text(path)?)
        .map_err(|error| format!("{} is not a JSON object of texts: {error}", path.display()))?;
    Ok((name.to_owned(), texts))
}

fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read_bytes(path)?)
        .map_err(|_| format!("{} is not text in UTF-8", path.display()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !about.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if about.len() > MAX_FILE {
        let kib = MAX_FILE / 1024;
        return Err(format!("{} is larger than {kib} KiB", path.display()));
    }
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("cannot read {}: {error}", path.display())
}
