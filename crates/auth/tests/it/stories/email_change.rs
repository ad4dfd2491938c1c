//! A user changes their address.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::mailbox::ReceivedMail;
use crate::support::{Answer, TestApp, bearer};

const OLD: &str = "ada@example.com";
const NEW: &str = "countess@example.com";
const PASSWORD: &str = "correct horse";
const HALF: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// A user who has requested a change of address, and both mails.
struct Mover {
    app: TestApp,
    token: String,
    old: ReceivedMail,
    new: ReceivedMail,
}

fn no_pause(config: &mut innkeeper_auth::config::Config) {
    config.smtp.max_frequency = Some(SignedDuration::ZERO);
}

async fn signed_in(app: &TestApp) -> String {
    let session = app.signed_up(OLD, PASSWORD).await;
    session["access_token"].as_str().unwrap().to_owned()
}

async fn moving() -> Mover {
    let app = TestApp::with(no_pause).await;
    let token = signed_in(&app).await;
    let user = app
        .put_as(&token, "/user", json!({ "email": NEW }))
        .await
        .ok();
    assert_eq!(user["email"], OLD);
    assert_eq!(user["new_email"], NEW);
    assert!(user["email_change_sent_at"].is_string());
    let old = app.mailbox.next_to(OLD).await;
    let new = app.mailbox.next_to(NEW).await;
    Mover {
        app,
        token,
        old,
        new,
    }
}

/// The ways to use a mail's link or code.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Browser,
    Hash,
    Code,
}

impl Mover {
    async fn confirm(&self, mail: &ReceivedMail, at: &str, way: Way) -> Answer {
        let body = match way {
            Way::Browser => {
                let link = mail.link();
                let target = format!("{}?{}", link.path(), link.query().unwrap());
                return self.app.get(&target).await;
            }
            Way::Hash => json!({ "type": "email_change", "token_hash": mail.token() }),
            Way::Code => json!({ "type": "email_change", "email": at, "token": mail.code() }),
        };
        self.app.post("/verify", body).await
    }

    async fn me(&self) -> Value {
        self.app.get_as(&self.token, "/user").await.ok()
    }

    /// Asserts that the user, its identity and its metadata have the new address.
    async fn assert_moved(&self) {
        let me = self.me().await;
        assert_eq!(me["email"], NEW);
        assert!(me.get("new_email").is_none(), "{me}");
        assert_eq!(me["user_metadata"]["email"], NEW);
        assert_eq!(me["user_metadata"]["email_verified"], true);
        let identity = &me["identities"][0];
        assert_eq!(identity["email"], NEW);
        assert_eq!(identity["identity_data"]["email"], NEW);
        assert_eq!(identity["identity_data"]["email_verified"], true);
        self.app.sign_in(NEW, PASSWORD).await.ok();
        self.app
            .sign_in(OLD, PASSWORD)
            .await
            .refused(400, "invalid_credentials");
    }
}

fn assert_half(answer: &Answer, way: Way) {
    if way == Way::Browser {
        assert_eq!(answer.status, 303, "{}", answer.text);
        let location = answer.header("location").unwrap();
        let location = url::Url::parse(location).unwrap();
        let fragment = location.fragment().unwrap().as_bytes();
        let said: Vec<_> = url::form_urlencoded::parse(fragment).collect();
        assert!(
            said.contains(&("message".into(), HALF.into())),
            "{location}"
        );
        assert!(!location.as_str().contains("access_token"));
    } else {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.body, json!({ "msg": HALF, "code": "200" }));
    }
}

fn assert_whole(answer: &Answer, way: Way) {
    if way == Way::Browser {
        let location = answer.header("location").unwrap();
        assert!(location.contains("access_token="), "{location}");
        assert!(location.contains("type=email_change"), "{location}");
    } else {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.body["type"], "email_change");
        assert_eq!(answer.body["user"]["email"], NEW);
    }
}

#[tokio::test]
async fn both_addresses_agree_in_either_order_and_by_any_way() {
    for new_first in [true, false] {
        for way in [Way::Browser, Way::Hash, Way::Code] {
            let mover = moving().await;
            let (old, new) = ((&mover.old, OLD), (&mover.new, NEW));
            let (first, second) = if new_first { (new, old) } else { (old, new) };
            let half = mover.confirm(first.0, first.1, way).await;
            assert_half(&half, way);
            let me = mover.me().await;
            assert_eq!((&me["email"], &me["new_email"]), (&json!(OLD), &json!(NEW)));
            // Confirming the same address twice does not count as both.
            let again = mover.confirm(first.0, first.1, Way::Hash).await;
            again.refused(403, "otp_expired");
            let whole = mover.confirm(second.0, second.1, way).await;
            assert_whole(&whole, way);
            mover.assert_moved().await;
        }
    }
}

#[tokio::test]
async fn a_code_works_only_with_the_address_it_was_sent_to() {
    let mover = moving().await;
    if mover.old.code() == mover.new.code() {
        return;
    }
    mover
        .confirm(&mover.old, NEW, Way::Code)
        .await
        .refused(403, "otp_expired");
    mover
        .confirm(&mover.new, OLD, Way::Code)
        .await
        .refused(403, "otp_expired");
}

#[tokio::test]
async fn without_secure_change_the_new_address_alone_is_asked() {
    let app = TestApp::with(|config| {
        no_pause(config);
        config.mailer.secure_email_change_enabled = false;
    })
    .await;
    let token = signed_in(&app).await;
    app.put_as(&token, "/user", json!({ "email": NEW }))
        .await
        .ok();
    let new = app.mailbox.next_to(NEW).await;
    assert_eq!(app.mailbox.count_to(OLD), 0);
    let body = json!({ "type": "email_change", "email": NEW, "token": new.code() });
    let session = app.post("/verify", body).await.ok();
    assert_eq!(session["user"]["email"], NEW);
    app.sign_in(NEW, PASSWORD).await.ok();
}

#[tokio::test]
async fn where_nothing_is_confirmed_one_side_is_enough() {
    for by_old in [true, false] {
        let app = TestApp::with(|config| {
            no_pause(config);
            config.mailer.autoconfirm = true;
        })
        .await;
        let token = signed_in(&app).await;
        app.put_as(&token, "/user", json!({ "email": NEW }))
            .await
            .ok();
        let old = app.mailbox.next_to(OLD).await;
        let new = app.mailbox.next_to(NEW).await;
        let mail = if by_old { old } else { new };
        let body = json!({ "type": "email_change", "token_hash": mail.token() });
        let session = app.post("/verify", body).await.ok();
        assert_eq!(session["user"]["email"], NEW);
    }
}

#[tokio::test]
async fn an_address_that_was_taken_meanwhile_is_a_clear_error() {
    let mover = moving().await;
    let half = mover.confirm(&mover.old, OLD, Way::Hash).await;
    assert_half(&half, Way::Hash);
    let key = mover.app.service_key();
    let taker = json!({ "email": NEW, "email_confirm": true, "password": PASSWORD });
    mover.app.post_as(&key, "/admin/users", taker).await.ok();
    mover
        .confirm(&mover.new, NEW, Way::Hash)
        .await
        .refused(422, "email_exists");
    let browser = mover.confirm(&mover.new, NEW, Way::Browser).await;
    assert_eq!(browser.status, 303);
    let location = browser.header("location").unwrap();
    assert!(location.contains("error_code=email_exists"), "{location}");
    assert_eq!(mover.me().await["email"], OLD);
}

/// Somebody else has the address that a user asks for.
async fn taken(change: impl FnOnce(&mut innkeeper_auth::config::Config)) -> (TestApp, String) {
    let app = TestApp::with(|config| {
        no_pause(config);
        change(config);
    })
    .await;
    let token = signed_in(&app).await;
    let body = json!({ "email": NEW, "password": PASSWORD, "data": { "locale": "de" } });
    app.post("/signup", body).await.ok();
    let code = app.mailbox.next_to(NEW).await.code();
    app.verify_code("signup", NEW, &code).await.ok();
    (app, token)
}

/// Asserts that a mail tells the owner of an address, and gives nobody a way to confirm anything.
fn assert_tells_owner(mail: &ReceivedMail) {
    let subject = "Your email address was entered for another account";
    assert_eq!(mail.subject(), subject);
    assert!(mail.text.contains(NEW), "{}", mail.text);
    for secret in ["verify", "token", OLD] {
        assert!(!mail.text.contains(secret), "{}", mail.text);
        assert!(!mail.html.contains(secret), "{}", mail.html);
    }
}

#[tokio::test]
async fn the_owner_of_an_address_is_told_that_somebody_asked_for_it() {
    let (app, token) = taken(|_| {}).await;
    let ask = || app.put_as(&token, "/user", json!({ "email": NEW }));
    ask().await.ok();
    assert_tells_owner(&app.mailbox.next_to(NEW).await);
    // The current address gets what it always gets, and its confirmation is half of the change.
    let old = app.mailbox.next_to(OLD).await;
    let body = json!({ "type": "email_change", "token_hash": old.token() });
    let half = app.post("/verify", body.clone()).await;
    assert_half(&half, Way::Hash);
    app.post("/verify", body).await.refused(403, "otp_expired");
    let again = json!({ "type": "email_change", "email": OLD });
    app.post("/resend", again.clone()).await.ok();
    assert_tells_owner(&app.mailbox.next_to(NEW).await);
    let code = app.mailbox.next_to(OLD).await.code();
    let half = app.verify_code("email_change", OLD, &code).await;
    assert_half(&half, Way::Code);

    // Nothing is stored that could confirm the rest, not even once the owner is gone.
    let sql = app.sql().await;
    let links = "select count(*) from one_time_tokens where token_type = 'email_change_token_new'";
    assert_eq!(crate::support::operator::count(&sql, links).await, 0);
    let gone = "delete from users where email = $1";
    sql.execute(gone, &[&NEW]).await.unwrap();
    app.verify_code("email_change", NEW, "000000")
        .await
        .refused(403, "otp_expired");
    assert_eq!(app.get_as(&token, "/user").await.ok()["email"], OLD);

    // The address is free now, and confirms like any other.
    app.post("/resend", again).await.ok();
    for at in [OLD, NEW] {
        let code = app.mailbox.next_to(at).await.code();
        app.verify_code("email_change", at, &code).await.ok();
    }
    assert_eq!(app.get_as(&token, "/user").await.ok()["email"], NEW);
}

#[tokio::test]
async fn where_only_the_new_address_confirms_its_owner_is_the_only_one_who_gets_mail() {
    let (app, token) = taken(|config| {
        config.mailer.secure_email_change_enabled = false;
        config.mailer.templates.locales = ["en", "de"].map(str::to_owned).to_vec();
    })
    .await;
    app.put_as(&token, "/user", json!({ "email": NEW }))
        .await
        .ok();
    let mail = app.mailbox.next_to(NEW).await;
    assert_eq!(
        mail.subject(),
        "Ihre Adresse wurde für ein anderes Konto angegeben"
    );
    assert!(!mail.text.contains("token"), "{}", mail.text);
    app.assert_no_mail(OLD).await;
    assert_eq!(app.get_as(&token, "/user").await.ok()["email"], OLD);
}

#[tokio::test]
async fn the_owner_of_an_address_is_told_no_more_often_than_a_stranger_would_be() {
    let app = TestApp::start().await;
    let token = signed_in(&app).await;
    app.confirmed(NEW).await;
    let ask = || app.put_as(&token, "/user", json!({ "email": NEW }));
    ask().await.ok();
    app.mailbox.next_to(NEW).await;
    ask().await.refused(429, "over_email_send_rate_limit");
    // Another account does not send a second one either.
    app.confirmed("eve@example.com").await;
    let eve = app.sign_in("eve@example.com", PASSWORD).await.ok();
    let eve = eve["access_token"].as_str().unwrap();
    app.put_as(eve, "/user", json!({ "email": NEW }))
        .await
        .refused(429, "over_email_send_rate_limit");
    app.assert_no_mail(NEW).await;
    app.advance(900);
    ask().await.ok();
    app.mailbox.next_to(NEW).await;
}

#[tokio::test]
async fn asking_again_starts_over() {
    let mover = moving().await;
    let half = mover.confirm(&mover.old, OLD, Way::Hash).await;
    assert_half(&half, Way::Hash);
    let third = json!({ "email": "third@example.com" });
    mover.app.put_as(&mover.token, "/user", third).await.ok();
    // Earlier mails no longer work, and the first confirmation is discarded.
    mover
        .confirm(&mover.new, NEW, Way::Hash)
        .await
        .refused(403, "otp_expired");
    let to_third = mover.app.mailbox.next_to("third@example.com").await;
    let to_old = mover.app.mailbox.next_to(OLD).await;
    let half = mover
        .confirm(&to_third, "third@example.com", Way::Hash)
        .await;
    assert_half(&half, Way::Hash);
    let whole = mover.confirm(&to_old, OLD, Way::Hash).await.ok();
    assert_eq!(whole["user"]["email"], "third@example.com");
}

#[tokio::test]
async fn both_mails_can_be_sent_again() {
    let mover = moving().await;
    let again = json!({ "type": "email_change", "email": OLD });
    mover.app.post("/resend", again).await.ok();
    let old = mover.app.mailbox.next_to(OLD).await;
    let new = mover.app.mailbox.next_to(NEW).await;
    for (mail, at) in [(&mover.old, OLD), (&mover.new, NEW)] {
        mover
            .confirm(mail, at, Way::Hash)
            .await
            .refused(403, "otp_expired");
    }
    assert_half(&mover.confirm(&new, NEW, Way::Hash).await, Way::Hash);
    assert_whole(&mover.confirm(&old, OLD, Way::Hash).await, Way::Hash);
    mover.assert_moved().await;
}

#[tokio::test]
async fn the_old_address_is_free_again() {
    let mover = moving().await;
    mover.confirm(&mover.old, OLD, Way::Hash).await.ok();
    mover.confirm(&mover.new, NEW, Way::Hash).await.ok();
    let session = mover.app.signed_up(OLD, "another password").await;
    assert_eq!(session["user"]["email"], OLD);
    assert_ne!(session["user"]["id"], mover.me().await["id"]);
    mover.assert_moved_beside_newcomer().await;
}

impl Mover {
    async fn assert_moved_beside_newcomer(&self) {
        assert_eq!(self.me().await["email"], NEW);
        self.app.sign_in(NEW, PASSWORD).await.ok();
        self.app.sign_in(OLD, "another password").await.ok();
    }
}

#[tokio::test]
async fn sessions_go_on_and_say_the_new_address_when_they_are_refreshed() {
    let app = TestApp::with(|config| {
        no_pause(config);
        config.mailer.secure_email_change_enabled = false;
    })
    .await;
    let session = app.signed_up(OLD, PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    app.put_as(token, "/user", json!({ "email": NEW }))
        .await
        .ok();
    let new = app.mailbox.next_to(NEW).await;
    let body = json!({ "type": "email_change", "token_hash": new.token() });
    app.post("/verify", body).await.ok();
    let refreshed = app
        .refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    assert_eq!(refreshed["user"]["email"], NEW);
}

#[tokio::test]
async fn an_address_is_asked_once_in_fifteen_minutes() {
    let app = TestApp::start().await;
    let token = signed_in(&app).await;
    let ask = |email: &str| app.put_as(&token, "/user", json!({ "email": email }));
    ask(NEW).await.ok();
    let early = ask(NEW).await;
    let wait: i64 = early.header("retry-after").unwrap().parse().unwrap();
    assert!((899..=900).contains(&wait), "{wait}");
    early.refused(429, "over_email_send_rate_limit");
    // So is every other address that the account names, and a resend has to wait.
    ask("third@example.com")
        .await
        .refused(429, "over_email_send_rate_limit");
    assert_eq!(app.mailbox.count_to("third@example.com"), 0);
    let again = json!({ "type": "email_change", "email": OLD });
    app.post("/resend", again)
        .await
        .refused(429, "over_email_send_rate_limit");
    app.advance(wait);
    ask(NEW).await.ok();
}

#[tokio::test]
async fn a_user_who_names_many_addresses_sends_mail_to_one() {
    for profile in [
        innkeeper_auth::config::Profile::Std,
        innkeeper_auth::config::Profile::Gotrue,
    ] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.smtp.max_frequency = Some(jiff::SignedDuration::from_secs(60));
        })
        .await;
        let token = signed_in(&app).await;
        for number in 0..8 {
            let email = format!("stranger{number}@example.com");
            let answer = app.put_as(&token, "/user", json!({ "email": email })).await;
            if number == 0 {
                answer.ok();
                app.mailbox.next_to(&email).await;
                app.mailbox.next_to(OLD).await;
            } else {
                answer.refused(429, "over_email_send_rate_limit");
            }
        }
        // Another user is not concerned, and a refused request does not start the time again.
        let other = app.signed_up("other@example.com", PASSWORD).await;
        let body = json!({ "email": "stranger1@example.com" });
        let other = other["access_token"].as_str().unwrap();
        app.put_as(other, "/user", body.clone()).await.ok();
        app.mailbox.next_to("stranger1@example.com").await;
        app.advance(60);
        app.put_as(&token, "/user", json!({ "email": "stranger2@example.com" }))
            .await
            .ok();
        app.mailbox.next_to("stranger2@example.com").await;
    }
}

#[tokio::test]
async fn a_change_that_fails_can_be_tried_again_at_once() {
    let app = TestApp::start().await;
    let token = signed_in(&app).await;
    let ask = |body| app.put_as(&token, "/user", body);
    let large = json!({ "email": NEW, "data": { "x": "y".repeat(20_000) } });
    ask(large).await.refused(422, "metadata_too_large");
    ask(json!({ "email": NEW })).await.ok();
}

#[tokio::test]
async fn the_current_address_confirms_only_the_new_one_that_its_mail_names() {
    let mover = moving().await;
    let key = mover.app.service_key();
    let link =
        json!({ "type": "email_change_new", "email": OLD, "new_email": "third@example.com" });
    let made = mover
        .app
        .post_as(&key, "/admin/generate_link", link)
        .await
        .ok();
    mover
        .confirm(&mover.old, OLD, Way::Hash)
        .await
        .refused(403, "otp_expired");
    mover
        .confirm(&mover.old, OLD, Way::Code)
        .await
        .refused(403, "otp_expired");
    let body = json!({ "type": "email_change", "token_hash": made["hashed_token"] });
    let half = mover.app.post("/verify", body).await;
    assert_half(&half, Way::Hash);
    assert_eq!(mover.me().await["email"], OLD);
}

#[tokio::test]
async fn a_code_exchange_ends_in_a_session_of_the_new_address() {
    let app = TestApp::with(|config| {
        no_pause(config);
        config.mailer.secure_email_change_enabled = false;
    })
    .await;
    let token = signed_in(&app).await;
    let body = json!({
        "email": NEW,
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "s256",
    });
    app.put_as(&token, "/user", body).await.ok();
    let link = app.mailbox.next_to(NEW).await.link();
    let answer = app
        .get(&format!("{}?{}", link.path(), link.query().unwrap()))
        .await;
    let location = url::Url::parse(answer.header("location").unwrap()).unwrap();
    let code = location
        .query_pairs()
        .find(|(name, _)| name == "code")
        .unwrap()
        .1;
    let body = json!({
        "auth_code": code,
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    });
    let session = app.post("/token?grant_type=pkce", body).await.ok();
    assert_eq!(session["user"]["email"], NEW);
}

#[tokio::test]
async fn the_link_leads_back_to_where_the_client_wants() {
    let app = TestApp::with(no_pause).await;
    let token = signed_in(&app).await;
    let (name, value) = bearer(&token);
    let target = "/user?redirect_to=http://localhost:3000/welcome";
    let body = json!({ "email": NEW });
    app.send(
        innkeeper_rest::Method::PUT,
        target,
        &[(name, &value)],
        Some(&body),
    )
    .await
    .ok();
    let link = app.mailbox.next_to(NEW).await.link();
    let back = link
        .query_pairs()
        .find(|(name, _)| name == "redirect_to")
        .unwrap()
        .1;
    assert_eq!(back, "http://localhost:3000/welcome");
}

#[tokio::test]
async fn without_a_mail_server_an_address_cannot_be_changed() {
    let app = TestApp::with(|config| {
        config.smtp.host = String::new();
        config.mailer.autoconfirm = true;
    })
    .await;
    let token = signed_in(&app).await;
    app.put_as(&token, "/user", json!({ "email": NEW }))
        .await
        .refused(422, "email_provider_disabled");
}
