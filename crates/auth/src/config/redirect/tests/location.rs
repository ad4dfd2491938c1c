use crate::config::redirect::{location, with_fragment, with_query};

#[test]
fn fragments_are_sorted_encoded_and_marked() {
    let pairs = [
        ("type", "signup"),
        ("access_token", "a.b-c_d"),
        ("error", "a & b=c"),
    ];
    for (url, expected) in [
        (
            "http://localhost:3000",
            "http://localhost:3000#access_token=a.b-c_d&error=a+%26+b%3Dc&sb=&type=signup",
        ),
        (
            "https://site.example/a b/ü?x=y#old=1",
            "https://site.example/a%20b/%C3%BC?x=y#access_token=a.b-c_d&error=a+%26+b%3Dc&sb=&type=signup",
        ),
        (
            "myapp://callback",
            "myapp://callback#access_token=a.b-c_d&error=a+%26+b%3Dc&sb=&type=signup",
        ),
    ] {
        assert_eq!(with_fragment(url, &pairs), expected);
    }
}

#[test]
fn queries_are_merged() {
    for (url, expected) in [
        ("http://localhost:3000", "http://localhost:3000?code=1%2F2"),
        ("https://site.example/?", "https://site.example/?code=1%2F2"),
        (
            "https://site.example/?a=b+c&a=d",
            "https://site.example/?a=b+c&a=d&code=1%2F2",
        ),
        (
            "https://site.example/?code=x&co%64e=y&b",
            "https://site.example/?b&code=1%2F2",
        ),
        (
            "https://site.example/#/in?a",
            "https://site.example/?code=1%2F2#/in?a",
        ),
        ("myapp:callback", "myapp:callback?code=1%2F2"),
    ] {
        assert_eq!(with_query(url, &[("code", "1/2")]), expected);
    }
}

#[test]
fn a_location_is_visible_ascii() {
    assert_eq!(
        location("https://bücher.example/"),
        "https://xn--bcher-kva.example/"
    );
    assert_eq!(
        location("https://a.example/%20?x={\"y\"}"),
        "https://a.example/%20?x=%7B%22y%22%7D"
    );
}
