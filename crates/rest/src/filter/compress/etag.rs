//! Entity tags of compressed content.
//!
//! A strong tag identifies bytes, and compressed bytes are different: `"a"` becomes `"a-gzip"`. For the
//! handler `"a-gzip"` of a client means `"a"`, in `If-None-Match` and in `If-Match`. `If-Range` is left
//! alone: ranges are those of the plain bytes.

use http::header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};

use crate::coding::Coding;

/// Adds the coding to a strong tag. A weak tag identifies the content in every coding.
pub(super) fn add_coding(headers: &mut HeaderMap, coding: Coding) {
    let tag = headers.get(ETAG).and_then(|tag| strong(tag.to_str().ok()?));
    if let Some(tag) = tag.and_then(|tag| with_coding(tag, coding)) {
        headers.insert(ETAG, tag);
    }
}

/// Returns the text in the quotes of a strong tag.
fn strong(tag: &str) -> Option<&str> {
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains('"')).then_some(inside)
}

fn with_coding(inside: &str, coding: Coding) -> Option<HeaderValue> {
    HeaderValue::try_from(format!("\"{inside}-{}\"", coding.name())).ok()
}

/// The conditions of a request as the client sent them.
#[derive(Debug, Default)]
pub(super) struct OriginalConditions(Vec<(HeaderName, Vec<HeaderValue>)>);

impl OriginalConditions {
    /// Adds to each condition the tags of plain content, which handlers know, in one line.
    pub(super) fn translate(headers: &mut HeaderMap) -> Self {
        let mut sent = Vec::new();
        for name in [IF_NONE_MATCH, IF_MATCH] {
            let lines: Vec<HeaderValue> = headers.get_all(&name).iter().cloned().collect();
            let known: Vec<String> = lines.iter().flat_map(plain_tags).collect();
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

    /// Restores the conditions.
    pub(super) fn restore(self, headers: &mut HeaderMap) {
        for (name, lines) in self.0 {
            headers.remove(&name);
            for line in lines {
                headers.append(name.clone(), line);
            }
        }
    }

    /// Returns the tag of compressed content that the client sent for this tag, if it sent one.
    pub(super) fn sent_for(&self, tag: &str) -> Option<HeaderValue> {
        let inside = strong(tag)?;
        let lines = self.0.iter().filter(|(name, _)| *name == IF_NONE_MATCH);
        let sent: Vec<&str> = lines
            .flat_map(|(_, lines)| lines)
            .filter_map(|line| line.to_str().ok())
            .flat_map(tags)
            .collect();
        let mut tags = Coding::ALL
            .iter()
            .filter_map(|&coding| with_coding(inside, coding));
        tags.find(|tag| {
            sent.iter()
                .any(|sent| sent.trim_start_matches("W/").as_bytes() == tag.as_bytes())
        })
    }
}

/// Returns the tags of plain content for the tags of compressed content in a list.
fn plain_tags(line: &HeaderValue) -> Vec<String> {
    let text = line.to_str().unwrap_or_default();
    let bare = |tag: &str| {
        Coding::ALL.iter().find_map(|coding| {
            let start = tag.strip_suffix('"')?.strip_suffix(coding.name())?;
            Some(format!("{}\"", start.strip_suffix('-')?))
        })
    };
    tags(text).filter_map(bare).collect()
}

/// Splits a list of tags, which may contain commas.
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
            assert_eq!(plain_tags(&line).join(", "), known, "{sent}");
        }
    }

    #[test]
    fn only_strong_tags_get_the_coding() {
        for (tag, expected) in [
            ("\"a\"", "\"a-br\""),
            ("\"\"", "\"-br\""),
            ("W/\"a\"", "W/\"a\""),
            ("a", "a"),
            ("\"a\"b\"", "\"a\"b\""),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ETAG, tag.parse().unwrap());
            add_coding(&mut headers, Coding::Brotli);
            assert_eq!(headers[ETAG], expected, "{tag}");
        }
    }
}
