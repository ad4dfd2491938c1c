//! A forgotten password: from the form to the new password.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reqwest::Method;

use crate::support::mailbox::ReceivedMail;
use crate::support::pages::{Shown, Visitor, serve_pages};
use crate::support::served::Served;

const ADA: &str = "ada@example.com";
const OLD: &str = "correct horse";
const NEW: &str = "a better battery staple";

/// Asks for a mail on the page.
async fn forget(visitor: &mut Visitor, email: &str) -> Shown {
    let page = visitor.open("/account/sign-in").await;
    assert!(page.html.contains("href=\"/account/forgotten-password\""));
    let page = visitor.open("/account/forgotten-password").await;
    visitor
        .send(&page, "/account/forgotten-password", &[("email", email)])
        .await
}

/// Returns the mail with which a password is reset.
async fn mail_of_reset(served: &Served, visitor: &mut Visitor) -> ReceivedMail {
    forget(visitor, ADA)
        .await
        .shows("/account/code", "A mail is on its way");
    served.app.mailbox.next_to(ADA).await
}

async fn choose(visitor: &mut Visitor, page: &Shown, password: &str, again: &str) -> Shown {
    let fields = [("new_password", password), ("new_password_again", again)];
    visitor.send(page, "/account/new-password", &fields).await
}

#[tokio::test]
async fn a_forgotten_password_is_replaced_by_following_the_link() {
    let served = serve_pages(|_| {}).await;
    let user = served.app.confirmed(ADA).await;
    let elsewhere = served.app.sign_in(ADA, OLD).await.ok();
    let mut visitor = Visitor::of(&served);
    let mail = mail_of_reset(&served, &mut visitor).await;

    let page = visitor.open(mail.link().as_str()).await;
    assert_eq!(page.status, 200);
    let site = served.url.trim_start_matches("http://");
    let question = format!("Sign in to {site} as {ADA} and choose a new password?");
    assert!(page.text().contains(&question), "{}", page.text());
    let page = visitor.press(&page).await;
    page.shows(
        "/account/new-password",
        "the password of the account ada@example.com",
    );
    let page = choose(&mut visitor, &page, NEW, NEW).await;
    page.shows("/account", "Your password was changed");
    assert!(page.text().contains("You are signed in as ada@example.com"));

    served.app.assert_password(ADA, NEW, true).await;
    served.app.assert_password(ADA, OLD, false).await;
    let token = elsewhere["access_token"].as_str().unwrap();
    served
        .app
        .get_as(token, "/user")
        .await
        .refused(403, "session_not_found");
    // That of the page, and that of the check above.
    assert_eq!(served.app.sessions_of(&user).await.len(), 2);
    served.stop().await;
}

#[tokio::test]
async fn the_code_of_the_mail_does_what_its_link_does() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = forget(&mut visitor, ADA).await;
    page.shows("/account/code", "valid for 60 minutes");
    let mail = served.app.mailbox.next_to(ADA).await;

    let page = visitor
        .send(&page, "/account/code", &[("code", "000000")])
        .await;
    page.refuses(403, "The code is wrong, has expired or was used before");
    let code = mail.code();
    let typed = format!(" {}-{} ", &code[..3], &code[3..]);
    let page = visitor
        .send(&page, "/account/code", &[("code", &typed)])
        .await;
    page.shows("/account/new-password", "Choose a new password");
    choose(&mut visitor, &page, NEW, NEW)
        .await
        .shows("/account", "was changed");
    served.app.assert_password(ADA, NEW, true).await;
    served.stop().await;
}

#[tokio::test]
async fn a_scanner_that_opens_the_link_first_uses_up_nothing() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let mail = mail_of_reset(&served, &mut visitor).await;
    let scanner = reqwest::Client::builder().no_proxy().build().unwrap();
    for method in [Method::HEAD, Method::GET, Method::GET, Method::OPTIONS] {
        let answer = scanner
            .request(method.clone(), mail.link())
            .send()
            .await
            .unwrap();
        assert!(
            answer.status().as_u16() < 500,
            "{method}: {}",
            answer.status()
        );
    }
    // Nor does a program that sends the form, without the cookie of the page.
    let button = format!("/verify?{}", mail.link().query().unwrap());
    let page = Visitor::of(&served).post(&button, &[]).await;
    page.refuses(400, "Allow cookies for this site");
    let mut on_the_phone = Visitor::of(&served);
    let page = on_the_phone.open(mail.link().as_str()).await;
    let page = on_the_phone.press(&page).await;
    page.shows("/account/new-password", ADA);
    served.stop().await;
}

#[tokio::test]
async fn an_expired_or_used_link_says_so_and_leads_to_another() {
    let served = serve_pages(|_| {}).await;
    let user = served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let mail = mail_of_reset(&served, &mut visitor).await;
    let before = visitor.open(mail.link().as_str()).await;
    served.app.advance(3601);
    for page in [
        visitor.press(&before).await,
        visitor.open(mail.link().as_str()).await,
    ] {
        page.refuses(403, "The link was used before, has expired");
        assert!(page.html.contains("href=\"/account/forgotten-password\""));
        assert!(page.text().contains("You can have another mail sent"));
    }
    assert_eq!(served.app.sessions_of(&user).await.len(), 0);

    let mail = mail_of_reset(&served, &mut visitor).await;
    let page = visitor.open(mail.link().as_str()).await;
    visitor
        .press(&page)
        .await
        .shows("/account/new-password", ADA);
    // The back button shows the page again, whose button was pressed already.
    let page = visitor.press(&page).await;
    page.refuses(403, "The link was used before, has expired");
    // Who is signed in all the same can go on.
    visitor
        .open("/account")
        .await
        .shows("/account", "You are signed in as");
    served.stop().await;
}

#[tokio::test]
async fn the_mail_and_the_page_say_how_long_the_link_works() {
    let served = serve_pages(|config| {
        config.mailer.otp_exp = SignedDuration::from_mins(10);
    })
    .await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = forget(&mut visitor, ADA).await;
    page.shows("/account/code", "valid for 10 minutes");
    let mail = served.app.mailbox.next_to(ADA).await;
    let (_, until) = mail.text.split_once("valid until ").unwrap();
    let (until, _) = until.split_once(" UTC").unwrap();
    let until = DateTime::strptime("%Y-%m-%d %H:%M", until).unwrap();
    let until = TimeZone::UTC.to_timestamp(until).unwrap();
    // The mail leaves out the seconds.
    let left = until.duration_since(served.app.clock.now()).as_secs();
    assert!((480..=600).contains(&left), "{left} seconds");
    served.app.advance(left - 60);
    let page = visitor.open(mail.link().as_str()).await;
    assert_eq!(page.status, 200, "{}", page.text());
    served.app.advance(122);
    let page = visitor.open(mail.link().as_str()).await;
    page.refuses(403, "The link was used before, has expired");
    served.stop().await;
}

#[tokio::test]
async fn the_page_is_the_same_for_addresses_without_an_account() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut pages = Vec::new();
    for email in [ADA, "eve@example.com"] {
        let mut visitor = Visitor::of(&served);
        let page = forget(&mut visitor, email).await;
        assert_eq!(page.status, 200);
        pages.push(page.text().replace(email, "somebody"));
    }
    assert_eq!(pages[0], pages[1]);
    served.app.mailbox.next_to(ADA).await;
    served.app.assert_no_mail("eve@example.com").await;
    served.stop().await;
}

#[tokio::test]
async fn pressing_the_button_twice_sends_one_mail_and_loses_nothing() {
    let served = serve_pages(|config| config.smtp.max_frequency = None).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let form = visitor.open("/account/forgotten-password").await;
    let target = "/account/forgotten-password";
    let first = visitor.send(&form, target, &[("email", ADA)]).await;
    first.shows("/account/code", "A mail is on its way");
    let second = visitor.send(&form, target, &[("email", ADA)]).await;
    second.shows("/account/code", "another one is possible in 60 seconds");
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor
        .send(&second, "/account/code", &[("code", &mail.code())])
        .await;
    page.shows("/account/new-password", ADA);
    // The second press of the same button: the code is used, and the visitor is signed in.
    let page = visitor
        .send(&second, "/account/code", &[("code", &mail.code())])
        .await;
    page.refuses(403, "The code is wrong, has expired or was used before");
    assert!(page.html.contains("href=\"/account\""), "{}", page.html);
    served.app.assert_no_mail(ADA).await;
    served.stop().await;
}

#[tokio::test]
async fn mistakes_in_the_new_password_are_told_and_change_nothing() {
    let served = serve_pages(|config| config.password.min_length = 10).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let mail = mail_of_reset(&served, &mut visitor).await;
    let page = visitor.open(mail.link().as_str()).await;
    let page = visitor.press(&page).await;
    assert!(page.text().contains("At least 10 characters"));
    for (new, again, status, problem) in [
        (
            NEW,
            "a better battery stable",
            400,
            "The two new passwords are not the same",
        ),
        ("xyz#1", "xyz#1", 422, "it needs at least 10 characters"),
        ("password123", "password123", 422, "easy to guess"),
        (OLD, OLD, 422, "The new password is the same as the old one"),
    ] {
        let page = choose(&mut visitor, &page, new, again).await;
        page.refuses(status, problem);
        assert!(!page.html.contains(new), "no page repeats a password");
    }
    choose(&mut visitor, &page, NEW, NEW)
        .await
        .shows("/account", "was changed");
    served.app.assert_password(ADA, NEW, true).await;
    served.stop().await;
}

#[tokio::test]
async fn the_page_for_a_new_password_needs_a_session() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/new-password").await;
    page.shows(
        "/account/sign-in",
        "Your session has ended. Please sign in.",
    );
    served.stop().await;
}
