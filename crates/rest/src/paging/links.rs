//! `Link` headers (RFC 8288): where the other pages of a list are.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use super::LinkQuery;
use crate::head::Head;
use crate::source::{decode, pairs};

/// What may not stand between `<` and `>`; everything else stays as the client has sent it.
const SENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\');

const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Everything but what the form encoding leaves as it is; a space becomes a plus afterwards.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// The list that was asked for: its path, and the parameters that have nothing to do with pages.
#[derive(Debug, Clone)]
pub(super) struct Links {
    path: String,
    others: String,
    query: LinkQuery,
    text: String,
}

impl Links {
    /// Links from a request, whose parameters of these names are replaced.
    pub(super) fn of(head: &Head, query: LinkQuery, replaced: &[&str]) -> Self {
        let mut others = String::new();
        for pair in head.query().unwrap_or_default().split('&') {
            let key = pair.split('=').next().unwrap_or_default();
            let key = decode::query(key);
            let is_replaced = key.is_ok_and(|key| replaced.contains(&key.as_ref()));
            if pair.is_empty() || is_replaced {
                continue;
            }
            if !others.is_empty() {
                others.push('&');
            }
            match query {
                LinkQuery::AsSent => others.extend(utf8_percent_encode(pair, SENT)),
                LinkQuery::PageFirst => others.push_str(&form_encoded(pair)),
            }
        }
        Self {
            path: utf8_percent_encode(head.path(), SENT).to_string(),
            others,
            query,
            text: String::new(),
        }
    }

    /// Adds a link to the same list with these parameters.
    pub(super) fn add(&mut self, relation: &str, parameters: &[(&str, &str)]) {
        if !self.text.is_empty() {
            self.text.push_str(", ");
        }
        let mut page = String::new();
        for (name, value) in parameters {
            if !page.is_empty() {
                page.push('&');
            }
            page.extend(utf8_percent_encode(name, VALUE));
            page.push('=');
            page.extend(utf8_percent_encode(value, VALUE));
        }
        let (mut query, last) = match self.query {
            LinkQuery::AsSent => (self.others.clone(), page.as_str()),
            LinkQuery::PageFirst => (page, self.others.as_str()),
        };
        if !query.is_empty() && !last.is_empty() {
            query.push('&');
        }
        query.push_str(last);
        let separator = if query.is_empty() { "" } else { "?" };
        let path = &self.path;
        let _ = write!(self.text, "<{path}{separator}{query}>; rel=\"{relation}\"");
    }

    /// The value of the header.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// A parameter, decoded and encoded anew; one that cannot be decoded stays as it is.
fn form_encoded(pair: &str) -> String {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    match (decode::query(name), decode::query(value)) {
        (Ok(name), Ok(value)) => {
            let encode = |text| {
                utf8_percent_encode(text, FORM)
                    .to_string()
                    .replace("%20", "+")
            };
            format!("{}={}", encode(&name), encode(&value))
        }
        _ => utf8_percent_encode(pair, SENT).to_string(),
    }
}

/// The only parameter of a name in a query, decoded; none if there is none. The error says what is
/// wrong with it.
pub(super) fn parameter(head: &Head, name: &str) -> Result<Option<String>, &'static str> {
    let mut found = None;
    for (key, value) in pairs(head.query().unwrap_or_default()) {
        if !decode::query(key).is_ok_and(|key| key == name) {
            continue;
        }
        let value = decode::query(value).map_err(decode::Malformed::as_str)?;
        if found.replace(value.into_owned()).is_some() {
            return Err("expected one value");
        }
    }
    Ok(found)
}
