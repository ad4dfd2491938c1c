use proptest::prelude::{Strategy, any, prop, prop_assert, proptest};
use proptest::sample::select;
use url::Url;

use super::{BOTH, rule};
use crate::config::Profile;
use crate::config::redirect::{Redirects, location, with_fragment, with_query};

/// Generates addresses from parts that are common in redirect attacks.
fn glued() -> impl Strategy<Value = String> {
    let parts = [
        "https:",
        "http:",
        "//",
        "/",
        "\\",
        "@",
        ":",
        "?",
        "#",
        ".",
        "..",
        "%",
        "%2f",
        "%40",
        "site.example",
        ".app.example",
        "evil.example",
        "evil",
        "app.example",
        "[::1]",
        "127.0.0.1",
        "2130706433",
        ":443",
        ":x",
        " ",
        "\t",
        "\n",
        "\0",
        "javascript:",
        "ａ",
        "。",
        "a",
        "-",
        "myapp:",
    ];
    prop::collection::vec(select(parts.to_vec()), 0..10).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn without_a_list_browsers_stay_on_the_site(tail in glued(), start in select(vec!["", "https://", "https://site.example"])) {
        let redirects = rule(Profile::Std, "https://site.example", &[]);
        let candidate = format!("{start}{tail}");
        if redirects.is_allowed(&candidate) {
            let url = Url::parse(&candidate).unwrap();
            prop_assert!(url.host_str() == Some("site.example"));
            prop_assert!(url.scheme() == "https" && url.username().is_empty() && url.password().is_none());
            let sent = Url::parse(&with_fragment(&candidate, &[])).unwrap();
            prop_assert!(sent.host_str() == Some("site.example"));
        }
    }

    #[test]
    fn a_wildcard_for_subdomains_allows_subdomains_only(tail in glued(), start in select(vec!["", "https://", "https://evil"])) {
        let redirects = rule(Profile::Std, "https://site.example", &["https://**.app.example/**", "https://*.app.example"]);
        let candidate = format!("{start}{tail}");
        if redirects.is_allowed(&candidate) {
            let url = Url::parse(&candidate).unwrap();
            let host = url.host_str().unwrap();
            prop_assert!(host == "site.example" || host.ends_with(".app.example"), "{candidate:?}");
        }
    }

    #[test]
    fn loopback_is_the_only_surprise_in_gotrue(tail in glued(), start in select(vec!["", "https://", "https://site.example"])) {
        let redirects = rule(Profile::Gotrue, "https://site.example", &[]);
        let candidate = format!("{start}{tail}");
        if redirects.is_allowed(&candidate) {
            let url = Url::parse(&candidate).unwrap();
            let host = url.host_str().unwrap();
            prop_assert!(matches!(host, "site.example" | "127.0.0.1" | "[::1]"), "{candidate:?}");
        }
    }

    #[test]
    fn a_location_never_breaks_a_header(candidate in any::<String>(), value in any::<String>()) {
        let pairs = [("error_description", value.as_str())];
        for sent in [location(&candidate), with_fragment(&candidate, &pairs), with_query(&candidate, &pairs)] {
            prop_assert!(sent.bytes().all(|byte| byte.is_ascii_graphic()), "{sent:?}");
        }
    }

    #[test]
    fn any_text_can_be_asked_about_and_any_pattern_tried(candidate in any::<String>(), pattern in any::<String>(), meta in "[a-z*?\\[\\]{},!^\\\\/:.-]{0,20}") {
        for profile in BOTH {
            for pattern in [&pattern, &meta] {
                if let Ok(redirects) = Redirects::new(profile, "https://site.example", std::slice::from_ref(pattern)) {
                    redirects.is_allowed(&candidate);
                }
            }
        }
    }

    #[test]
    fn a_plain_address_is_a_pattern_for_itself(path in "[a-zA-Z0-9/_.~%&=+-]{0,30}") {
        let address = format!("https://app.example/{path}");
        for profile in BOTH {
            let redirects = rule(profile, "https://site.example", &[&address]);
            prop_assert!(redirects.is_allowed(&address));
            let other = format!("{address}x");
            prop_assert!(!redirects.is_allowed(&other));
        }
    }
}
