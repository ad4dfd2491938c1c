//! Turns bare URLs and email addresses into links, by GitHub's rules.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

/// Writes a text, with a link for each address in it.
pub(super) fn push<'s>(text: CowStr<'s>, out: &mut Vec<Event<'s>>) {
    let links = find(&text);
    if links.is_empty() {
        out.push(Event::Text(text));
        return;
    }
    let mut done = 0;
    for (range, target) in links {
        let before = text.get(done..range.start).unwrap_or_default();
        if !before.is_empty() {
            out.push(Event::Text(before.to_owned().into()));
        }
        out.push(Event::Start(Tag::Link {
            link_type: LinkType::Autolink,
            dest_url: target.into(),
            title: "".into(),
            id: "".into(),
        }));
        let shown = text.get(range.clone()).unwrap_or_default();
        out.push(Event::Text(shown.to_owned().into()));
        out.push(Event::End(TagEnd::Link));
        done = range.end;
    }
    let rest = text.get(done..).unwrap_or_default();
    if !rest.is_empty() {
        out.push(Event::Text(rest.to_owned().into()));
    }
}

/// Finds the addresses in a text and their link targets.
fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let mut links: Vec<(Range<usize>, String)> = Vec::new();
    if !text.contains([':', '@']) && !text.contains("ww.") {
        return links;
    }
    let mut before = None;
    let mut done = 0;
    for (offset, letter) in text.char_indices() {
        let starts =
            before.is_none_or(|before: char| before.is_whitespace() || "*_~(".contains(before));
        before = Some(letter);
        if offset < done {
            continue;
        }
        let found = match letter {
            'h' | 'H' | 'w' | 'W' if starts => url_at(text, offset),
            '@' => email_around(text, offset, done),
            _ => None,
        };
        if let Some((range, target)) = found {
            done = range.end;
            links.push((range, target));
        }
    }
    links
}

fn url_at(text: &str, start: usize) -> Option<(Range<usize>, String)> {
    let rest = text.get(start..)?;
    let starts_with = |prefix: &str| {
        rest.get(..prefix.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    let (host_at, scheme) = match () {
        () if starts_with("https://") => (8, ""),
        () if starts_with("http://") => (7, ""),
        () if starts_with("www.") => (0, "http://"),
        () => return None,
    };
    let end = rest
        .find(|letter: char| letter.is_whitespace() || letter == '<')
        .unwrap_or(rest.len());
    let address = trimmed(rest.get(..end)?);
    let host = address.get(host_at..)?;
    let host = host.split(['/', '?', '#', ':']).next()?;
    if !is_host(host) || (host_at == 0 && host.matches('.').count() < 2) {
        return None;
    }
    Some((start..start + address.len(), format!("{scheme}{address}")))
}

/// Removes the punctuation that ends the sentence rather than the address.
fn trimmed(mut address: &str) -> &str {
    loop {
        let shorter =
            address.trim_end_matches(['?', '!', '.', ',', ':', ';', '*', '_', '~', '\'', '"']);
        let open = shorter.matches('(').count();
        let close = shorter.matches(')').count();
        let shorter = match shorter.strip_suffix(')') {
            Some(rest) if close > open => rest,
            _ => shorter,
        };
        if shorter.len() == address.len() {
            return address;
        }
        address = shorter;
    }
}

fn is_host(host: &str) -> bool {
    let parts: Vec<&str> = host.split('.').collect();
    let allowed = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let fine = |part: &&str| !part.is_empty() && part.chars().all(allowed);
    parts.iter().all(fine) && !parts.iter().rev().take(2).any(|part| part.contains('_'))
}

fn email_around(text: &str, at: usize, from: usize) -> Option<(Range<usize>, String)> {
    let local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-".contains(byte);
    let domain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let before = text.as_bytes().get(from..at)?;
    let start = at - before.iter().rev().take_while(|byte| local(byte)).count();
    let after = text.as_bytes().get(at + 1..)?;
    let length = after.iter().take_while(|byte| domain(byte)).count();
    let host = text.get(at + 1..at + 1 + length)?.trim_end_matches('.');
    if start == at || !host.contains('.') || !is_host(host) || host.ends_with('-') {
        return None;
    }
    let end = at + 1 + host.len();
    let address = text.get(start..end)?;
    Some((start..end, format!("mailto:{address}")))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn addresses_are_found_as_on_github() {
        for (text, expected) in [
            (
                "see https://example.com/a_b.",
                vec![("https://example.com/a_b", "https://example.com/a_b")],
            ),
            (
                "(https://example.com/a(b))",
                vec![("https://example.com/a(b)", "https://example.com/a(b)")],
            ),
            (
                "www.example.com, yes",
                vec![("www.example.com", "http://www.example.com")],
            ),
            (
                "http://localhost:8080/x?",
                vec![("http://localhost:8080/x", "http://localhost:8080/x")],
            ),
            (
                "write to ada@example.com.",
                vec![("ada@example.com", "mailto:ada@example.com")],
            ),
            (
                "a@b.c and https://d.e",
                vec![("a@b.c", "mailto:a@b.c"), ("https://d.e", "https://d.e")],
            ),
            ("xhttps://example.com", vec![]),
            ("www.example", vec![]),
            ("https:// and http://", vec![]),
            ("@home a@b a@b_c.d_", vec![]),
            ("javascript:alert(1)", vec![]),
            ("https://a..b", vec![]),
        ] {
            let found = find(text);
            let found: Vec<_> = found
                .iter()
                .map(|(range, target)| (&text[range.clone()], target.as_str()))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
