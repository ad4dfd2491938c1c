//! Which headers of an answer are compared.

use reqwest::header::HeaderMap;

/// Headers that clients read. Others, such as dates and those of proxies, are not compared.
const NAMES: [&str; 10] = [
    "allow",
    "cache-control",
    "content-type",
    "link",
    "location",
    "retry-after",
    "vary",
    "www-authenticate",
    "x-total-count",
    "x-supabase-api-version",
];

const PREFIXES: [&str; 3] = ["access-control-", "sb-auth-", "x-sb-"];

/// Headers whose values are sets of words: order, case, blanks and number of lines do not matter.
const LISTS: [&str; 6] = [
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-expose-headers",
    "allow",
    "cache-control",
    "vary",
];

/// Returns names and values of the headers to compare.
pub(super) fn compared(headers: &HeaderMap) -> Vec<(String, String)> {
    // Sorted, because ids are called by the place where they come first.
    let mut names: Vec<_> = headers.keys().collect();
    names.sort_by_key(|name| name.as_str());
    let mut compared = Vec::new();
    for name in names {
        let name = name.as_str();
        let is_prefixed = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if is_prefixed || NAMES.contains(&name) {
            compared.push((name.to_owned(), value(headers, name)));
        }
    }
    compared
}

fn value(headers: &HeaderMap, name: &str) -> String {
    let lines = headers.get_all(name).iter();
    let lines = lines.map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned());
    let joined = lines.collect::<Vec<_>>().join(", ");
    if !LISTS.contains(&name) {
        return joined;
    }
    let mut words: Vec<String> = joined
        .split(',')
        .map(|word| word.trim().to_lowercase())
        .collect();
    words.sort();
    words.dedup();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue};

    use super::compared;

    #[test]
    fn lists_are_sets_and_other_headers_are_left_out() {
        let mut headers = HeaderMap::new();
        headers.append("allow", HeaderValue::from_static("POST"));
        headers.append("allow", HeaderValue::from_static("GET"));
        headers.append("vary", HeaderValue::from_static("Origin,accept, origin"));
        headers.append("date", HeaderValue::from_static("today"));
        headers.append("x-sb-error-code", HeaderValue::from_static("bad_json"));
        let mut compared = compared(&headers);
        compared.sort();
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            compared,
            [
                text("allow", "get, post"),
                text("vary", "accept, origin"),
                text("x-sb-error-code", "bad_json"),
            ]
        );
    }
}
