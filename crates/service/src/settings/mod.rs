//! Settings: a table that describes them, and a reader that finds and checks them and reports all errors
//! together.
//!
//! ```
//! use innkeeper_service::settings::{Kind, Reader, Section, Setting};
//!
//! const TABLE: &[Section] = &[Section {
//!     title: "Listening",
//!     settings: &[
//!         Setting::new("PORT", Kind::Port, "The port to listen on.").default(&["8080"]).bare(),
//!         Setting::new("SITE_URL", Kind::Url, "The address of the site.").required("always"),
//!     ],
//! }];
//!
//! let mut reader = Reader::new(TABLE, &["INN_"])
//!     .with_environment([("INN_PORT".to_owned(), "eighty".to_owned())]);
//! let port: u16 = reader.get("PORT");
//! let site = reader.required::<url::Url>("SITE_URL");
//!
//! assert_eq!((port, site), (8080, None));
//! let faults = reader.finish().unwrap_err();
//! assert_eq!(
//!     faults.to_string(),
//!     "INN_PORT: expected a port number, found `eighty`\nINN_SITE_URL: is required"
//! );
//! ```

mod env_file;
mod faults;
mod markdown;
mod names;
mod reader;
mod sources;
#[cfg(test)]
mod tests;
mod value;

pub use env_file::{EnvFile, LineFault};
pub use faults::{Fault, Faults};
pub use markdown::markdown;
pub use reader::Reader;
pub use value::Value;

/// A group of settings.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// The heading of the group.
    pub title: &'static str,
    /// The settings.
    pub settings: &'static [Setting],
}

/// Whether a setting has an effect, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// It has an effect.
    Supported,
    /// It has an effect and will be removed in a later version.
    Deprecated,
    /// It is read and checked, but nothing uses it yet.
    NotYet,
}

/// The description of a setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The name without prefix. A part in angle brackets stands for any word, or for one of `words`.
    pub name: &'static str,
    /// The words that the part in angle brackets may be; empty means any word.
    pub words: &'static [&'static str],
    /// The kind of its value.
    pub kind: Kind,
    /// The default in each column of defaults. The last one also applies to the columns after it.
    pub defaults: &'static [&'static str],
    /// Other names, without prefix.
    pub aliases: &'static [&'static str],
    /// Whether `name` is also read without prefix.
    pub bare: bool,
    /// Whether its value must not be shown.
    pub secret: bool,
    /// Whether it has an effect, and for how long.
    pub support: Support,
    /// When it must be set; empty means never.
    pub required: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

impl Setting {
    /// Describes a setting without a default.
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self {
            name,
            words: &[],
            kind,
            defaults: &[],
            aliases: &[],
            bare: false,
            secret: false,
            support: Support::Supported,
            required: "",
            doc,
        }
    }

    /// Lists the words that the part in angle brackets may be.
    #[must_use]
    pub const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    /// Sets the default of each column.
    #[must_use]
    pub const fn default(mut self, defaults: &'static [&'static str]) -> Self {
        self.defaults = defaults;
        self
    }

    /// Adds other names.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Also reads the name without prefix.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Keeps its value out of every message.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Marks the setting as deprecated.
    #[must_use]
    pub const fn deprecated(mut self) -> Self {
        self.support = Support::Deprecated;
        self
    }

    /// Marks a setting of a feature that is not built: nothing uses it yet.
    #[must_use]
    pub const fn not_yet(mut self) -> Self {
        self.support = Support::NotYet;
        self
    }

    /// Sets when the setting is required.
    #[must_use]
    pub const fn required(mut self, when: &'static str) -> Self {
        self.required = when;
        self
    }

    /// Returns the default in a column; empty if there is none.
    pub fn default_in(&self, column: usize) -> &'static str {
        let default = self.defaults.get(column).or(self.defaults.last());
        default.copied().unwrap_or_default()
    }
}

/// The kind of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// True or false.
    Boolean,
    /// A whole number from 0.
    Integer,
    /// A number from 0, possibly with a fraction.
    Number,
    /// A port number.
    Port,
    /// An absolute URL.
    Url,
    /// A path on this machine.
    Path,
    /// The name of an HTTP header.
    Header,
    /// A comma-separated list.
    List,
    /// Comma-separated pairs `key:value`.
    Map,
    /// JSON text.
    Json,
    /// A whole number of seconds.
    Seconds,
    /// A duration such as `1h30m`.
    Duration,
    /// Seconds, or a duration with units.
    SecondsOrDuration,
    /// `N` in each hour, or `N/DURATION`.
    Rate,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Another kind, described by this text.
    Other(&'static str),
}

impl Kind {
    /// Describes a value of this kind, to end the sentence "expected …".
    pub fn expects(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Integer => "a whole number from 0".to_owned(),
            Self::Number => "a number from 0".to_owned(),
            Self::Port => "a port number".to_owned(),
            Self::Url => "an absolute URL".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Header => "the name of a header".to_owned(),
            Self::List => "a list with commas".to_owned(),
            Self::Map => "pairs `key:value` with commas".to_owned(),
            Self::Json => "JSON".to_owned(),
            Self::Seconds => "a whole number of seconds".to_owned(),
            Self::Duration => "a duration such as `90s` or `1h30m`".to_owned(),
            Self::SecondsOrDuration => "seconds, or a duration such as `1h30m`".to_owned(),
            Self::Rate => "a number, or `number/duration`".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Other(text) => text.to_owned(),
        }
    }
}
