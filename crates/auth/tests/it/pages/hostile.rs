//! Names, addresses and words of others on every page: they stay text.

use serde_json::json;

use super::protected::{begin_app, confirm_app, half_signed_in, protect};
use crate::support::pages::{Shown, Visitor, serve_pages};

const ADA: &str = "ada@example.com";

/// What people try in order to run a script, or to break out of a tag, an attribute or a comment.
const PAYLOADS: [&str; 22] = [
    "<script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "'><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "\" onfocus=\"alert(1)\" autofocus=\"",
    "' onfocus='alert(1)' autofocus='",
    "javascript:alert(1)",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "<!--<script>-->alert(1)",
    "--><script>alert(1)</script>",
    "<style>@import'//eve.example'</style>",
    "<base href=//eve.example>",
    "<meta http-equiv=refresh content=0;url=//eve.example>",
    "<form action=//eve.example><input name=password>",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u{202e}<b>\u{0}\u{1b}[31m",
    "%3Cscript%3Ealert(1)%3C/script%3E",
];

/// Asserts that a page has nothing but the markup of this server.
#[track_caller]
fn assert_clean(page: &Shown, payload: &str) {
    // The QR code of an authenticator app is the only image of a page.
    let html = &page
        .html
        .replace("<img class=\"qr\" src=\"data:image/svg+xml;base64,", "");
    assert!(page.status < 500, "{payload}: {}", page.text());
    for tag in [
        "<script",
        "<img",
        "<svg",
        "<style",
        "<base",
        "<b>",
        "<!--",
        "<textarea",
    ] {
        assert!(!html.contains(tag), "{payload}: {tag} in {html}");
    }
    assert_eq!(html.matches("<meta").count(), 4, "{payload}: {html}");
    assert_eq!(html.matches("</title>").count(), 1, "{payload}: {html}");
    // No attribute begins a handler, and no link leads to a script or to another server.
    for element in html.split('<').filter_map(|part| part.split('>').next()) {
        let names = element.split('"').step_by(2);
        for names in names {
            assert!(
                !names.contains("onfocus") && !names.contains("onerror"),
                "{payload}: {element}"
            );
        }
    }
    for bad in [
        "href=\"javascript",
        "action=\"//",
        "action=\"http",
        "href=\"//",
    ] {
        assert!(!html.contains(bad), "{payload}: {bad} in {html}");
    }
}

/// Encodes a payload for a query.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn what_visitors_type_stays_text() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    for (page, target) in [
        ("sign-in", "email-link"),
        ("sign-up", "sign-up"),
        ("forgotten-password", "forgotten-password"),
        ("code", "code"),
    ] {
        let form = visitor.open(&format!("/account/{page}")).await;
        let target = format!("/account/{target}");
        for payload in PAYLOADS {
            let email = format!("{payload}@example.com");
            let fields = [
                ("email", email.as_str()),
                ("password", payload),
                ("code", payload),
            ];
            assert_clean(&visitor.send(&form, &target, &fields).await, payload);
        }
    }
    served.stop().await;
}

#[tokio::test]
async fn what_addresses_contain_stays_text() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    for payload in PAYLOADS {
        let text = encoded(payload);
        for address in [
            format!("/account/sign-in?language={text}"),
            format!("/account/code?purpose={text}"),
            format!("/account/return?error={text}&error_description={text}"),
            format!("/account/{text}"),
            format!("/account/providers/{text}"),
            format!("/verify?type={text}&token={text}&redirect_to={text}"),
            format!("/verify?type=recovery&token=abc&x={text}"),
        ] {
            assert_clean(&visitor.open(&address).await, payload);
        }
    }
    served.stop().await;
}

#[tokio::test]
async fn names_metadata_and_browsers_of_a_user_stay_text() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mail = served.app.mail_of("/recover", ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor
        .sign_in(ADA, "correct horse")
        .await
        .shows("/account", ADA);
    let sql = served.app.sql().await;
    for payload in PAYLOADS {
        // The database stores no U+0000.
        let stored = payload.replace('\u{0}', "");
        let metadata = json!({ "name": stored, "full_name": stored, "locale": stored });
        let users = "update users set raw_user_meta_data = $1, phone = '1', email_change = $2";
        sql.execute(users, &[&metadata, &stored]).await.unwrap();
        let sessions = "update sessions set user_agent = $1, tag = $1";
        sql.execute(sessions, &[&stored]).await.unwrap();
        let page = visitor.open("/account").await;
        page.shows("/account", ADA);
        assert!(
            page.text().contains("waits for confirmation"),
            "{}",
            page.text()
        );
        assert_clean(&page, payload);
        let fields = [("email", payload), ("new_password", payload)];
        for target in ["/account/email", "/account/password"] {
            assert_clean(&visitor.send(&page, target, &fields).await, payload);
        }
        let page = visitor.open(mail.link().as_str()).await;
        assert!(page.text().contains(ADA), "{}", page.text());
        assert_clean(&page, payload);
        assert_clean(&visitor.open("/account/new-password").await, payload);
    }
    served.stop().await;
}

#[tokio::test]
async fn names_of_second_factors_stay_text() {
    let served = serve_pages(|config| config.mfa.max_enrolled = 100).await;
    let mut ada = protect(&served, ADA).await;
    let sql = served.app.sql().await;
    let (mut half, _) = half_signed_in(&served).await;
    for payload in PAYLOADS {
        let stored = payload.replace('\u{0}', "");
        let factors = "update mfa_factors set friendly_name = $1 where status = 'verified'";
        sql.execute(factors, &[&stored]).await.unwrap();
        let page = ada.visitor.open("/account").await;
        page.shows("/account", "Second factors");
        assert!(page.text().contains(stored.trim()), "{}", page.text());
        assert_clean(&page, payload);
        let page = half.open("/account/second-factor").await;
        page.shows("/account/second-factor", "authenticator app");
        assert_clean(&page, payload);
        let text = encoded(payload);
        let address = format!("/account/second-factor?factor={text}&to={text}");
        assert_clean(&half.open(&address).await, payload);
        let fields = [("code", payload)];
        let page = half.send(&page, "/account/second-factor", &fields).await;
        assert_clean(&page, payload);
        // The name is taken, and shown again.
        let refused = begin_app(&mut ada.visitor, payload).await;
        assert_clean(&refused, payload);
        let page = begin_app(&mut ada.visitor, &format!("{payload} 2")).await;
        page.shows("/account/authenticator", "Scan this image");
        assert_clean(&page, payload);
        assert_clean(
            &confirm_app(&mut ada.visitor, &page, payload).await,
            payload,
        );
    }
    served.stop().await;
}
