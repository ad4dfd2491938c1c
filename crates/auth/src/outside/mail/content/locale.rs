//! Chooses the language of a mail.

use serde_json::{Map, Value};

use crate::config::is_locale;

/// The members of the metadata in which applications store the language.
const MEMBERS: [&str; 3] = ["locale", "lang", "language"];

/// Returns the configured language that matches the user's: the same one, then the same without its region,
/// else the first. The result is always a configured one, whatever the metadata contains.
pub(super) fn choose<'l>(data: &Map<String, Value>, configured: &'l [String]) -> &'l str {
    let requested = MEMBERS
        .iter()
        .filter_map(|member| data.get(*member)?.as_str())
        .map(|locale| locale.replace('_', "-"))
        .filter(|locale| is_locale(locale));
    for mut requested in requested {
        loop {
            let matching = configured
                .iter()
                .find(|locale| locale.eq_ignore_ascii_case(&requested));
            if let Some(locale) = matching {
                return locale;
            }
            match requested.rfind('-') {
                Some(end) => requested.truncate(end),
                None => break,
            }
        }
    }
    configured.first().map_or("en", String::as_str)
}

/// Returns the language of the built-in mails for a locale: `de` or `en`.
pub(super) fn language(locale: &str) -> &'static str {
    let language = locale.split('-').next().unwrap_or_default();
    if language.eq_ignore_ascii_case("de") {
        "de"
    } else {
        "en"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::choose;

    #[test]
    fn the_nearest_configured_language_is_chosen() {
        let ours = ["en", "de", "pt-BR", "zh-Hant"].map(str::to_owned);
        for (data, chosen) in [
            (json!({}), "en"),
            (json!({ "locale": "de" }), "de"),
            (json!({ "locale": "de-AT" }), "de"),
            (json!({ "locale": "de_AT" }), "de"),
            (json!({ "locale": "DE-at" }), "de"),
            (json!({ "lang": "pt-BR" }), "pt-BR"),
            (json!({ "lang": "pt_br" }), "pt-BR"),
            (json!({ "lang": "pt" }), "en"),
            (json!({ "language": "zh-Hant-TW" }), "zh-Hant"),
            (json!({ "locale": "fr", "lang": "de" }), "de"),
            (json!({ "locale": 7, "language": "de" }), "de"),
            (json!({ "locale": { "de": "de" } }), "en"),
        ] {
            assert_eq!(choose(data.as_object().unwrap(), &ours), chosen, "{data}");
        }
    }

    #[test]
    fn invalid_languages_are_ignored() {
        let ours = ["en", "de"].map(str::to_owned);
        for locale in [
            "../../etc/passwd",
            "de/../x",
            "de%2f",
            "de\r\nX: y",
            "de?x",
            "//eve.example/de",
            "",
            "-",
            "--de",
            "дe",
            "de\0",
        ] {
            let data = json!({ "locale": locale });
            assert_eq!(choose(data.as_object().unwrap(), &ours), "en", "{locale}");
        }
        let long = json!({ "locale": "de-".repeat(100_000) });
        assert_eq!(choose(long.as_object().unwrap(), &ours), "en");
    }
}
