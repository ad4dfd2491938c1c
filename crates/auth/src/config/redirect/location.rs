//! The address of a redirect: its encoding, and parameters in its fragment and query.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Url, form_urlencoded};

/// Characters that are not allowed in a header or that browsers read differently.
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

/// Encodes an address for a `Location` header: visible ASCII only.
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
        // A host in another script needs Punycode, which the parser applies, not percent-encoding.
        return utf8_percent_encode(parsed.as_str(), &UNSAFE).to_string();
    }
    utf8_percent_encode(url, &UNSAFE).to_string()
}

/// Sets the fragment to these pairs, ordered by key, with the empty marker `sb` by which clients
/// recognize redirects of this server. An existing fragment is replaced.
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

/// Merges these pairs into the query. They replace pairs of the same name; all others stay.
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
        .filter(|pair| !pair.is_empty() && !has_name_of(pair, pairs))
        .collect();
    query.push(&added);
    format!("{base}?{}{fragment}", query.join("&"))
}

/// Returns whether an encoded pair has the name of one of these pairs.
fn has_name_of(pair: &str, pairs: &[(&str, &str)]) -> bool {
    form_urlencoded::parse(pair.as_bytes())
        .any(|(name, _)| pairs.iter().any(|(other, _)| name == *other))
}

fn encode(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}
