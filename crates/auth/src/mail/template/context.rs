//! Where in an HTML page a value stands, found by reading the page as it is written.
//!
//! It follows what templates say, never what values say: values are escaped so that they cannot lead
//! out of their place.

use super::meaning::{Meaning, html_of};
use super::value::Value;
use super::{escape, format};

/// The longest name that matters.
const NAME: usize = 32;

/// Reads a page, letter by letter.
#[derive(Debug, Default)]
pub(super) struct Context {
    place: Place,
    /// The name of the tag or attribute that is being read, in small letters.
    name: String,
    /// The name of the tag.
    tag: String,
    is_closing: bool,
    /// What kind of value the attribute or the element holds.
    meaning: Meaning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Text,
    /// After `<`.
    Open,
    TagName,
    /// Between the attributes of a tag.
    Tag,
    AttributeName,
    AfterName,
    /// After `=`.
    BeforeValue,
    Value(Quote),
    /// After `<!`.
    Markup,
    /// Up to the next `>`.
    Declaration,
    Comment {
        dashes: u8,
    },
    /// In an element in which tags mean nothing.
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl Context {
    /// Takes in what the template says.
    pub(super) fn read(&mut self, text: &str) {
        for letter in text.chars() {
            self.step(letter);
        }
    }

    fn step(&mut self, letter: char) {
        let is_space = letter.is_ascii_whitespace();
        match self.place {
            Place::Text => {
                if letter == '<' {
                    self.place = Place::Open;
                }
            }
            Place::Open => self.open(letter),
            Place::TagName => match letter {
                '>' => self.end_tag(),
                '/' => self.begin_attributes(),
                _ if is_space => self.begin_attributes(),
                _ => self.push(letter),
            },
            Place::Tag | Place::AfterName => match letter {
                '>' => self.end_tag(),
                '/' => self.place = Place::Tag,
                '=' if self.place == Place::AfterName => self.place = Place::BeforeValue,
                _ if is_space => {}
                _ => {
                    self.name.clear();
                    self.push(letter);
                    self.place = Place::AttributeName;
                }
            },
            Place::AttributeName => match letter {
                '>' => self.end_tag(),
                '/' => self.place = Place::Tag,
                '=' => self.place = Place::BeforeValue,
                _ if is_space => self.place = Place::AfterName,
                _ => self.push(letter),
            },
            Place::BeforeValue => self.begin_value(letter),
            Place::Value(quote) => self.value(letter, quote),
            Place::Markup | Place::Declaration | Place::Comment { .. } => self.markup(letter),
            Place::Raw => self.raw(letter),
        }
    }

    fn push(&mut self, letter: char) {
        if self.name.len() < NAME {
            self.name.push(letter.to_ascii_lowercase());
        }
    }

    fn open(&mut self, letter: char) {
        match letter {
            '/' => {
                self.is_closing = true;
                self.name.clear();
                self.place = Place::TagName;
            }
            '!' => {
                self.name.clear();
                self.place = Place::Markup;
            }
            '?' => self.place = Place::Declaration,
            '<' => {}
            letter if letter.is_ascii_alphabetic() => {
                self.is_closing = false;
                self.name.clear();
                self.push(letter);
                self.place = Place::TagName;
            }
            _ => self.place = Place::Text,
        }
    }

    fn begin_attributes(&mut self) {
        self.tag.clone_from(&self.name);
        self.name.clear();
        self.place = Place::Tag;
    }

    fn end_tag(&mut self) {
        if self.place == Place::TagName {
            self.tag.clone_from(&self.name);
        }
        self.name.clear();
        self.meaning = Meaning::within(&self.tag);
        let is_raw = matches!(
            self.tag.as_str(),
            "script" | "style" | "title" | "textarea" | "xmp" | "iframe" | "noembed" | "noframes"
        );
        self.place = if is_raw && !self.is_closing {
            Place::Raw
        } else {
            Place::Text
        };
    }

    fn begin_value(&mut self, letter: char) {
        if letter.is_ascii_whitespace() {
            return;
        }
        self.meaning = Meaning::of(&self.name);
        self.place = match letter {
            '>' => return self.end_tag(),
            '"' => Place::Value(Quote::Double),
            '\'' => Place::Value(Quote::Single),
            _ => {
                self.meaning.read(letter);
                Place::Value(Quote::None)
            }
        };
    }

    fn value(&mut self, letter: char, quote: Quote) {
        let is_end = match quote {
            Quote::Double => letter == '"',
            Quote::Single => letter == '\'',
            Quote::None if letter == '>' => return self.end_tag(),
            Quote::None => letter.is_ascii_whitespace(),
        };
        if is_end {
            self.name.clear();
            self.place = Place::Tag;
        } else {
            self.meaning.read(letter);
        }
    }

    /// In `<!…>`: a comment, a declaration, or a condition for one mail program, whose content is HTML
    /// for it.
    fn markup(&mut self, letter: char) {
        match &mut self.place {
            Place::Markup => {
                self.push(letter);
                match self.name.as_str() {
                    "-" => {}
                    "--" => {
                        self.name.clear();
                        // `<!-->` is a whole comment.
                        self.place = Place::Comment { dashes: 2 };
                    }
                    _ if letter == '>' => self.place = Place::Text,
                    _ => self.place = Place::Declaration,
                }
            }
            Place::Comment { dashes } => {
                match letter {
                    '-' => *dashes = dashes.saturating_add(1),
                    '!' if *dashes >= 2 => {}
                    '>' if *dashes >= 2 => {
                        self.place = Place::Text;
                        return;
                    }
                    _ => *dashes = 0,
                }
                if self.name.len() < "[if".len() {
                    self.name.push(letter.to_ascii_lowercase());
                    if self.name == "[if" {
                        self.place = Place::Declaration;
                    }
                }
            }
            _ => {
                if letter == '>' {
                    self.place = Place::Text;
                }
            }
        }
    }

    /// In an element such as `<script>`, up to its end.
    fn raw(&mut self, letter: char) {
        self.meaning.read(letter);
        if letter == '<' {
            self.name.clear();
        }
        self.push(letter);
        let end = self.name.strip_prefix("</");
        if end.is_some_and(|end| end == self.tag) {
            self.is_closing = true;
            self.name.clear();
            self.place = Place::Tag;
        }
    }

    /// Whether a `<` was just read that begins no tag, because a value follows.
    pub(super) fn ends_in_loose_bracket(&mut self) -> bool {
        let is_loose = self.place == Place::Open;
        if is_loose {
            self.place = Place::Text;
        }
        is_loose
    }

    /// The text of a value, escaped for where it stands.
    pub(super) fn escape(&mut self, value: &Value) -> String {
        match self.place {
            Place::Text | Place::Markup | Place::Declaration | Place::Comment { .. } => {
                html_of(value)
            }
            Place::Raw => match &self.meaning {
                Meaning::Plain => html_of(value),
                meaning => meaning.escape(value),
            },
            Place::Value(Quote::None) => escape::unquoted(&self.meaning.escape(value)),
            Place::BeforeValue => {
                self.meaning = Meaning::of(&self.name);
                self.place = Place::Value(Quote::None);
                escape::unquoted(&self.meaning.escape(value))
            }
            Place::Value(_) => match (&self.meaning, value) {
                (Meaning::Plain, Value::Html(html)) => html.to_string(),
                (meaning, value) => escape::html(&meaning.escape(value)),
            },
            Place::Open | Place::TagName | Place::Tag | Place::AttributeName | Place::AfterName => {
                let acts = |name: &str| {
                    Meaning::of(name) != Meaning::Plain || matches!(name, "script" | "style")
                };
                let name = escape::name(&format::text(value), acts);
                self.read(&name);
                name
            }
        }
    }
}
