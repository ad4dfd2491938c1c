//! Links in mails: a forgotten password, a sign-in without one, and a link that came too late.

use innkeeper_service::testing::eventually;

use super::{ADA, PASSWORD, Story};

const BETTER: &str = "a better battery staple";

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_password_is_reset() {
    let mut story = Story::with_user(&[]).await;
    story.open("/sign-in").await;
    story.follow("/account/forgotten-password").await;
    story.fill("email", ADA).await;
    story.check_page("forgotten-password").await;
    story.send("/forgotten-password").await;
    story.see("A mail is on its way").await;
    let link = story.up.next_mail().await["link"]
        .as_str()
        .unwrap()
        .to_owned();
    story.browser.visit(&link).await;
    story
        .see("as ada@example.com and choose a new password?")
        .await;
    story.browser.click("main form button").await;
    story.fill("new_password", BETTER).await;
    story.fill("new_password_again", BETTER).await;
    story.check_page("new-password").await;
    story.send("/new-password").await;
    story.see("Your password was changed").await;
    assert_eq!(story.up.sign_in(ADA, BETTER).await, 200);
    assert_eq!(story.up.sign_in(ADA, PASSWORD).await, 400);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_magic_link_works_after_a_scanner_has_opened_it() {
    let mut story = Story::with_user(&[]).await;
    story.open("/sign-in").await;
    story.fill("email", ADA).await;
    story
        .browser
        .click("button[formaction='/account/email-link']")
        .await;
    story.see("A mail is on its way").await;
    let link = story.up.next_mail().await["link"]
        .as_str()
        .unwrap()
        .to_owned();
    let scanner = reqwest::Client::new();
    for method in [
        reqwest::Method::HEAD,
        reqwest::Method::GET,
        reqwest::Method::GET,
    ] {
        let answer = scanner.request(method, &link).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    assert_eq!(story.sessions().await.len(), 0, "nobody is signed in yet");
    story.browser.visit(&link).await;
    story.see("as ada@example.com?").await;
    story.browser.click("main form button").await;
    story.see("You are signed in as ada@example.com").await;
    assert_eq!(story.sessions().await.len(), 1);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_link_leads_to_another() {
    let settings = [
        ("AUTH_MAILER_OTP_EXP", "1"),
        // For looking whether the link has expired.
        ("AUTH_RATE_LIMIT_VERIFY", "1000000"),
    ];
    let mut story = Story::with_user(&settings).await;
    story.open("/forgotten-password").await;
    story.fill("email", ADA).await;
    story.send("/forgotten-password").await;
    let link = story.up.next_mail().await["link"]
        .as_str()
        .unwrap()
        .to_owned();
    // A scanner sees the end of the link, and does not use it.
    eventually("the link expires", async || {
        let page = reqwest::get(&link).await.unwrap();
        page.text().await.unwrap().contains("has expired")
    })
    .await;
    story.browser.visit(&link).await;
    story.see("The link was used before, has expired").await;
    story.check_page("expired-link").await;
    assert_eq!(story.sessions().await.len(), 0);
    story.follow("/account/forgotten-password").await;
    story.fill("email", ADA).await;
    story.send("/forgotten-password").await;
    story.see("A mail is on its way").await;
    story.up.next_mail().await;
    assert_eq!(
        story.up.sign_in(ADA, PASSWORD).await,
        200,
        "nothing was changed"
    );
    story.end().await;
}
