//! The account page: address, password, sessions, and forms that come too late or from elsewhere.

use jiff::SignedDuration;
use serde_json::json;

use crate::support::pages::{Shown, Visitor, serve_pages};
use crate::support::served::Served;

const ADA: &str = "ada@example.com";
const NEW: &str = "countess@example.com";
const PASSWORD: &str = "correct horse";
const BETTER: &str = "a better battery staple";

/// Starts a server with a visitor who is signed in.
async fn signed_in(served: &Served) -> (Visitor, Shown) {
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(served);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows("/account", "You are signed in as ada@example.com");
    (visitor, page)
}

async fn change_email(visitor: &mut Visitor, page: &Shown, email: &str) -> Shown {
    visitor
        .send(page, "/account/email", &[("email", email)])
        .await
}

async fn change_password(visitor: &mut Visitor, page: &Shown, fields: &[(&str, &str)]) -> Shown {
    let mut all = vec![("new_password", BETTER), ("new_password_again", BETTER)];
    all.extend(fields);
    visitor.send(page, "/account/password", &all).await
}

#[tokio::test]
async fn the_address_changes_when_both_mails_are_confirmed() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, page) = signed_in(&served).await;
    let page = change_email(&mut visitor, &page, NEW).await;
    page.shows("/account", "We sent mails about the change");
    assert!(
        page.text()
            .contains("A change to countess@example.com waits")
    );
    let (old, new) = (
        served.app.mailbox.next_to(ADA).await,
        served.app.mailbox.next_to(NEW).await,
    );
    let page = visitor.open(old.link().as_str()).await;
    let question = "Change the email address of the account ada@example.com on";
    assert!(page.text().contains(question), "{}", page.text());
    assert!(page.text().contains("to countess@example.com?"));
    let page = visitor.press(&page).await;
    page.shows(
        "/account",
        "Follow the link in the mail to the other address, too",
    );
    assert_eq!(served.app.only_user().await["email"], ADA);

    // The other half by its code.
    let page = visitor.open("/account/code?purpose=email_change").await;
    let code = new.code();
    let fields = [("email", NEW), ("code", code.as_str())];
    let page = visitor.send(&page, "/account/code", &fields).await;
    page.shows("/account", "Your email address was changed");
    assert!(
        page.text()
            .contains("You are signed in as countess@example.com")
    );
    let user = served.app.only_user().await;
    assert_eq!(user["email"], NEW);
    assert_eq!(
        served.app.sessions_of(&user).await.len(),
        1,
        "one browser, one session"
    );
    served.stop().await;
}

#[tokio::test]
async fn mistakes_in_a_new_address_are_told() {
    let served = serve_pages(|config| config.smtp.max_frequency = None).await;
    let (mut visitor, page) = signed_in(&served).await;
    for (email, problem) in [
        ("", "Enter an email address"),
        ("nobody", "Enter an email address"),
        ("ADA@example.com", "This is your email address already"),
    ] {
        let page = change_email(&mut visitor, &page, email).await;
        page.refuses(400, problem);
    }
    change_email(&mut visitor, &page, NEW)
        .await
        .shows("/account", "We sent mails");
    let again = change_email(&mut visitor, &page, "other@example.com").await;
    again.shows("/account", "another one is possible in 15 minutes");
    assert!(
        again
            .text()
            .contains("A change to countess@example.com waits")
    );
    served.stop().await;
}

#[tokio::test]
async fn the_password_changes_and_other_sessions_end() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, page) = signed_in(&served).await;
    let elsewhere = served.app.sign_in(ADA, PASSWORD).await.ok();
    let page = change_password(&mut visitor, &page, &[]).await;
    page.shows("/account", "Your password was changed");
    served.app.assert_password(ADA, BETTER, true).await;
    served.app.assert_password(ADA, PASSWORD, false).await;
    let token = elsewhere["access_token"].as_str().unwrap();
    served
        .app
        .get_as(token, "/user")
        .await
        .refused(403, "session_not_found");
    served.stop().await;
}

#[tokio::test]
async fn an_old_sign_in_has_to_prove_the_current_password() {
    let served = serve_pages(|config| {
        config.security.update_password_sign_in_age = Some(SignedDuration::from_mins(15));
    })
    .await;
    let (mut visitor, page) = signed_in(&served).await;
    assert_eq!(page.html.matches("name=\"current_password\"").count(), 0);
    served.app.advance(16 * 60);
    let page = visitor.open("/account").await;
    assert_eq!(page.html.matches("name=\"current_password\"").count(), 1);
    let refused = change_password(&mut visitor, &page, &[]).await;
    refused.refuses(400, "Enter your current password, too");
    let refused = change_password(&mut visitor, &page, &[("current_password", "wrong")]).await;
    refused.refuses(400, "The current password is wrong");
    served.app.assert_password(ADA, PASSWORD, true).await;
    let changed = change_password(&mut visitor, &page, &[("current_password", PASSWORD)]).await;
    changed.shows("/account", "Your password was changed");
    served.app.assert_password(ADA, BETTER, true).await;
    served.stop().await;
}

#[tokio::test]
async fn where_the_current_password_is_required_only_those_who_came_by_mail_are_not_asked() {
    let served = serve_pages(|config| {
        config.security.update_password_require_current_password = true;
    })
    .await;
    let (mut visitor, page) = signed_in(&served).await;
    assert_eq!(page.html.matches("name=\"current_password\"").count(), 1);
    let refused = change_password(&mut visitor, &page, &[]).await;
    refused.refuses(400, "Enter your current password");
    let changed = change_password(&mut visitor, &page, &[("current_password", PASSWORD)]).await;
    changed.shows("/account", "Your password was changed");
    served.app.assert_password(ADA, BETTER, true).await;

    let mail = served.app.mail_of("/recover", ADA).await;
    let mut forgetful = Visitor::of(&served);
    let page = forgetful.open(mail.link().as_str()).await;
    let page = forgetful.press(&page).await;
    page.shows("/account/new-password", ADA);
    assert_eq!(page.html.matches("name=\"current_password\"").count(), 0);
    let fields = [("new_password", PASSWORD), ("new_password_again", PASSWORD)];
    forgetful
        .send(&page, "/account/new-password", &fields)
        .await
        .shows("/account", "Your password was changed");
    served.app.assert_password(ADA, PASSWORD, true).await;
    served.stop().await;
}

#[tokio::test]
async fn where_reauthentication_is_required_a_code_is_sent() {
    let served = serve_pages(|config| {
        config.security.update_password_require_reauthentication = true;
    })
    .await;
    let (mut visitor, page) = signed_in(&served).await;
    let refused = change_password(&mut visitor, &page, &[]).await;
    refused.refuses(400, "have a code sent and enter it");
    let page = visitor.send(&page, "/account/password/code", &[]).await;
    page.shows("/account", "A mail is on its way");
    let code = served.app.mailbox.next_to(ADA).await.code();
    let refused = change_password(&mut visitor, &page, &[("code", "000000")]).await;
    refused.refuses(422, "The code is wrong");
    let page = change_password(&mut visitor, &page, &[("code", &code)]).await;
    page.shows("/account", "Your password was changed");
    served.app.assert_password(ADA, BETTER, true).await;
    served.stop().await;
}

#[tokio::test]
async fn each_session_is_listed_and_can_be_ended() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, _) = signed_in(&served).await;
    let mut phone = Visitor::of(&served);
    phone.agent = "Mozilla/5.0 (iPhone) Version/18.0 Mobile Safari/604.1".to_owned();
    phone
        .sign_in(ADA, PASSWORD)
        .await
        .shows("/account", "You are signed in");
    let tokens = served.app.sign_in(ADA, PASSWORD).await.ok();

    let page = visitor.open("/account").await;
    for text in ["Visitor/1.0", "This browser", "Safari, iOS", "127.0.0.1"] {
        assert!(page.text().contains(text), "{text} in {}", page.text());
    }
    let sessions = served.app.sessions_of(&served.app.only_user().await).await;
    let of_phone = sessions
        .iter()
        .find(|it| it["user_agent"] == phone.agent.as_str());
    let id = of_phone.unwrap()["id"].as_str().unwrap();
    assert!(page.html.contains(&format!("value=\"{id}\"")));
    let token = page.field("form_token").unwrap();
    let fields = [("form_token", token.as_str()), ("session", id)];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let page = visitor.post("/account/sessions", &fields).await;
    page.shows("/account", "The session was ended");
    phone
        .open("/account")
        .await
        .shows("/account/sign-in", "Sign in");
    // Two tabs: it has ended already, as the visitor wants.
    visitor
        .post("/account/sessions", &fields)
        .await
        .shows("/account", "The session was ended");

    let page = visitor.open("/account").await;
    let fields = [
        ("form_token", page.field("form_token").unwrap()),
        ("session", "others".into()),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    visitor
        .post("/account/sessions", &fields)
        .await
        .shows("/account", "All other sessions were ended");
    let token = tokens["access_token"].as_str().unwrap();
    served
        .app
        .get_as(token, "/user")
        .await
        .refused(403, "session_not_found");
    visitor
        .open("/account")
        .await
        .shows("/account", "This browser");
    served.stop().await;
}

#[tokio::test]
async fn nobody_ends_the_session_of_another_user() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, page) = signed_in(&served).await;
    let eve = served.app.confirmed("eve@example.com").await;
    served.app.sign_in("eve@example.com", PASSWORD).await.ok();
    let sessions = served.app.sessions_of(&eve).await;
    let token = page.field("form_token").unwrap();
    for id in [sessions[0]["id"].as_str().unwrap(), "nonsense"] {
        let fields = [("form_token", token.as_str()), ("session", id)];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        visitor.post("/account/sessions", &fields).await;
    }
    assert_eq!(served.app.sessions_of(&eve).await.len(), 1);
    served.stop().await;
}

#[tokio::test]
async fn signing_out_ends_the_session_and_the_back_button_shows_nothing() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, page) = signed_in(&served).await;
    let stolen = visitor.cookies.clone();
    assert_eq!(page.headers["cache-control"], "no-store");
    let page = visitor.send(&page, "/account/sign-out", &[]).await;
    page.shows("/account/sign-in", "You are signed out");
    visitor
        .open("/account")
        .await
        .shows("/account/sign-in", "Sign in");
    let user = served.app.only_user().await;
    assert_eq!(served.app.sessions_of(&user).await.len(), 0);
    // The cookie alone is worth nothing any more.
    visitor.cookies = stolen;
    visitor
        .open("/account")
        .await
        .shows("/account/sign-in", "Sign in");
    served.stop().await;
}

#[tokio::test]
async fn a_session_that_ended_elsewhere_asks_to_sign_in() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, _) = signed_in(&served).await;
    let tokens = served.app.sign_in(ADA, PASSWORD).await.ok();
    let page = visitor.open("/account").await;
    let token = tokens["access_token"].as_str().unwrap();
    served
        .app
        .post_as(token, "/logout", json!({}))
        .await
        .failed(204);
    for (target, fields) in [
        ("/account/email", vec![("email", NEW)]),
        ("/account/password", vec![("new_password", BETTER)]),
        ("/account/sessions", vec![("session", "others")]),
    ] {
        let page = visitor.send(&page, target, &fields).await;
        page.shows(
            "/account/sign-in",
            "Your session has ended. Please sign in.",
        );
    }
    served.stop().await;
}

#[tokio::test]
async fn a_session_goes_on_by_refreshes_and_two_tabs_share_it() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, page) = signed_in(&served).await;
    let first = visitor.cookies["innkeeper-session"].clone();
    served.app.advance(3599);
    visitor
        .open("/account")
        .await
        .shows("/account", "This browser");
    assert_eq!(visitor.cookies["innkeeper-session"], first);
    served.app.advance(2);
    let other_tab = visitor.cookies.clone();
    visitor
        .open("/account")
        .await
        .shows("/account", "This browser");
    assert_ne!(visitor.cookies["innkeeper-session"], first);
    // The other tab has asked at the same moment, with the former cookie.
    visitor.cookies = other_tab;
    visitor
        .open("/account")
        .await
        .shows("/account", "This browser");
    // A form that was shown before is still accepted.
    let page = change_password(&mut visitor, &page, &[("current_password", PASSWORD)]).await;
    page.shows("/account", "Your password was changed");
    served.stop().await;
}

#[tokio::test]
async fn a_banned_user_is_signed_out() {
    let served = serve_pages(|_| {}).await;
    let (mut visitor, _) = signed_in(&served).await;
    let user = served.app.only_user().await;
    let target = format!("/admin/users/{}", user["id"].as_str().unwrap());
    let token = served.app.service_key();
    let body = json!({ "ban_duration": "24h" });
    served.app.put_as(&token, &target, body).await.ok();
    visitor
        .open("/account")
        .await
        .shows("/account/sign-in", "Sign in");
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.refuses(400, "This account is blocked");
    served.stop().await;
}
