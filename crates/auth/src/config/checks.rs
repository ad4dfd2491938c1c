//! Checks that several sections share. Where the profiles differ, std refuses to start and gotrue logs a
//! warning and starts.

use std::fmt::Display;
use std::ops::RangeInclusive;

use http::HeaderName;
use innkeeper_service::settings::{Reader, Value};
use jiff::SignedDuration;

use super::Profile;

/// Reports a problem that affects only a part of the server: a fault in std, a warning in gotrue.
pub(super) fn report(reader: &mut Reader, profile: Profile, name: &str, problem: &str) {
    match profile {
        Profile::Std => reader.fault(name, problem),
        Profile::Gotrue => reader.warn(name, problem),
    }
}

/// Reports a setting that is required and not set.
pub(super) fn require(reader: &mut Reader, profile: Profile, name: &str, when: &str) {
    if !reader.is_set(name) {
        report(reader, profile, name, &format!("is required {when}"));
    }
}

/// Reads a setting of a feature that is not built yet. A wrong value counts as not set.
pub(super) fn not_used_yet<T: Value>(reader: &mut Reader, name: &str) -> Option<T> {
    let value = reader.parsed(name, |text, setting| Ok(T::parse(text, setting.kind)));
    value.flatten().or_else(|| reader.default_of(name))
}

/// Reads a value within bounds; in gotrue the default replaces a value outside of them.
pub(super) fn within<T>(
    reader: &mut Reader,
    profile: Profile,
    name: &str,
    bounds: RangeInclusive<T>,
) -> T
where
    T: Value + Default + PartialOrd + Display,
{
    within_or(reader, profile, name, bounds, "")
}

/// Does the same, and says in std what else can be done.
pub(super) fn within_or<T>(
    reader: &mut Reader,
    profile: Profile,
    name: &str,
    bounds: RangeInclusive<T>,
    advice: &str,
) -> T
where
    T: Value + Default + PartialOrd + Display,
{
    let value = reader.get(name);
    if bounds.contains(&value) {
        return value;
    }
    let mut problem = format!("must be from {} to {}", bounds.start(), bounds.end());
    if profile == Profile::Std {
        problem.push_str(advice);
    }
    fall_back(reader, profile, name, &problem)
}

/// Reads a duration that is not zero; in gotrue zero means the default.
pub(super) fn positive(reader: &mut Reader, profile: Profile, name: &str) -> SignedDuration {
    let value: SignedDuration = reader.get(name);
    if value.is_positive() {
        return value;
    }
    fall_back(reader, profile, name, "must not be zero")
}

/// Reports a problem and returns the default.
fn fall_back<T>(reader: &mut Reader, profile: Profile, name: &str, problem: &str) -> T
where
    T: Value + Default,
{
    match profile {
        Profile::Std => reader.fault(name, problem),
        Profile::Gotrue => {
            let default = reader.default_text(name);
            reader.warn(name, &format!("{problem}; {default} is used instead"));
        }
    }
    reader.default_of(name).unwrap_or_default()
}

/// Reads a duration for which zero means none.
pub(super) fn none_if_zero(reader: &mut Reader, name: &str) -> Option<SignedDuration> {
    let value: Option<SignedDuration> = reader.optional(name);
    value.filter(|duration| !duration.is_zero())
}

/// Reads an optional duration that must not be zero.
pub(super) fn positive_if_set(reader: &mut Reader, name: &str) -> Option<SignedDuration> {
    let value: Option<SignedDuration> = reader.optional(name);
    if value.is_some_and(|duration| duration.is_zero()) {
        reader.fault(name, "must not be zero");
    }
    value
}

/// Reads the name of a header.
pub(super) fn header(reader: &mut Reader, name: &str) -> Option<HeaderName> {
    reader.parsed(name, |text, setting| {
        text.trim()
            .parse()
            .map_err(|_| format!("expected {}", setting.kind.expects()))
    })
}

/// Reads text that becomes part of a header.
pub(super) fn one_line(reader: &mut Reader, name: &str) -> String {
    let text: String = reader.get(name);
    if text.contains(|letter: char| letter.is_control()) {
        reader.fault(name, "must not contain line breaks or control characters");
    }
    text
}
