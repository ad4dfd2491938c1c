//! Which language a user reads.

use serde_json::{Map, Value};

use crate::config::templates::is_locale;

/// Where applications keep it.
const MEMBERS: [&str; 3] = ["locale", "lang", "language"];

/// The first of our languages that is the user's: the very one, then the same without its region. What
/// comes of it is always one of ours, whatever the user says.
pub(super) fn choose<'l>(data: &Map<String, Value>, ours: &'l [String]) -> &'l str {
    let wanted = MEMBERS
        .iter()
        .filter_map(|member| data.get(*member)?.as_str())
        .map(|wanted| wanted.replace('_', "-"))
        .filter(|wanted| is_locale(wanted));
    for mut wanted in wanted {
        loop {
            let found = ours.iter().find(|our| our.eq_ignore_ascii_case(&wanted));
            if let Some(found) = found {
                return found;
            }
            match wanted.rfind('-') {
                Some(end) => wanted.truncate(end),
                None => break,
            }
        }
    }
    ours.first().map_or("en", String::as_str)
}

/// The language without its region, in small letters as far as we speak it.
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
    fn the_nearest_of_our_languages_is_chosen() {
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
    fn what_is_no_language_is_none() {
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
