//! Small requests that would cost much: compressed, deeply nested, or with very many parts.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use innkeeper_rest::Method;

use crate::support::tokens::text;
use crate::support::{Answer, TestApp, bearer};

/// Longer than any of these requests takes on a busy machine, and shorter than a bomb.
const SOON: Duration = Duration::from_secs(20);

/// The largest body that is read.
const MIB: usize = 1024 * 1024;

/// Sends a body with a content coding.
async fn send(app: &TestApp, target: &str, coding: Option<&str>, body: Vec<u8>) -> Answer {
    let mut request = app
        .client
        .post(target)
        .header("content-type", "application/json");
    if let Some(coding) = coding {
        request = request.header("content-encoding", coding);
    }
    Answer::new(request.body(body).send().await)
}

/// Returns bodies below the limit that are expensive for a careless parser.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let repeat = |start: &str, part: &str, end: &str| {
        let count = (MIB - 64 - start.len() - end.len()) / part.len();
        format!("{start}{}{end}", part.repeat(count)).into_bytes()
    };
    let keys: Vec<String> = (0..60_000).map(|number| number.to_string()).collect();
    let keys = keys.join("\":0,\"");
    vec![
        ("open brackets", repeat("", "[", "")),
        ("open braces", repeat("", "{\"a\":", "")),
        ("closed brackets", {
            let half = MIB / 2 - 64;
            format!("{{\"data\":{}{}}}", "[".repeat(half), "]".repeat(half)).into_bytes()
        }),
        (
            "many keys",
            format!("{{\"{keys}\":0,\"email\":\"a@example.com\"}}").into_bytes(),
        ),
        (
            "one key many times",
            repeat("{", "\"email\":\"a\",", "\"email\":\"a\"}"),
        ),
        ("a long number", repeat("{\"email\":", "9", "}")),
        ("a long fraction", repeat("{\"email\":0.", "1", "}")),
        (
            "a large exponent",
            b"{\"email\":1e999999999999,\"password\":-1e-999999999999}".to_vec(),
        ),
        (
            "a long text",
            repeat("{\"email\":\"", "a", "@example.com\"}"),
        ),
        (
            "escapes",
            repeat("{\"email\":\"", "\\u0061", "@example.com\"}"),
        ),
        ("many at signs", repeat("{\"email\":\"", "@", "\"}")),
        ("many labels", repeat("{\"email\":\"a@", "a.", "com\"}")),
        (
            "combining marks",
            repeat(
                "{\"email\":\"a@example.com\",\"password\":\"a",
                "\u{301}",
                "\"}",
            ),
        ),
        (
            "a long password",
            repeat("{\"email\":\"a@example.com\",\"password\":\"", "p", "\"}"),
        ),
        (
            "a list of nothing",
            repeat("{\"data\":{\"x\":[", "0,", "0]}}"),
        ),
        ("blanks", repeat("", " ", "{}")),
    ]
}

#[tokio::test]
async fn bodies_that_are_hard_to_read_cost_little() {
    let app = TestApp::start().await;
    for (name, body) in bodies() {
        for target in [
            "/signup",
            "/otp",
            "/recover",
            "/verify",
            "/token?grant_type=password",
        ] {
            let start = Instant::now();
            let answer = send(&app, target, None, body.clone()).await;
            assert!(
                answer.status < 500,
                "{name} to {target}: {} {}",
                answer.status,
                answer.text
            );
            assert!(start.elapsed() < SOON, "{name} to {target}");
            assert!(
                answer.text.len() < 2000,
                "{name} is echoed: {}",
                answer.text
            );
        }
    }
}

#[tokio::test]
async fn compressed_bodies_never_grow_in_memory() {
    let app = TestApp::start().await;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        encoder.write_all(&vec![b' '; MIB]).unwrap();
    }
    let once = encoder.finish().unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&once).unwrap();
    let twice = encoder.finish().unwrap();
    assert!(twice.len() < 10_000);
    for (coding, body) in [
        ("gzip", &once),
        ("gzip, gzip", &twice),
        ("x-gzip", &once),
        ("deflate", &once),
        ("br", &once),
        ("zstd", &once),
        ("identity, gzip", &once),
    ] {
        let start = Instant::now();
        let answer = send(&app, "/otp", Some(coding), body.clone()).await;
        assert!(
            matches!(answer.status, 400 | 413 | 415),
            "{coding}: {} {}",
            answer.status,
            answer.text
        );
        assert!(start.elapsed() < SOON, "{coding}");
    }
}

#[tokio::test]
async fn long_targets_and_headers_are_refused_or_ignored() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (name, value) = bearer(&text(&session, "access_token"));
    let many = "a=b&".repeat(10_000);
    let nested = format!("a{}=1", "[x]".repeat(5000));
    let escaped = "%25".repeat(10_000);
    for query in [many, nested, escaped] {
        let target = format!("/user?{query}");
        let start = Instant::now();
        let answer = app
            .send(Method::GET, &target, &[(name, &value)], None)
            .await;
        assert!(answer.status < 500, "{}", answer.text);
        let target = format!("/verify?type=signup&token=x&{query}");
        let answer = app.get(&target).await;
        assert!(answer.status < 500, "{}", answer.text);
        assert!(start.elapsed() < SOON);
    }
    let lists = [
        ("accept", "text/*;q=0.1,".repeat(3000)),
        ("accept-encoding", "gzip;q=0.001,".repeat(3000)),
        ("if-none-match", "\"a\",".repeat(10_000)),
        ("cookie", "a=b;".repeat(10_000)),
        ("accept-language", "en-US;q=0.1,".repeat(3000)),
        ("range", format!("bytes={}", "0-0,".repeat(5000))),
    ];
    for (list, long) in &lists {
        let start = Instant::now();
        let headers = [(name, value.as_str()), (*list, long.as_str())];
        let answer = app.send(Method::GET, "/user", &headers, None).await;
        assert!(answer.status < 500, "{list}: {}", answer.text);
        assert!(start.elapsed() < SOON, "{list}");
    }
}
