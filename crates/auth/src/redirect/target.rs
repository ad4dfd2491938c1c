//! Puts parameters into an address that a browser is sent to.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Url, form_urlencoded};

/// What may not stand in a header or would be read differently by browsers.
const UNSAFE: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The address as a `Location` header may hold it: visible ASCII only.
///
/// ```
/// use innkeeper_auth::redirect::location;
///
/// assert_eq!(location("https://inn.example/a b"), "https://inn.example/a%20b");
/// ```
pub fn location(url: &str) -> String {
    if !url.is_ascii()
        && let Ok(parsed) = Url::parse(url)
    {
        // A host of another script needs more than percent signs.
        return utf8_percent_encode(parsed.as_str(), &UNSAFE).to_string();
    }
    utf8_percent_encode(url, &UNSAFE).to_string()
}

/// Sets the fragment to these pairs, ordered by key, with the empty marker `sb` that clients know
/// our redirects by. A fragment that is there already gives way.
///
/// ```
/// use innkeeper_auth::redirect::with_fragment;
///
/// assert_eq!(
///     with_fragment("https://inn.example/in", &[("type", "signup"), ("message", "Well done")]),
///     "https://inn.example/in#message=Well+done&sb=&type=signup"
/// );
/// ```
pub fn with_fragment(url: &str, pairs: &[(&str, &str)]) -> String {
    let mut pairs = pairs.to_vec();
    pairs.push(("sb", ""));
    pairs.sort_unstable();
    let url = location(url);
    let (base, _) = url.split_once('#').unwrap_or((&url, ""));
    format!("{base}#{}", encode(&pairs))
}

/// Merges these pairs into the query: they replace pairs of the same name, all others stay.
///
/// ```
/// use innkeeper_auth::redirect::with_query;
///
/// assert_eq!(
///     with_query("https://inn.example/?code=old&room=7#top", &[("code", "new")]),
///     "https://inn.example/?room=7&code=new#top"
/// );
/// ```
pub fn with_query(url: &str, pairs: &[(&str, &str)]) -> String {
    let url = location(url);
    let (rest, fragment) = match url.split_once('#') {
        Some((rest, fragment)) => (rest, format!("#{fragment}")),
        None => (url.as_str(), String::new()),
    };
    let (base, query) = rest.split_once('?').unwrap_or((rest, ""));
    let added = encode(pairs);
    let mut query: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_named(pair, pairs))
        .collect();
    query.push(&added);
    format!("{base}?{}{fragment}", query.join("&"))
}

/// Whether an encoded pair has the name of one of these.
fn is_named(pair: &str, pairs: &[(&str, &str)]) -> bool {
    form_urlencoded::parse(pair.as_bytes())
        .any(|(name, _)| pairs.iter().any(|(other, _)| name == *other))
}

fn encode(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}
