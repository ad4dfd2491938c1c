use super::{BOTH, assert_each, rule};
use crate::config::Profile;

/// Patterns, each with addresses that it allows and addresses that it refuses.
const CASES: [(&str, &[&str], &[&str]); 13] = [
    (
        "https://app.example/in",
        &["https://app.example/in", "https://app.example/in#any"],
        &[
            "https://app.example/in/",
            "https://app.example/in?a=b",
            "https://app.example",
        ],
    ),
    (
        "https://*.app.example/in",
        &["https://one.app.example/in", "https://-.app.example/in"],
        &[
            "https://one.two.app.example/in",
            "https://app.example/in",
            "https://evil.example/.app.example/in",
            "https://evil/x.app.example/in",
            "http://one.app.example/in",
        ],
    ),
    (
        "https://app.example/*",
        &["https://app.example/", "https://app.example/a?b=c"],
        &[
            "https://app.example/a/b",
            "https://app.example/a.html",
            "https://app.example",
        ],
    ),
    (
        "https://app.example/**",
        &[
            "https://app.example/",
            "https://app.example/a/b.html?c=d.e/f",
        ],
        &["https://app.example", "https://app.example.evil.example/"],
    ),
    (
        "https://app.example/**/end",
        &["https://app.example/a/b/end", "https://app.example//end"],
        &["https://app.example/a/b/end/", "https://app.example/end"],
    ),
    (
        "https://app.example/?",
        &["https://app.example/a", "https://app.example/?"],
        &[
            "https://app.example/",
            "https://app.example/ab",
            "https://app.example/.",
        ],
    ),
    (
        "https://app[0-9a].example/[!a-c]",
        &["https://app0.example/d", "https://appa.example/~"],
        &[
            "https://appb.example/d",
            "https://app0.example/b",
            "https://app.example/d",
        ],
    ),
    (
        "http{,s}://{one,two.three}.example/**",
        &["http://one.example/", "https://two.three.example/a/b"],
        &[
            "https://two.example/",
            "ftp://one.example/",
            "https://{one}.example/",
        ],
    ),
    (
        "http://localhost:*/**",
        &["http://localhost:3000/a", "http://localhost:/"],
        &[
            "http://localhost/a",
            "http://localhost:3000",
            "https://localhost:3000/a",
        ],
    ),
    (
        "https://app.example/a\\*b",
        &["https://app.example/a*b"],
        &["https://app.example/axb"],
    ),
    (
        "https://app.example/a.b+c(d)|e^$",
        &["https://app.example/a.b+c(d)|e^$"],
        &[
            "https://app.example/axb+c(d)|e^$",
            "https://app.example/a.b",
        ],
    ),
    (
        "https://app.example/[a\\]b]",
        &["https://app.example/]", "https://app.example/a"],
        &["https://app.example/\\", "https://app.example/c"],
    ),
    (
        "https://app.example/a,b}c",
        &["https://app.example/a,b}c"],
        &["https://app.example/a", "https://app.example/a,b"],
    ),
];

#[test]
fn globs_know_their_separators() {
    for profile in BOTH {
        for (pattern, allowed, refused) in CASES {
            let redirects = rule(profile, "https://site.example", &[pattern]);
            assert_each(&redirects, true, allowed);
            assert_each(&redirects, false, refused);
        }
    }
}

#[test]
fn in_std_a_wildcard_of_the_host_ends_with_the_host() {
    let patterns = [
        "https://**.app.example/**",
        "https://*.app.example",
        "https://[!x]**.app.example/**",
        "https://?.app.example/in",
    ];
    let tricks = [
        "https://evil.example/.app.example/",
        "https://evil.example?.app.example/",
        "https://evil?.app.example",
        "https://[2001:db8::1]?.app.example",
        "https://e?.app.example/in",
        "https://evil.example/x?.app.example/in",
    ];
    let redirects = rule(Profile::Std, "https://site.example", &patterns);
    assert_each(&redirects, false, &tricks);
    assert_each(
        &redirects,
        true,
        &[
            "https://a.b.app.example/in/out",
            "https://a.app.example",
            "https://e.app.example/in",
        ],
    );
    // GoTrue does not confine wildcards to the host, and its users may rely on that.
    let redirects = rule(Profile::Gotrue, "https://site.example", &["http://**/in"]);
    assert_each(&redirects, true, &["http://app.example/deep/in"]);
}

#[test]
fn in_std_sets_and_alternatives_of_the_host_end_with_the_host() {
    let patterns = [
        "https://a[!b].app.example/**",
        "https://a[bc].app.example/**",
        "https://{one,two}*.app.example/in",
    ];
    let redirects = rule(Profile::Std, "https://site.example", &patterns);
    assert_each(
        &redirects,
        false,
        &[
            "https://a/.app.example/x",
            "https://a?.app.example/x",
            "https://onevil?.app.example/in",
        ],
    );
    assert_each(
        &redirects,
        true,
        &[
            "https://ac.app.example/x",
            "https://ab.app.example/x",
            "https://one-1.app.example/in",
        ],
    );
}

#[test]
fn apps_are_allowed_by_a_pattern_that_spells_their_scheme() {
    for profile in BOTH {
        let redirects = rule(
            profile,
            "https://site.example",
            &[
                "myapp://callback",
                "com.example.inn:/oauth/*",
                "exp://**",
                "mailto:*",
            ],
        );
        assert_each(
            &redirects,
            true,
            &[
                "myapp://callback",
                "myapp://callback#fragment",
                "com.example.inn:/oauth/in",
                "exp://192.168.1.5:8081/--/in",
                "mailto:ada",
            ],
        );
        assert_each(
            &redirects,
            false,
            &[
                "myapp://callback/other",
                "myapp://callback@evil.example",
                "myapp:callback",
                "otherapp://callback",
                "com.example.inn:/other/in",
            ],
        );
        let everything = rule(profile, "https://site.example", &["**", "*://callback"]);
        assert_each(&everything, true, &["https://any.example/"]);
        assert_each(&everything, false, &["myapp://callback", "tel:123"]);
    }
}
