mod globs;
mod location;
mod properties;

use super::Redirects;
use crate::config::Profile;

const BOTH: [Profile; 2] = [Profile::Std, Profile::Gotrue];

fn rule(profile: Profile, site: &str, allow_list: &[&str]) -> Redirects {
    let allow_list: Vec<String> = allow_list.iter().map(|&entry| entry.to_owned()).collect();
    Redirects::new(profile, site, &allow_list).unwrap()
}

fn assert_each(redirects: &Redirects, expected: bool, candidates: &[&str]) {
    for candidate in candidates {
        assert_eq!(
            redirects.is_allowed(candidate),
            expected,
            "{candidate:?} in {:?}",
            redirects.profile
        );
    }
}

/// Addresses that are refused even with the most permissive patterns.
const ALWAYS_REFUSED: [&str; 45] = [
    "",
    " ",
    "/",
    "/path",
    "path",
    "//evil.example",
    "///evil.example",
    "////evil.example/",
    "?a=b",
    "#fragment",
    "site.example",
    "site.example/path",
    "https://site.example@evil.example",
    "https://site.example@evil.example/",
    "https://site.example:443@evil.example/",
    "https://user:password@site.example/",
    "https://user@site.example/",
    "https://@site.example/",
    "https://site.example%40evil.example/",
    "https://site.example%2f@evil.example/",
    "https:\\\\evil.example",
    "https:\\evil.example",
    "https:/\\evil.example",
    "https://evil.example\\@site.example/",
    "https://evil.example\\.site.example/",
    "https://site.example\\path",
    "https:evil.example",
    "https:/evil.example",
    "https:///evil.example",
    "https:site.example",
    "https:///site.example",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://site.example/%0aalert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://site.example/1",
    "https://site.example/\r\nSet-Cookie: a=b",
    "https://site.example/\tx",
    "https://site.example/\0",
    " https://site.example/",
    "https://site.example/ ",
    "https://site.example/\u{85}",
];

#[test]
fn tricks_are_refused_whatever_is_allowed() {
    for profile in BOTH {
        for allow_list in [
            &[][..],
            &["**"],
            &["https://**", "*://**", "*:**", "{**,*}"],
        ] {
            let redirects = rule(profile, "https://site.example", allow_list);
            assert_each(&redirects, false, &ALWAYS_REFUSED);
        }
    }
}

#[test]
fn hosts_that_hide_an_address_are_refused() {
    for profile in BOTH {
        let redirects = rule(profile, "http://127.0.0.1:3000", &["**"]);
        assert_each(
            &redirects,
            false,
            &[
                "http://2130706433/",
                "http://017700000001/",
                "http://0x7f000001/",
                "http://0x7f.1/",
                "http://127.1/",
                "http://127.0.0.01/",
                "http://%31%32%37.0.0.1/",
                "http://①②⑦.0.0.1/",
                "http://ｌocalhost/",
                "http://site。example/",
            ],
        );
    }
}

#[test]
fn std_allows_every_port_of_the_site() {
    let redirects = rule(Profile::Std, "https://site.example", &[]);
    assert_each(
        &redirects,
        true,
        &[
            "https://site.example",
            "https://site.example/",
            "https://site.example:443/",
            "https://site.example:8443/deep/path?query=1#fragment",
            "https://SITE.example/a b",
            "HTTPS://site.example/ü",
        ],
    );
    assert_each(
        &redirects,
        false,
        &[
            "http://site.example/",
            "https://www.site.example/",
            "https://site.example.evil.example/",
            "https://site.example./",
            "https://evilsite.example/",
            "https://example/",
            "https://evil.example/site.example",
            "https://evil.example?https://site.example",
            "https://evil.example#https://site.example",
            "ftp://site.example/",
            "http://127.0.0.1/",
            "http://localhost/",
            "https://[::1]/",
            "myapp://callback",
        ],
    );
}

#[test]
fn std_also_allows_the_encrypted_pages_of_the_site() {
    let pages = ["https://site.example/", "https://site.example:8443/in"];
    assert_each(
        &rule(Profile::Std, "http://site.example:3000", &[]),
        true,
        &pages,
    );
    assert_each(
        &rule(Profile::Gotrue, "http://site.example:3000", &[]),
        false,
        &pages,
    );
    let others = [
        "ftp://site.example/",
        "ws://site.example/",
        "https://evil.example/",
    ];
    assert_each(
        &rule(Profile::Std, "http://site.example:3000", &[]),
        false,
        &others,
    );
    // An app is no site whose pages could be encrypted.
    assert_each(
        &rule(Profile::Std, "myapp://site.example", &[]),
        false,
        &pages,
    );
}

#[test]
fn gotrue_wants_the_port_of_the_site() {
    let redirects = rule(Profile::Gotrue, "https://site.example", &[]);
    assert_each(
        &redirects,
        true,
        &["https://site.example", "https://site.example:443/path"],
    );
    assert_each(
        &redirects,
        false,
        &[
            "https://site.example:8443/",
            "http://site.example/",
            "http://site.example:443/",
        ],
    );
    let redirects = rule(Profile::Gotrue, "http://site.example:3000", &[]);
    assert_each(&redirects, true, &["http://site.example:3000/in"]);
    assert_each(
        &redirects,
        false,
        &["http://site.example/", "http://site.example:3001/"],
    );
}

#[test]
fn gotrue_ignores_the_port_on_this_machine_and_allows_loopback_addresses() {
    let redirects = rule(Profile::Gotrue, "http://localhost:9999", &[]);
    assert_each(
        &redirects,
        true,
        &[
            "http://localhost:3000",
            "http://localhost/",
            "http://127.0.0.1:5173/",
            "https://127.8.9.10/",
            "http://[::1]:3000/",
            "http://[::ffff:127.0.0.1]/",
        ],
    );
    assert_each(
        &redirects,
        false,
        &[
            "https://localhost:3000",
            "http://localhost.evil.example/",
            "http://192.0.2.1/",
            "http://[2001:db8::1]/",
            "http://0.0.0.0/",
        ],
    );
}

#[test]
fn gotrue_refuses_other_addresses_even_when_listed_and_std_allows_them() {
    let listed = ["http://192.0.2.1:3000/**", "http://[[]2001:db8::1]/**"];
    let candidates = ["http://192.0.2.1:3000/a", "http://[2001:db8::1]/a"];
    assert_each(
        &rule(Profile::Gotrue, "https://site.example", &listed),
        false,
        &candidates,
    );
    assert_each(
        &rule(Profile::Std, "https://site.example", &listed),
        true,
        &candidates,
    );
    // An IP address that is the host of the site is allowed like any other host.
    for profile in BOTH {
        assert_each(
            &rule(profile, "http://192.0.2.1:3000", &[]),
            true,
            &["http://192.0.2.1:3000/in"],
        );
    }
}

#[test]
fn the_first_allowed_candidate_is_taken_as_written() {
    let redirects = rule(
        Profile::Std,
        "https://site.example",
        &["https://app.example/**"],
    );
    for (candidates, chosen) in [
        (vec![], "https://site.example"),
        (vec![None, Some("")], "https://site.example"),
        (
            vec![Some("not a URL"), Some("//evil.example")],
            "https://site.example",
        ),
        (
            vec![
                None,
                Some("https://evil.example"),
                Some("https://app.example/B?x#Y"),
            ],
            "https://app.example/B?x#Y",
        ),
        (
            vec![Some("HTTPS://site.example"), Some("https://app.example/")],
            "HTTPS://site.example",
        ),
    ] {
        assert_eq!(redirects.choose(&candidates), chosen);
    }
    assert_eq!(redirects.site(), "https://site.example");
}

#[test]
fn settings_that_make_no_rule_say_what_is_wrong() {
    for site in [
        "",
        "site.example",
        "/path",
        "localhost:3000",
        "javascript:1",
        "data:,x",
    ] {
        let error = Redirects::new(Profile::Std, site, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("SITE_URL: `{site}` is not a URL with a scheme and a host")
        );
    }
    for (pattern, reason) in [
        ("https://{a,b", "has a `{` without its `}`"),
        ("https://[ab", "has a `[` without its `]`"),
        ("https://[]", "has an empty `[]`"),
        ("https://[a-]", "has a range without an end"),
        ("https://[z-a]", "is too large or has an empty range"),
        ("https://x\\", "ends in a backslash"),
        ("{{{{{{{{{a}}}}}}}}}", "nests braces too deep"),
        ("javascript:*", "`javascript:` addresses are never allowed"),
    ] {
        let error = Redirects::new(
            Profile::Gotrue,
            "https://site.example",
            &[pattern.to_owned()],
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("URI_ALLOW_LIST: `{pattern}`: {reason}")
        );
    }
}

#[test]
fn pages_of_this_server_are_allowed_whatever_the_site_is() {
    for profile in BOTH {
        let own = "https://site.example/auth/v1/".parse().unwrap();
        let redirects = rule(profile, "https://app.example", &[]).with_own_pages(own);
        let inside = [
            "https://site.example/auth/v1",
            "https://site.example/auth/v1/account?a=b#c",
        ];
        assert_each(&redirects, true, &inside);
        assert!(inside.iter().all(|url| redirects.is_own(url)));
        let outside = [
            "https://site.example/",
            "https://site.example/auth/v10",
            "https://site.example/auth/v1/../v2",
            "https://site.example:444/auth/v1",
            "http://site.example/auth/v1",
            "https://eve.example/auth/v1",
            "https://site.example\\@eve.example/auth/v1",
            "https://site.example@eve.example/auth/v1",
        ];
        assert_each(&redirects, false, &outside);
        assert!(outside.iter().all(|url| !redirects.is_own(url)));
        // The site is allowed, and not a page of this server.
        assert!(redirects.is_allowed("https://app.example/in"));
        assert!(!redirects.is_own("https://app.example/in"));
        assert_each(&redirects, false, &ALWAYS_REFUSED);
    }
    assert!(!rule(Profile::Std, "https://site.example", &[]).is_own("https://site.example"));
}
