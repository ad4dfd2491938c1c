//! Entity tags of compressed content.
//!
//! A strong tag names bytes, and compressed bytes are others: `"a"` becomes `"a-gzip"`. Who comes
//! back with `"a-gzip"` means `"a"` to the handler, in `If-None-Match` and in `If-Match`. `If-Range`
//! is left alone: ranges are those of the plain bytes.

use http::header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};

use crate::coding::Coding;

/// The tag of the same content in a coding. Weak tags name both.
pub(super) fn mark(headers: &mut HeaderMap, coding: Coding) {
    let tag = headers.get(ETAG).and_then(|tag| strong(tag.to_str().ok()?));
    if let Some(marked) = tag.and_then(|tag| marked(tag, coding)) {
        headers.insert(ETAG, marked);
    }
}

/// The text in the quotes of a strong tag.
fn strong(tag: &str) -> Option<&str> {
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains('"')).then_some(inside)
}

fn marked(inside: &str, coding: Coding) -> Option<HeaderValue> {
    HeaderValue::try_from(format!("\"{inside}-{}\"", coding.name())).ok()
}

/// The conditions of a request as its client has sent them.
#[derive(Debug, Default)]
pub(super) struct Conditions(Vec<(HeaderName, Vec<HeaderValue>)>);

impl Conditions {
    /// Adds to each condition the tags that handlers know, in one line.
    pub(super) fn translate(headers: &mut HeaderMap) -> Self {
        let mut sent = Vec::new();
        for name in [IF_NONE_MATCH, IF_MATCH] {
            let lines: Vec<HeaderValue> = headers.get_all(&name).iter().cloned().collect();
            let known: Vec<String> = lines.iter().flat_map(bare_tags).collect();
            if known.is_empty() {
                continue;
            }
            let known = known.iter().map(String::as_bytes);
            let all: Vec<&[u8]> = lines
                .iter()
                .map(HeaderValue::as_bytes)
                .chain(known)
                .collect();
            if let Ok(all) = HeaderValue::from_bytes(&all.join(&b", "[..])) {
                headers.insert(name.clone(), all);
                sent.push((name, lines));
            }
        }
        Self(sent)
    }

    /// Puts the conditions back as they were.
    pub(super) fn restore(self, headers: &mut HeaderMap) {
        for (name, lines) in self.0 {
            headers.remove(&name);
            for line in lines {
                headers.append(name.clone(), line);
            }
        }
    }

    /// The tag that the client has sent for this one, if it was that of compressed content.
    pub(super) fn sent_for(&self, tag: &str) -> Option<HeaderValue> {
        let inside = strong(tag)?;
        let lines = self.0.iter().filter(|(name, _)| *name == IF_NONE_MATCH);
        let sent: Vec<&str> = lines
            .flat_map(|(_, lines)| lines)
            .filter_map(|line| line.to_str().ok())
            .flat_map(tags)
            .collect();
        let mut marked = Coding::ALL.iter().filter_map(|&one| marked(inside, one));
        marked.find(|marked| {
            sent.iter()
                .any(|sent| sent.trim_start_matches("W/").as_bytes() == marked.as_bytes())
        })
    }
}

/// The tags of plain content that tags of compressed content stand for.
fn bare_tags(line: &HeaderValue) -> Vec<String> {
    let text = line.to_str().unwrap_or_default();
    let bare = |tag: &str| {
        Coding::ALL.iter().find_map(|coding| {
            let start = tag.strip_suffix('"')?.strip_suffix(coding.name())?;
            Some(format!("{}\"", start.strip_suffix('-')?))
        })
    };
    tags(text).filter_map(bare).collect()
}

/// The tags of a list; there may be commas in them.
fn tags(line: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let parts = line.split(move |c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    });
    parts.map(str::trim).filter(|tag| tag.ends_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_compressed_content_stand_for_those_of_plain_content() {
        for (sent, known) in [
            ("\"a-gzip\"", "\"a\""),
            ("\"a\", \"b-br\", W/\"c-gzip\"", "\"b\", W/\"c\""),
            ("\"a,b-gzip\",\"c-br\"", "\"a,b\", \"c\""),
            ("\"-gzip\"", "\"\""),
            ("\"gzip\", \"a-zstd\", *, a-gzip, \"a-gzip", ""),
            ("*", ""),
            ("", ""),
        ] {
            let line = HeaderValue::from_str(sent).unwrap();
            assert_eq!(bare_tags(&line).join(", "), known, "{sent}");
        }
    }

    #[test]
    fn only_strong_tags_are_marked() {
        for (tag, expected) in [
            ("\"a\"", "\"a-br\""),
            ("\"\"", "\"-br\""),
            ("W/\"a\"", "W/\"a\""),
            ("a", "a"),
            ("\"a\"b\"", "\"a\"b\""),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ETAG, tag.parse().unwrap());
            mark(&mut headers, Coding::Brotli);
            assert_eq!(headers[ETAG], expected, "{tag}");
        }
    }
}
