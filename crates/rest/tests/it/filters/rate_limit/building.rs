//! Invalid settings.

use std::time::Duration;

use innkeeper_rest::filter::{Quota, RateLimit};

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let builder = RateLimit::builder(Quota::new(2, Duration::from_millis(1500)).with_burst(0))
        .name("per page")
        .by_header("x key")
        .patience(Duration::ZERO);
    let error = builder.build().unwrap_err();
    let expected = [
        "`per page` is not a name: names have letters, digits, `-`, `_` and `.`",
        "`x key` is not a header name",
        "the patience with a limiter cannot be zero",
        "a burst must have at least one request",
        "a period must have whole seconds, at least one",
    ];
    assert_eq!(error.problems(), expected);
    assert_eq!(error.to_string(), expected.join("\n"));
}

#[test]
fn text_that_no_header_may_contain_is_no_name() {
    for name in ["", "a\nb", "a\"b", "\u{fc}", "a b", "a:b"] {
        let error = RateLimit::builder(Quota::per_second(1)).name(name).build();
        assert_eq!(error.unwrap_err().problems().len(), 1, "{name:?}");
    }
    for name in ["a", "per-key", "v1.search", "A_1"] {
        assert!(
            RateLimit::builder(Quota::per_second(1))
                .name(name)
                .build()
                .is_ok()
        );
    }
}
