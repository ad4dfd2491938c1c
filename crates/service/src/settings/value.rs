//! Parses the text of a setting.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::SignedDuration;
use url::Url;

use super::Kind;
use crate::duration;
use crate::secret::Secret;

/// A type that a setting can have.
pub trait Value: Sized {
    /// Parses the text; `None` if it is not a value of this kind.
    fn parse(text: &str, kind: Kind) -> Option<Self>;
}

impl Value for String {
    fn parse(text: &str, kind: Kind) -> Option<Self> {
        match kind {
            Kind::OneOf(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text.trim()))
                .map(|word| (*word).to_owned()),
            _ => Some(text.to_owned()),
        }
    }
}

impl Value for bool {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        match text.trim() {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
            _ => None,
        }
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl Value for $number {
            fn parse(text: &str, _: Kind) -> Option<Self> {
                text.trim().parse().ok()
            }
        }
    )*};
}

whole_numbers!(u16 u32 u64 usize);

impl Value for f64 {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        let number: Self = text.trim().parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some(number)
    }
}

impl Value for PathBuf {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        Some(Self::from(text))
    }
}

impl Value for Url {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        Self::parse(text.trim()).ok()
    }
}

impl Value for Vec<String> {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        let parts = text.split(',').map(str::trim);
        Some(
            parts
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }
}

impl Value for BTreeMap<String, String> {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        let pairs = text.split(',').map(str::trim);
        pairs
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (key, value) = pair.split_once(':')?;
                Some((key.trim().to_owned(), value.trim().to_owned()))
            })
            .collect()
    }
}

impl Value for SignedDuration {
    fn parse(text: &str, kind: Kind) -> Option<Self> {
        let text = text.trim();
        let parsed = match kind {
            Kind::Seconds => duration::parse_seconds(text),
            Kind::SecondsOrDuration => duration::parse_seconds_or_go(text),
            _ => duration::parse_go(text),
        };
        // No setting is a negative duration.
        parsed.ok().filter(|duration| !duration.is_negative())
    }
}

impl<T: Value> Value for Secret<T> {
    fn parse(text: &str, kind: Kind) -> Option<Self> {
        T::parse(text, kind).map(Self::new)
    }
}
