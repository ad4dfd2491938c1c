//! A user who is signed in manages the account.

use super::{ADA, PASSWORD, Story};

const NEW: &str = "countess@example.com";
const BETTER: &str = "a better battery staple";

#[tokio::test(flavor = "multi_thread")]
async fn a_user_changes_the_address() {
    let mut story = Story::with_user(&[]).await;
    story.sign_in(ADA, PASSWORD).await;
    story.fill("email", NEW).await;
    story.send("/email").await;
    story
        .see("A change to countess@example.com waits for confirmation")
        .await;
    let mails = [story.up.next_mail().await, story.up.next_mail().await];
    for (mail, said) in mails
        .iter()
        .zip(["the mail to the other address, too", "was changed"])
    {
        story.browser.visit(mail["link"].as_str().unwrap()).await;
        story
            .see("Change the email address of the account ada@example.com")
            .await;
        story.browser.click("main form button").await;
        story.see(said).await;
    }
    story.see("You are signed in as countess@example.com").await;
    assert_eq!(story.user().await["email"], NEW);
    assert_eq!(story.up.sign_in(NEW, PASSWORD).await, 200);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_changes_the_password() {
    let mut story = Story::with_user(&[]).await;
    story.sign_in(ADA, PASSWORD).await;
    story.fill("new_password", BETTER).await;
    story.fill("new_password_again", "something else").await;
    story.send("/password").await;
    story.see("The two new passwords are not the same").await;
    story.fill("new_password", BETTER).await;
    story.fill("new_password_again", BETTER).await;
    story.send("/password").await;
    story.see("Your password was changed").await;
    assert_eq!(story.up.sign_in(ADA, BETTER).await, 200);
    assert_eq!(story.up.sign_in(ADA, PASSWORD).await, 400);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_ends_another_session() {
    let mut story = Story::with_user(&[]).await;
    assert_eq!(story.up.sign_in(ADA, PASSWORD).await, 200);
    let other = story.sessions().await[0]["id"].as_str().unwrap().to_owned();
    story.sign_in(ADA, PASSWORD).await;
    story.see("This browser").await;
    story.see("Chrome, Linux").await;
    assert_eq!(story.sessions().await.len(), 2);
    story.check_page("sessions").await;
    story
        .browser
        .click(&format!("form:has(input[value='{other}']) button"))
        .await;
    story.see("The session was ended").await;
    let left = story.sessions().await;
    assert_eq!(left.len(), 1);
    assert_ne!(left[0]["id"], other.as_str());
    story.see("You are signed in as ada@example.com").await;
    story.send("/sign-out").await;
    story.see("You are signed out").await;
    assert_eq!(story.sessions().await.len(), 0);
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_signing_out_the_back_button_shows_no_account() {
    let mut story = Story::with_user(&[]).await;
    story.sign_in(ADA, PASSWORD).await;
    story.send("/sign-out").await;
    story.see("You are signed out").await;
    story.browser.evaluate("history.back()").await;
    story
        .browser
        .wait_until(
            "performance.getEntriesByType('navigation')[0]?.type === 'back_forward'
            && document.querySelector('main #password') !== null",
        )
        .await;
    let text = story.browser.evaluate("document.body.innerText").await;
    let text = text.as_str().unwrap();
    assert!(!text.contains(ADA), "{text}");
    assert_eq!(story.sessions().await.len(), 0);
    story.end().await;
}
