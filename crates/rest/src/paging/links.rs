//! `Link` headers (RFC 8288) to the other pages of a list.

use std::fmt::Write as _;

use http::header::LINK;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::head::Head;
use crate::response::Response;
use crate::syntax::decode;

/// Characters that must be escaped between `<` and `>`; all others stay as the client sent them.
const UNSAFE_IN_LINK: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\');

const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The characters that form encoding escapes; a space becomes a plus afterwards.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// The order and encoding of the query in links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkQuery {
    /// The other parameters as the client sent them, then those of the page.
    AsSent,
    /// The parameters of the page, then the others, form-encoded.
    PageFirst,
}

/// A `Link` header under construction.
#[derive(Debug, Clone)]
pub(super) struct Links {
    path: String,
    /// The parameters of the request that do not select a page.
    other_parameters: String,
    query: LinkQuery,
    text: String,
}

impl Links {
    /// Creates links for the list of a request, whose parameters of these names are replaced.
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
                LinkQuery::AsSent => others.extend(utf8_percent_encode(pair, UNSAFE_IN_LINK)),
                LinkQuery::PageFirst => others.push_str(&form_encoded(pair)),
            }
        }
        Self {
            path: utf8_percent_encode(head.path(), UNSAFE_IN_LINK).to_string(),
            other_parameters: others,
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
            LinkQuery::AsSent => (self.other_parameters.clone(), page.as_str()),
            LinkQuery::PageFirst => (page, self.other_parameters.as_str()),
        };
        if !query.is_empty() && !last.is_empty() {
            query.push('&');
        }
        query.push_str(last);
        let separator = if query.is_empty() { "" } else { "?" };
        let path = &self.path;
        let _ = write!(self.text, "<{path}{separator}{query}>; rel=\"{relation}\"");
    }

    /// Returns the value of the header.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// Decodes a parameter and form-encodes it; one that cannot be decoded stays as it is.
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
        _ => utf8_percent_encode(pair, UNSAFE_IN_LINK).to_string(),
    }
}

/// Creates an empty 200 response with this `Link` header.
pub(super) fn linked(links: String) -> Response {
    Response::ok().header(LINK.as_str(), links)
}
