//! What holds for every page: forms of others are refused, headers are strict, errors are pages, programs see what
//! they always saw.

use reqwest::Method;
use serde_json::json;

use super::protected::protect;
use crate::support::pages::{Visitor, serve_pages};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Every form, with its fields.
const FORMS: [(&str, &[(&str, &str)]); 12] = [
    (
        "/account/sign-in",
        &[("email", ADA), ("password", PASSWORD)],
    ),
    (
        "/account/sign-up",
        &[("email", "eve@example.com"), ("password", PASSWORD)],
    ),
    ("/account/email-link", &[("email", ADA)]),
    ("/account/forgotten-password", &[("email", ADA)]),
    ("/account/code", &[("email", ADA), ("code", "123456")]),
    (
        "/account/code/again",
        &[("email", ADA), ("purpose", "recovery")],
    ),
    ("/account/email", &[("email", "eve@example.com")]),
    (
        "/account/password",
        &[("new_password", "x"), ("new_password_again", "x")],
    ),
    ("/account/sessions", &[("session", "others")]),
    ("/account/authenticator", &[("name", "Telephone")]),
    (
        "/account/factors",
        &[("factor", "00000000-0000-0000-0000-000000000001")],
    ),
    ("/account/new-password", &[("new_password", "x")]),
];

fn owned(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    let fields = fields.iter();
    fields
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[tokio::test]
async fn a_form_of_another_site_is_refused_and_shown_again() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor
        .sign_in(ADA, PASSWORD)
        .await
        .shows("/account", "You are signed in");
    let mut eve = Visitor::of(&served);
    let token = eve
        .open("/account/sign-in")
        .await
        .field("form_token")
        .unwrap();
    for (target, fields) in FORMS.into_iter().chain([("/account/sign-out", &[][..])]) {
        for token in ["", "nonsense", token.as_str()] {
            let mut fields = owned(fields);
            fields.push(("form_token".to_owned(), token.to_owned()));
            let page = visitor.post(target, &fields).await;
            page.refuses(400, "This form was out of date, so nothing was done");
            let email = fields.iter().find(|(name, _)| name == "email");
            if let Some((_, email)) = email {
                assert_eq!(
                    page.field("email").as_ref(),
                    Some(email),
                    "{target}: nothing is lost"
                );
            }
        }
    }
    visitor
        .open("/account")
        .await
        .shows("/account", "You are signed in as ada@example.com");
    served.app.assert_no_mail(ADA).await;
    assert_eq!(served.app.accounts("eve@example.com").await, 0);
    served.stop().await;
}

#[tokio::test]
async fn without_cookies_the_visitor_learns_what_to_do() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    for (target, fields) in FORMS.into_iter().take(6) {
        visitor.cookies.clear();
        let page = visitor.post(target, &owned(fields)).await;
        page.refuses(400, "Allow cookies for this site");
        assert!(page.field("email").is_some(), "{target}: nothing is lost");
    }
    for (target, fields) in FORMS.into_iter().skip(6) {
        visitor.cookies.clear();
        let page = visitor.post(target, &owned(fields)).await;
        page.shows("/account/sign-in", "Your session has ended");
    }
    served.stop().await;
}

#[tokio::test]
async fn cookies_that_somebody_has_made_or_altered_are_ignored() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor
        .sign_in(ADA, PASSWORD)
        .await
        .shows("/account", "You are signed in");
    let (browser, session) = (
        visitor.cookies["innkeeper-browser"].clone(),
        visitor.cookies["innkeeper-session"].clone(),
    );
    let mut altered = session.clone().into_bytes();
    let middle = altered.len() / 2;
    altered[middle] = if altered[middle] == b'A' { b'B' } else { b'A' };
    for session in [
        String::from_utf8(altered).unwrap(),
        // One cookie does not stand for the other.
        browser.clone(),
        "e30".to_owned(),
        "x".repeat(4000),
        "%00\"';".to_owned(),
    ] {
        visitor
            .cookies
            .insert("innkeeper-session".to_owned(), session.clone());
        visitor
            .open("/account")
            .await
            .shows("/account/sign-in", "Sign in");
    }
    // Nor is a cookie a token of the API.
    let (name, value) = ("Authorization", format!("Bearer {session}"));
    let answer = served
        .app
        .send(Method::GET, "/user", &[(name, &value)], None)
        .await;
    answer.refused(403, "bad_jwt");
    served.stop().await;
}

#[tokio::test]
async fn pages_may_not_be_framed_cached_or_run_scripts() {
    let served = serve_pages(|_| {}).await;
    let mut ada = protect(&served, ADA).await;
    let mut visitor = Visitor::of(&served);
    let mut pages = Vec::new();
    for address in [
        "/account/sign-in",
        "/account/sign-up",
        "/account/code",
        "/account/nothing",
    ] {
        pages.push(visitor.open(address).await);
    }
    for address in [
        "/account",
        "/account/authenticator",
        "/account/new-password",
        "/account/recovery-codes",
    ] {
        let page = ada.visitor.open(address).await;
        assert_eq!(page.address, address);
        pages.push(page);
    }
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows("/account/second-factor", "Enter your second factor");
    pages.push(page);
    pages.push(visitor.open("/verify?type=signup&token=abc").await);
    for page in pages {
        let header = |name: &str| page.headers[name].to_str().unwrap();
        assert_eq!(header("content-type"), "text/html; charset=utf-8");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("content-language"), "en");
        assert_eq!(
            header("content-security-policy"),
            "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src data:; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        assert!(
            !page.html.contains("<script") && !page.html.contains(" style="),
            "{}",
            page.html
        );
        let without_site = page.html.replace(&format!("href=\"{}\"", served.url), "");
        assert!(!without_site.contains("://"), "{without_site}");
    }
    served.stop().await;
}

#[tokio::test]
async fn cookies_are_for_this_server_alone_and_over_https_only_where_it_has_it() {
    for (external, names, ends) in [
        (
            "http://auth.example",
            ["innkeeper-browser", "innkeeper-session"],
            "; Path=/; HttpOnly; SameSite=Lax",
        ),
        (
            "https://auth.example",
            ["__Host-innkeeper-browser", "__Host-innkeeper-session"],
            "; Path=/; HttpOnly; SameSite=Lax; Secure",
        ),
    ] {
        let served = serve_pages(|config| {
            config.api.external_url = external.parse().unwrap();
            config.mailer.autoconfirm = true;
        })
        .await;
        let mut visitor = Visitor::of(&served);
        let page = visitor.open("/account/sign-up").await;
        let cookie = page.headers["set-cookie"].to_str().unwrap();
        assert!(cookie.starts_with(&format!("{}=", names[0])), "{cookie}");
        assert!(cookie.ends_with(ends), "{cookie}");
        let fields = [("email", ADA), ("password", PASSWORD)];
        visitor
            .send(&page, "/account/sign-up", &fields)
            .await
            .shows("/account", "You are signed in");
        assert!(
            visitor.cookies.contains_key(names[1]),
            "{:?}",
            visitor.cookies.keys()
        );
        served.stop().await;
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_address_is_told_on_a_page() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/nothing/<b>").await;
    page.refuses(404, "There is no page /account/nothing/%3Cb%3E");
    assert!(page.html.contains("href=\"/account\""));
    visitor.open("/account/sign-out").await.refuses(405, "");
    let long = [("email".to_owned(), "x".repeat(70_000))];
    visitor
        .post("/account/sign-in", &long)
        .await
        .refuses(413, "");
    let page = visitor.open("/verify").await;
    page.refuses(403, "The link was used before, has expired");
    served.stop().await;
}

#[tokio::test]
async fn while_the_database_is_away_nothing_typed_is_lost() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/sign-in").await;
    let sql = served.app.sql().await;
    sql.batch_execute("alter table users rename to users_away")
        .await
        .unwrap();
    let fields = [("email", ADA), ("password", PASSWORD)];
    let failed = visitor.send(&page, "/account/sign-in", &fields).await;
    failed.refuses(500, "Something went wrong on the server");
    assert_eq!(failed.field("email").as_deref(), Some(ADA));
    assert!(
        !failed.text().contains("users"),
        "no cause is shown: {}",
        failed.text()
    );
    sql.batch_execute("alter table users_away rename to users")
        .await
        .unwrap();
    let page = visitor.send(&failed, "/account/sign-in", &fields).await;
    page.shows("/account", "You are signed in");
    served.stop().await;
}

#[tokio::test]
async fn while_the_database_refuses_connections_pages_ask_to_try_later() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let form = visitor.open("/account/sign-in").await;
    let mut signed_in = Visitor::of(&served);
    let page = signed_in.sign_in(ADA, PASSWORD).await;
    page.shows("/account", "You are signed in");
    served.app.lose_database().await;
    let later = "The server is not available at the moment";
    let fields = [("email", ADA), ("password", PASSWORD)];
    let failed = visitor.send(&form, "/account/sign-in", &fields).await;
    failed.refuses(503, later);
    assert_eq!(failed.field("email").as_deref(), Some(ADA));
    signed_in.open("/account").await.refuses(503, later);
    visitor
        .open("/verify?type=recovery&token=abc")
        .await
        .refuses(503, later);
    served.app.find_database().await;
    // Nobody was signed out by it.
    signed_in
        .open("/account")
        .await
        .shows("/account", "You are signed in");
    visitor
        .send(&failed, "/account/sign-in", &fields)
        .await
        .shows("/account", "You are signed in");
    served.stop().await;
}

#[tokio::test]
async fn programs_see_what_they_always_saw() {
    let served = serve_pages(|_| {}).await;
    let answer = served.client.post(format!("{}/verify", served.url));
    let answer = answer
        .header("content-type", "application/x-www-form-urlencoded")
        .body(r#"{"type":"signup","token":"1","email":"ada@example.com"}"#);
    let answer = answer.send().await.unwrap();
    assert_eq!(answer.status(), 403);
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body["error_code"], "otp_expired");
    served.app.get("/nothing").await.refused(404, "not_found");
    served
        .app
        .post("/token?grant_type=password", json!({}))
        .await
        .refused(400, "validation_failed");
    let document = served.app.get("/openapi.json").await.ok();
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert!(
        paths.iter().all(|path| !path.starts_with("/account")),
        "{paths:?}"
    );
    assert!(
        paths.iter().any(|path| path.starts_with("/admin")),
        "{paths:?}"
    );
    // Other sites may call the API, and may not read pages.
    for (path, is_open) in [("/settings", true), ("/account/sign-in", false)] {
        let answer = served.get(path, &[("origin", "https://eve.example")]).await;
        let header = answer.headers().contains_key("access-control-allow-origin");
        assert_eq!(header, is_open, "{path}");
    }
    served.stop().await;
}

#[tokio::test]
async fn without_the_setting_there_are_no_pages() {
    let served = serve_pages(|config| config.pages.enabled = false).await;
    for path in ["/account", "/account/sign-in", "/account/style.css"] {
        served.app.get(path).await.refused(404, "not_found");
    }
    let mail = served.app.mail_of_signup(ADA).await;
    assert_eq!(
        served.app.follow(&mail).await.said("type"),
        "signup",
        "as before"
    );
    served.stop().await;
}
