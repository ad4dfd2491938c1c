//! Sign-in with a password or a mail, and its limits.

use innkeeper_auth::config::{CaptchaProvider, Profile};
use serde_json::json;

use crate::support::captcha::CaptchaService;
use crate::support::pages::{Visitor, serve_pages};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

#[tokio::test]
async fn a_password_opens_the_account_and_the_api_knows_the_session() {
    let served = serve_pages(|_| {}).await;
    let user = served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor
        .open("/account")
        .await
        .shows("/account/sign-in", "Sign in");
    let page = visitor.sign_in("Ada@Example.com ", PASSWORD).await;
    page.shows("/account", "You are signed in as ada@example.com");
    let sessions = served.app.sessions_of(&user).await;
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["user_agent"], "Visitor/1.0");

    // The back button leads to a form that has done its work.
    for address in ["/account/sign-in", "/account/sign-up"] {
        visitor
            .open(address)
            .await
            .shows("/account", "You are signed in as");
    }
    served.stop().await;
}

#[tokio::test]
async fn wrong_passwords_and_unknown_addresses_look_the_same() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut texts = Vec::new();
    for email in [ADA, "eve@example.com"] {
        let mut visitor = Visitor::of(&served);
        let page = visitor.sign_in(email, "wrong horse").await;
        page.refuses(400, "The email address or the password is wrong");
        assert_eq!(
            page.field("email").as_deref(),
            Some(email),
            "nothing is lost"
        );
        assert!(!page.html.contains("wrong horse"));
        assert!(page.html.contains("<title>Error: Sign in"), "{}", page.html);
        texts.push(page.text());
    }
    assert_eq!(texts[0], texts[1]);
    served.stop().await;
}

#[tokio::test]
async fn too_many_failures_have_to_wait_as_in_the_api() {
    let served = serve_pages(|config| config.security.password_failures = 3).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    for _ in 0..3 {
        visitor
            .sign_in(ADA, "wrong horse")
            .await
            .refuses(400, "is wrong");
    }
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.refuses(429, "Too many attempts. Please try again in");
    let body = json!({ "email": ADA, "password": PASSWORD });
    let answer = served.app.post("/token?grant_type=password", body).await;
    answer.refused(429, "over_request_rate_limit");
    served.stop().await;
}

#[tokio::test]
async fn rate_limits_count_pages_and_the_api_together() {
    let served = serve_pages(|config| config.rate_limit.token_refresh = 2.0).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor
        .sign_in(ADA, "wrong horse")
        .await
        .refuses(400, "is wrong");
    let token = "/token?grant_type=password";
    let body = json!({ "email": ADA, "password": "wrong horse" });
    let url = format!("{}{token}", served.url);
    let answer = served.client.post(url).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.refuses(429, "Too many attempts. Please try again in");
    assert!(page.headers.contains_key("retry-after"));
    assert!(page.html.contains("<h1>That did not work</h1>"));
    served.stop().await;
}

#[tokio::test]
async fn a_link_instead_of_a_password_signs_in_by_link_and_by_code() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    for by_code in [false, true] {
        let mut visitor = Visitor::of(&served);
        let page = visitor.open("/account/sign-in").await;
        let fields = [("email", ADA), ("password", "")];
        let page = visitor.send(&page, "/account/email-link", &fields).await;
        page.shows("/account/code", "A mail is on its way");
        let mail = served.app.mailbox.next_to(ADA).await;
        let page = if by_code {
            visitor
                .send(&page, "/account/code", &[("code", &mail.code())])
                .await
        } else {
            let page = visitor.open(mail.link().as_str()).await;
            assert!(
                page.text().contains("as ada@example.com?"),
                "{}",
                page.text()
            );
            visitor.press(&page).await
        };
        page.shows("/account", "You are signed in as ada@example.com");
    }
    served.stop().await;
}

#[tokio::test]
async fn a_link_for_nobody_looks_the_same_in_both_profiles() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let served = serve_pages(|config| config.profile = profile).await;
        served.app.confirmed(ADA).await;
        let mut texts = Vec::new();
        for email in [ADA, "eve@example.com"] {
            let mut visitor = Visitor::of(&served);
            let page = visitor.open("/account/sign-in").await;
            let page = visitor
                .send(&page, "/account/email-link", &[("email", email)])
                .await;
            texts.push((page.status, page.text().replace(email, "somebody")));
        }
        assert_eq!(texts[0], texts[1], "{profile:?}");
        assert_eq!(served.app.accounts("eve@example.com").await, 0);
        served.stop().await;
    }
}

#[tokio::test]
async fn an_unconfirmed_user_is_led_to_the_code() {
    let served = serve_pages(|_| {}).await;
    served.app.mail_of_signup(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor
        .sign_in(ADA, "wrong horse")
        .await
        .refuses(400, "is wrong");
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows("/account/code", "Your email address is not confirmed yet");
    let page = visitor.send(&page, "/account/code/again", &[]).await;
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor
        .send(&page, "/account/code", &[("code", &mail.code())])
        .await;
    page.shows("/account", "Your email address is confirmed");
    served.stop().await;
}

#[tokio::test]
async fn where_a_captcha_is_required_the_pages_say_so() {
    let service = CaptchaService::start();
    let provider = CaptchaProvider::Hcaptcha;
    let served = serve_pages(|config| service.configure(config, provider)).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    for page in ["sign-in", "sign-up", "forgotten-password"] {
        let page = visitor.open(&format!("/account/{page}")).await;
        assert!(
            page.text().contains("This site asks for a captcha"),
            "{}",
            page.text()
        );
        assert!(!page.html.contains("<form "), "{}", page.html);
    }
    // Nor does a form help that somebody has made himself.
    let other = visitor.open("/account/code").await;
    let token = other.field("form_token").unwrap();
    let fields = [
        ("form_token", token.as_str()),
        ("email", ADA),
        ("password", PASSWORD),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    for page in ["sign-in", "sign-up", "forgotten-password", "email-link"] {
        let page = visitor.post(&format!("/account/{page}"), &fields).await;
        page.refuses(400, "This site asks for a captcha");
    }
    served.app.assert_no_mail(ADA).await;
    served.stop().await;
}
