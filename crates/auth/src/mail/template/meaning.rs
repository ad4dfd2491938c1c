//! What a value means where it stands: text, an address, a style or a script.

use super::value::Value;
use super::{escape, format};

/// What a value means where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Meaning {
    #[default]
    Plain,
    /// A page of its own.
    Page,
    Address(Part),
    /// Addresses with commas between them.
    Addresses,
    Style(StylePlace),
    Script(ScriptPlace),
}

/// How far an address has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Part {
    #[default]
    Nothing,
    Path,
    Query,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StylePlace {
    /// The last letters.
    tail: String,
    /// Within `url(…)`.
    address: Option<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ScriptPlace {
    quote: Option<char>,
    is_escaped: bool,
}

impl Meaning {
    /// What a value means within this element.
    pub(super) fn within(element: &str) -> Self {
        match element {
            "script" => Self::Script(ScriptPlace::default()),
            "style" => Self::Style(StylePlace::default()),
            _ => Self::Plain,
        }
    }

    /// What the value of an attribute of this name means.
    pub(super) fn of(name: &str) -> Self {
        let name = name.strip_prefix("data-").unwrap_or(name);
        let name = match name.split_once(':') {
            Some(("xmlns", _)) => return Self::Address(Part::default()),
            Some((_, name)) => name,
            None => name,
        };
        match name {
            "action" | "archive" | "background" | "cite" | "classid" | "codebase" | "data"
            | "formaction" | "href" | "icon" | "longdesc" | "manifest" | "poster" | "profile"
            | "src" | "usemap" | "xmlns" => Self::Address(Part::default()),
            "srcset" => Self::Addresses,
            "style" => Self::Style(StylePlace::default()),
            "srcdoc" => Self::Page,
            name if name.starts_with("on") => Self::Script(ScriptPlace::default()),
            name if ["src", "uri", "url"].iter().any(|part| name.contains(part)) => {
                Self::Address(Part::default())
            }
            _ => Self::Plain,
        }
    }

    /// Takes in a letter of the template.
    pub(super) fn read(&mut self, letter: char) {
        match self {
            Self::Plain | Self::Page | Self::Addresses => {}
            Self::Address(part) => part.read(letter),
            Self::Style(place) => place.read(letter),
            Self::Script(place) => place.read(letter),
        }
    }

    /// The text of a value, escaped for what it means, not yet for HTML.
    pub(super) fn escape(&self, value: &Value) -> String {
        match self {
            Self::Plain => format::text(value),
            Self::Page => html_of(value),
            Self::Addresses => escape::address(&format::text(value)).replace(',', "%2c"),
            Self::Address(part)
            | Self::Style(StylePlace {
                address: Some(part),
                ..
            }) => part.escape(value),
            Self::Style(_) => escape::style(&format::text(value)),
            Self::Script(ScriptPlace { quote: None, .. }) => escape::script(value),
            Self::Script(_) => escape::script_text(&format::text(value)),
        }
    }
}

impl Part {
    fn read(&mut self, letter: char) {
        if matches!(letter, '?' | '#') {
            *self = Self::Query;
        } else if *self == Self::Nothing && !letter.is_ascii_whitespace() {
            *self = Self::Path;
        }
    }

    fn escape(self, value: &Value) -> String {
        match (self, value) {
            (Self::Query, Value::Query(text)) => text.to_string(),
            (Self::Nothing, value) => escape::address(&format::text(value)),
            (Self::Path, value) => escape::normalized(&format::text(value)),
            (Self::Query, value) => escape::component(&format::text(value)),
        }
    }
}

impl StylePlace {
    fn read(&mut self, letter: char) {
        match &mut self.address {
            Some(_) if letter == ')' => self.address = None,
            // The quotes around an address are no part of it.
            Some(part) if !matches!(letter, '"' | '\'') => part.read(letter),
            Some(_) => {}
            None => {
                self.tail.push(letter.to_ascii_lowercase());
                if self.tail.chars().count() > "url(".len() {
                    self.tail.remove(0);
                }
                if self.tail == "url(" {
                    self.tail.clear();
                    self.address = Some(Part::Nothing);
                }
            }
        }
    }
}

impl ScriptPlace {
    fn read(&mut self, letter: char) {
        match self.quote {
            Some(_) if self.is_escaped => self.is_escaped = false,
            Some(_) if letter == '\\' => self.is_escaped = true,
            Some(quote) if letter == quote => self.quote = None,
            None if matches!(letter, '"' | '\'' | '`') => self.quote = Some(letter),
            _ => {}
        }
    }
}

/// The text of a value for HTML.
pub(super) fn html_of(value: &Value) -> String {
    match value {
        Value::Html(html) => html.to_string(),
        value => escape::html(&format::text(value)),
    }
}
