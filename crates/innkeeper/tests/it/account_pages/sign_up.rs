//! Somebody signs up.

use serde_json::Value;

use super::{ADA, PASSWORD, Story};

#[tokio::test(flavor = "multi_thread")]
async fn somebody_signs_up_by_the_link() {
    let mut story = Story::begin(&[]).await;
    story.open("").await;
    story.see("No account yet? Sign up").await;
    story.see("Continue with Keycloak").await;
    story.check_page("sign-in").await;
    story.follow("/account/sign-up").await;
    story.fill("email", ADA).await;
    story.fill("password", PASSWORD).await;
    story.check_page("sign-up").await;
    story.send("/sign-up").await;
    story.see("A mail is on its way").await;
    story.check_page("code").await;
    let link = story.up.next_mail().await["link"]
        .as_str()
        .unwrap()
        .to_owned();
    story.browser.visit(&link).await;
    story
        .see("Confirm that ada@example.com is your email address")
        .await;
    story.check_page("confirm").await;
    story.browser.click("main form button").await;
    story.see("Your email address is confirmed").await;
    story.see("You are signed in as ada@example.com").await;
    story.check_page("account").await;
    assert!(story.user().await["email_confirmed_at"].is_string());
    assert_eq!(story.up.sign_in(ADA, PASSWORD).await, 200);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_signs_up_by_the_code() {
    let mut story = Story::begin(&[]).await;
    let code = sign_up(&mut story).await;
    // People copy spaces with it.
    let (start, end) = code.split_at(3);
    story.fill("code", &format!(" {start} {end} ")).await;
    story.send("/code").await;
    story.see("Your email address is confirmed").await;
    story.see("You are signed in as ada@example.com").await;
    assert!(story.user().await["email_confirmed_at"].is_string());
    assert_eq!(story.sessions().await.len(), 1);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_wrong_code_the_right_one_still_works() {
    let mut story = Story::begin(&[]).await;
    let code = sign_up(&mut story).await;
    let wrong = if code == "111111" { "222222" } else { "111111" };
    story.fill("code", wrong).await;
    story.send("/code").await;
    story
        .see("The code is wrong, has expired or was used before")
        .await;
    story.check_page("wrong-code").await;
    assert_eq!(story.user().await["email_confirmed_at"], Value::Null);
    assert_eq!(story.sessions().await.len(), 0);
    story.fill("code", &code).await;
    story.send("/code").await;
    story.see("Your email address is confirmed").await;
    assert!(story.user().await["email_confirmed_at"].is_string());
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_double_click_signs_up_once() {
    let mut story = Story::begin(&[]).await;
    story.open("/sign-up").await;
    story.fill("email", ADA).await;
    story.fill("password", PASSWORD).await;
    let button = "document.querySelector(\"form[action='/account/sign-up'] button\")";
    story
        .browser
        .evaluate(&format!("{button}.click(); {button}.click()"))
        .await;
    let mail = story.up.next_mail().await;
    story.fill("code", mail["code"].as_str().unwrap()).await;
    story.send("/code").await;
    story.see("Your email address is confirmed").await;
    assert!(story.user().await["email_confirmed_at"].is_string());
    assert_eq!(story.sessions().await.len(), 1);
    story.end().await;
}

/// Signs up on the page, and returns the code of the mail.
async fn sign_up(story: &mut Story) -> String {
    story.open("/sign-up").await;
    story.fill("email", ADA).await;
    story.fill("password", PASSWORD).await;
    story.send("/sign-up").await;
    story.see("A mail is on its way").await;
    let mail = story.up.next_mail().await;
    mail["code"].as_str().unwrap().to_owned()
}
