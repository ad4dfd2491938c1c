//! `MAILER_CONFIRMATION_PAGE`: a link opens a page, and the button on it confirms.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::support::mail_flows::target_of;
use crate::support::{Answer, TestApp};

async fn with_page() -> TestApp {
    TestApp::with(|config| {
        config.mailer.confirmation_page = true;
        config.uri_allow_list = vec!["innapp://callback".to_owned()];
    })
    .await
}

/// Submits the form of the page as a browser does, without any field.
async fn press(app: &TestApp, page: &str) -> Answer {
    let (_, form) = page.split_once("<form ").expect("a form");
    let (attributes, _) = form.split_once('>').unwrap();
    assert!(attributes.contains("method=\"post\""), "{attributes}");
    let (_, action) = attributes.split_once("action=\"").unwrap();
    let (action, _) = action.split_once('"').unwrap();
    let target = format!("/verify{}", action.replace("&amp;", "&"));
    Answer::new(app.client.post(target).form("").send().await)
}

#[tokio::test]
async fn a_link_shows_a_page_and_only_its_button_uses_the_link_up() {
    let app = with_page().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let mut page = String::new();
    for _ in 0..3 {
        let answer = app.follow(&mail).await;
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        page = answer.text;
    }
    let answer = press(&app, &page).await;
    assert_eq!(answer.landing(), "http://localhost:3000");
    assert_eq!(answer.said("type"), "signup");
    app.get_as(&answer.said("access_token"), "/user").await.ok();
    press(&app, &page).await.sent_back_with("otp_expired");
}

#[tokio::test]
async fn the_page_may_do_nothing_but_send_its_form() {
    let app = with_page().await;
    let answer = app
        .get("/verify?type=signup&token=abc&redirect_to=innapp://callback")
        .await;
    let page = &answer.text;
    assert!(
        !page.contains("<script") && !page.contains("onclick"),
        "{page}"
    );
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "{page}"
    );
    let policy = answer.header("content-security-policy").unwrap();
    let (_, style) = page.split_once("<style>").unwrap();
    let (style, _) = style.split_once("</style>").unwrap();
    let hash = STANDARD.encode(digest(&SHA256, style.as_bytes()));
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src 'sha256-{hash}'; \
             form-action 'self' innapp: http://localhost:3000; base-uri 'none'; \
             frame-ancestors 'none'"
        )
    );
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
}

#[tokio::test]
async fn the_button_goes_where_the_link_said() {
    let app = with_page().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let target = format!(
        "/verify?type=signup&token={}&redirect_to=innapp://callback",
        mail.token()
    );
    let page = app.get(&target).await.text;
    assert_eq!(press(&app, &page).await.landing(), "innapp://callback");
}

#[tokio::test]
async fn the_page_is_the_same_for_links_that_do_not_work() {
    let app = with_page().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let good = app.get(&target_of(&mail.link())).await;
    let secret = mail.token();
    let forged: String = secret.chars().rev().collect();
    let bad = app
        .get(&target_of(&mail.link()).replace(&secret, &forged))
        .await;
    assert_eq!(bad.status, 200);
    assert_eq!(bad.text, good.text.replace(&secret, &forged));
    press(&app, &bad.text).await.sent_back_with("otp_expired");
    app.get("/verify?type=signup")
        .await
        .refused(400, "validation_failed");
    let no_type = app.client.post("/verify?token=abc").form("").send().await;
    Answer::new(no_type).refused(400, "validation_failed");
}

#[tokio::test]
async fn a_query_of_markup_stays_text() {
    let app = with_page().await;
    let answer = app
        .get("/verify?type=signup&token=abc&x=\"><script>alert(1)</script>'")
        .await;
    assert!(!answer.text.contains("<script"), "{}", answer.text);
    assert!(!answer.text.contains("abc&x=\"><"), "{}", answer.text);
}

#[tokio::test]
async fn without_the_setting_an_empty_post_is_a_broken_body() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let target = target_of(&mail.link());
    let answer = Answer::new(app.client.post(target).form("").send().await);
    answer.refused(400, "bad_json");
    app.verify_link("signup", &mail.token()).await.ok();
}
