//! Content negotiation: the formats of a route against the `Accept` header.

use http::header::{ACCEPT, HeaderValue};

use super::Formats;
use super::write::Output;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::route::{ReplyKind, Route};
use crate::syntax::{is_token, parts, thousandths};

/// The media types that a route can send, best first. Computed when the route is mounted.
#[derive(Debug)]
pub(crate) struct Offers {
    types: Vec<(String, Output)>,
    first: Output,
    /// Whether only the response of the handler tells what it sends.
    open: bool,
}

impl Offers {
    /// Computes the offers of a route; an error names a media type that no format writes.
    pub(crate) fn new(route: &Route, formats: &Formats) -> Result<Self, String> {
        let kind = (route.returns.kind)();
        let mut all = vec![("application/json".to_owned(), Output::JSON)];
        for (index, known) in formats.custom.iter().enumerate() {
            all.push((known.media_type.to_owned(), Output::custom(index)));
        }
        let text = ("text/plain".to_owned(), Output::TEXT);
        match kind {
            ReplyKind::Empty | ReplyKind::Error => all.clear(),
            ReplyKind::Text => all.insert(0, text),
            // The content is already written, so the output is not used.
            ReplyKind::Octets => all = vec![("application/octet-stream".to_owned(), Output::JSON)],
            ReplyKind::Events => all = vec![("text/event-stream".to_owned(), Output::JSON)],
            ReplyKind::Entity | ReplyKind::Any => {
                if route.produces.contains(&"text/plain") {
                    all.push(text);
                }
            }
        }
        if !route.produces.is_empty() {
            all = chosen(route, kind, &all)?;
        }
        let several = all.len() > 1;
        for (_, output) in &mut all {
            output.vary = several;
        }
        let first = all.first().map_or(Output::JSON, |(_, output)| *output);
        Ok(Self {
            types: all,
            first,
            open: kind == ReplyKind::Any && route.produces.is_empty(),
        })
    }

    /// Returns the media types, best first.
    #[cfg(feature = "openapi")]
    pub(crate) fn media_types(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(|(media_type, _)| media_type.as_str())
    }

    /// Returns the format for this client, or 406.
    ///
    /// A handler that may send anything is called in any case. If the client accepts no format, an entity
    /// of its response is refused later, unless the request may have changed something by then.
    pub(crate) fn negotiate(&self, head: &Head) -> Result<Output, Rejection> {
        // Most requests accept anything.
        if self.types.is_empty() || head.header_values(&ACCEPT).all(|ranges| ranges == b"*/*") {
            return Ok(self.first);
        }
        match self.weigh(head) {
            Some(output) => Ok(output),
            None if self.open => Ok(self.first.refused_if(head.method().is_safe())),
            None => {
                let offered: Vec<&str> = self.types.iter().map(|(name, _)| &**name).collect();
                Err(Rejection::not_acceptable(&offered.join(", ")))
            }
        }
    }

    fn weigh(&self, head: &Head) -> Option<Output> {
        let ranges = joined(head.headers().get_all(ACCEPT).iter());
        let mut best: Option<(u16, Output)> = None;
        for (media_type, output) in &self.types {
            let weight = quality(&ranges, media_type);
            if weight > best.map_or(0, |(weight, _)| weight) {
                best = Some((weight, *output));
            }
        }
        best.map(|(_, output)| output)
    }
}

/// Returns the offers that `#[produces]` names, in its order.
fn chosen(
    route: &Route,
    kind: ReplyKind,
    all: &[(String, Output)],
) -> Result<Vec<(String, Output)>, String> {
    let find = |media_type: &str| {
        let media_type = bare(media_type);
        all.iter().find(|(known, _)| known == media_type).cloned()
    };
    route
        .produces
        .iter()
        .map(|media_type| match find(media_type) {
            Some(offer) => Ok(offer),
            // The handler writes this media type itself.
            None if matches!(kind, ReplyKind::Any | ReplyKind::Octets) => {
                Ok((bare(media_type).to_owned(), Output::JSON))
            }
            None => Err(format!(
                "{}::{} (at {}) produces `{media_type}`, which no registered format writes",
                route.resource, route.operation, route.declared_at
            )),
        })
        .collect()
}

/// Removes the parameters of a media type.
pub(super) fn bare(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim_end()
}

fn joined<'h>(values: impl Iterator<Item = &'h HeaderValue>) -> String {
    let mut all = String::new();
    for value in values {
        if !all.is_empty() {
            all.push(',');
        }
        // A value that is not text cannot be parsed, and so counts as `*/*`.
        all.push_str(value.to_str().unwrap_or("*/*"));
    }
    all
}

/// Returns the quality of a media type in an `Accept` header, in thousandths: 0 is not acceptable,
/// 1000 is best.
///
/// The most specific range decides. A header that cannot be parsed counts as `*/*`.
///
/// ```
/// # use innkeeper_rest::quality;
/// assert_eq!(quality("text/*;q=0.5, */*;q=0.1", "text/plain"), 500);
/// assert_eq!(quality("text/html, text/plain;q=0", "text/plain"), 0);
/// assert_eq!(quality("nonsense", "text/plain"), 1000);
/// ```
pub fn quality(accept: &str, media_type: &str) -> u16 {
    let (main, sub) = media_type.split_once('/').unwrap_or((media_type, ""));
    let mut best: Option<(u8, u16)> = None;
    let mut empty = true;
    for range in parts(accept, ',') {
        empty = false;
        let Some((range_main, range_sub, weight)) = parse(range) else {
            return 1000;
        };
        let specific = match (range_main, range_sub) {
            ("*", "*") => 1,
            (a, "*") if a.eq_ignore_ascii_case(main) => 2,
            (a, b) if a.eq_ignore_ascii_case(main) && b.eq_ignore_ascii_case(sub) => 3,
            _ => continue,
        };
        if best.is_none_or(|(known, earlier)| {
            specific > known || (specific == known && weight > earlier)
        }) {
            best = Some((specific, weight));
        }
    }
    // An empty header accepts anything.
    if empty {
        1000
    } else {
        best.map_or(0, |(_, weight)| weight)
    }
}

/// Parses a media range and its weight.
fn parse(range: &str) -> Option<(&str, &str, u16)> {
    let mut parts = parts(range, ';');
    let (main, sub) = parts.next()?.split_once('/')?;
    if !is_token(main) || !is_token(sub) || (main == "*" && sub != "*") {
        return None;
    }
    let mut weight = 1000;
    for parameter in parts {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if name.trim().eq_ignore_ascii_case("q") {
            weight = thousandths(value.trim())?;
        }
    }
    Some((main, sub, weight))
}

#[cfg(test)]
mod tests {
    use super::quality;

    #[test]
    fn the_most_specific_range_decides_and_of_equal_ones_the_best() {
        for (accept, expected) in [
            ("text/plain;q=0.2, text/plain;q=0.8", 800),
            ("text/plain;q=0.8, text/plain;q=0.2", 800),
            ("text/*;q=0.8, text/plain;q=0.2", 200),
            ("text/plain;q=0.2, text/*;q=0.8", 200),
            ("text/*;q=0.3, */*;q=0.9", 300),
            ("*/*;q=0.9, text/*;q=0.3", 300),
            ("TEXT/Plain;Q=0.7", 700),
            ("text/plain;level=1;q=0.6", 600),
            ("text/plain;qq=0.1", 1000),
            ("text/html, image/*", 0),
            ("", 1000),
        ] {
            assert_eq!(quality(accept, "text/plain"), expected, "{accept}");
        }
    }

    #[test]
    fn separators_within_quotes_do_not_end_a_range() {
        let escaped = r#"text/html;t="a\",b", text/plain;q=0.5"#;
        assert_eq!(quality(escaped, "text/plain"), 500);
    }
}
