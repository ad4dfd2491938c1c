//! The language of an attribute's value or an element's content: text, HTML, a URL, CSS or a script.

use crate::value::Value;
use crate::{escape, format};

/// The language that a value is written in, besides HTML.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum ContentType {
    #[default]
    Plain,
    /// An HTML document of its own: `srcdoc`.
    Html,
    Url(UrlPart),
    /// URLs with commas between them: `srcset`.
    UrlList,
    Css(CssContext),
    Script(ScriptContext),
}

/// The part of a URL that the template has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum UrlPart {
    /// Nothing is written yet: a value may bring a scheme.
    #[default]
    Start,
    Path,
    Query,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CssContext {
    /// The last characters, to find `url(`.
    tail: String,
    /// The part of the URL, inside of `url(…)`.
    url: Option<UrlPart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ScriptContext {
    quote: Option<char>,
    is_escaped: bool,
}

impl ContentType {
    /// Returns the language inside of an element.
    pub(crate) fn of_element(element: &str) -> Self {
        match element {
            "script" => Self::Script(ScriptContext::default()),
            "style" => Self::Css(CssContext::default()),
            _ => Self::Plain,
        }
    }

    /// Returns the language of an attribute, by its name in lower case.
    pub(crate) fn of_attribute(name: &str) -> Self {
        let name = name.strip_prefix("data-").unwrap_or(name);
        let name = match name.split_once(':') {
            Some(("xmlns", _)) => return Self::Url(UrlPart::default()),
            Some((_, name)) => name,
            None => name,
        };
        match name {
            "action" | "archive" | "background" | "cite" | "classid" | "codebase" | "data"
            | "formaction" | "href" | "icon" | "longdesc" | "manifest" | "poster" | "profile"
            | "src" | "usemap" | "xmlns" => Self::Url(UrlPart::default()),
            "srcset" => Self::UrlList,
            "style" => Self::Css(CssContext::default()),
            "srcdoc" => Self::Html,
            name if name.starts_with("on") => Self::Script(ScriptContext::default()),
            name if ["src", "uri", "url"].iter().any(|part| name.contains(part)) => {
                Self::Url(UrlPart::default())
            }
            _ => Self::Plain,
        }
    }

    /// Follows a character of the template.
    pub(crate) fn advance(&mut self, ch: char) {
        match self {
            Self::Plain | Self::Html | Self::UrlList => {}
            Self::Url(part) => part.advance(ch),
            Self::Css(css) => css.advance(ch),
            Self::Script(script) => script.advance(ch),
        }
    }

    /// Returns the text of a value, escaped for this language but not for HTML.
    pub(crate) fn escape(&self, value: &Value) -> String {
        match self {
            Self::Plain => format::to_text(value),
            Self::Html => escape::to_html(value),
            Self::UrlList => escape::url(&format::to_text(value)).replace(',', "%2c"),
            Self::Url(part)
            | Self::Css(CssContext {
                url: Some(part), ..
            }) => part.escape(value),
            Self::Css(_) => escape::css(&format::to_text(value)),
            Self::Script(ScriptContext { quote: None, .. }) => escape::script(value),
            Self::Script(_) => escape::script_string(&format::to_text(value)),
        }
    }
}

impl UrlPart {
    fn advance(&mut self, ch: char) {
        if matches!(ch, '?' | '#') {
            *self = Self::Query;
        } else if *self == Self::Start && !ch.is_ascii_whitespace() {
            *self = Self::Path;
        }
    }

    fn escape(self, value: &Value) -> String {
        match (self, value) {
            (Self::Query, Value::UrlQuery(text)) => text.to_string(),
            (Self::Start, value) => escape::url(&format::to_text(value)),
            (Self::Path, value) => escape::url_normalized(&format::to_text(value)),
            (Self::Query, value) => escape::url_component(&format::to_text(value)),
        }
    }
}

impl CssContext {
    fn advance(&mut self, ch: char) {
        match &mut self.url {
            Some(_) if ch == ')' => self.url = None,
            // The quotes around a URL are not a part of it.
            Some(part) if !matches!(ch, '"' | '\'') => part.advance(ch),
            Some(_) => {}
            None => {
                self.tail.push(ch.to_ascii_lowercase());
                if self.tail.chars().count() > "url(".len() {
                    self.tail.remove(0);
                }
                if self.tail == "url(" {
                    self.tail.clear();
                    self.url = Some(UrlPart::Start);
                }
            }
        }
    }
}

impl ScriptContext {
    fn advance(&mut self, ch: char) {
        match self.quote {
            Some(_) if self.is_escaped => self.is_escaped = false,
            Some(_) if ch == '\\' => self.is_escaped = true,
            Some(quote) if ch == quote => self.quote = None,
            None if matches!(ch, '"' | '\'' | '`') => self.quote = Some(ch),
            _ => {}
        }
    }
}
