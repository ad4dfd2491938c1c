//! The context of a value in an HTML document, found by reading the document as it is written.
//!
//! Only the text of the template is followed, never values: values are escaped so that they cannot leave
//! their context.

use crate::content_type::ContentType;
use crate::value::Value;
use crate::{escape, format};

/// The names of tags and attributes are compared up to this length, in bytes.
const MAX_NAME: usize = 32;

/// An HTML tokenizer, as far as escaping needs one.
#[derive(Debug, Default)]
pub(crate) struct HtmlContext {
    position: Position,
    /// The name of the tag or attribute that is being read, in lower case.
    name: String,
    /// The name of the last tag.
    tag: String,
    /// The last tag is an end tag.
    is_closing: bool,
    /// The language of the attribute or the element.
    content_type: ContentType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Position {
    #[default]
    Text,
    /// After `<`.
    TagOpen,
    TagName,
    /// Between the attributes of a tag.
    BeforeAttribute,
    AttributeName,
    AfterAttributeName,
    /// After `=`.
    BeforeAttributeValue,
    AttributeValue(Quote),
    /// After `<!`.
    MarkupDeclaration,
    /// In something that ends at the next `>`.
    Declaration,
    Comment {
        dashes: u8,
    },
    /// In an element whose content has no tags, such as `<script>`.
    RawText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl HtmlContext {
    /// Follows text of the template.
    pub(crate) fn advance(&mut self, text: &str) {
        for ch in text.chars() {
            self.step(ch);
        }
    }

    fn step(&mut self, ch: char) {
        let is_space = ch.is_ascii_whitespace();
        match self.position {
            Position::Text => {
                if ch == '<' {
                    self.position = Position::TagOpen;
                }
            }
            Position::TagOpen => self.open_tag(ch),
            Position::TagName => match ch {
                '>' => self.end_tag(),
                '/' => self.begin_attributes(),
                _ if is_space => self.begin_attributes(),
                _ => self.push_name(ch),
            },
            Position::BeforeAttribute | Position::AfterAttributeName => match ch {
                '>' => self.end_tag(),
                '/' => self.position = Position::BeforeAttribute,
                '=' if self.position == Position::AfterAttributeName => {
                    self.position = Position::BeforeAttributeValue;
                }
                _ if is_space => {}
                _ => {
                    self.name.clear();
                    self.push_name(ch);
                    self.position = Position::AttributeName;
                }
            },
            Position::AttributeName => match ch {
                '>' => self.end_tag(),
                '/' => self.position = Position::BeforeAttribute,
                '=' => self.position = Position::BeforeAttributeValue,
                _ if is_space => self.position = Position::AfterAttributeName,
                _ => self.push_name(ch),
            },
            Position::BeforeAttributeValue => self.begin_value(ch),
            Position::AttributeValue(quote) => self.attribute_value(ch, quote),
            Position::MarkupDeclaration | Position::Declaration | Position::Comment { .. } => {
                self.markup(ch);
            }
            Position::RawText => self.raw_text(ch),
        }
    }

    fn push_name(&mut self, ch: char) {
        if self.name.len() < MAX_NAME {
            self.name.push(ch.to_ascii_lowercase());
        }
    }

    fn open_tag(&mut self, ch: char) {
        match ch {
            '/' => {
                self.is_closing = true;
                self.name.clear();
                self.position = Position::TagName;
            }
            '!' => {
                self.name.clear();
                self.position = Position::MarkupDeclaration;
            }
            '?' => self.position = Position::Declaration,
            '<' => {}
            ch if ch.is_ascii_alphabetic() => {
                self.is_closing = false;
                self.name.clear();
                self.push_name(ch);
                self.position = Position::TagName;
            }
            _ => self.position = Position::Text,
        }
    }

    fn begin_attributes(&mut self) {
        self.tag.clone_from(&self.name);
        self.name.clear();
        self.position = Position::BeforeAttribute;
    }

    fn end_tag(&mut self) {
        if self.position == Position::TagName {
            self.tag.clone_from(&self.name);
        }
        self.name.clear();
        self.content_type = ContentType::of_element(&self.tag);
        let is_raw = matches!(
            self.tag.as_str(),
            "script" | "style" | "title" | "textarea" | "xmp" | "iframe" | "noembed" | "noframes"
        );
        self.position = if is_raw && !self.is_closing {
            Position::RawText
        } else {
            Position::Text
        };
    }

    fn begin_value(&mut self, ch: char) {
        if ch.is_ascii_whitespace() {
            return;
        }
        self.content_type = ContentType::of_attribute(&self.name);
        self.position = match ch {
            '>' => return self.end_tag(),
            '"' => Position::AttributeValue(Quote::Double),
            '\'' => Position::AttributeValue(Quote::Single),
            _ => {
                self.content_type.advance(ch);
                Position::AttributeValue(Quote::None)
            }
        };
    }

    fn attribute_value(&mut self, ch: char, quote: Quote) {
        let is_end = match quote {
            Quote::Double => ch == '"',
            Quote::Single => ch == '\'',
            Quote::None if ch == '>' => return self.end_tag(),
            Quote::None => ch.is_ascii_whitespace(),
        };
        if is_end {
            self.name.clear();
            self.position = Position::BeforeAttribute;
        } else {
            self.content_type.advance(ch);
        }
    }

    /// Follows `<!…>`: a comment, a declaration, or a condition such as `<!--[if mso]>`, whose content is
    /// HTML for the mail program that it is for.
    fn markup(&mut self, ch: char) {
        match &mut self.position {
            Position::MarkupDeclaration => {
                self.push_name(ch);
                match self.name.as_str() {
                    "-" => {}
                    "--" => {
                        self.name.clear();
                        // `<!-->` is a whole comment.
                        self.position = Position::Comment { dashes: 2 };
                    }
                    _ if ch == '>' => self.position = Position::Text,
                    _ => self.position = Position::Declaration,
                }
            }
            Position::Comment { dashes } => {
                match ch {
                    '-' => *dashes = dashes.saturating_add(1),
                    '!' if *dashes >= 2 => {}
                    '>' if *dashes >= 2 => {
                        self.position = Position::Text;
                        return;
                    }
                    _ => *dashes = 0,
                }
                if self.name.len() < "[if".len() {
                    self.name.push(ch.to_ascii_lowercase());
                    if self.name == "[if" {
                        self.position = Position::Declaration;
                    }
                }
            }
            _ => {
                if ch == '>' {
                    self.position = Position::Text;
                }
            }
        }
    }

    /// Follows the content of an element such as `<script>`, up to its end tag.
    fn raw_text(&mut self, ch: char) {
        self.content_type.advance(ch);
        if ch == '<' {
            self.name.clear();
        }
        self.push_name(ch);
        let end = self.name.strip_prefix("</");
        if end.is_some_and(|end| end == self.tag) {
            self.is_closing = true;
            self.name.clear();
            self.position = Position::BeforeAttribute;
        }
    }

    /// Whether the text ended with a `<`. It does not begin a tag, because a value follows: the context goes
    /// back to text.
    pub(crate) fn take_loose_bracket(&mut self) -> bool {
        let is_loose = self.position == Position::TagOpen;
        if is_loose {
            self.position = Position::Text;
        }
        is_loose
    }

    /// Returns the text of a value, escaped for its context.
    pub(crate) fn escape(&mut self, value: &Value) -> String {
        match self.position {
            Position::Text
            | Position::MarkupDeclaration
            | Position::Declaration
            | Position::Comment { .. } => escape::to_html(value),
            Position::RawText => match &self.content_type {
                ContentType::Plain => escape::to_html(value),
                content_type => content_type.escape(value),
            },
            Position::AttributeValue(Quote::None) => {
                escape::unquoted(&self.content_type.escape(value))
            }
            Position::BeforeAttributeValue => {
                self.content_type = ContentType::of_attribute(&self.name);
                self.position = Position::AttributeValue(Quote::None);
                escape::unquoted(&self.content_type.escape(value))
            }
            Position::AttributeValue(_) => match (&self.content_type, value) {
                (ContentType::Plain, Value::Html(html)) => html.to_string(),
                (content_type, value) => escape::html(&content_type.escape(value)),
            },
            Position::TagOpen
            | Position::TagName
            | Position::BeforeAttribute
            | Position::AttributeName
            | Position::AfterAttributeName => {
                let is_active = |name: &str| {
                    ContentType::of_attribute(name) != ContentType::Plain
                        || matches!(name, "script" | "style")
                };
                let name = escape::name(&format::to_text(value), is_active);
                self.advance(&name);
                name
            }
        }
    }
}
