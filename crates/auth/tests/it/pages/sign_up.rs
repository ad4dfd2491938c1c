//! Sign-up, by link and by code.

use serde_json::json;

use crate::support::pages::{Shown, Visitor, serve_pages};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

async fn sign_up(visitor: &mut Visitor, email: &str, password: &str) -> Shown {
    let page = visitor.open("/account/sign-up").await;
    let fields = [("email", email), ("password", password)];
    visitor.send(&page, "/account/sign-up", &fields).await
}

#[tokio::test]
async fn somebody_signs_up_and_confirms_by_the_link() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let page = sign_up(&mut visitor, ADA, PASSWORD).await;
    page.shows("/account/code", "ada@example.com");
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor.open(mail.link().as_str()).await;
    assert!(
        page.text()
            .contains("Confirm that ada@example.com is your email address")
    );
    let page = visitor.press(&page).await;
    page.shows("/account", "Your email address is confirmed");
    let user = served.app.only_user().await;
    assert!(user["email_confirmed_at"].is_string(), "{user}");
    served.app.assert_password(ADA, PASSWORD, true).await;
    served.stop().await;
}

#[tokio::test]
async fn somebody_signs_up_and_confirms_by_the_code_after_a_wrong_one() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let page = sign_up(&mut visitor, ADA, PASSWORD).await;
    let mail = served.app.mailbox.next_to(ADA).await;
    let wrong = if mail.code() == "111111" {
        "222222"
    } else {
        "111111"
    };
    let page = visitor
        .send(&page, "/account/code", &[("code", wrong)])
        .await;
    page.refuses(403, "The code is wrong");
    assert_eq!(page.field("email").as_deref(), Some(ADA), "nothing is lost");
    let page = visitor
        .send(&page, "/account/code", &[("code", &mail.code())])
        .await;
    page.shows("/account", "Your email address is confirmed");
    assert!(served.app.only_user().await["email_confirmed_at"].is_string());
    served.stop().await;
}

#[tokio::test]
async fn guesses_at_a_code_are_counted_as_in_the_api() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let mut page = sign_up(&mut visitor, ADA, PASSWORD).await;
    let mail = served.app.mailbox.next_to(ADA).await;
    let wrong = if mail.code() == "111111" {
        "222222"
    } else {
        "111111"
    };
    for _ in 0..5 {
        page = visitor
            .send(&page, "/account/code", &[("code", wrong)])
            .await;
        page.refuses(403, "The code is wrong");
    }
    let right = visitor
        .send(&page, "/account/code", &[("code", &mail.code())])
        .await;
    right.refuses(403, "The code is wrong");

    let page = visitor.send(&right, "/account/code/again", &[]).await;
    page.shows("/account/code", "A mail is on its way");
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor
        .send(&page, "/account/code", &[("code", &mail.code())])
        .await;
    page.shows("/account", "Your email address is confirmed");
    served.stop().await;
}

#[tokio::test]
async fn a_code_that_came_too_late_is_refused_and_another_mail_helps() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let page = sign_up(&mut visitor, ADA, PASSWORD).await;
    let late = served.app.mailbox.next_to(ADA).await.code();
    served.app.advance(3601);
    let page = visitor
        .send(&page, "/account/code", &[("code", &late)])
        .await;
    page.refuses(403, "The code is wrong, has expired or was used before");
    assert!(served.app.only_user().await["email_confirmed_at"].is_null());
    let page = visitor.send(&page, "/account/code/again", &[]).await;
    page.shows("/account/code", "A mail is on its way");
    let code = served.app.mailbox.next_to(ADA).await.code();
    let page = visitor
        .send(&page, "/account/code", &[("code", &code)])
        .await;
    page.shows("/account", "Your email address is confirmed");
    served.stop().await;
}

#[tokio::test]
async fn a_code_works_in_the_tab_that_asked_for_it() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let ada = sign_up(&mut visitor, ADA, PASSWORD).await;
    let eve = sign_up(&mut visitor, "eve@example.com", PASSWORD).await;
    eve.shows("/account/code", "eve@example.com");
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor
        .send(&ada, "/account/code", &[("code", &mail.code())])
        .await;
    page.shows("/account", "You are signed in as ada@example.com");
    let mail = served.app.mailbox.next_to("eve@example.com").await;
    let page = visitor
        .send(&eve, "/account/code", &[("code", &mail.code())])
        .await;
    page.shows("/account", "You are signed in as eve@example.com");
    served.stop().await;
}

#[tokio::test]
async fn an_address_with_an_account_gets_the_same_page_and_no_mail() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut pages = Vec::new();
    for email in [ADA, "eve@example.com"] {
        let mut visitor = Visitor::of(&served);
        let page = sign_up(&mut visitor, email, "another battery staple").await;
        assert_eq!(page.status, 200);
        pages.push(page.text().replace(email, "somebody"));
    }
    assert_eq!(pages[0], pages[1]);
    served.app.assert_no_mail(ADA).await;
    served.app.assert_password(ADA, PASSWORD, true).await;
    served.stop().await;
}

#[tokio::test]
async fn mistakes_keep_the_address_and_never_the_password() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    for (email, password, status, problem) in [
        ("ada", PASSWORD, 400, "Enter an email address"),
        (ADA, "x", 422, "The password is too short"),
        (ADA, "", 400, "Enter a password"),
        (ADA, "password123", 422, "easy to guess"),
    ] {
        let page = sign_up(&mut visitor, email, password).await;
        page.refuses(status, problem);
        assert_eq!(page.field("email").as_deref(), Some(email));
        assert!(
            password.len() < 2 || !page.html.contains(password),
            "{}",
            page.html
        );
    }
    assert_eq!(served.app.accounts(ADA).await, 0);
    served.stop().await;
}

#[tokio::test]
async fn settings_decide_who_may_sign_up() {
    let served = serve_pages(|config| config.disable_signup = true).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/sign-up").await;
    assert!(
        page.text()
            .contains("New accounts are created by invitation only")
    );
    assert!(!page.html.contains("<form "), "{}", page.html);
    assert!(
        !visitor
            .open("/account/sign-in")
            .await
            .html
            .contains("/account/sign-up")
    );
    // The invited confirm, and choose a password.
    let token = served.app.service_key();
    let body = json!({ "email": ADA });
    served.app.post_as(&token, "/invite", body).await.ok();
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor.open(mail.link().as_str()).await;
    assert!(
        page.text()
            .contains("Accept the invitation for the account ada@example.com?")
    );
    let page = visitor.press(&page).await;
    page.shows(
        "/account/new-password",
        "Choose a password, so that you can sign in again",
    );
    let fields = [("new_password", PASSWORD), ("new_password_again", PASSWORD)];
    let page = visitor.send(&page, "/account/new-password", &fields).await;
    page.shows("/account", "was changed");
    served.app.assert_password(ADA, PASSWORD, true).await;
    served.stop().await;
}

#[tokio::test]
async fn without_confirmation_a_new_user_is_signed_in_at_once() {
    let served = serve_pages(|config| config.mailer.autoconfirm = true).await;
    let mut visitor = Visitor::of(&served);
    let page = sign_up(&mut visitor, ADA, PASSWORD).await;
    page.shows("/account", "You are signed in as ada@example.com");
    let taken = sign_up(&mut Visitor::of(&served), ADA, "another battery staple").await;
    taken.refuses(400, "This address has an account already");
    served.stop().await;
}
