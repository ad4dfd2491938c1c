//! Front matter: YAML between `---` or TOML between `+++` at the start of a file.

use serde_json::{Map, Value};

use super::path;
use crate::base::parse::{Fault, SourceDate, line_at};

/// The largest front matter in bytes, more than any author writes.
const MAX_HEAD: usize = 64 * 1024;

/// A file split into front matter and body.
#[derive(Debug)]
pub(crate) struct SplitFile<'f> {
    format: FrontMatterFormat,
    /// The text between the fences.
    head: &'f str,
    /// Everything after the closing fence, byte for byte.
    pub(crate) body: &'f str,
    /// The number of lines before the body.
    pub(crate) lines_before_body: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrontMatterFormat {
    Yaml,
    Toml,
}

/// The front matter of an article.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) date: Option<SourceDate>,
    pub(crate) updated: Option<SourceDate>,
    pub(crate) author: String,
    pub(crate) category: String,
    pub(crate) cover: String,
    pub(crate) read_time: Option<String>,
    pub(crate) draft: bool,
    pub(crate) aliases: Vec<String>,
    pub(crate) path: Option<String>,
    pub(crate) slug: Option<String>,
}

/// The fields that are read.
const FIELDS: &[&str] = &[
    "title",
    "description",
    "summary",
    "date",
    "updated",
    "lastmod",
    "author",
    "authors",
    "category",
    "categories",
    "cover",
    "image",
    "readTime",
    "read_time",
    "readingTime",
    "reading_time",
    "draft",
    "aliases",
    "alias",
    "path",
    "slug",
];
/// Fields of other site generators, which mean nothing here and hide no mistake.
const IGNORED_FIELDS: &[&str] = &[
    "extra", "id", "keywords", "lang", "layout", "params", "tags", "template", "toc", "type",
    "weight",
];

/// Splits a file into front matter and body.
pub(crate) fn split(file: &str) -> Result<SplitFile<'_>, Fault> {
    let text = file.strip_prefix('\u{feff}').unwrap_or(file);
    let (first, rest) = cut_line(text);
    let (format, fence) = match first.trim_end() {
        "---" => (FrontMatterFormat::Yaml, "---"),
        "+++" => (FrontMatterFormat::Toml, "+++"),
        _ => {
            let message = "no front matter: the first line is neither `---` nor `+++`";
            return Err(Fault::new(1, message));
        }
    };
    let mut left = rest;
    let mut lines = 1;
    while !left.is_empty() {
        let (line, after) = cut_line(left);
        lines += 1;
        let is_end = line.trim_end() == fence
            || (format == FrontMatterFormat::Yaml && line.trim_end() == "...");
        if is_end {
            let length = rest.len() - left.len();
            let head = rest.get(..length).unwrap_or_default();
            if head.len() > MAX_HEAD {
                return Err(Fault::new(
                    1,
                    format!("front matter of more than {MAX_HEAD} bytes"),
                ));
            }
            return Ok(SplitFile {
                format,
                head,
                body: after,
                lines_before_body: lines,
            });
        }
        left = after;
    }
    Err(Fault::new(
        1,
        format!("front matter without end: no line is `{fence}`"),
    ))
}

/// Splits a text after its first line.
fn cut_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Parses front matter and returns it with the names that are probably mistakes. All faults are reported,
/// with their lines in the file.
pub(crate) fn parse(parts: &SplitFile<'_>) -> Result<(FrontMatter, Vec<Fault>), Vec<Fault>> {
    let map = match parts.format {
        FrontMatterFormat::Yaml => yaml(parts.head),
        FrontMatterFormat::Toml => toml(parts.head),
    };
    let mut fields = FieldReader {
        map: map.map_err(|fault| vec![fault])?,
        head: parts.head,
        faults: Vec::new(),
    };
    let front_matter = fields.read();
    if fields.faults.is_empty() {
        Ok((front_matter, fields.unknown()))
    } else {
        fields.faults.sort_by_key(|fault| fault.line);
        Err(fields.faults)
    }
}

fn yaml(head: &str) -> Result<Map<String, Value>, Fault> {
    if head.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_saphyr::from_str::<Value>(head)
        .map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            let line = usize::try_from(line).unwrap_or(1).max(1);
            let message = one_line(&error.without_snippet().to_string());
            // The line within the front matter would be mistaken for a line of the file.
            let message = message.split(" at line ").next().unwrap_or_default();
            Fault::new(line + 1, format!("front matter: {message}"))
        })
        .and_then(|value| match value {
            Value::Object(map) => Ok(map),
            Value::Null => Ok(Map::new()),
            _ => Err(Fault::new(2, "front matter: expected `name: value` lines")),
        })
}

fn toml(head: &str) -> Result<Map<String, Value>, Fault> {
    let table: toml::Table = toml::from_str(head).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_at(head, span.start));
        Fault::new(
            line + 1,
            format!("front matter: {}", one_line(error.message())),
        )
    })?;
    Ok(table
        .into_iter()
        .map(|(key, value)| (key, from_toml(value)))
        .collect())
}

fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => Value::Object(
            table
                .into_iter()
                .map(|(key, value)| (key, from_toml(value)))
                .collect(),
        ),
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the fields of front matter and collects faults.
struct FieldReader<'h> {
    map: Map<String, Value>,
    head: &'h str,
    faults: Vec<Fault>,
}

impl FieldReader<'_> {
    fn read(&mut self) -> FrontMatter {
        let title = self.text(&["title"]);
        if title.is_empty() {
            self.fault(&["title"], "`title` is missing");
        }
        FrontMatter {
            title,
            description: self.text(&["description", "summary"]),
            date: self.date(&["date"]),
            updated: self.date(&["updated", "lastmod"]),
            author: self.texts(&["author", "authors"]).join(", "),
            category: self
                .texts(&["category", "categories"])
                .into_iter()
                .next()
                .unwrap_or_default(),
            cover: self.cover(),
            read_time: self.read_time(),
            draft: self.flag("draft"),
            aliases: self.aliases(),
            path: self.path("path"),
            slug: self.slug(),
        }
    }

    /// Returns a warning for every name that is not a field.
    fn unknown(&self) -> Vec<Fault> {
        let names = self.map.keys().map(String::as_str);
        let unknown = names.filter(|name| !FIELDS.contains(name) && !IGNORED_FIELDS.contains(name));
        let mut warnings: Vec<Fault> = unknown
            .map(|name| {
                let line = line_of(self.head, name).map_or(1, |line| line + 1);
                let meant = FIELDS.iter().find(|field| field.eq_ignore_ascii_case(name));
                let message = match meant {
                    Some(field) => format!("`{name}` is not a field; the field is `{field}`"),
                    None => format!("`{name}` is not a field and has no effect"),
                };
                Fault::new(line, message)
            })
            .collect();
        warnings.sort_by_key(|warning| warning.line);
        warnings
    }

    fn cover(&mut self) -> String {
        let names = &["cover", "image"];
        let text = self.text(names);
        if is_web_reference(&text) {
            return text;
        }
        let message = "`cover`: expected a path, or a URL that starts with https:// or http://";
        self.fault(names, message);
        String::new()
    }

    /// Returns the value of the first of these names that is present.
    fn find(&self, names: &[&str]) -> Option<&Value> {
        names
            .iter()
            .find_map(|name| self.map.get(*name))
            .filter(|value| !value.is_null())
    }

    fn fault(&mut self, names: &[&str], message: impl Into<String>) {
        let line = names.iter().find_map(|name| line_of(self.head, name));
        // A field that is missing is reported at the line of the fence.
        self.faults
            .push(Fault::new(line.map_or(1, |line| line + 1), message));
    }

    fn text(&mut self, names: &[&str]) -> String {
        match self.find(names).map(scalar) {
            None => String::new(),
            Some(Some(text)) => text.trim().to_owned(),
            Some(None) => {
                let name = names.first().copied().unwrap_or_default();
                self.fault(names, format!("`{name}`: expected text"));
                String::new()
            }
        }
    }

    /// Returns the texts of a field that holds a text or a list of texts.
    fn texts(&mut self, names: &[&str]) -> Vec<String> {
        let items = match self.find(names) {
            None => return Vec::new(),
            Some(Value::Array(items)) => items.iter().map(scalar).collect::<Option<Vec<_>>>(),
            Some(value) => scalar(value).map(|text| vec![text]),
        };
        let Some(items) = items else {
            let name = names.first().copied().unwrap_or_default();
            self.fault(names, format!("`{name}`: expected text or a list of texts"));
            return Vec::new();
        };
        let trimmed = items.iter().map(|item| item.trim().to_owned());
        trimmed.filter(|item| !item.is_empty()).collect()
    }

    fn date(&mut self, names: &[&str]) -> Option<SourceDate> {
        let text = self.text(names);
        if text.is_empty() {
            return None;
        }
        let date = SourceDate::parse(&text);
        if date.is_none() {
            let name = names.first().copied().unwrap_or_default();
            let message = format!("`{name}`: expected a day such as 2026-11-15, found `{text}`");
            self.fault(names, message);
        }
        date
    }

    fn flag(&mut self, name: &str) -> bool {
        match self.find(&[name]) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.fault(&[name], format!("`{name}`: expected true or false"));
                // It is better to hide an article by mistake than to show one.
                true
            }
        }
    }

    /// Returns the reading time: formatted if it is a number of minutes, else as the author wrote it.
    fn read_time(&mut self) -> Option<String> {
        let text = self.text(&["readTime", "read_time", "readingTime", "reading_time"]);
        if text.is_empty() {
            return None;
        }
        Some(match text.parse::<u32>() {
            Ok(minutes) => reading_time(minutes),
            Err(_) => text,
        })
    }

    fn aliases(&mut self) -> Vec<String> {
        let mut aliases = Vec::new();
        for alias in self.texts(&["aliases", "alias"]) {
            match path::check(&alias) {
                Ok(alias) => aliases.push(alias.to_owned()),
                Err(problem) => {
                    self.fault(&["aliases", "alias"], format!("alias `{alias}` {problem}"));
                }
            }
        }
        aliases
    }

    fn path(&mut self, name: &str) -> Option<String> {
        let text = self.text(&[name]);
        if text.is_empty() {
            return None;
        }
        match path::check(&text) {
            Ok(path) => Some(path.to_owned()),
            Err(problem) => {
                self.fault(&[name], format!("`{name}` {problem}"));
                None
            }
        }
    }

    fn slug(&mut self) -> Option<String> {
        let text = self.text(&["slug"]);
        if text.is_empty() {
            return None;
        }
        if text.contains('/') || path::check(&format!("/{text}")).is_err() {
            self.fault(
                &["slug"],
                format!("`slug`: `{text}` is not a single path segment"),
            );
            return None;
        }
        Some(text)
    }
}

/// Whether a text is a path, or a URL of the web. Pages put it into attributes, where other schemes may run
/// scripts.
fn is_web_reference(text: &str) -> bool {
    // Browsers ignore some control characters, also within a scheme.
    if text.chars().any(char::is_control) {
        return false;
    }
    let before = text.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    match before.split_once(':') {
        Some((scheme, _)) => {
            scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
        }
        None => true,
    }
}

/// Formats a number of minutes for readers.
pub(super) fn reading_time(minutes: u32) -> String {
    format!("{minutes} min read")
}

/// Returns a single value as text; `None` for lists and maps.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the line of a top-level name, counted from 1 within the head.
fn line_of(head: &str, name: &str) -> Option<usize> {
    let is_it = |line: &str| {
        let rest = line.trim_start_matches(['"', '\'']).strip_prefix(name);
        let rest = rest.map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        rest.is_some_and(|rest| rest.starts_with([':', '=']))
    };
    head.lines().position(is_it).map(|line| line + 1)
}

#[cfg(test)]
mod tests;
