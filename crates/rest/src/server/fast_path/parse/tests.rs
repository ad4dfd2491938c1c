//! Tests of the requests that the fast path serves.

use super::*;

fn outcome(bytes: &str, limit: usize) -> String {
    let limits = HeadLimits {
        bytes: limit,
        headers: 100,
    };
    outcome_within(bytes, limits)
}

fn outcome_within(bytes: &str, limits: HeadLimits) -> String {
    match parse(bytes.as_bytes(), limits) {
        Parsed::Request(..) => "request".to_owned(),
        Parsed::Partial => "partial".to_owned(),
        Parsed::PartialLine => "line".to_owned(),
        Parsed::Refused(status) => status.as_str().to_owned(),
        Parsed::Unusual => "unusual".to_owned(),
    }
}

#[test]
fn long_lines_and_other_versions_are_told_from_what_hyper_refuses() {
    for (bytes, limit, expected) in [
        ("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", 100, "request"),
        ("GET /a", 7, "line"),
        ("GET /a", 6, "414"),
        ("\r\n\r\n", 100, "partial"),
        ("\r\nGET /a", 100, "line"),
        ("GETA", 4, "unusual"),
        ("GET /a HTTP/1.1\r\nHost", 100, "partial"),
        ("GET /a HTTP/1.1\r\nHost", 20, "unusual"),
        ("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", 15, "unusual"),
        ("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", 14, "414"),
        ("GET /a HTTP/2.0\r\n\r\n", 100, "505"),
        ("GET /a HTTP/0.9\r\n\r\n", 100, "505"),
        ("\nGET /a HTTP/9.9\n\n", 100, "505"),
        ("GET /a HTTP/1.2\r\n\r\n", 100, "unusual"),
        ("GET /a HTTP/1.0\r\n\r\n", 100, "unusual"),
        ("GET /a HTTP/11.1\r\n\r\n", 100, "unusual"),
        ("GET /a http/2.0\r\n\r\n", 100, "unusual"),
        ("GET /a FTP/2.0\r\n\r\n", 100, "unusual"),
    ] {
        assert_eq!(outcome(bytes, limit), expected, "{bytes:?} {limit}");
    }
}

#[test]
fn a_head_may_be_as_large_as_its_limits() {
    let head = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    for (bytes, headers, expected) in [
        (head.len(), 1, "request"),
        (head.len() - 1, 1, "unusual"),
        (head.len(), 0, "unusual"),
    ] {
        let limits = HeadLimits { bytes, headers };
        assert_eq!(outcome_within(head, limits), expected, "{limits:?}");
    }
}

#[test]
fn headers_about_the_body_and_the_connection_are_left_to_hyper() {
    for (headers, expected) in [
        ("Host: a\r\n", "request"),
        ("", "unusual"),
        ("Host: a\r\nHost: a\r\n", "unusual"),
        ("Host: a b\r\n", "unusual"),
        ("Host: a\r\nTE: trailers\r\n", "unusual"),
        ("Host: a\r\nExpect: 100-continue\r\n", "unusual"),
        ("Host: a\r\nUpgrade: websocket\r\n", "unusual"),
        ("Host: a\r\nConnection: close\r\n", "unusual"),
        ("Host: a\r\nConnection: Keep-Alive\r\n", "request"),
        ("Host: a\r\nTransfer-Encoding: chunked\r\n", "unusual"),
        ("Host: a\r\nContent-Length: 0\r\n", "request"),
        (
            "Host: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n",
            "unusual",
        ),
        ("Host: a\r\nContent-Length: x\r\n", "unusual"),
        ("Host: a\r\nContent-Length: 1\r\n", "unusual"),
        // Others with names of the same lengths.
        ("Host: a\r\nDP: 1\r\nFrom: b\r\nCookie: c\r\n", "request"),
        (
            "Host: a\r\nReferer: 1\r\nUser-Agent: b\r\nAccept-Charset: c\r\n",
            "request",
        ),
        ("Host: a\r\nIf-Modified-Sinc: 1\r\n", "request"),
        ("Host: a\r\nX-Forwarded-Host1: 1\r\n", "request"),
    ] {
        let bytes = format!("GET /a HTTP/1.1\r\n{headers}\r\n");
        assert_eq!(outcome(&bytes, 1000), expected, "{headers:?}");
    }
    for method in ["CONNECT", "GE\u{7f}T"] {
        let bytes = format!("{method} /a HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(outcome(&bytes, 1000), "unusual", "{method}");
    }
}

#[test]
fn a_length_has_up_to_nine_digits() {
    for (text, expected) in [
        ("0", Some(0)),
        ("9", Some(9)),
        ("10", Some(10)),
        ("123", Some(123)),
        ("000000001", Some(1)),
        ("999999999", Some(999_999_999)),
        ("1000000000", None),
        ("", None),
        ("1a", None),
        ("1:", None),
        ("/1", None),
        ("+1", None),
        ("-1", None),
    ] {
        assert_eq!(parse_length(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn a_path_ends_at_the_first_question_mark() {
    for (target, expected) in [
        ("/", Some(1)),
        ("/a/b", Some(4)),
        ("/a?", Some(2)),
        ("/a?b?c", Some(2)),
        ("/?a", Some(1)),
        ("/a%20b", Some(6)),
        ("/a#b", None),
        ("/a\"b", None),
        ("/a?b\u{e9}", None),
        ("/a b", None),
    ] {
        assert_eq!(path_length(target.as_bytes()), expected, "{target}");
    }
}

#[test]
fn a_line_goes_on_until_it_ends() {
    for (bytes, parsed, expected) in [
        ("GET /abc", 4, true),
        ("GET /abc", 8, true),
        ("GET /a\n", 6, false),
        ("GET /a\nb", 7, true),
        ("GET /abc", 0, false),
        ("GET", 4, false),
    ] {
        let is_same = is_same_line(bytes.as_bytes(), parsed);
        assert_eq!(is_same, expected, "{bytes:?} {parsed}");
    }
}

#[test]
fn a_request_has_all_that_was_sent_and_nothing_of_the_next() {
    let limits = HeadLimits {
        bytes: 1000,
        headers: 100,
    };
    for (target, path, query) in [
        ("/a?b=c", "/a", Some("b=c")),
        ("/a?", "/a", Some("")),
        ("/a", "/a", None),
        ("/", "/", None),
    ] {
        let bytes = format!(
            "POST {target} HTTP/1.1\r\nHost: h\r\nX-A-Long-Name: 1\r\nx-a-long-namE: 2\r\n\
             Content-Length: 3\r\n\r\nabcGET"
        );
        let Parsed::Request(request, end) = parse(bytes.as_bytes(), limits) else {
            unreachable!("{target} is usual");
        };
        assert_eq!(end, bytes.len() - 3);
        let head = request.head();
        assert_eq!((head.path(), head.query()), (path, query));
        let values: Vec<_> = head
            .header_values(&http::HeaderName::from_static("x-a-long-name"))
            .collect();
        assert_eq!(values, [b"1", b"2"]);
        assert_eq!(head.header_text("host"), Some("h"));
        assert_eq!(head.header_text("x-b-long-name"), None);
        assert_eq!(head.headers().len(), 4);
        assert_eq!(*head.method(), Method::POST);
    }
}

#[test]
fn headers_that_were_changed_are_read_as_they_are_now() {
    let limits = HeadLimits {
        bytes: 1000,
        headers: 100,
    };
    let bytes = b"GET / HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nX-Two: 2\r\n\r\n";
    let Parsed::Request(mut request, _) = parse(bytes, limits) else {
        unreachable!("it is usual");
    };
    let name = |text| http::HeaderName::from_static(text);
    let headers = request.head_mut().headers_mut();
    headers.insert("x-one", http::HeaderValue::from_static("changed"));
    headers.remove("x-two");
    headers.insert("x-new", http::HeaderValue::from_static("new"));
    let head = request.head();
    for (text, expected) in [
        ("host", Some("h")),
        ("x-one", Some("changed")),
        ("x-two", None),
        ("x-new", Some("new")),
    ] {
        assert_eq!(head.header_text(text), expected, "{text}");
        assert_eq!(head.has_header(text), expected.is_some(), "{text}");
        let value = head.header(text).and_then(|value| value.to_str().ok());
        assert_eq!(value, expected, "{text}");
        let values: Vec<_> = head.header_values(&name(text)).collect();
        let expected: Vec<_> = expected.iter().map(|text| text.as_bytes()).collect();
        assert_eq!(values, expected, "{text}");
    }
}
