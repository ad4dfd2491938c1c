//! Names of browsers, for people.

/// The number of characters of an unknown user agent that are shown.
const MAX_LENGTH: usize = 80;

/// Browsers by a part of their user agent. Most claim to be several; the first match counts.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 6] = [
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// Returns the browser and the system of a user agent, or its beginning.
pub(super) fn describe(user_agent: &str) -> String {
    let find = |known: &[(&str, &'static str)]| {
        let mut known = known.iter();
        known
            .find(|(part, _)| user_agent.contains(part))
            .map(|(_, name)| *name)
    };
    if let (Some(browser), Some(system)) = (find(&BROWSERS), find(&SYSTEMS)) {
        return format!("{browser}, {system}");
    }
    let letters = user_agent.chars().filter(|letter| !letter.is_control());
    letters.take(MAX_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn known_browsers_have_a_name_and_others_their_own_words() {
        for (agent, expected) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox, Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0",
                "Edge, Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1",
                "Safari, iOS",
            ),
            ("curl/8.14.1", "curl/8.14.1"),
            ("a\u{7}<b>", "a<b>"),
        ] {
            assert_eq!(describe(agent), expected);
        }
        assert_eq!(describe(&"x".repeat(500)).len(), 80);
    }
}
