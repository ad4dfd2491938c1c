//! Addresses that would take a victim and its tokens to somebody else's page.

use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use serde_json::json;

use crate::support::mail_flows::without_pauses;
use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

/// Addresses that the settings of these tests do not allow, in spellings that parsers read differently.
const REFUSED: [&str; 72] = [
    // Another host, plainly.
    "https://eve.example",
    "https://eve.example/http://localhost:3000",
    "https://eve.example?http://localhost:3000",
    "https://eve.example#http://localhost:3000",
    "https://eve.example/?next=http://localhost:3000/",
    "ftp://eve.example/",
    "ws://eve.example/",
    // The site as a user name or password.
    "https://localhost@eve.example",
    "http://localhost:3000@eve.example/",
    "http://localhost:3000:x@eve.example/",
    "http://localhost%3A3000@eve.example/",
    "http://localhost:3000%40eve.example/",
    "http://localhost:3000%2f@eve.example/",
    "http://eve.example@localhost.eve.example/",
    "http://localhost:3000\\@eve.example/",
    "http://localhost\\.eve.example/",
    "http://eve.example\\@localhost@eve.example/",
    // No scheme, or half of one.
    "//eve.example",
    "///eve.example",
    "////eve.example",
    "//eve.example/..;/localhost:3000",
    "/\\eve.example",
    "\\/eve.example",
    "\\\\eve.example",
    "/%09/eve.example",
    "/%5ceve.example",
    "/.eve.example",
    "./eve.example",
    "?//eve.example",
    "#//eve.example",
    "eve.example",
    "http:eve.example",
    "http:/eve.example",
    "http:///eve.example",
    "https:\\\\eve.example",
    "https:/\\eve.example",
    "https:eve.example",
    "hTTps:\\/eve.example",
    "://eve.example",
    ":eve.example",
    // Schemes that run a script or open a file.
    "javascript:alert(1)",
    "JavaScript://localhost/%0aalert(1)",
    "javascript://localhost:3000/%0d%0aalert(1)",
    "java\nscript:alert(1)",
    "\u{1}javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "vbscript:x",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "blob:http://localhost:3000/x",
    "view-source:http://localhost:3000",
    "innapp://callback",
    "localhost:3000",
    // Hosts that resemble the site.
    "http://localhost.eve.example",
    "http://evelocalhost:3000",
    "http://localhost.:3000.eve.example/",
    "http://localhost\u{0}.eve.example",
    "http://localhost%00.eve.example",
    "http://localhost%23.eve.example",
    "http://localhost。eve.example",
    "http://eve。example",
    "http://l\u{3bf}calhost:3000/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::ffff:eve.example]/",
    // White space and line ends.
    "http://localhost\r\nSet-Cookie: a=b",
    "http://localhost:3000/\r\nLocation: https://eve.example",
    "\thttps://eve.example",
    " https://eve.example ",
    "https://eve.exam\tple/",
    "not a url",
];

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Asserts that a response leads to the site: nothing in its headers names another host.
#[track_caller]
fn ends_on_the_site(answer: &Answer, what: &str) {
    assert_eq!(answer.landing(), "http://localhost:3000", "{what}");
    answer.sent_back_with("otp_expired");
    for (name, value) in answer.headers() {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let is_foreign = value.contains("eve") || value.contains("script:") || name == "set-cookie";
        assert!(!is_foreign, "{name}: {value} after {what}");
    }
}

#[tokio::test]
async fn addresses_that_are_not_allowed_end_on_the_site() {
    for change in [|_: &mut Config| {}, gotrue] {
        let app = TestApp::with(change).await;
        let link = "/verify?type=signup&token=forged";
        for refused in REFUSED {
            let what = format!("{refused:?}");
            let target = format!("{link}&redirect_to={}", encode(refused));
            ends_on_the_site(&app.get(&target).await, &what);
            for name in ["redirect_to", "referer"] {
                // Characters that HTTP does not allow in a header cannot be sent.
                let answer = app.send(Method::GET, link, &[(name, refused)], None).await;
                ends_on_the_site(&answer, &format!("{name} {what}"));
            }
        }
    }
}

#[tokio::test]
async fn a_target_that_stands_twice_is_not_allowed_by_one_of_them() {
    let app = TestApp::start().await;
    let (good, bad) = (
        encode("http://localhost:3000/in"),
        encode("https://eve.example"),
    );
    for query in [
        format!("redirect_to={good}&redirect_to={bad}"),
        format!("redirect_to={bad}&redirect_to={good}"),
        format!("redirect_to[]={bad}"),
        format!("redirect_to={bad}%26redirect_to={good}"),
        format!("redirect_to={good};redirect_to={bad}"),
    ] {
        let answer = app
            .get(&format!("/verify?type=signup&token=forged&{query}"))
            .await;
        if answer.status == 303 {
            let location = answer.location();
            assert!(
                location.starts_with("http://localhost:3000"),
                "{query}: {location}"
            );
        } else {
            assert_eq!(answer.status, 400, "{query}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn mails_never_lead_to_an_address_that_is_not_allowed() {
    let app = TestApp::with(without_pauses).await;
    for (number, refused) in REFUSED.into_iter().enumerate() {
        let email = format!("user-{number}@example.com");
        let target = format!("/otp?redirect_to={}", encode(refused));
        app.post(&target, json!({ "email": email })).await.ok();
        let link = app.mailbox.next_to(&email).await.link();
        let (_, redirect_to) = link
            .query_pairs()
            .find(|(name, _)| name == "redirect_to")
            .unwrap();
        assert_eq!(redirect_to, "http://localhost:3000", "{refused:?}");
    }
}

#[tokio::test]
async fn an_operator_gets_no_such_link_either() {
    let app = TestApp::start().await;
    for refused in REFUSED {
        let body =
            json!({ "type": "magiclink", "email": "ada@example.com", "redirect_to": refused });
        let answer = app
            .post_as(&app.service_key(), "/admin/generate_link", body)
            .await;
        if refused.contains('\u{0}') {
            answer.failed(400);
            continue;
        }
        let link = answer.ok();
        assert_eq!(link["redirect_to"], "http://localhost:3000", "{refused:?}");
        let action_link = link["action_link"].as_str().unwrap();
        assert!(
            action_link.ends_with("&redirect_to=http://localhost:3000"),
            "{action_link}"
        );
    }
}
