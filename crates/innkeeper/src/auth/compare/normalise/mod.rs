//! Replaces what differs from run to run by what it is: ids, times, tokens, codes and addresses.
//!
//! A value that an earlier case captured becomes its variable, and one that occurs twice in an answer refers to
//! its first place, so that two answers are equal only if the same values are equal in both.

mod address;
mod jwt;
mod time;

use std::collections::BTreeMap;

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::headers;
use super::variables::Variables;

/// Members and parameters with random values that have no form of their own.
const SECRETS: [&str; 10] = [
    "email_otp",
    "hashed_token",
    "ip_address",
    "message_id",
    "provider_token",
    "qr_code",
    "refresh_token",
    "secret",
    "token",
    "token_hash",
];

/// Random values in the query of an address; elsewhere these names have other meanings.
const QUERY_SECRETS: [&str; 2] = ["code", "state"];

/// Normalises one answer.
#[derive(Debug)]
pub(super) struct Normaliser<'a> {
    variables: &'a Variables,
    now: Timestamp,
    /// Random values and the places where they occurred first.
    seen: BTreeMap<String, String>,
}

impl<'a> Normaliser<'a> {
    pub(super) fn new(variables: &'a Variables, now: Timestamp) -> Self {
        Self {
            variables,
            now,
            seen: BTreeMap::new(),
        }
    }

    /// Returns `status`, `header` and, unless the body is empty, `body` for JSON or `text`.
    pub(super) fn answer(mut self, status: u16, headers: &HeaderMap, body: &[u8]) -> Value {
        let mut answer = Map::new();
        answer.insert("status".to_owned(), json!(status));
        if body.is_empty() {
            // A body that is not there has no member.
        } else if (300..400).contains(&status) {
            // For people whose browsers do not follow.
            answer.insert("text".to_owned(), json!("<page>"));
        } else if let Ok(json) = serde_json::from_slice::<Value>(body) {
            answer.insert("body".to_owned(), self.value("body", "", json));
        } else {
            let text = String::from_utf8_lossy(body);
            answer.insert("text".to_owned(), self.text("text", "", &text));
        }
        let mut compared = Map::new();
        for (name, value) in headers::compared(headers) {
            let place = format!("header.{name}");
            let value = match name.as_str() {
                "retry-after" => json!("<seconds>"),
                "sb-auth-refresh-token-prefix" => json!("<token>"),
                _ => self.text(&place, "", &value),
            };
            compared.insert(name, value);
        }
        answer.insert("header".to_owned(), Value::Object(compared));
        Value::Object(answer)
    }

    /// Normalises a value with this name.
    fn value(&mut self, place: &str, name: &str, value: Value) -> Value {
        match value {
            Value::String(text) => self.text(place, name, &text),
            Value::Array(values) => {
                let values = values.into_iter().enumerate();
                values
                    .map(|(index, value)| self.value(&format!("{place}.{index}"), name, value))
                    .collect()
            }
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, value)| {
                    let value = self.value(&format!("{place}.{name}"), &name, value);
                    (self.variables.hide(&name), value)
                });
                Value::Object(members.collect())
            }
            Value::Number(number) => match time::unix(number.as_i64(), self.now) {
                Some(time) => json!(format!("<number: {time}>")),
                None => Value::Number(number),
            },
            other => other,
        }
    }

    fn text(&mut self, place: &str, name: &str, text: &str) -> Value {
        if text.is_empty() {
            return json!("");
        }
        // Before its name is looked up: two tokens of the same second may be equal, or not.
        if let Some((header, claims)) = jwt::decoded(text) {
            return json!({
                "header": self.value(&format!("{place}.header"), "", header),
                "claims": self.value(&format!("{place}.claims"), "", claims),
            });
        }
        if let Some(variable) = self.variables.name_of(text) {
            return json!(format!("${{{variable}}}"));
        }
        let seconds = text.parse().ok();
        if let Some(time) = time::rfc3339(text, self.now).or(time::unix(seconds, self.now)) {
            return json!(format!("<{time}>"));
        }
        let is_in_query = place.ends_with(&format!("query.{name}"));
        if SECRETS.contains(&name) || (is_in_query && QUERY_SECRETS.contains(&name)) {
            return json!(self.random("token", place, text));
        }
        if is_hash(name, text) {
            return json!("<hash>");
        }
        match address::parts(text) {
            Some(parts) => self.address(place, parts),
            None => json!(time::without_wait(&self.plain(place, text))),
        }
    }

    fn address(&mut self, place: &str, parts: address::Parts) -> Value {
        let mut normal = Map::new();
        let address = self.plain(place, &parts.address);
        normal.insert("address".to_owned(), json!(address));
        for (part, parameters) in [("query", parts.query), ("fragment", parts.fragment)] {
            if let Some(parameters) = parameters {
                let place = format!("{place}.{part}");
                normal.insert(part.to_owned(), self.value(&place, part, parameters));
            }
        }
        Value::Object(normal)
    }

    /// Replaces what is known and ids inside a text.
    fn plain(&mut self, place: &str, text: &str) -> String {
        let hidden = self.variables.hide(text);
        let mut normal = String::new();
        let mut rest = hidden.as_str();
        while let Some(letter) = rest.chars().next() {
            let id = rest.get(..36).filter(|id| is_hyphenated_uuid(id));
            if let Some(id) = id {
                normal.push_str(&self.random("uuid", place, id));
                rest = rest.get(36..).unwrap_or_default();
            } else {
                normal.push(letter);
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            }
        }
        normal
    }

    /// Describes a random value, by its first place if it has occurred before.
    fn random(&mut self, kind: &str, place: &str, value: &str) -> String {
        match self.seen_at(place, value) {
            Some(first) => format!("<{kind} as {first}>"),
            None => format!("<{kind}>"),
        }
    }

    /// Returns the place where a value occurred first, or remembers this one.
    fn seen_at(&mut self, place: &str, value: &str) -> Option<String> {
        if let Some(first) = self.seen.get(value) {
            return Some(first.clone());
        }
        self.seen.insert(value.to_owned(), place.to_owned());
        None
    }
}

/// Whether a text is a SHA-256 in base64url, or the part of one that stands for the phone number of a deleted
/// user.
fn is_hash(name: &str, text: &str) -> bool {
    let is_base64url = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let is_phone = matches!(name, "phone" | "new_phone") && text.contains(char::is_alphabetic);
    (text.len() == 43 || (text.len() == 15 && is_phone)) && text.chars().all(is_base64url)
}

fn is_hyphenated_uuid(text: &str) -> bool {
    text.as_bytes().get(8) == Some(&b'-') && Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests;
